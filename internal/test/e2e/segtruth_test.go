package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// stored makes a session in the store, migrates it and lets the file fall behind. It
// returns the id, the file and the segmented store.
func stored(t *testing.T, dir string) (id, file, store string) {
	t.Helper()
	file = strings.TrimSpace(script(t, dir, `f=$(sess-new --store); sess-append -q -t one "$f" >/dev/null; echo "$f"`))
	store = strings.TrimSpace(script(t, dir, `sess-seg migrate `+file))
	_, id, _ = strings.Cut(strings.TrimSuffix(filepath.Base(file), ".jsonl"), "_")
	return id, file, store
}

// From the migration to the rollback the store is the session for every tool, by
// the name of the file, by the id, and by a symbolic link.
func TestOneTruth(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	id, file, store := stored(t, dir)
	before := readFile(t, file)
	check(t, os.Symlink(file, filepath.Join(dir, "link.jsonl")))
	script(t, dir, `sess-append -t two `+file+`; sess-append -t three `+id+`; sess-append -t four link.jsonl; sess-append -t five `+store)
	if readFile(t, file) != before {
		t.Error("the file was written to")
	}
	for _, name := range []string{file, id, "link.jsonl", store} {
		r := runCommand(t, dir, "", "sess-path", "-v", "--as", "text", name)
		if r.status != 0 || !strings.Contains(r.stdout, "five") || strings.Contains(r.stderr, "warning") {
			t.Errorf("%s: %+v", name, r)
		}
		if said := strings.Count(r.stderr, "is the session"); said != 1 && name != store || name == store && said != 0 {
			t.Errorf("%s: said %d times: %s", name, said, r.stderr)
		}
	}
	for _, args := range [][]string{
		{"sess-tree", file},
		{"sess-export", "pi", file},
		{"sess-fork", "--branches", file},
		{"sess-compact", "--print-prompt", "--keep", "1", file},
	} {
		if r := runCommand(t, dir, "", args...); r.status != 0 || !strings.Contains(r.stdout, "four") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if r := runCommand(t, dir, "", "sess-check", file); r.status != 0 {
		t.Errorf("%+v", r)
	}
	for _, args := range [][]string{{"--all", "--json"}, {"--all", "--json", "--recent"}} {
		r := runCommand(t, dir, "", append([]string{"sess-ls"}, args...)...)
		if strings.Count(r.stdout, "\n") != 1 || !strings.Contains(r.stdout, `"messages":5`) || !strings.Contains(r.stdout, fmt.Sprintf(`"path":%q`, file)) {
			t.Errorf("%v: %+v", args, r)
		}
	}
	out := script(t, dir, `sess-seg rollback -q `+file+` >/dev/null; sess-path -v --as text `+id+` 2>&1`)
	if !strings.Contains(out, "five") || strings.Contains(out, "is the session") || !strings.HasPrefix(readFile(t, file), before) {
		t.Errorf("after the rollback: %s", out)
	}
}

// The most recent session is the one whose store was written to last.
func TestRecentStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, file, _ := stored(t, dir)
	newer := strings.TrimSpace(script(t, dir, `f=$(sess-new --store); sess-append -q -t other "$f" >/dev/null; echo "$f"`))
	script(t, dir, `touch -d 2026-01-01T00:00:00Z `+file+` `+newer+`; sess-append -t later `+file)
	if r := runCommand(t, dir, "", "sess-ls", "--all", "--recent", "--paths"); r.stdout != file+"\n" {
		t.Errorf("%+v, want %s, not %s", r, file, newer)
	}
}

