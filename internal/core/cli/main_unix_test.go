//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

// The test binary plays the tool when this variable names a way to act.
const actAs = "CLIKIT_TEST_ACT_AS"

func TestMain(m *testing.M) {
	act, ok := acts[os.Getenv(actAs)]
	if ok {
		os.Args = os.Args[:1]
		cli.Main(demo(act))
	}
	os.Exit(m.Run())
}

// Each act says "ready" on standard error once it can take a signal.
var acts = map[string]func(context.Context, *cli.Streams, []string) error{
	"fail": func(context.Context, *cli.Streams, []string) error {
		return cli.CommandFailed(errors.New("running it: no"))
	},
	"sleep": func(_ context.Context, s *cli.Streams, _ []string) error {
		fmt.Fprintln(s.Err, "ready")
		time.Sleep(time.Minute)
		return nil
	},
	"wait": func(ctx context.Context, s *cli.Streams, _ []string) error {
		done := ctx.Done()
		fmt.Fprintln(s.Err, "ready")
		<-done
		return errors.New("cleaning up: done")
	},
	"ignore": func(ctx context.Context, s *cli.Streams, _ []string) error {
		done := ctx.Done()
		fmt.Fprintln(s.Err, "ready")
		<-done
		fmt.Fprintln(s.Err, "ready")
		time.Sleep(time.Minute)
		return nil
	},
	"read": func(ctx context.Context, s *cli.Streams, _ []string) error {
		ctx.Done()
		fmt.Fprintln(s.Err, "ready")
		_, err := io.Copy(io.Discard, s.In)
		return err
	},
	"cause": func(ctx context.Context, s *cli.Streams, _ []string) error {
		done := ctx.Done()
		fmt.Fprint(s.Err, "ready\nready\n")
		<-done
		return errors.New(context.Cause(ctx).Error()) // which is that of an interrupt, and left out
	},
	"flood": func(_ context.Context, s *cli.Streams, _ []string) error {
		for {
			if _, err := s.Out.Write(make([]byte, 4096)); err != nil {
				return fmt.Errorf("writing: %w", err)
			}
		}
	},
}

// outcome is how a process ended: by itself with a status, or by a signal.
type outcome struct {
	status int
	signal syscall.Signal
	stderr string
}

// play runs the test binary as act and sends it each signal when it is ready. The
// second of one kind is sent until the process ends: signals get their default action
// back shortly after the first, and one that comes sooner is lost.
func play(t *testing.T, cmd *exec.Cmd, act string, signals ...syscall.Signal) outcome {
	t.Helper()
	cmd.Env = append(os.Environ(), actAs+"="+act)
	stderr, err := cmd.StderrPipe()
	must.Do(t, err)
	in, err := cmd.StdinPipe() // held open: a reader of it waits
	must.Do(t, err)
	defer in.Close()
	must.Do(t, cmd.Start())
	guard := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer guard.Stop()
	var rest bytes.Buffer
	lines := bufio.NewReader(stderr)
	for _, sig := range signals {
		if line, err := lines.ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q, %v instead of ready", line, err)
		}
		must.Do(t, cmd.Process.Signal(sig))
	}
	ended := make(chan struct{})
	if len(signals) > 1 && signals[0] == signals[1] {
		go func() {
			for tick := time.Tick(10 * time.Millisecond); ; {
				select {
				case <-tick:
					cmd.Process.Signal(signals[1]) // an error says that it has ended
				case <-ended:
					return
				}
			}
		}()
	}
	_, err = io.Copy(&rest, lines)
	close(ended)
	must.Do(t, err)
	exit, _ := errors.AsType[*exec.ExitError](cmd.Wait())
	if exit == nil {
		return outcome{stderr: rest.String()}
	}
	ws := exit.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return outcome{signal: ws.Signal(), stderr: rest.String()}
	}
	return outcome{status: ws.ExitStatus(), stderr: rest.String()}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	must.Do(t, err)
	return path
}

func TestMainAndSignals(t *testing.T) {
	t.Parallel()
	type signals = []syscall.Signal
	tests := []struct {
		name, act string
		signals   signals
		want      outcome
	}{
		{"status", "fail", nil, outcome{5, 0, "sess-demo: running it: no\n"}},
		{"nobody asked", "sleep", signals{syscall.SIGINT}, outcome{0, syscall.SIGINT, ""}},
		{"interrupt", "wait", signals{syscall.SIGINT}, outcome{130, 0, "sess-demo: cleaning up: done\nsess-demo: interrupted\n"}},
		{"terminate", "wait", signals{syscall.SIGTERM}, outcome{130, 0, "sess-demo: cleaning up: done\nsess-demo: interrupted\n"}},
		{"hang up", "wait", signals{syscall.SIGHUP}, outcome{130, 0, "sess-demo: cleaning up: done\nsess-demo: interrupted\n"}},
		{"second signal", "ignore", signals{syscall.SIGINT, syscall.SIGINT}, outcome{0, syscall.SIGINT, ""}},
		{"waiting for input", "read", signals{syscall.SIGINT}, outcome{130, 0, "sess-demo: interrupted\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if slices.ContainsFunc(tt.signals, func(s syscall.Signal) bool { return signal.Ignored(s) }) {
				t.Skip("the tests were started with the signal ignored, as by nohup")
			}
			if got := play(t, exec.Command(self(t)), tt.act, tt.signals...); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// nohup(1) means that the process survives, although it catches signals: what ends it is
// the signal behind the one that it was started to ignore.
func TestMainRespectsIgnoredSignals(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("the tests were started with the signal ignored, as by nohup")
	}
	for _, tt := range []struct {
		script  string
		signals []syscall.Signal
		want    string
	}{
		{`trap "" HUP; exec "$0"`, []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM}, "sess-demo: terminated signal received\nsess-demo: interrupted\n"},
		{`exec "$0"`, []syscall.Signal{syscall.SIGHUP}, "ready\nsess-demo: hangup signal received\nsess-demo: interrupted\n"},
	} {
		if got, want := play(t, exec.Command("sh", "-c", tt.script, self(t)), "cause", tt.signals...), (outcome{130, 0, tt.want}); got != want {
			t.Errorf("%s: got %+v, want %+v", tt.script, got, want)
		}
	}
}

// Without a reader on descriptor 1 the kernel ends the process, in silence; a
// shell reports that as 141.
func TestMainReaderGone(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	must.Do(t, err)
	r.Close()
	defer w.Close()
	cmd := exec.Command(self(t))
	cmd.Stdout = w
	if got := play(t, cmd, "flood"); got != (outcome{signal: syscall.SIGPIPE}) {
		t.Errorf("got %+v, want an end by SIGPIPE", got)
	}
}
