package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
)

// TestMark: a run with a mark says and writes what one without it does, whatever changed in between.
func TestMark(t *testing.T) {
	dir := t.TempDir()
	store, out := filepath.Join(dir, "store", "--w--"), filepath.Join(dir, "out")
	t.Setenv("SESS_DIR", filepath.Dir(store))
	must.Do(t, os.MkdirAll(store, 0o700))
	file := func(i int) string {
		return filepath.Join(store, fmt.Sprintf("2026-01-0%dT03-04-05-678Z_s%d.jsonl", i, i))
	}
	const header = `{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-0%dT03:04:05.678Z","cwd":"/w"}` + "\n"
	add := func(i int, text string) {
		t.Helper()
		f, err := os.OpenFile(file(i), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		must.Do(t, err)
		_, err = f.WriteString(text)
		must.Do(t, errors.Join(err, f.Close()))
	}
	for i := range 3 {
		add(i+1, fmt.Sprintf(header, i+1, i+1))
	}
	later := tool
	later.New = func() ([]cli.Flag, cli.Action) { // or all files were written to just now
		c := &config{now: func() time.Time { return time.Now().Add(time.Hour) }}
		return c.flags(), c.run
	}
	mark := filepath.Join(out, markName)
	sync := func(flags ...string) string {
		t.Helper()
		var text, errs bytes.Buffer
		status := cli.Run(t.Context(), later, strings.NewReader(""), &text, &errs, append([]string{"--all", "-o", out}, flags...))
		return fmt.Sprintf("%d\n%s%s", status, &text, &errs)
	}
	part := filepath.Join(out, "calls", "day=2026-01-02", partName)
	if got := sync(); !strings.HasPrefix(got, "0\n") {
		t.Fatal(got)
	}
	for name, change := range map[string]func(){
		"nothing": func() {},
		"an entry": func() {
			add(1, `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","customType":"x"}`+"\n")
		},
		"a new session": func() { add(4, fmt.Sprintf(header, 4, 4)) },
		"a copy": func() {
			must.Do(t, os.WriteFile(filepath.Join(store, "copy.jsonl"), fmt.Appendf(nil, header+"\n", 2, 2), 0o600))
		},
		"a session gone":    func() { must.Do(t, os.Remove(file(3))) },
		"a part gone":       func() { must.Do(t, os.Remove(part)) },
		"a part damaged":    func() { must.Do(t, os.WriteFile(part, []byte("PAR1 and more"), 0o600)) },
		"a foreign mark":    func() { must.Do(t, os.WriteFile(mark, []byte("00\n"), 0o600)) },
		"a segmented store": func() { must.Do(t, os.Mkdir(strings.TrimSuffix(file(1), ".jsonl")+".v2", 0o700)) },
	} {
		var said []string
		for _, marked := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %t", name, marked), func(t *testing.T) {
				// Each has the same beginning.
				must.Do(t, errors.Join(os.RemoveAll(out), os.RemoveAll(store), os.Mkdir(store, 0o700)))
				for i := range 3 {
					add(i+1, fmt.Sprintf(header, i+1, i+1))
				}
				sync()
				if got := sync(); got != "1\n" {
					t.Fatal(got)
				}
				if _, err := os.Stat(mark); err != nil {
					t.Fatal(err)
				}
				change()
				if !marked {
					_ = os.Remove(mark)
				}
				got := strings.ReplaceAll(sync(), dir, "DIR")
				if said = append(said, got); !strings.HasPrefix(got, wants[name]) || got != said[0] {
					t.Errorf("%q, and with a mark %q", got, said[0])
				}
				if name == "a part damaged" {
					return // it stays so
				}
				if again := strings.ReplaceAll(sync(), dir, "DIR"); !strings.HasPrefix(again, "1\n") {
					t.Errorf("again: %q", again)
				}
			})
		}
	}
	// Other flags are another table.
	must.Do(t, os.RemoveAll(out))
	sync()
	sync()
	if got := sync("--content"); !strings.HasPrefix(got, "0\n") {
		t.Errorf("with texts: %q", got)
	}
}