// A store that is the session is never passed over for the file, however damaged.
func TestOneTruthDamaged(t *testing.T) {
	t.Parallel()
	for what, spoil := range map[string]string{
		"marker":   `rm s.v2/commit.json`,
		"manifest": `: > s.v2/manifest.json`,
		"index":    `rm s.v2/index/offsets.jsonl`,
		"both":     `rm s.v2/manifest.json s.v2/index/offsets.jsonl`,
		"file":     `rm s.jsonl`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, "s.jsonl", segSession(3))
			script(t, dir, `sess-seg migrate s.jsonl; sess-append -t own s.jsonl; `+spoil)
			r := runCommand(t, dir, "", "sess-path", "s.jsonl")
			if r.status != 3 && (r.status != 0 || !strings.Contains(r.stdout, "own")) || r.status == 3 && !strings.Contains(r.stderr, "s.v2") {
				t.Errorf("reading: %+v", r)
			}
			before := ""
			if what != "file" {
				before = readFile(t, filepath.Join(dir, "s.jsonl"))
			}
			if r := runCommand(t, dir, "", "sess-append", "-t", "more", "s.jsonl"); r.status != 0 && r.status != 3 {
				t.Errorf("appending: %+v", r)
			}
			if what != "file" && readFile(t, filepath.Join(dir, "s.jsonl")) != before {
				t.Error("the file was appended to")
			}
		})
	}
}

// What another program adds to the file is named by every tool that reads, and taken
// in by migrate.
func TestForeignEntries(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", segSession(3))
	script(t, dir, `sess-seg migrate s.jsonl; sess-append -t own s.v2`)
	write(t, dir, "s.jsonl", segSession(3)+segLine("f1", "a0000003")+segLine("f2", "f1"))
	for _, args := range [][]string{
		{"sess-path", "s.jsonl"},
		{"sess-path", "s.v2"},
		{"sess-tree", "s.jsonl"},
		{"sess-check", "s.jsonl"},
		{"sess-compact", "--plan", "--keep", "1", "s.jsonl"},
		{"sess-compact", "--keep", "1", "s.jsonl"}, // which reads, and appends then
		{"sess-append", "-t", "x", "s.jsonl"},
		{"sess-seg", "cat", "s.jsonl"},
	} {
		if r := runCommand(t, dir, "", args...); r.status > 1 || strings.Count(r.stderr, "has not: f1, f2; sess-seg migrate s.jsonl takes them in") != 1 {
			t.Errorf("%v: %+v", args, r)
		}
	}
	out := script(t, dir, `sess-seg migrate -q s.jsonl >/dev/null; sess-path -q --leaf f2 --no-header s.jsonl | wc -l; sess-seg verify s.v2; sess-path s.jsonl 2>&1 >/dev/null`)
	if strings.TrimSpace(out) != "5" {
		t.Errorf("after taking in: %q", out)
	}
}

// Writers of a session that is migrated and rolled back under their hands lose
// nothing, and write to what is the session then.
func TestMigrateUnderWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "s.jsonl", segSession(3))
	var wg sync.WaitGroup
	var acked sync.Map
	for k := range 3 {
		wg.Go(func() {
			for n := range 8 {
				r := runCommand(t, dir, "", "sess-append", "--wait", "1m", "-t", fmt.Sprintf("w%d-%d.", k, n), "s.jsonl")
				if r.status != 0 {
					t.Errorf("%+v", r)
					continue
				}
				acked.Store(strings.TrimSpace(r.stdout), true)
			}
		})
	}
	wg.Go(func() {
		for range 5 {
			for _, what := range []string{"migrate", "rollback"} {
				if r := runCommand(t, dir, "", "SESS_WAIT=1m", "sess-seg", what, "-q", "s.jsonl"); r.status != 0 {
					t.Errorf("%s: %+v", what, r)
				}
			}
		}
	})
	wg.Wait()
	text := readFile(t, filepath.Join(dir, "s.jsonl"))
	acked.Range(func(id, _ any) bool {
		if strings.Count(text, `"id":"`+id.(string)+`"`) != 1 {
			t.Errorf("%s is there %d times", id, strings.Count(text, `"id":"`+id.(string)+`"`))
		}
		return true
	})
	if out := runCommand(t, dir, "", "sess-check", "s.jsonl"); out.status != 0 {
		t.Errorf("%+v", out)
	}
}
