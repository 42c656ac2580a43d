package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/pkg/session"
)

func list(t *testing.T, dir string, o Options) ([]Row, *warnings) {
	t.Helper()
	w := &warnings{dir: dir}
	o.Warn = w.add
	rows, err := List(t.Context(), []string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	return rows, w
}

func TestListSelects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"top.jsonl":             text("top", "/p", 9),
		"--p--/a.jsonl":         text("a", "/p", 3),
		"--p--/b.jsonl":         text("b", "/p", 2),
		"--p--/b/Sub.jsonl":     text("deep", "/p", 8),
		"--p--/.draft.jsonl":    text("draft", "/p", 9),
		"--p--/a.jsonl.bak":     text("bak", "/p", 9),
		"--p--/A.JSONL":         text("upper", "/p", 9),
		"--p--/jsonl":           text("bare", "/p", 9),
		"--p--/.jsonl":          text("dot", "/p", 9),
		"dir.jsonl/c.jsonl":     text("c", "/p", 1),
		".hidden/h.jsonl":       text("hidden", "/p", 9),
		"--p--/empty.jsonl":     "",
		"--p--/blank.jsonl":     "\n\n",
		"--p--/words.jsonl":     "words\n",
		"--p--/json.jsonl":      `{"type":"message","id":"x"}` + "\n" + text("late", "/p", 1),
		"--p--/noid.jsonl":      `{"type":"session","version":3}` + "\n",
		"--p--/v4.jsonl":        `{"type":"session","version":4,"id":"v4"}` + "\n",
		"--p--/core.jsonl":      `{"kind":"header","version":4,"cwd":"/p"}` + "\n",
		"--p--/torn.jsonl":      `{"type":"session","ver`,
		"--q--/nothing-here.md": "# notes\n",
	} {
		write(t, dir, name, data)
	}
	rows, w := list(t, dir, Options{Recursive: true})
	same(t, "recursive", rels(t, dir, rows), []string{"top.jsonl", "--p--/a.jsonl", "--p--/b.jsonl", "dir.jsonl/c.jsonl"})
	var names []string
	for i, line := range w.list {
		name, _, _ := strings.Cut(line, ": ")
		names = append(names, name)
		isVersion := name == "--p--/v4.jsonl" || name == "--p--/core.jsonl"
		if errors.Is(w.errs[i], session.ErrVersion) != isVersion || errors.Is(w.errs[i], session.ErrNotSession) == isVersion {
			t.Errorf("%s: wrong kind of error", line)
		}
		if strings.Contains(w.errs[i].Error(), dir) {
			t.Errorf("%s: the error repeats the path", line)
		}
	}
	same(t, "warnings", names, []string{
		"--p--/blank.jsonl", "--p--/core.jsonl", "--p--/empty.jsonl", "--p--/json.jsonl",
		"--p--/noid.jsonl", "--p--/torn.jsonl", "--p--/v4.jsonl", "--p--/words.jsonl",
	})

	rows, w = list(t, dir, Options{})
	same(t, "not recursive", rels(t, dir, rows), []string{"top.jsonl"})
	same(t, "warnings", w.list, nil)

	// Without Warn, and with the order reversed by another key.
	rows, err := List(t.Context(), []string{filepath.Join(dir, "--p--")}, Options{Order: ByName, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "one project", rels(t, dir, rows), []string{"--p--/a.jsonl", "--p--/b.jsonl"})
}

