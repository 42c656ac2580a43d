//go:build unix

package subprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// answering is a program of a pool: the first argument of an invocation says what it does, and each says how many this process
// has had.
const answering = `
n=0
say() { printf '%s %d\n%s' "$1" ${#2} "$2"; }
while read -r line; do
	n=$((n+1))
	case $line in
	*whole*) say out "$n:"; say err 'sess-stub: warning: w
'; say out "$line"; echo status 0 ;;
	*fails*) say out half; say err 'sess-stub: no such session
'; echo status 2 ;;
	*silent*) echo status 4 ;;
	*dies*) say out half; echo 'panic: oh' >&2; exit 2 ;;
	*ends*) say out half; exit 0 ;;
	*strange*) echo what is this ;;
	*waits*) say out begun; sleep 60 ;;
	esac
done`

func stubs(t *testing.T) *Pool {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	p := &Pool{Name: "sess-stub", path: sh, Args: []string{"-c", answering, "sess-stub"}}
	t.Cleanup(p.Close)
	return p
}

// One process answers one invocation after the other, as a process for each would have. That one dies costs the invocation that
// it was busy with.
func TestPool(t *testing.T) {
	t.Parallel()
	pool := stubs(t)
	for _, tt := range []struct {
		word, out, err string
		status         int
	}{
		{"whole", `1:["whole","a \"b\""]`, "", 0},
		{"fails", "half", "no such session", 2},
		{"silent", "", "sess-stub ended with exit status 4", 4},
		{"whole", `4:["whole","a \"b\""]`, "", 0},
		{"dies", "half", "panic: oh", 2},
		{"whole", `1:["whole","a \"b\""]`, "", 0},
		{"ends", "half", "running sess-stub: unexpected EOF", 2},
		{"strange", "", "no frame: \"what is this\\n\"", 2},
		{"whole", `1:["whole","a \"b\""]`, "", 0},
	} {
		var said []Message
		p, err := pool.Start(t.Context(), Program{Args: []string{tt.word, `a "b"`}, Say: func(m Message) { said = append(said, m) }})
		must.Do(t, err)
		out, err := io.ReadAll(p)
		if string(out) != tt.out || cli.Status(err) != tt.status || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %q, %v, status %d", tt.word, out, err, cli.Status(err))
		}
		if tt.word == "whole" {
			if diff := cmp.Diff([]Message{{"w", true}}, said); diff != "" {
				t.Error(diff)
			}
		}
		if n, again := p.Read(make([]byte, 1)); n != 0 || (err == nil) != errors.Is(again, io.EOF) {
			t.Errorf("%s, once more: %d, %v", tt.word, n, again)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An invocation that is closed before its end, or whose context ends, ends its process, and no other one.
func TestPoolStops(t *testing.T) {
	t.Parallel()
	pool := stubs(t)
	for name, stop := range map[string]func(context.CancelFunc, io.Closer){
		"closed":    func(_ context.CancelFunc, p io.Closer) { _ = p.Close() },
		"cancelled": func(cancel context.CancelFunc, _ io.Closer) { cancel() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := pool.Start(ctx, Program{Args: []string{"waits"}})
		must.Do(t, err)
		begun := make([]byte, 5)
		if _, err := io.ReadFull(p, begun); err != nil {
			t.Fatal(err)
		}
		stop(cancel, p)
		if _, err := io.ReadAll(p); err == nil {
			t.Errorf("%s: it ended well", name)
		}
		cancel()
		if _, err := pool.Start(ctx, Program{Args: []string{"whole"}}); err == nil {
			t.Errorf("%s: started behind its end", name)
		}
		p, err = pool.Start(t.Context(), Program{Args: []string{"whole"}})
		must.Do(t, err)
		if out, err := io.ReadAll(p); err != nil || string(out) != `1:["whole"]` {
			t.Errorf("%s: %q, %v", name, out, err)
		}
		pool.Close()
	}
}

// Invocations at a time get their own answers.
func TestPoolConcurrent(t *testing.T) {
	t.Parallel()
	pool := stubs(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			word := fmt.Sprintf("whole %d", i)
			p, err := pool.Start(t.Context(), Program{Args: []string{word}})
			if err != nil {
				t.Error(err)
				return
			}
			if out, err := io.ReadAll(p); err != nil || !strings.HasSuffix(string(out), `:["`+word+`"]`) {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	wg.Wait()
}

// The side of the program: each line is one invocation, and a line that is none ends the run.
func TestAnswerEach(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	flushed := 0
	err := AnswerEach(strings.NewReader("[\"a\",\"b c\"]\n[]\nno\n"), &b, func() error { flushed++; return nil }, func(out, errs io.Writer, args []string) int {
		_, _ = fmt.Fprintf(out, "%q", args)
		_, _ = io.WriteString(errs, "words\n")
		return len(args)
	})
	want := "out 9\n[\"a\" \"b c\"]"
	want = strings.Replace(want, "out 9", "out 11", 1) + "err 6\nwords\nstatus 2\nout 2\n[]err 6\nwords\nstatus 0\n"
	if b.String() != want || flushed != 2 || cli.Status(err) != cli.ExitUsage || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("%q, %d times flushed, %v", b.String(), flushed, err)
	}
}
