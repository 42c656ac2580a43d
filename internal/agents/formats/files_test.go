package formats_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/session"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A reading counts what is read of a directory of files, each of which has the id of a session and its name.
type reading struct {
	sync.Mutex
	heads, whole []string // the names of the files, once for each time
}

func (r *reading) archive(t *testing.T, files map[string]string) formats.Archive {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		formatstest.Put(t, filepath.Join(dir, name), text)
	}
	add := func(list *[]string, path string) {
		r.Lock()
		defer r.Unlock()
		*list = append(*list, filepath.Base(path))
	}
	head := func(_ context.Context, src *formats.Source, f *formats.File) (info formats.Info, err error) {
		add(&r.heads, src.Path)
		text := make([]byte, f.Size)
		_, err = f.ReadAt(text, 0)
		info.ID, _, _ = strings.Cut(string(text), " ")
		return info, err
	}
	a, err := formats.Files{
		Match: func(string) bool { return true }, Head: head,
		IDs: func(path string) ([]string, bool) {
			id := filepath.Base(path)
			return []string{id}, formats.IsUUID(id)
		},
		Read: func(_ context.Context, src *formats.Source, f *formats.File, info formats.Info, b *formats.Builder) error {
			add(&r.whole, src.Path)
			text := make([]byte, f.Size)
			_, err := f.ReadAt(text, 0)
			_, name, _ := strings.Cut(string(text), " ")
			return errors.Join(err, b.Header(session.HeaderFields{ID: info.ID, Time: 1, CWD: "/w", Title: name}))
		},
	}.Open(&formats.Source{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// No more files are opened to find a session than its id needs: those with its name, or with no id in theirs; then the heads
// of all; and all of them for a name that is no id.
func TestOpened(t *testing.T) {
	t.Parallel()
	const one, two, three = "4b1f20c7-0000-4000-8000-000000000001", "4b1f20c7-0000-4000-8000-000000000002", "9c000000-0000-4000-8000-000000000003"
	files := map[string]string{one: one + " first", two: two + " second", three: three + " the third", "notes": "4a1f-old kept", "copy": "demo older"}
	for id, tt := range map[string]struct {
		want, fails string
		heads       []string // the names of the files whose heads are read
		whole       int
	}{
		one:         {want: one, heads: []string{one}},
		"9c00":      {want: three, heads: []string{three, "copy", "notes"}},
		one[:20]:    {fails: "means 2 sessions", heads: []string{one, two, "copy", "notes"}},
		one[:35]:    {fails: "means 2 sessions", heads: []string{one, two, "copy", "notes"}},
		"4a1f":      {want: "4a1f-old", heads: []string{one, two, three, "copy", "notes"}},
		"demo":      {want: "demo", heads: []string{one, two, three, "copy", "notes"}},
		"the third": {want: three, heads: []string{one, two, three, "copy", "notes"}, whole: 5},
		"first":     {fails: "no such session", heads: []string{one, two, three, "copy", "notes"}},
		"ffffffff":  {fails: "no such session", heads: []string{one, two, three, "copy", "notes"}},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			r := &reading{}
			info, err := formats.Find(t.Context(), r.archive(t, files), id)
			if info.ID != tt.want || (err != nil) != (tt.fails != "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %q, %v", info.ID, err)
			}
			slices.Sort(r.heads)
			if got := slices.Compact(r.heads); !slices.Equal(got, tt.heads) || len(r.whole) != tt.whole {
				t.Errorf("opened %v, and %d of them whole", got, len(r.whole))
			}
		})
	}
}

// A path finds the session that listing all finds in it, and none where that finds none. Directories are looked at for
// the first of many alone, and for one that is not there; one that came since is found as well.
func TestFoundByPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := []string{"b/2.jsonl", "a/1.jsonl", "a/x.txt", ".hidden/3.jsonl", "c.jsonl", "b/.4.jsonl", "b/deep/5.jsonl", "b/more/6.jsonl", "b/more/deep/7.jsonl"}
	for _, name := range names {
		write(t, filepath.Join(dir, name), name)
	}
	for name, to := range map[string]string{"a/up": dir, "up": dir, "a/link.jsonl": filepath.Join(dir, "c.jsonl"), "d.jsonl": "nowhere"} {
		if os.Symlink(to, filepath.Join(dir, name)) != nil {
			t.Skip("no symbolic links")
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "e.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	looks := 0
	a, err := formats.Files{
		Depth: 1,
		Match: func(path string) bool { looks++; return filepath.Ext(path) == ".jsonl" },
		Enter: func(path string) bool { return filepath.Base(path) == "more" },
		Head: func(_ context.Context, src *formats.Source, _ *formats.File) (info formats.Info, err error) {
			info.ID = "of-" + filepath.Base(src.Path)
			return info, nil
		},
		Read: func(_ context.Context, _ *formats.Source, _ *formats.File, info formats.Info, b *formats.Builder) error {
			return b.Header(session.HeaderFields{ID: info.ID, Time: 1, CWD: "/w"})
		},
	}.Open(&formats.Source{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for info, err := range a.List(t.Context(), formats.Query{}) {
		listed[info.Path] = err == nil
	}
	if len(listed) != 5 { // four files, and a link that leads to none; what other links lead to is there without them
		t.Errorf("listed %v", listed)
	}
	if _, err := formats.Find(t.Context(), a, filepath.Join(dir, "c.jsonl")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "new.jsonl"), "")
	listed[filepath.Join(dir, "new.jsonl")] = true
	for _, name := range append([]string{"new.jsonl"}, append(names, "a/up/c.jsonl", "up/c.jsonl", "a/link.jsonl", "d.jsonl", "e.jsonl", "", "f.jsonl", "c.jsonl/g.jsonl", "../"+filepath.Base(dir)+"/c.jsonl")...) {
		for _, path := range []string{dir + "/" + name, name, dir + "//" + name, dir + "/./" + name} {
			looks = 0
			info, err := formats.Find(t.Context(), a, path)
			if found := err == nil; found != listed[path] || found && (info.Path != path || (looks != 0) != (name == "new.jsonl")) {
				t.Errorf("%s: found %v, listed %v, %q, %d files looked at: %v", path, found, listed[path], info.Path, looks, err)
			}
		}
	}
}
