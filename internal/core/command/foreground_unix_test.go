//go:build unix

package command

import (
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
		{"takes too long", `echo half; sleep 60`, Stage{Timeout: 200 * time.Millisecond}, "half\n", 143, syscall.SIGTERM, true},
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

// TestForegroundIgnoresTerm: a command that does not end at its time is killed, and so is what
// it has started.
func TestForegroundIgnoresTerm(t *testing.T) {
	t.Parallel()
	life, dead := lifeline(t)
	f, err := StartForeground([]string{"sh", "-c", `exec 9>"` + life + `"; trap '' TERM; sleep 60 & sleep 60; sleep 60`}, Stage{Timeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
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
