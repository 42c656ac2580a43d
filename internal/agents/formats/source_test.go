package formats_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	formatstest.Put(t, path, content)
	return path
}

// A source can be read at any place and more than once, a pipe too, and leaves
// nothing behind.
func TestSourceOpen(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := write(t, filepath.Join(t.TempDir(), "f"), "0123456789")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	large := strings.Repeat("0123456789", 200_000)
	for name, src := range map[string]*formats.Source{
		"path": {Path: path}, "pipe": {Stdin: strings.NewReader("0123456789")}, "file": {Stdin: file}, "large": {Stdin: strings.NewReader(large)},
	} {
		want := "0123456789"
		if name == "large" {
			want = large
		}
		for range 2 {
			f, err := src.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(f.Reader(t.Context()))
			if string(data) != want || err != nil || f.Size != int64(len(want)) {
				t.Errorf("%s: %.20q of %d, %v", name, data, f.Size, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if head, err := src.Head(t.Context()); string(head) != want[:min(len(want), formats.HeadSize)] || err != nil {
			t.Errorf("%s: head %.20q, %v", name, head, err)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSourceErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{
		dir:                        "reading " + dir + ": is a directory",
		filepath.Join(dir, "none"): "opening " + filepath.Join(dir, "none") + ": no such file or directory",
		loop:                       "opening " + loop + ": too many levels of symbolic links",
		os.DevNull:                 "reading " + os.DevNull + ": not a regular file",
	} {
		if _, err := formats.OpenFile(path); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&formats.Source{Stdin: strings.NewReader("x")}).Open(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b/2.jsonl", "a/1.jsonl", "a/x.txt", ".hidden/3.jsonl", "c.jsonl", "b/.4.jsonl", "b/deep/5.jsonl"} {
		write(t, filepath.Join(dir, name), "")
	}
	if os.Symlink(dir, filepath.Join(dir, "a", "up")) != nil {
		t.Skip("no symbolic links")
	}
	os.Symlink(filepath.Join(dir, "c.jsonl"), filepath.Join(dir, "a", "link.jsonl"))
	os.Symlink("nowhere", filepath.Join(dir, "d.jsonl"))
	elsewhere := t.TempDir()
	write(t, filepath.Join(elsewhere, "in", "6.jsonl"), "")
	write(t, filepath.Join(elsewhere, "out.txt"), "")
	for name, to := range map[string]string{
		"e": filepath.Join(elsewhere, "in"), "f": filepath.Join(elsewhere, "in"), "b/back": filepath.Join(dir, "a"), // a directory twice
		"g.jsonl": filepath.Join(elsewhere, "out.txt"), "h.jsonl": filepath.Join(elsewhere, "out.txt"), // a file twice, by two links
		"i.jsonl": filepath.Join(dir, ".hidden", "3.jsonl"), "j.jsonl": filepath.Join(dir, "a", "x.txt"), "k.jsonl": elsewhere,
		"l": "l", "m.jsonl": os.DevNull, "n": filepath.Dir(dir), // which this is in
	} {
		os.Symlink(to, filepath.Join(dir, name))
	}
	var got []string
	for path, err := range formats.Walk(t.Context(), dir, 1, func(base string) bool { return strings.HasSuffix(base, ".jsonl") }) {
		rel, _ := filepath.Rel(dir, path)
		if err != nil {
			rel += "!"
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if want := []string{"a/1.jsonl", "b/2.jsonl", "c.jsonl", "d.jsonl!", "e/6.jsonl", "g.jsonl", "i.jsonl", "j.jsonl", "m.jsonl!"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTargetFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	taken := write(t, filepath.Join(dir, "taken"), "theirs")
	tests := map[string]struct {
		path, name string
		strict     bool
		want       error // fs.ErrNotExist: any
		made       string
	}{
		"file":       {path: filepath.Join(dir, "new"), name: "n", made: filepath.Join(dir, "new")},
		"directory":  {path: dir, name: "n", made: filepath.Join(dir, "n")},
		"elements":   {path: dir, name: "a/b", made: filepath.Join(dir, "a", "b")},
		"taken":      {path: taken, name: "n", want: fs.ErrExist},
		"taken name": {path: dir, name: "taken", want: fs.ErrExist},
		"outside":    {path: dir, name: "../n", want: fs.ErrNotExist},
		"strict":     {path: filepath.Join(dir, "strict"), strict: true, want: formats.ErrLossy},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := formats.NewTarget(func(formats.Loss) {})
			target.Path, target.Strict = tt.path, tt.strict
			target.Lose("", formats.KindText, "x")
			err := target.File(tt.name, strings.NewReader("ours"))
			switch {
			case tt.want == nil && (err != nil || !slices.Equal(target.Made, []string{tt.made})):
				t.Errorf("made %q, %v", target.Made, err)
			case tt.want != nil && (err == nil || tt.want != fs.ErrNotExist && !errors.Is(err, tt.want) || len(target.Made) > 0):
				t.Errorf("made %q, %v", target.Made, err)
			case tt.want == nil:
				if data, _ := os.ReadFile(tt.made); string(data) != "ours" {
					t.Errorf("it holds %q", data)
				}
			}
		})
	}
	t.Cleanup(func() {
		if data, _ := os.ReadFile(taken); string(data) != "theirs" {
			t.Errorf("taken holds %q", data)
		}
	})
}

func TestActivePath(t *testing.T) {
	t.Parallel()
	const text = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"one"}}
{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"two"}}
{"type":"message","id":"c","parentId":"a","message":{"role":"user","content":"three"}}
`
	s := formatstest.Parse(t, text)
	var losses []formats.Loss
	path := formats.NewTarget(func(l formats.Loss) { losses = append(losses, l) }).ActivePath(s)
	if len(path) != 2 || path[1].ID() != "c" || len(losses) != 1 || losses[0].Kind != formats.KindBranch || losses[0].Where != "entry b" {
		t.Errorf("%d entries, %v", len(path), losses)
	}
}
