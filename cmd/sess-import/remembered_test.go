//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/memo"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
)

// A home is a source with sessions of a format.
type sampled struct{ format, path string }

// samplesOf copies samples of the formats whose sessions are remembered into a directory.
func samplesOf(t *testing.T, dir string) (list []sampled) {
	t.Helper()
	for format, from := range map[string]string{"claude": "claude/genuine", "codex": "codex/home"} {
		into := filepath.Join(dir, "."+format)
		if format == "claude" {
			into = filepath.Join(into, "projects", "-w")
		}
		must.Do(t, os.MkdirAll(filepath.Dir(into), 0o700))
		must.Do(t, os.CopyFS(into, os.DirFS(filepath.Join(corpus.Dir(), filepath.FromSlash(from)))))
		list = append(list, sampled{format, into})
	}
	for name, data := range corpus.Golden(t, "opencode/databases-1.18") {
		path := filepath.Join(dir, name, "opencode.db")
		must.Write(t, filepath.Dir(path), filepath.Base(path), string(data))
		list = append(list, sampled{"opencode", path})
	}
	return list
}

// remembering runs a command line with a memo, and returns all that it says.
func remembering(t *testing.T, said *memo.Memo, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	status := cli.Run(t.Context(), importer(nil, said), strings.NewReader(""), &out, &errs, args)
	return fmt.Sprintf("%s\n%s\n%d", &out, &errs, status)
}

// asked returns what readers ask of a source: the list, the newest of it, and what each of its sessions used.
func asked(t *testing.T, s sampled) (lines [][]string) {
	t.Helper()
	list := []string{s.format, "--list", "--remembered=said", "--", s.path}
	lines = append(lines, list, slices.Insert(slices.Clone(list), 2, "--limit=1"), slices.Insert(slices.Clone(list), 2, "--since=2026-11-22"))
	for row := range strings.Lines(remembering(t, memo.In("", "", time.Now), list...)) {
		if id := js.Value(row).Get("session").Str(); id != "" {
			one := []string{s.format, "--session=" + id, "--remembered=sum", "--no-losses", "--", s.path}
			said, text := slices.Insert(slices.Clone(one), 2, "--usage-only"), slices.Clone(one)
			said[3], text[2] = "--remembered=said", "--remembered=copy"
			lines = append(lines, one, said, text)
		}
	}
	return lines
}

// What a tool prints is the same with a memo, without, and with one that is stale, torn or of others, whatever becomes of the files.
func TestRememberedIsTheSame(t *testing.T) {
	t.Parallel()
	later := func() time.Time { return time.Now().Add(time.Hour) } // by which all files are settled
	hits := 0
	for _, r := range drawn.Cases(t, 40) {
		dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "said")
		samples := samplesOf(t, dir)
		said, none := memo.In(cache, "b", later), memo.In(must.Write(t, t.TempDir(), "none", ""), "b", later)
		before := map[string]string{} // the content of files as they were
		for range 4 {
			for _, s := range samples {
				for _, args := range asked(t, s) {
					want := remembering(t, none, args...)
					for _, when := range []string{"cold", "again"} {
						if got := remembering(t, said, args...); got != want {
							t.Fatalf("%s: %q says\n%s\nwant\n%s", when, args, got, want)
						}
					}
				}
			}
			n, _ := memo.Size(cache)
			hits = max(hits, n)
			spoil(t, r, cache)
			change(t, r, dir, before)
		}
		said.Close()
	}
	if hits < 10 {
		t.Errorf("%d entries at most", hits)
	}
}

// What was told in front of the header counts as what is told behind it: nothing is remembered.
func TestTellingKeepsNothing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{remembersRows, remembersSum, remembersCopy} {
		n := (&job{recalls: kind}).note(memo.Key{})
		n.lost = true
		n.line(`{"type":"session","id":"s"}`)
		if !n.lost {
			t.Errorf("%s is remembered", kind)
		}
	}
}

// A sum is that of the text.
func TestSums(t *testing.T) {
	t.Parallel()
	tested := 0
	for _, s := range samplesOf(t, t.TempDir()) {
		for _, args := range asked(t, s) {
			if !slices.Contains(args, "--remembered=sum") {
				continue
			}
			said := memo.In(filepath.Join(t.TempDir(), "said"), "b", func() time.Time { return time.Now().Add(time.Hour) })
			text, _, _ := strings.Cut(remembering(t, said, slices.Delete(slices.Clone(args), 2, 3)...), "\n\n")
			if strings.HasPrefix(text, "\n") {
				continue // several have the id
			}
			text += "\n"
			sum := sha256.Sum256([]byte(text))
			header, _, _ := strings.Cut(text, "\n")
			want := address.Sum{Header: header, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
			for range 2 {
				got, _, _ := strings.Cut(remembering(t, said, args...), "\n\n")
				if sum, ok := address.ParseSum(got + "\n"); !ok || sum != want {
					t.Errorf("%q says %s, want %v", args, got, want)
				}
			}
			tested++
		}
	}
	if tested < 5 {
		t.Errorf("%d sessions", tested)
	}
}

// spoil damages some entries: it cuts them, changes a byte, or gives one the name of another.
func spoil(t *testing.T, r *rand.Rand, cache string) {
	t.Helper()
	list, _ := os.ReadDir(cache)
	for _, e := range list {
		path := filepath.Join(cache, e.Name())
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			continue
		}
		switch r.IntN(6) {
		case 0:
			must.Do(t, os.WriteFile(path, text[:r.IntN(len(text))], 0o600))
		case 1:
			text[r.IntN(len(text))] ^= 1 << r.IntN(8)
			must.Do(t, os.WriteFile(path, text, 0o600))
		case 2:
			must.Do(t, os.Rename(path, filepath.Join(cache, list[r.IntN(len(list))].Name())))
		}
	}
}

