//go:build unix

package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// secret stands in every prompt of these tests and in no error.
const secret = "sk-test-0123456789abcdefghijklmnopqrstuv"

const testPrompt = "Summarize the conversation below.\n\n[User]: the key is " + secret +
	"\n[Assistant]: noted, I shall keep it out of the log\n"

// checkGoal is what sess-compact asks of a reply.
func checkGoal(prompt, reply string) (string, error) {
	text, _, err := Answer{Heading: "## Goal"}.Take(prompt, reply)
	return text, err
}

// TestMain lets the tests run below a summary command, too.
func TestMain(m *testing.M) {
	if err := os.Unsetenv(Guard); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// stub returns a command that runs body as a shell script. The script is read
// by sh instead of executed: executing a file just written fails with "text file
// busy" while another test forks.
//
// Kill is short: what is killed instead of ended by SIGTERM has the same result. Silence ends
// nothing, so that a busy machine may take its time: a test of it sets its own.
func stub(t *testing.T, body string) Command {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stub")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return Command{Argv: []string{"sh", file}, Kill: 200 * time.Millisecond, silence: time.Hour}
}

// lifeline makes a FIFO. The channel is closed when no process has it open for
// writing any more, after at least one had.
func lifeline(t *testing.T) (path string, dead <-chan struct{}) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "life")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	c := make(chan struct{})
	go func() {
		f, err := os.Open(path)
		if err != nil {
			return
		}
		defer func() { _ = f.Close() }()
		if _, err := io.Copy(io.Discard, f); err == nil {
			close(c)
		}
	}()
	return path, c
}

// wantDead fails the test if the lifeline is still held. What was killed ends as soon as the
// machine lets it, and what was not sleeps for longer than this waits.
func wantDead(t *testing.T, dead <-chan struct{}) {
	t.Helper()
	select {
	case <-dead:
	case <-time.After(20 * time.Second):
		t.Error("a process of the group survived")
	}
}

// wantQuick fails the test if Run waited for a stub's sleep of a minute.
func wantQuick(t *testing.T, start time.Time) {
	t.Helper()
	if d := time.Since(start); d >= time.Minute {
		t.Errorf("Run took %v", d)
	}
}

// when is a writer that calls do once when word has been written to it.
type when struct {
	word string
	do   func()
	seen strings.Builder
}

func (w *when) Write(b []byte) (int, error) {
	w.seen.Write(b)
	if w.do != nil && strings.Contains(w.seen.String(), w.word) {
		w.do()
		w.do = nil
	}
	return len(b), nil
}

// deadline is a context whose deadline comes when a test says so.
type deadline struct {
	context.Context
	over chan struct{}
}

func newDeadline(t *testing.T) deadline { return deadline{t.Context(), make(chan struct{})} }

// come is called once.
func (d deadline) come() { close(d.over) }

func (d deadline) Done() <-chan struct{} { return d.over }

func (d deadline) Err() error {
	select {
	case <-d.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
