package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/must"
)

func TestMessages(t *testing.T) {
	t.Parallel()
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		s.Warnf("line %d: \x1b]0;title\a\nnext\u202e", 3)
		s.Infof("did %q", "it")
		s.Notef("detail")
		fmt.Fprintf(s.Err, "raw\x1b[0m\tline\n")
		s.Warn(cli.Loss, "left out")
		return nil
	})
	tool.Writes = true
	const (
		loss    = "sess-demo: warning: left out\n"
		warning = `sess-demo: warning: line 3: \x1b]0;title\x07\nnext\u202e` + "\n"
		info    = "sess-demo: did \"it\"\n"
		note    = "sess-demo: detail\n"
		raw     = `raw\x1b[0m` + "\tline\n"
	)
	for args, want := range map[string]string{
		"":      warning + info + raw,
		"-v":    warning + info + note + raw + loss,
		"-q":    raw,
		"-q -v": raw,
	} {
		if got := run(t, tool, "", strings.Fields(args)...); got != (result{0, "", want}) {
			t.Errorf("%q: got %+v, want %q", args, got, want)
		}
	}
}

// A character cut in two by two writes is no invalid UTF-8.
func TestErrKeepsCharactersWhole(t *testing.T) {
	t.Parallel()
	const text = "é\u2028𝄞\xff\xf0z\n"
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		for i := range len(text) {
			if n, err := io.WriteString(s.Err, text[i:i+1]); n != 1 || err != nil {
				return fmt.Errorf("write %d: %d, %w", i, n, err)
			}
		}
		return nil
	})
	want := result{0, "", `é\u2028𝄞\xff\xf0z` + "\n"}
	if got := run(t, tool, ""); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMessagesConcurrently(t *testing.T) {
	t.Parallel()
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					s.Warnf("one")
					fmt.Fprintln(s.Err, "two")
				}
			})
		}
		wg.Wait()
		return nil
	})
	tool.Writes = true
	got := run(t, tool, "")
	for line := range strings.Lines(got.stderr) {
		if line != "sess-demo: warning: one\n" && line != "two\n" {
			t.Fatalf("mangled line %q", line)
		}
	}
	if n := strings.Count(got.stderr, "\n"); n != 800 {
		t.Errorf("%d lines, want 800", n)
	}
}

func TestOpenInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "s.jsonl")
	must.Do(t, os.WriteFile(file, []byte("file"), 0o600))
	tool := demo(func(_ context.Context, s *cli.Streams, operands []string) error {
		r, err := s.OpenInput(operands[0])
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(s.Out, r)
		return err
	})
	missing := filepath.Join(dir, "none")
	for name, want := range map[string]result{
		"":      {0, "stdin", ""},
		"-":     {0, "stdin", ""},
		file:    {0, "file", ""},
		missing: {2, "", "sess-demo: opening " + missing + ": no such file or directory\n"},
		dir:     {2, "", "sess-demo: reading " + dir + ": is a directory\n"},
	} {
		if got := run(t, tool, "stdin", name); got != want {
			t.Errorf("%q: got %+v, want %+v", name, got, want)
		}
	}
}

func TestFilesBehindStreams(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	must.Do(t, err)
	defer f.Close()
	var same bool
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		same = s.InFile() == f && s.OutFile() == f && s.ErrFile() == f
		fmt.Fprint(s.Out, "buffered ")
		if err := s.Flush(); err != nil {
			return err
		}
		_, err := s.OutFile().WriteString("direct")
		return err
	})
	if status := cli.Run(t.Context(), tool, f, f, f, nil); status != 0 || !same {
		t.Errorf("status %d, same %t", status, same)
	}
	if got, _ := os.ReadFile(f.Name()); string(got) != "buffered direct" {
		t.Errorf("file holds %q", got)
	}
	none := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		if s.InFile() != nil || s.OutFile() != nil || s.ErrFile() != nil {
			return errors.New("a buffer is no file")
		}
		return nil
	})
	if got := run(t, none, ""); got.status != 0 {
		t.Errorf("%+v", got)
	}
}

// An action that hangs in a read of standard input cannot be woken; Run must
// return without it.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(t.Context())
	reading := &notifyReader{r: r, started: cancel}
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		_, err := io.ReadAll(s.In)
		return err
	})
	var errw bytes.Buffer
	status := cli.Run(ctx, tool, reading, io.Discard, &errw, nil)
	if status != cli.ExitInterrupted || errw.String() != "sess-demo: interrupted\n" {
		t.Errorf("status %d, %q", status, errw.String())
	}
}

type notifyReader struct {
	r       io.Reader
	started func()
}

func (n *notifyReader) Read(p []byte) (int, error) {
	n.started()
	return n.r.Read(p)
}

// An action that is busy unwinds in its own time and keeps its message.
func TestInterruptWhileWorking(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action error
		stderr string
		status int
	}{
		"plain error":    {errors.New("killing the command: done"), "sess-demo: killing the command: done\nsess-demo: interrupted\n", 130},
		"context error":  {fmt.Errorf("waiting: %w", context.Canceled), "sess-demo: interrupted\n", 130},
		"interrupted":    {context.Canceled, "sess-demo: interrupted\n", 130},
		"finished early": {nil, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			tool := demo(func(ctx context.Context, s *cli.Streams, _ []string) error {
				cancel()
				<-ctx.Done()
				time.Sleep(time.Millisecond)
				if _, err := s.In.Read(nil); tt.action != nil && !errors.Is(err, context.Canceled) {
					return fmt.Errorf("reading after an interrupt: %w", err)
				}
				return tt.action
			})
			var errw bytes.Buffer
			status := cli.Run(ctx, tool, strings.NewReader("x"), io.Discard, &errw, nil)
			if status != tt.status || errw.String() != tt.stderr {
				t.Errorf("status %d, %q", status, errw.String())
			}
		})
	}
}