// change changes a file of the sources as agents, people and backups do.
func change(t *testing.T, r *rand.Rand, dir string, before map[string]string) {
	t.Helper()
	var paths []string
	must.Do(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") {
			paths = append(paths, path)
		}
		return err
	}))
	path := paths[r.IntN(len(paths))]
	text, fi := must.Read(t, path), statOf(t, path)
	rewrite := func(text string) {
		for { // the clock of the file system has steps
			must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			if now := statOf(t, path); now.ModTime() != fi.ModTime() {
				return
			}
		}
	}
	lines := strings.SplitAfter(text, "\n")
	switch r.IntN(7) {
	case 0:
		rewrite(text + lines[r.IntN(len(lines))])
	case 1:
		rewrite(text[:r.IntN(len(text)+1)])
	case 2: // of the same size, with its time
		rewrite(strings.Replace(text, `"output_tokens":33`, `"output_tokens":44`, 1))
		must.Do(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
	case 3:
		must.Do(t, os.Rename(path, strings.TrimSuffix(path, ".jsonl")+"-moved.jsonl"))
	case 4: // an old one comes back
		if old, ok := before[path]; ok {
			rewrite(old)
			must.Do(t, os.Chtimes(path, fi.ModTime(), fi.ModTime()))
		}
	case 5:
		must.Do(t, os.Remove(path))
	case 6: // a line is damaged, which is told each time
		lines[r.IntN(len(lines))] = "{\"type\": no JSON\n"
		rewrite(strings.Join(lines, ""))
	}
	before[path] = text
}

func statOf(t *testing.T, path string) fs.FileInfo {
	t.Helper()
	fi, err := os.Stat(path)
	must.Do(t, err)
	return fi
}

// What is printed is the same with a copy in the store, without, and with one that is another: it stands in the place of the text where
// it has the same bytes.
func TestCopies(t *testing.T) { // alone: it says where the store is
	dir := t.TempDir()
	t.Setenv("SESS_DIR", filepath.Join(dir, "store"))
	later := func() time.Time { return time.Now().Add(time.Hour) }
	said, none := memo.In(filepath.Join(t.TempDir(), "said"), "b", later), memo.In(must.Write(t, t.TempDir(), "none", ""), "b", later)
	copies := 0
	samples, before := t.TempDir(), time.Now().Add(-48*time.Hour)
	for _, s := range samplesOf(t, samples) {
		must.Do(t, filepath.WalkDir(samples, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, before, before)) // what is quiet is taken whole
		}))
		remembering(t, none, s.format, "--all", "--store", "--no-losses", "--", s.path)
		for _, args := range asked(t, s) {
			if !slices.Contains(args, "--remembered=copy") {
				continue
			}
			want := remembering(t, none, args...)
			for _, when := range []string{"cold", "again"} {
				if got := remembering(t, said, args...); got != want {
					t.Errorf("%s: %q says\n%s\nwant\n%s", when, args, got, want)
				}
			}
			text, _, _ := strings.Cut(want, "\n\n")
			text += "\n"
			header, _, _ := strings.Cut(text, "\n")
			path := copyOf(header)
			if path == "" || must.Read(t, path) != text {
				continue // it is not whole
			}
			sum := sha256.Sum256([]byte(text))
			note := address.Sum{Header: header, Size: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}.Lines()
			copied := func() (string, bool) {
				var out strings.Builder
				done, err := (&job{streams: &cli.Streams{Out: &out}}).copied(t.Context(), note)
				must.Do(t, err)
				return out.String(), done
			}
			if got, done := copied(); !done || got != text {
				t.Errorf("%q: the copy is not taken: %v, %q", args, done, got)
			}
			other := strings.Replace(text, `"type":"message"`, `"type":"massage"`, 1)
			for name, change := range map[string]func(){
				"another": func() { must.Do(t, os.WriteFile(path, []byte(other), 0o600)) },
				"longer":  func() { must.Do(t, os.WriteFile(path, []byte(text+"\n"), 0o600)) },
				"a link": func() {
					must.Do(t, os.Rename(path, path+".moved"))
					must.Do(t, os.WriteFile(path+".moved", []byte(text), 0o600))
					must.Do(t, os.Symlink(path+".moved", path))
				},
				"none": func() { must.Do(t, os.Remove(path)) },
			} {
				change()
				if got, done := copied(); done || got != "" {
					t.Errorf("%q, %s: the copy is taken: %q", args, name, got)
				}
				if got := remembering(t, said, args...); got != want {
					t.Errorf("%q, %s: says\n%s\nwant\n%s", args, name, got, want)
				}
				must.Do(t, os.RemoveAll(path))
				must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			}
			copies++
		}
	}
	if copies < 3 {
		t.Errorf("%d copies were whole", copies)
	}
}