// wants is what a run says behind a change.
var wants = map[string]string{
	"nothing":           "1\n",
	"an entry":          "0\nDIR/out/messages/day=2026-01-01/part.parquet\n",
	"a new session":     "0\nDIR/out/messages/day=2026-01-04/part.parquet\n",
	"a copy":            "0\nDIR/out/messages/day=2026-01-02/part.parquet\n",
	"a session gone":    "1\n",
	"a part gone":       "0\nDIR/out/messages/day=2026-01-02/part.parquet\n",
	"a part damaged":    "2\n",
	"a foreign mark":    "1\n",
	"a segmented store": "",
}

// A drawnStore is a store that changes, and the tables that are made of it.
type drawnStore struct {
	*testing.T
	*rand.Rand
	dir  string
	tool cli.Tool
	next int
	done []string
}

func (f *drawnStore) run(out string, flags ...string) {
	f.Helper()
	var text, errs bytes.Buffer
	if status := cli.Run(f.Context(), f.tool, strings.NewReader(""), &text, &errs, append([]string{"--all", "-o", filepath.Join(f.dir, out)}, flags...)); status > 1 {
		f.Fatalf("status %d: %s\nbehind %q", status, &errs, f.done)
	}
}

// one draws a session, "" for none.
func (f *drawnStore) one() string {
	list, err := filepath.Glob(filepath.Join(f.dir, "store", "*", "*.jsonl"))
	must.Do(f, err)
	if len(list) == 0 {
		return ""
	}
	return list[f.IntN(len(list))]
}

func (f *drawnStore) write(path, text string, flag int) {
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|flag, 0o600)
	must.Do(f, err)
	_, err = h.WriteString(text)
	must.Do(f, errors.Join(err, h.Close()))
}

func (f *drawnStore) header(id string) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-01-0%dT03:04:05.678Z","cwd":"/w"}`, id, 1+f.IntN(4)) + "\n"
}

func (f *drawnStore) entry() string {
	f.next++
	return fmt.Sprintf(`{"type":"message","id":"e%d","parentId":null,"timestamp":"2026-01-09T03:04:06.000Z","message":{"role":"user","content":"prompt %d","timestamp":1}}`, f.next, f.next) + "\n"
}

func (f *drawnStore) step(prune bool) {
	path, f0 := f.one(), f.IntN(12)
	if path == "" {
		f0 = 0
	}
	other := filepath.Join(f.dir, "store", []string{"--v--", "--w--"}[f.IntN(2)], filepath.Base(path))
	what := ""
	switch f0 {
	case 0, 1:
		what = "new"
		f.next++
		id := fmt.Sprint("s", f.next)
		f.write(filepath.Join(f.dir, "store", "--w--", id+".jsonl"), f.header(id)+f.entry(), 0)
	case 2, 3, 4:
		what = "grown"
		f.write(path, f.entry(), os.O_APPEND)
	case 5:
		if what = "deleted"; prune {
			must.Do(f, os.Remove(path))
		}
	case 6:
		what = "copied"
		data, err := os.ReadFile(path)
		must.Do(f, err)
		f.write(other, string(data), os.O_TRUNC)
	case 7:
		what = "moved"
		must.Do(f, os.Rename(path, other))
	case 8:
		what = "begun anew"
		id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		f.write(path, f.header(id)+f.entry()+f.entry(), os.O_TRUNC)
	case 9:
		what = "with secrets taken out"
		data, err := os.ReadFile(path)
		must.Do(f, err)
		f.write(path, strings.Replace(string(data), `"cwd":"/w"`, `"redacted":true,"cwd":"/w"`, 1), os.O_TRUNC)
	case 10:
		what = "a part lost"
		if list, _ := filepath.Glob(filepath.Join(f.dir, "out", "*", "*")); len(list) > 0 {
			must.Do(f, os.RemoveAll(list[f.IntN(len(list))]))
		}
	default:
		mark := filepath.Join(f.dir, "out", []string{markName, cacheName}[f.IntN(2)])
		if data, err := os.ReadFile(mark); err == nil && len(data) > 0 {
			what = "a torn mark or cache"
			data[f.IntN(len(data))] ^= 1
			must.Do(f, os.WriteFile(mark, data[:f.IntN(len(data))], 0o600))
		}
	}
	f.done = append(f.done, what)
}