// TestListSeesWhatPiDoesNot has headers that pi 0.73's "continue" overlooks.
func TestListSeesWhatPiDoesNot(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	for name, data := range map[string]string{
		"long header":         strings.Replace(text("id", "/p", 2), `"cwd"`, `"parentSession":"`+long+`","cwd"`, 1),
		"leading blank line":  "\n  \r\n" + text("id", "/p", 2),
		"leading junk":        "not json\n" + text("id", "/p", 2),
		"byte order mark":     "\xef\xbb\xbf" + text("id", "/p", 2),
		"carriage returns":    strings.ReplaceAll(text("id", "/p", 2), "\n", "\r\n"),
		"no final line feed":  strings.TrimSuffix(text("id", "/p", 2), "\n"),
		"torn tail":           text("id", "/p", 2) + `{"type":"mess`,
		"line separator":      strings.Replace(text("id", "/p", 2), "m1", "m\u20281", 1),
		"user without text":   text("id", "/p", 2) + `{"type":"custom","id":"n","message":null}` + "\n",
		"member of that name": strings.Replace(text("id", "/p", 2), `"id":"id"`, `"x":{"id":"no","type":"no"},"id":"id"`, 1),
	} {
		dir := t.TempDir()
		path := write(t, dir, "x.jsonl", data)
		rows, w := list(t, dir, Options{})
		if len(rows) != 1 || rows[0].ID != "id" || rows[0].CWD != "/p" || rows[0].Messages != 2 || rows[0].FirstMessage != "m0" {
			t.Errorf("%s: %+v, %q", name, rows, w.list)
		}
		if got, err := Recent(t.Context(), []string{dir}, Options{}); got != path || err != nil {
			t.Errorf("%s: Recent: %q, %v", name, got, err)
		}
		if got, err := Open(dir).Find(t.Context(), "id"); got != path || err != nil {
			t.Errorf("%s: Find: %q, %v", name, got, err)
		}
	}
}

func TestListRow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := text("a", "/p", 3)
	touch(t, write(t, dir, "a.jsonl", data), 77)
	touch(t, write(t, dir, "timeless.jsonl", `{"type":"session","version":3,"id":"b"}`+"\n"), 78)
	rows, _ := list(t, dir, Options{})
	if len(rows) != 2 {
		t.Fatalf("rows %+v", rows)
	}
	// Newest first: the session without any time counts as modified when its
	// file was.
	if r := rows[0]; r.ID != "b" || !r.Modified.Equal(time.Unix(1767323178, 0)) || !r.Created.IsZero() {
		t.Errorf("timeless: %+v", r)
	}
	r := rows[1]
	if r.Size != int64(len(data)) || !r.ModTime.Equal(time.Unix(1767323177, 0)) || !r.Modified.Equal(time.UnixMilli(1767323102000)) ||
		!r.Exact || r.LastMessage != "m2" || r.Entries != 3 {
		t.Errorf("%+v", r)
	}
}

func TestListCWD(t *testing.T) {
	t.Parallel()
	dir, work := t.TempDir(), t.TempDir()
	target := filepath.Join(work, "real")
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(work, "link")
	symlink(t, "real", link)
	gone := filepath.Join(work, "gone")
	for id, cwd := range map[string]string{
		"real": target, "link": link, "slash": target + string(filepath.Separator), "gone": gone, "none": "", "dot": ".", "beside": target + "x",
	} {
		write(t, dir, id+".jsonl", text(id, cwd, 1))
	}
	for cwd, want := range map[string][]string{
		target: {"slash.jsonl", "real.jsonl", "link.jsonl"},
		link:   {"slash.jsonl", "real.jsonl", "link.jsonl"},
		gone:   {"gone.jsonl"},
		work:   nil,
	} {
		rows, w := list(t, dir, Options{CWD: cwd})
		same(t, cwd, rels(t, dir, rows), want)
		same(t, "warnings", w.list, nil)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := list(t, dir, Options{CWD: here})
	same(t, "a relative cwd in a header is not this process's", rels(t, dir, rows), nil)
}

func TestListSymlinks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "store")
	write(t, dir, "--p--/a.jsonl", text("a", "/p", 1))
	other := write(t, base, "elsewhere/b.jsonl", text("b", "/q", 2))
	symlink(t, other, filepath.Join(dir, "--p--", "c.jsonl"))
	symlink(t, "--p--", filepath.Join(dir, "--a-link-before--"))
	symlink(t, filepath.Join(base, "elsewhere"), filepath.Join(dir, "--q--"))
	symlink(t, dir, filepath.Join(dir, "loop"))
	symlink(t, "self.jsonl", filepath.Join(dir, "--p--", "self.jsonl"))
	symlink(t, "nowhere", filepath.Join(dir, "--p--", "gone.jsonl"))
	symlink(t, "nowhere", filepath.Join(dir, "gone-dir"))
	symlink(t, "store", filepath.Join(base, "link"))

	rows, w := list(t, dir, Options{Recursive: true})
	same(t, "rows", rels(t, dir, rows), []string{"--p--/c.jsonl", "--q--/b.jsonl", "--p--/a.jsonl"})
	if len(w.list) != 2 || !strings.HasPrefix(w.list[0], "--p--/gone.jsonl: ") || !strings.HasPrefix(w.list[1], "--p--/self.jsonl: ") {
		t.Errorf("warnings %q", w.list)
	}

	// The same directory by several ways is listed once, by the first.
	dirs := []string{dir, filepath.Join(dir, "--p--"), filepath.Join(base, "link"), dir + "/.", filepath.Join(base, "elsewhere")}
	rows, err := List(t.Context(), dirs, Options{Recursive: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "many ways", rels(t, dir, rows), []string{"--p--/c.jsonl", "--q--/b.jsonl", "--p--/a.jsonl"})

	// A child named before its parent does not hide the parent's other children.
	dirs = []string{filepath.Join(dir, "--p--"), dir}
	rows, err = List(t.Context(), dirs, Options{Recursive: true})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "child first", rels(t, dir, rows), []string{"--p--/c.jsonl", "--q--/b.jsonl", "--p--/a.jsonl"})
}

func TestListOfNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "file", "")
	w := &warnings{dir: dir}
	rows, err := List(t.Context(), []string{filepath.Join(dir, "missing"), file}, Options{Warn: w.add})
	if err != nil || len(rows) != 0 {
		t.Errorf("got %v, %v", rows, err)
	}
	if len(w.errs) != 2 || !errors.Is(w.errs[0], fs.ErrNotExist) || strings.Contains(w.errs[0].Error(), dir) {
		t.Errorf("warnings %q", w.list)
	}
	if rows, err := List(t.Context(), nil, Options{}); err != nil || len(rows) != 0 {
		t.Errorf("no directories: %v, %v", rows, err)
	}
}

func TestSort(t *testing.T) {
	t.Parallel()
	row := func(path, name string, modified, created, messages, size int64) Row {
		return Row{Path: path, Size: size, Info: session.Info{
			Name: name, Modified: time.UnixMilli(modified), Created: time.UnixMilli(created), Messages: int(messages),
		}}
	}
	rows := []Row{
		row("p/1", "beta", 5, 1, 7, 10),
		row("p/2", "", 5, 2, 9, 30),
		row("a/3", "alpha", 4, 3, 8, 20),
		row("z/1", "beta", 6, 1, 7, 10),
		row("z/0", "", 9, 9, 0, 0),
	}
	for order, want := range map[Order][]string{
		ByModified: {"z/0", "z/1", "p/2", "p/1", "a/3"},
		ByCreated:  {"z/0", "a/3", "p/2", "z/1", "p/1"},
		BySize:     {"p/2", "a/3", "z/1", "p/1", "z/0"},
		ByMessages: {"p/2", "a/3", "z/1", "p/1", "z/0"},
		ByName:     {"a/3", "z/1", "p/1", "z/0", "p/2"},
	} {
		for range 20 {
			rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			Sort(rows, order)
			var got []string
			for _, r := range rows {
				got = append(got, r.Path)
			}
			same(t, orderNames[order], got, want)
		}
	}
}

func TestParseOrder(t *testing.T) {
	t.Parallel()
	for o := ByModified; o <= ByName; o++ {
		if got, err := ParseOrder(orderNames[o]); got != o || err != nil {
			t.Errorf("ParseOrder(%q) = %v, %v", orderNames[o], got, err)
		}
	}
	for _, word := range []string{"", "Modified", "mtime"} {
		if o, err := ParseOrder(word); err == nil {
			t.Errorf("ParseOrder(%q) = %v", word, o)
		}
	}
}

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

