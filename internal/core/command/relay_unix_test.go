//go:build unix

package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// gate makes a FIFO and opens it so that neither end waits for the other.
func gate(t *testing.T) (path string, f *os.File) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return path, f
}

// The first byte arrives while the command runs: it ends only when somebody has read it.
func TestRelayed(t *testing.T) {
	t.Parallel()
	path, open := gate(t)
	r, w := io.Pipe()
	c := stub(t, `printf first; read -r _ <"`+path+`"; printf ' \033[1mlast\n'`)
	c.Stdout = w
	type result struct {
		printed []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		printed, err := c.Collect(t.Context(), testPrompt)
		w.Close()
		done <- result{printed, err}
	}()
	first := make([]byte, len("first"))
	if _, err := io.ReadFull(r, first); err != nil || string(first) != "first" {
		t.Fatalf("%q, %v", first, err)
	}
	if _, err := open.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if got := <-done; err != nil || got.err != nil || string(rest) != " \x1b[1mlast\n" || string(got.printed) != "first"+string(rest) {
		t.Errorf("%q, %v; collected %q, %v", rest, err, got.printed, got.err)
	}
}

// A writer that is held until it is let go.
type held struct {
	bytes.Buffer
	until <-chan struct{}
}

func (h *held) Write(p []byte) (int, error) {
	<-h.until
	return h.Buffer.Write(p)
}

// Who reads slowly does not hold up the command: it says that it is done before
// anything of what it printed was taken.
func TestRelayedSlowly(t *testing.T) {
	t.Parallel()
	path, ended := gate(t)
	let := make(chan struct{})
	w := &held{until: let}
	c := stub(t, `head -c 1000000 /dev/zero | tr '\0' x; echo >"`+path+`"`)
	c.Stdout = w
	go func() {
		if _, err := ended.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		close(let)
	}()
	printed, err := c.Collect(t.Context(), testPrompt)
	if err != nil || len(printed) != 1e6 || w.Len() != 1e6 {
		t.Errorf("collected %d bytes, wrote %d, %v", len(printed), w.Len(), err)
	}
}

// The end of the context leaves a writer behind that does not come back; an answer that
// is whole is one.
func TestRelayedToNobody(t *testing.T) {
	t.Parallel()
	path, ended := gate(t)
	ctx, cancel := context.WithCancel(t.Context())
	let := make(chan struct{})
	defer close(let)
	c := stub(t, `echo answer; echo >"`+path+`"`)
	c.Stdout = &held{until: let}
	go func() {
		if _, err := ended.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		time.AfterFunc(time.Second, cancel) // or before the command is seen to end
	}()
	printed, err := c.Collect(ctx, testPrompt)
	if string(printed) != "answer\n" || err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", printed, err)
	}
}

type brokenOnce struct{ n int }

func (b *brokenOnce) Write([]byte) (int, error) {
	b.n++
	return 0, io.ErrClosedPipe
}

// A writer that fails is not written to again; the answer is collected all the same.
func TestRelayBroken(t *testing.T) {
	t.Parallel()
	w := &brokenOnce{}
	c := stub(t, `echo a; head -c 500000 /dev/zero | tr '\0' x; sleep 0.05; echo z`)
	c.Stdout = w
	printed, err := c.Collect(t.Context(), testPrompt)
	if err != nil || len(printed) != 500004 || w.n != 1 {
		t.Errorf("collected %d bytes, %v; %d writes", len(printed), err, w.n)
	}
}

// Behind a part of an answer no other is put: a command is run again only if nothing
// was passed on.
func TestRelayedRetry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		relayed      bool
		runs         int
		wrote        string
	}{
		{"half an answer", `echo x >>"$RUNS"; printf half; exit 1`, true, 1, "half"},
		{"half an answer, kept back", `echo x >>"$RUNS"; printf half; exit 1`, false, 3, ""},
		{"no answer", `echo x >>"$RUNS"; exit 1`, true, 3, ""},
		{"an answer at last", `echo x >>"$RUNS"; [ $(wc -l <"$RUNS") -eq 3 ] || exit 1; printf whole`, true, 3, "whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs := filepath.Join(t.TempDir(), "runs")
			c := stub(t, tt.script)
			c.Env = []string{"RUNS=" + runs}
			var w bytes.Buffer
			if tt.relayed {
				c.Stdout = &w
			}
			retry := Retry{Attempts: 2, Sleep: func(context.Context, time.Duration) error { return nil }}
			_, err := retry.Run(t.Context(), func(ctx context.Context) (string, error) { return c.Run(ctx, testPrompt) })
			ran, _ := os.ReadFile(runs)
			if n := strings.Count(string(ran), "x"); n != tt.runs || w.String() != tt.wrote || (err == nil) != (tt.wrote == "whole") {
				t.Errorf("%d runs, wrote %q, %v", n, w.String(), err)
			}
		})
	}
}

// What a command that failed has printed comes with the error, up to what is accepted.
func TestCollect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		printed      string
		reason       Reason
	}{
		{"whole", `printf '\033[1mwhole\033[0m\n\n'`, "\x1b[1mwhole\x1b[0m\n\n", 0},
		{"dies", `printf half; exit 3`, "half", Exited},
		{"is killed", `printf half; kill -9 $$`, "half", Signaled},
		{"says nothing", `printf '\033[1m \n'`, "\x1b[1m \n", Empty},
		{"says too much", `printf 0123456789abcdef`, "0123456789a", TooLong},
		{"takes too long", `printf half; exec sleep 60`, "half", TimedOut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := stub(t, tt.script)
			if c.MaxReply = 100; tt.reason == TooLong {
				c.MaxReply = 10
			}
			ctx := newDeadline(t)
			if tt.reason == TimedOut {
				c.Stdout = &when{word: tt.printed, do: ctx.come}
			}
			printed, err := c.Collect(ctx, testPrompt)
			var e *Error
			if errors.As(err, &e); string(printed) != tt.printed || (err == nil) != (tt.reason == 0) || e != nil && e.Reason != tt.reason {
				t.Errorf("%q, %v", printed, err)
			}
		})
	}
}

func TestCleanReports(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		printed, text string
		changed       bool
	}{
		{"a\n\tb\n\n", "a\n\tb", false},
		{"\n\ufeffa\r\nb\r\n", "a\nb", false},
		{"\x1b[1ma\x1b[0m\n", "a", true},
		{"50 %\r100 %", "50 %100 %", true},
		{"caf\xe9", "caf\ufffd", true},
	} {
		if text, changed := Clean(tt.printed); text != tt.text || changed != tt.changed {
			t.Errorf("%q: %q, %v", tt.printed, text, changed)
		}
	}
}
