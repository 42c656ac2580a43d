package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sess-tools/sess/pkg/session"
)

// sixteenth are the usual limits at a size that is quick to test.
var sixteenth = limits{whole: usual.whole / 16, first: usual.first / 16, last: usual.last / 16}

// padding is a custom entry line of at least n bytes.
func padding(n int) string {
	return `{"type":"custom","customType":"x","id":"pad","parentId":null,"data":"` + strings.Repeat("x", n) + "\"}\n"
}

func TestListLarge(t *testing.T) {
	t.Parallel()
	const at99 = 1767323199000
	var small strings.Builder
	for i := range 300 {
		small.WriteString(message(i, strings.Repeat("y", 400)))
	}
	named := `{"type":"session_info","id":"n","parentId":null,"name":"the name"}` + "\n"
	tests := []struct {
		name, data string
		exact      bool // without Count
		messages   int  // with Count
		modified   int64
	}{
		{"many messages", text("id", "/p", 1) + small.String() + message(99, "last") + named, false, 302, 1767323100000 + 299000},
		{"long last line", text("id", "/p", 1) + padding(64<<10) + message(99, "last") + named + padding(19<<10), false, 2, at99},
		{"huge last line", text("id", "/p", 1) + padding(320<<10) + message(99, "last") + named + padding(190<<10), false, 2, at99},
		{"windows that meet", text("id", "/p", 1) + padding(64<<10) + message(99, "last") + named + padding(64<<10), true, 2, at99},
		{"long header", strings.Replace(text("id", "/p", 1), `"cwd"`, `"title":"`+strings.Repeat("t", 128<<10)+`","cwd"`, 1) + message(99, "last") + named, true, 2, at99},
		{"junk before the header", strings.Repeat("junk\n", 19<<10) + text("id", "/p", 1) + message(99, "last") + named, true, 2, at99},
	}
	for _, tt := range tests {
		path := write(t, t.TempDir(), "x.jsonl", tt.data)
		for _, count := range []bool{false, true} {
			reader := rowReader{limits: sixteenth, count: count}
			r, err := reader.read(t.Context(), path)
			if err != nil || r.Size <= sixteenth.whole {
				t.Fatalf("%s: %d bytes, %v", tt.name, r.Size, err)
			}
			if r.Exact != (count || tt.exact) {
				t.Errorf("%s, count %v: exact = %v", tt.name, count, r.Exact)
			}
			if r.Exact && r.Messages != tt.messages || r.Messages > tt.messages || r.Messages < 2 {
				t.Errorf("%s, count %v: %d messages of %d", tt.name, count, r.Messages, tt.messages)
			}
			if want := time.UnixMilli(tt.modified); !r.Modified.Equal(want) {
				t.Errorf("%s, count %v: modified %v, want %v", tt.name, count, r.Modified, want)
			}
			if r.ID != "id" || r.CWD != "/p" || r.Name != "the name" || r.FirstMessage != "m0" || r.LastMessage != "last" {
				t.Errorf("%s, count %v: %.200q", tt.name, count, fmt.Sprint(r))
			}
		}
	}
}

// TestListLargeIsNotReadWhole has a file whose middle no reader can have seen,
// since it holds a message that would show.
func TestListLargeIsNotReadWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "x.jsonl", text("id", "/p", 1)+padding(1<<20)+message(5000, "hidden")+padding(1<<20)+message(99, "last"))
	for count, want := range map[bool]int{false: 2, true: 3} {
		rows, w := list(t, dir, Options{Count: count})
		if len(rows) != 1 {
			t.Fatalf("%d rows, %q", len(rows), w.list)
		}
		if rows[0].Messages != want || rows[0].Exact != count {
			t.Errorf("count %v: %d messages, exact %v", count, rows[0].Messages, rows[0].Exact)
		}
	}
}

// What was said first is read on to, and is never what was said last.
func TestListLargeReadsOnToTheFirstPrompt(t *testing.T) {
	t.Parallel()
	head, _, _ := strings.Cut(text("id", "/p", 1), "\n")
	asked := message(1, "Fix the lexer.")
	late := message(99, "now the parser")
	for name, tt := range map[string]struct {
		data, title, first string
	}{
		"behind the first window": {padding(9<<10) + asked, "Fix the lexer", "Fix the lexer."},
		"behind the last window":  {padding(600<<10) + asked, "", ""},
		"none":                    {"", "", ""},
	} {
		path := write(t, t.TempDir(), "x.jsonl", head+"\n"+tt.data+padding(300<<10)+padding(300<<10)+late)
		reader := rowReader{limits: sixteenth}
		r, err := reader.read(t.Context(), path)
		if title, _ := r.Title(); err != nil || r.FirstMessage != tt.first || title != tt.title || r.LastMessage != "now the parser" {
			t.Errorf("%s: %q, title %q, last %q, %v", name, r.FirstMessage, title, r.LastMessage, err)
		}
	}
}

func TestListLargeNonSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"json":     strings.Repeat(`{"type":"message","id":"x"}`+"\n", 6000),
		"junk":     strings.Repeat("junk\n", 30000),
		"one line": strings.Repeat("[", 128<<10),
	} {
		reader := rowReader{limits: sixteenth}
		r, err := reader.read(t.Context(), write(t, dir, name, data))
		if !errors.Is(err, session.ErrNotSession) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// FuzzEnds states that reading both ends never claims more than reading the
// whole, and never another identity.
func FuzzEnds(f *testing.F) {
	f.Add(text("id", "/p", 2), 1<<10, message(9, "x"))
	f.Add("", 1<<10, text("id", "/p", 2))
	f.Add(`{"type":"session","id":"a"}`+"\n", 5<<10, "{\n")
	f.Add(text("id", "/p", 0)+`{"type":"session_info","name":"n"}`, 2<<10, "")
	small := limits{whole: 1 << 10, first: 1 << 8, last: 1 << 12}
	f.Fuzz(func(t *testing.T, head string, middle int, tail string) {
		path := write(t, t.TempDir(), "x.jsonl", head+padding(middle&0x1fff)+tail)
		reader := rowReader{limits: small}
		ends, endsErr := reader.read(t.Context(), path)
		reader.count = true
		whole, wholeErr := reader.read(t.Context(), path)
		if (endsErr == nil) != (wholeErr == nil) {
			t.Fatalf("ends: %v, whole: %v", endsErr, wholeErr)
		}
		if endsErr != nil {
			return
		}
		if ends.Messages > whole.Messages || ends.Entries > whole.Entries {
			t.Fatalf("ends %+v\nwhole %+v", ends, whole)
		}
		if id := func(r Row) [4]any { return [4]any{r.ID, r.CWD, r.ParentSession, r.Created} }; id(ends) != id(whole) {
			t.Fatalf("ends %+v\nwhole %+v", ends, whole)
		}
		if ends.FirstMessage != "" && ends.FirstMessage != whole.FirstMessage {
			t.Fatalf("another first message: ends %+v\nwhole %+v", ends, whole)
		}
		if ends.Exact && !reflect.DeepEqual(ends.Info, whole.Info) {
			t.Fatalf("exact, but\nends %+v\nwhole %+v", ends, whole)
		}
	})
}

// TestDetach guards against rows that keep the lines alive they were cut from.
func TestDetach(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1000)
	for _, in := range []session.Info{
		{ID: line[:1], CWD: line[:2], Name: line[:3], ParentSession: line[:4]},
		{ID: line[:1]},
		{},
	} {
		out := detach(in)
		if !reflect.DeepEqual(in, out) {
			t.Errorf("changed: %+v", out)
		}
		for i, pair := range [][2]string{
			{in.ID, out.ID},
			{in.CWD, out.CWD},
			{in.Name, out.Name},
			{in.ParentSession, out.ParentSession},
		} {
			if pair[0] != "" && unsafe.StringData(pair[0]) == unsafe.StringData(pair[1]) {
				t.Errorf("text %d is not copied", i)
			}
		}
	}
}

// TestListLetsGo is not parallel, since it looks at the memory of the process.
func TestListLetsGo(t *testing.T) {
	dir := t.TempDir()
	image := `"content":[{"type":"text","text":"what is this?"},{"type":"image","data":"` + strings.Repeat("A", 512<<10) + `"}]`
	line := strings.Replace(message(0, "x"), `"content":"x"`, image, 1)
	const files = 16
	for i := range files {
		write(t, dir, fmt.Sprintf("%d.jsonl", i), text("id", "/p", 0)+line)
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // a pool gives up what the first one leaves in it
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	rows, _ := list(t, dir, Options{})
	held := heap() - before
	if len(rows) != files || rows[0].FirstMessage != "what is this?" {
		t.Fatalf("%d rows: %.200q", len(rows), fmt.Sprint(rows))
	}
	if held > files*(512<<10)/4 {
		t.Errorf("%d rows hold %d bytes", files, held)
	}
	runtime.KeepAlive(rows)
}

func BenchmarkList(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 2 << 20} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			dir := b.TempDir()
			data := text("id", "/p", 1)
			for i := 0; len(data) < size; i++ {
				data += message(i, strings.Repeat("z", 1000))
			}
			const files = 100
			for i := range files {
				write(b, dir, filepath.Join("--p--", fmt.Sprintf("%d.jsonl", i)), data)
			}
			b.ReportAllocs()
			for b.Loop() {
				rows, err := List(b.Context(), []string{dir}, Options{Recursive: true})
				if err != nil || len(rows) != files {
					b.Fatal(len(rows), err)
				}
			}
		})
	}
}
