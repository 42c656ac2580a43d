package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestDraft(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"s.jsonl": ".s.jsonl.draft", "./s.jsonl": "./.s.jsonl.draft", "/a/b/s.jsonl": "/a/b/.s.jsonl.draft",
		"a/../s": "a/../.s.draft", ".s.jsonl": "..s.jsonl.draft",
		"": "", "/": "", "a/": "", ".": "", "..": "", "a/..": "",
	} {
		if got := Draft(filepath.FromSlash(path)); got != filepath.FromSlash(want) {
			t.Errorf("Draft(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestLocate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "both.jsonl", "f")
	write(t, dir, ".both.jsonl.draft", "d")
	write(t, dir, ".draft.jsonl.draft", "d")
	write(t, dir, "..jsonl.draft/sub", "a directory is no draft")
	for name, want := range map[string]string{
		"both.jsonl": "both.jsonl", "draft.jsonl": ".draft.jsonl.draft", "none.jsonl": "", ".jsonl": "",
	} {
		path := filepath.Join(dir, name)
		got, err := Locate(path)
		if want == "" {
			if got != path || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("Locate(%s) = %q, %v", name, got, err)
			}
		} else if got != filepath.Join(dir, want) || err != nil {
			t.Errorf("Locate(%s) = %q, %v", name, got, err)
		}
	}
}

// While a draft is published, one of the two looks finds it.
func TestLocateDuringPublish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 300 {
		path := filepath.Join(dir, string(rune('a'+i%26)), "s.jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		os.Remove(path)
		if err := CreateDraft(path, strings.NewReader("x\n"), false); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := Publish(path, false); err != nil {
				t.Error(err)
			}
		})
		for range 3 {
			wg.Go(func() {
				if _, err := Locate(path); err != nil {
					t.Errorf("round %d: %v", i, err)
				}
			})
		}
		wg.Wait()
	}
}

func TestCreateDraft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	if err := CreateDraft(path, strings.NewReader("one\n"), true); err != nil {
		t.Fatal(err)
	}
	if err := CreateDraft(path, strings.NewReader("two\n"), true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a draft: %v", err)
	}
	write(t, dir, "t.jsonl", "final")
	if err := CreateDraft(filepath.Join(dir, "t.jsonl"), strings.NewReader("two\n"), true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("beside a session: %v", err)
	}
	if err := CreateDraft(dir+"/", strings.NewReader(""), false); err == nil {
		t.Error("a directory has a draft")
	}
	if got := content(t, Draft(path)); got != "one\n" {
		t.Errorf("draft %q", got)
	}
	if info, err := os.Stat(Draft(path)); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if exists(path) || exists(Draft(filepath.Join(dir, "t.jsonl"))) {
		t.Error("more was made than the draft")
	}
}

// Publishing keeps what has the name already, and the draft.
func TestPublish(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	write(t, dir, "s.jsonl", "theirs")
	write(t, dir, ".s.jsonl.draft", "ours")
	if err := Publish(path, true); !errors.Is(err, fs.ErrExist) || strings.Count(err.Error(), path) != 1 {
		t.Errorf("over a file: %v", err)
	}
	if content(t, path) != "theirs" || content(t, Draft(path)) != "ours" {
		t.Error("something was lost")
	}
	os.Remove(path)
	if err := Publish(path, true); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != "ours" || exists(Draft(path)) {
		t.Error("not published")
	}
	if err := Publish(path, true); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		t.Errorf("without a draft: %v", err)
	}
}

// A process that died between link and unlink left both names.
func TestPublishAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	write(t, dir, ".s.jsonl.draft", "ours")
	if err := os.Link(Draft(path), path); err != nil {
		t.Skipf("no hard links: %v", err)
	}
	if file, err := Locate(path); file != path || err != nil {
		t.Errorf("Locate: %q, %v", file, err)
	}
	if err := Vacant(path); err != nil {
		t.Error(err)
	}
	if err := Publish(path, true); err != nil {
		t.Error(err)
	}
	if content(t, path) != "ours" || exists(Draft(path)) {
		t.Error("not finished")
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