// Sessions in the directory of a session are found at any depth if they are wanted, with that session as their
// parent; other files there are nobody's business.
func TestListSubagents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"--p--/1_a.jsonl":                    text("a", "/p", 1),
		"--p--/1_a/0-Explore.jsonl":          text("explore", "/p", 1),
		"--p--/1_a/0-Explore/1-Deep.jsonl":   text("deep", "/p", 1),
		"--p--/1_a/r/run-0/session.jsonl":    `{"type":"session","version":3,"id":"run","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p","parentSession":"named"}` + "\n",
		"--p--/1_a/artifacts/copy.jsonl":     `{"recordType":"message"}` + "\n",
		"--p--/1_a/4.jsonl":                  `{"type":"session","version":4,"id":"v4"}` + "\n",
		"--p--/notes/n.jsonl":                text("notes", "/p", 1),
		"--p--/gone_x/0-Orphan.jsonl":        text("orphan", "/p", 1),
		"--q--/plain.jsonl":                  text("plain", "/q", 1),
		"--q--/plain/x.jsonl":                text("no agent calls it so", "/q", 1),
		"--q--/.hidden_1.jsonl":              text("hidden", "/q", 1),
		"--p--/1_a/1_b.v2/segments/s1.jsonl": text("segment", "/p", 1),
	} {
		write(t, dir, name, data)
	}
	symlink(t, filepath.Join(dir, "--p--"), filepath.Join(dir, "--p--", "1_a", "loop"))
	rows, w := list(t, dir, Options{Recursive: true, Subagents: true, Order: ByName})
	got := map[string]string{}
	for _, r := range rows {
		got[r.ID] = strings.TrimPrefix(r.ParentSession, dir+string(filepath.Separator))
	}
	parent := filepath.Join("--p--", "1_a.jsonl")
	if diff := cmp.Diff(map[string]string{"a": "", "explore": parent, "deep": parent, "run": "named", "plain": ""}, got); diff != "" {
		t.Error(diff)
	}
	if len(w.list) != 1 || !strings.Contains(w.list[0], "4.jsonl") {
		t.Errorf("warned of %v", w.list)
	}
	if rows, _ := list(t, dir, Options{Recursive: true}); len(rows) != 2 {
		t.Errorf("without: %d", len(rows))
	}
	for path, want := range map[string]string{"--p--/1_a.jsonl": "", "--p--/1_a/r/run-0/session.jsonl": parent, "--q--/plain/x.jsonl": "", "--p--/gone_x/0.jsonl": ""} {
		got := strings.TrimPrefix(ParentFile(filepath.Join(dir, filepath.FromSlash(path))), dir+string(filepath.Separator))
		if got != want {
			t.Errorf("ParentFile(%s) = %q, want %q", path, got, want)
		}
	}
}

// TestListNewest: the newest rows are those of a listing of all, and files that were written to before are not read.
func TestListNewest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const files, unread = 400, 150
	first := time.UnixMilli(1767323100000)
	for i := range files {
		said := i
		if i%7 == 0 {
			said = i / 2 // written to without a message
		}
		data := text(fmt.Sprint("s", i), []string{"/p", "/q"}[i%2], 0) + message(said, "m")
		if i < unread {
			data = "no session"
		}
		path := write(t, dir, fmt.Sprintf("--p--/%03d.jsonl", i*37%files), data)
		if err := os.Chtimes(path, first, first.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	old := func(since time.Time) func(string) bool {
		return func(path string) bool {
			fi, err := os.Stat(path)
			return err == nil && fi.ModTime().Before(since)
		}
	}
	for _, cwd := range []string{"", "/q", "/nowhere"} {
		all, w := list(t, dir, Options{Recursive: true, CWD: cwd})
		if len(w.list) != unread {
			t.Errorf("%d files are no sessions, want %d", len(w.list), unread)
		}
		for _, n := range []int{1, 5, 70, 110, files} {
			rows, w := list(t, dir, Options{Recursive: true, CWD: cwd, Newest: n, Old: old})
			want := all[:min(n, len(all))]
			same(t, fmt.Sprint(cwd, " newest ", n), rels(t, dir, rows[:min(n, len(rows))]), rels(t, dir, want))
			if n < 10 && len(want) == n && (len(rows) > 2*leastRead || len(w.list) > 0) {
				t.Errorf("%s: for %d rows %d were read, and %d that are no sessions", cwd, n, len(rows), len(w.list))
			}
		}
	}
}
