//go:build unix

package command

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestForeground: what it printed, how it ended, and what it was given to read.
func TestForeground(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		stage        Stage
		out          string
		status       int
		signal       os.Signal
		timedOut     bool
	}{
		{"ends well", `echo yes`, Stage{}, "yes\n", 0, nil, false},
		{"fails", `echo no; exit 7`, Stage{}, "no\n", 7, nil, false},
		{"is killed", `kill -KILL $$`, Stage{}, "", 137, syscall.SIGKILL, false},
		{"reads what it is given", `cat`, Stage{Given: []byte("a\x00b")}, "a\x00b", 0, nil, false},
		{"does not read it", `echo yes`, Stage{Given: make([]byte, 1<<20)}, "yes\n", 0, nil, false},
		{"is given nothing", `cat; echo end`, Stage{Given: []byte{}, Stdin: strings.NewReader("x")}, "end\n", 0, nil, false},
		{"takes too long", `exec sleep 60`, Stage{Timeout: 50 * time.Millisecond}, "", 143, syscall.SIGTERM, true},
		{"ends in time", `echo yes`, Stage{Timeout: time.Hour}, "yes\n", 0, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := StartForeground([]string{"sh", "-c", tt.script}, tt.stage)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Release()
			out, err := io.ReadAll(f.Out)
			how, failed := f.Wait()
			if string(out) != tt.out || err != nil {
				t.Errorf("printed %q, %v", out, err)
			}
			if how.Status != tt.status || how.Signal != tt.signal || how.TimedOut != tt.timedOut || how.Took <= 0 {
				t.Errorf("ended %+v", how)
			}
			if errors.Is(failed, ErrCommand) != tt.timedOut || (failed != nil) != tt.timedOut {
				t.Errorf("the error is %v", failed)
			}
		})
	}
}

// overdue starts a script with a time limit that does not come by itself, and returns when it
// has printed a line: then the test ends its time. A script starts nothing behind its line, for a
// process that is just made may miss the signal to its group.
func overdue(t *testing.T, script string) (f *Foreground, line string) {
	t.Helper()
	f, err := StartForeground([]string{"sh", "-c", script}, Stage{Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = io.Copy(io.Discard, f.Out)
		f.Release()
	})
	line, err = bufio.NewReader(f.Out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return f, line
}

// TestForegroundOverdue: what a command printed before its time was over is kept.
func TestForegroundOverdue(t *testing.T) {
	t.Parallel()
	f, line := overdue(t, `echo half; exec sleep 60`)
	f.overrun(time.Hour)
	if how, err := f.Wait(); line != "half\n" || how.Status != 143 || how.Signal != syscall.SIGTERM || !how.TimedOut || !errors.Is(err, ErrCommand) {
		t.Errorf("printed %q, ended %+v, %v", line, how, err)
	}
}

// TestForegroundIgnoresTerm: a command that does not end at its time is killed, and so is what
// it has started.
func TestForegroundIgnoresTerm(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	f, _ := overdue(t, `exec 9>"`+life+`"; trap '' TERM; sleep 60 & echo deaf; exec sleep 60`)
	f.overrun(time.Millisecond)
	if how, err := f.Wait(); !how.TimedOut || how.Signal != syscall.SIGKILL || err == nil {
		t.Errorf("ended %+v, %v", how, err)
	}
	wantDead(t, dead)
}

// TestFind: a program that is not there is found out before anything is recorded.
func TestFind(t *testing.T) {
	t.Parallel()
	if err := Find([]string{"sh"}); err != nil {
		t.Error(err)
	}
	if err := Find([]string{"./no-such-program"}); !errors.Is(err, ErrCommand) {
		t.Errorf("found %v", err)
	}
}
