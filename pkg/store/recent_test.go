package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRecent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range []struct {
		name, data string
		at         int
	}{
		// The messages of "old" are the newest; what counts is the file's time.
		{"--p--/old.jsonl", text("old", "/p", 9), 1},
		{"--p--/new.jsonl", text("new", "/p", 1), 2},
		{"--p--/empty.jsonl", "", 8},
		{"--p--/words.jsonl", "words\n", 9},
		{"--p--/.dot.jsonl", text("dot", "/p", 1), 9},
		{"--q--/tie-a.jsonl", text("tie-a", "/q", 1), 3},
		{"--q--/tie-b.jsonl", text("tie-b", "/q", 1), 3},
		{"--q--/no-cwd.jsonl", `{"type":"session","version":3,"id":"no-cwd"}` + "\n", 4},
		{"--q--/no-cwd/sub.jsonl", text("sub", "/q", 1), 9},
	} {
		touch(t, write(t, dir, f.name, f.data), f.at)
	}
	p, q := filepath.Join(dir, "--p--"), filepath.Join(dir, "--q--")
	for _, tt := range []struct {
		what string
		dirs []string
		o    Options
		want string
	}{
		{"one project", []string{p}, Options{}, "--p--/new.jsonl"},
		{"two projects", []string{p, q}, Options{}, "--q--/no-cwd.jsonl"},
		{"whole store", []string{dir}, Options{Recursive: true}, "--q--/no-cwd.jsonl"},
		{"whole store, not recursive", []string{dir}, Options{}, ""},
		{"by cwd", []string{dir}, Options{Recursive: true, CWD: "/p"}, "--p--/new.jsonl"},
		{"by cwd, tie", []string{dir}, Options{Recursive: true, CWD: "/q/"}, "--q--/tie-b.jsonl"},
		{"by cwd of none", []string{dir}, Options{Recursive: true, CWD: "/r"}, ""},
		{"missing directory", []string{filepath.Join(dir, "none")}, Options{}, ""},
		{"no directory", nil, Options{}, ""},
	} {
		want := ""
		if tt.want != "" {
			want = filepath.Join(dir, filepath.FromSlash(tt.want))
		}
		got, err := Recent(t.Context(), tt.dirs, tt.o)
		if got != want || errors.Is(err, ErrNotFound) != (want == "") || want != "" && err != nil {
			t.Errorf("%s: got %q, %v; want %q", tt.what, got, err, want)
		}
	}

	w := &warnings{dir: dir}
	if _, err := Recent(t.Context(), []string{p}, Options{Warn: w.add}); err != nil {
		t.Error(err)
	}
	same(t, "warnings", w.list, []string{
		"--p--/words.jsonl: not a session: no session header", "--p--/empty.jsonl: not a session: empty",
	})
}

func TestNewestFirstSkipsWhatVanished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := write(t, dir, "a", ""), write(t, dir, "b", "")
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	w := &warnings{dir: dir}
	same(t, "paths", newestFirst([]string{a, b}, w.add), []string{b})
	if len(w.list) != 1 {
		t.Errorf("warnings %q", w.list)
	}
}