// parts are the files of tables that have rows, by name.
func (f *drawnStore) parts(out string) map[string]string {
	all := contents(f.T, filepath.Join(f.dir, out))
	maps.DeleteFunc(all, func(_, data string) bool {
		p, err := parquet.OpenFile(strings.NewReader(data), int64(len(data)))
		return err != nil || p.NumRows() == 0 // as of a day that was pruned
	})
	return all
}

// TestMarkDrawn: whatever becomes of a store, its tables are those that are made from nothing.
func TestMarkDrawn(t *testing.T) {
	later := tool
	later.New = func() ([]cli.Flag, cli.Action) { // or all files were written to just now
		c := &config{now: func() time.Time { return time.Now().Add(time.Hour) }}
		return c.flags(), c.run
	}
	for n, r := range drawn.Cases(t, 1000) {
		f := &drawnStore{T: t, Rand: r, dir: filepath.Join(t.TempDir(), fmt.Sprint(n)), tool: later}
		t.Setenv("SESS_DIR", filepath.Join(f.dir, "store"))
		for _, name := range []string{"--v--", "--w--"} {
			must.Do(t, os.MkdirAll(filepath.Join(f.dir, "store", name), 0o700))
		}
		prune := r.IntN(2) == 0
		flags := []string{fmt.Sprintf("--prune=%t", prune), fmt.Sprintf("--content=%t", r.IntN(2) == 0)}
		for i := range 12 {
			for range r.IntN(4) {
				f.step(prune)
			}
			f.run("out", flags...)
			if r.IntN(4) > 0 && i < 11 {
				continue
			}
			must.Do(t, os.RemoveAll(filepath.Join(f.dir, "anew")))
			f.run("anew", flags...)
			if got, want := f.parts("out"), f.parts("anew"); !maps.Equal(got, want) {
				t.Fatalf("%q has %q, want %q, of these bytes, behind %q", flags, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)), f.done)
			}
		}
		must.Do(t, os.RemoveAll(f.dir))
	}
}

// TestMarkSum: a mark that was changed in one place, or has lost its end, is none.
func TestMarkSum(t *testing.T) {
	dir := t.TempDir()
	tables := &tables{config: &config{}, dir: dir, mark: loadMark(dir), markable: true, stamps: map[string]string{"a": "1"}, news: selection.News{Remote: "r", Place: "p"}}
	tables.mark.owed = []string{"o"}
	for i := range 5 {
		tables.mark.now[uint64(i)] = markItem{uint64(i), 7, 8}
	}
	tables.keepMark(nil)
	path := filepath.Join(dir, markName)
	data, err := os.ReadFile(path)
	must.Do(t, err)
	if got := loadMark(dir); len(got.was) != 5 || !bytes.Equal(got.raw, data) {
		t.Fatalf("%d sessions of %d bytes", len(got.was), len(data))
	}
	for i := range data {
		for _, bad := range [][]byte{data[:i], slices.Concat(data[:i], []byte{data[i] ^ 1}, data[i+1:])} {
			must.Do(t, os.WriteFile(path, bad, 0o600))
			if got := loadMark(dir); got.raw != nil || got.was != nil || got.head.Place != "" || got.head.Parts != nil {
				t.Fatalf("byte %d: %q is a mark", i, bad)
			}
		}
	}
}

// TestSessionsLost: where the table of sessions lost a day, so do the others, if no session of it is there any more.
func TestSessionsLost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, out := written(t, dir, "s1", "2026-11-01", "one"), filepath.Join(dir, "out")
	written(t, dir, "s2", "2026-11-02", "two")
	run(t, cli.ExitDone, "-o", out, dir)
	must.Do(t, errors.Join(os.RemoveAll(filepath.Join(out, sessionsTable, "day=2026-11-01")), os.Remove(one)))
	run(t, cli.ExitDone, "-o", out, dir)
	if _, rows := values[messageRow](t, out, messagesTable); len(rows) == 0 || slices.ContainsFunc(rows, func(r messageRow) bool { return r.Session != "s2" }) {
		t.Errorf("rows of messages: %v", rows)
	}
	run(t, cli.ExitNo, "-o", out, dir)
}
