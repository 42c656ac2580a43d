//go:build unix

package subprocess

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/internal/test/must"
)

// start starts a shell script in the place of a program; a file that was just written
// may be one that cannot be run yet. What it says is added to said. Grace is an hour for one
// that ends by itself, so that a busy machine may take its time.
func start(ctx context.Context, t *testing.T, said *[]Message, grace time.Duration, script string, args ...string) *proc.Reader {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	p, err := Program{
		Name: "sess-stub", Args: append([]string{"-c", script, "sess-stub"}, args...), path: sh, grace: grace,
		Say: func(m Message) { *said = append(*said, m) },
	}.Start(ctx)
	must.Do(t, err)
	t.Cleanup(func() { p.Close() })
	return p
}

// What a program prints is whole, or an error with its status and its words.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, script string
		out, err     string
		status       int
		said         []Message
	}{
		{"all", "printf 'a\\nb\\n'", "a\nb\n", "", 0, nil},
		{"arguments, and nothing to read", `printf '%s|' "$@"; cat`, "x|--y=z w|", "", 0, nil},
		{"warnings", "echo 'sess-stub: warning: w1' >&2; echo out; echo 'sess-stub: warning: w2' >&2", "out\n", "", 0, []Message{{"w1", true}, {"w2", true}}},
		{"news", "echo 'sess-stub: 3 done' >&2", "", "", 0, []Message{{"3 done", false}}},
		{"no session", "echo 'sess-stub: no such session x' >&2; exit 2", "", "no such session x", 2, nil},
		{"half, then damage", "echo half; echo 'sess-stub: s.db: torn' >&2; exit 3", "half\n", "s.db: torn", 3, nil},
		{"all, and a failure still", "echo all; exit 4", "all\n", "sess-stub ended with exit status 4", 4, nil},
		{"no", "echo 'sess-stub: none' >&2; exit 1", "", "none", 1, nil},
		{"a command failed", "exit 5", "", "sess-stub ended with exit status 5", 5, nil},
		{"no status of ours", "exit 77", "", "sess-stub ended with exit status 77", 2, nil},
		{"two messages", "echo 'sess-stub: a' >&2; echo 'sess-stub: b' >&2; exit 2", "", "a; b", 2, nil},
		{"a panic", "echo 'panic: oh' >&2; echo 'goroutine 1' >&2; exit 2", "", "panic: oh", 2, nil},
		{"an unended message", "printf 'sess-stub: torn' >&2; exit 3", "", "torn", 3, nil},
		{"killed", "echo half; kill -9 $$", "half\n", "sess-stub ended with signal: killed", 2, nil},
		{"killed after a word", "echo 'sess-stub: a' >&2; kill -9 $$", "", "sess-stub ended with signal: killed: a", 2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var said []Message
			p := start(t.Context(), t, &said, time.Hour, tt.script, "x", "--y=z w")
			out, err := io.ReadAll(p)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if string(out) != tt.out || text != tt.err || cli.Status(err) != tt.status {
				t.Errorf("%q, %v, status %d", out, err, cli.Status(err))
			}
			if diff := cmp.Diff(tt.said, said); diff != "" {
				t.Error(diff)
			}
			if n, again := p.Read(make([]byte, 1)); n != 0 || (err == nil) != errors.Is(again, io.EOF) {
				t.Errorf("once more: %d, %v", n, again)
			}
		})
	}
}

// A hint comes along; what is said without end is not kept.
func TestTalk(t *testing.T) {
	t.Parallel()
	var said []Message
	p := start(t.Context(), t, &said, time.Hour, `
i=0; while [ $i -lt 20 ]; do echo "sess-stub: m$i" >&2; i=$((i+1)); done
echo 'sess-stub: hint: do it otherwise' >&2; exit 3`)
	_, err := io.ReadAll(p)
	if err == nil || err.Error() != "m12; m13; m14; m15; m16; m17; m18; m19" || len(said) != 12 || said[0].Text != "m0" {
		t.Errorf("%v after %v", err, said)
	}
	if hint, ok := err.(interface{ Unwrap() error }); !ok || hint.Unwrap().Error() != err.Error() {
		t.Errorf("%#v", err)
	}
	long := &talk{name: "sess-stub"}
	_, _ = io.WriteString(long, strings.Repeat("x", 100_000)+"\n"+strings.Repeat("sess-stub: hint: do it otherwise\n", 100))
	if len(long.stray) != maxLine || len(long.hints) != maxLast {
		t.Errorf("%d bytes, %d hints", len(long.stray), len(long.hints))
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	if path, err := findIn([]string{empty}, "sess-no-such-program"); err == nil || !strings.Contains(err.Error(), "finding sess-no-such-program: it is neither beside this program nor in PATH") {
		t.Errorf("%q, %v", path, err)
	}
	must.Do(t, os.WriteFile(filepath.Join(empty, "sess-no-such-program"), []byte("text"), 0o600))
	if path, err := findIn([]string{empty}, "sess-no-such-program"); err == nil {
		t.Errorf("took %q, which is no program", path)
	}
	p, err := Program{Name: "sess-stub", path: empty}.Start(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "running sess-stub: ") || cli.Status(err) != 2 {
		t.Errorf("%v, %v", p, err)
	}
}

// The program beside comes before the one in PATH.
func TestFind(t *testing.T) {
	t.Parallel()
	named := filepath.Join(t.TempDir(), "sh")
	must.Do(t, os.WriteFile(named, []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program has to be executable
	if path, err := findIn([]string{t.TempDir(), filepath.Dir(named)}, "sh"); path != named || err != nil {
		t.Errorf("%q, %v", path, err)
	}
	if path, err := findIn([]string{t.TempDir()}, "sh"); !filepath.IsAbs(path) || err != nil {
		t.Errorf("%q, %v", path, err)
	}
}
