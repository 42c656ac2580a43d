package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sess-tools/sess/pkg/session"
)

// padding is a custom entry line of at least n bytes.
func padding(n int) string {
	return `{"type":"custom","customType":"x","id":"pad","parentId":null,"data":"` + strings.Repeat("x", n) + "\"}\n"
}

func TestListLarge(t *testing.T) {
	t.Parallel()
	const at99 = 1767323199000
	var small strings.Builder
	for i := range 3000 {
		small.WriteString(message(i, strings.Repeat("y", 500)))
	}
	named := `{"type":"session_info","id":"n","parentId":null,"name":"the name"}` + "\n"
	tests := []struct {
		name, data string
		exact      bool // without Count
		messages   int  // with Count
		modified   int64
	}{
		{"many messages", text("id", "/p", 1) + small.String() + message(99, "last") + named, false, 3002, 1767323100000 + 2999000},
		{"long last line", text("id", "/p", 1) + padding(1<<20) + message(99, "last") + named + padding(300<<10), false, 2, at99},
		{"huge last line", text("id", "/p", 1) + padding(5<<20) + message(99, "last") + named + padding(3<<20), false, 2, at99},
		{"windows that meet", text("id", "/p", 1) + padding(1<<20) + message(99, "last") + named + padding(1<<20), true, 2, at99},
		{"long header", strings.Replace(text("id", "/p", 1), `"cwd"`, `"title":"`+strings.Repeat("t", 2<<20)+`","cwd"`, 1) + message(99, "last") + named, true, 2, at99},
		{"junk before the header", strings.Repeat("junk\n", 300<<10) + text("id", "/p", 1) + message(99, "last") + named, true, 2, at99},
	}
	for _, tt := range tests {
		dir := t.TempDir()
		write(t, dir, "x.jsonl", tt.data)
		for _, count := range []bool{false, true} {
			rows, w := list(t, dir, Options{Count: count})
			if len(rows) != 1 {
				t.Fatalf("%s: %d rows, %q", tt.name, len(rows), w.list)
			}
			r := rows[0]
			if r.Size <= wholeLimit {
				t.Fatalf("%s: not large", tt.name)
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
	rows, _ := list(t, dir, Options{})
	if len(rows) != 1 || rows[0].Messages != 2 || rows[0].Exact {
		t.Errorf("head and tail: %d messages, exact %v", rows[0].Messages, rows[0].Exact)
	}
	rows, _ = list(t, dir, Options{Count: true})
	if len(rows) != 1 || rows[0].Messages != 3 || !rows[0].Exact {
		t.Errorf("count: %d messages, exact %v", rows[0].Messages, rows[0].Exact)
	}
}

func TestListLargeNonSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "json.jsonl", strings.Repeat(`{"type":"message","id":"x"}`+"\n", 60000))
	write(t, dir, "junk.jsonl", strings.Repeat("junk\n", 300000))
	write(t, dir, "one-line.jsonl", strings.Repeat("[", 2<<20))
	rows, w := list(t, dir, Options{})
	if len(rows) != 0 || len(w.errs) != 3 {
		t.Errorf("rows %v, warnings %q", rows, w.list)
	}
}

// FuzzEnds states that reading both ends never claims more than reading the
// whole, and never another identity.
func FuzzEnds(f *testing.F) {
	f.Add(text("id", "/p", 2), 1<<20, message(9, "x"))
	f.Add("", 1<<20, text("id", "/p", 2))
	f.Add(`{"type":"session","id":"a"}`+"\n", 5<<20, "{\n")
	f.Add(text("id", "/p", 0)+`{"type":"session_info","name":"n"}`, 2<<20, "")
	f.Fuzz(func(t *testing.T, head string, middle int, tail string) {
		if middle < 0 || middle > 6<<20 {
			t.Skip()
		}
		path := write(t, t.TempDir(), "x.jsonl", head+padding(middle)+tail)
		ends, endsErr := read(t.Context(), path, false)
		whole, wholeErr := read(t.Context(), path, true)
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
		if ends.Exact && ends.Info != whole.Info {
			t.Fatalf("exact, but\nends %+v\nwhole %+v", ends, whole)
		}
	})
}

// TestDetach guards against rows that keep the lines alive they were cut from.
func TestDetach(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1000)
	in := session.Info{ID: line[:1], CWD: line[:2], Name: line[:3], ParentSession: line[:4], FirstMessage: line[:5], LastMessage: line[:6]}
	out := detach(in)
	if in != out {
		t.Errorf("changed: %+v", out)
	}
	for i, pair := range [][2]string{
		{in.ID, out.ID}, {in.CWD, out.CWD}, {in.Name, out.Name}, {in.ParentSession, out.ParentSession},
		{in.FirstMessage, out.FirstMessage}, {in.LastMessage, out.LastMessage},
	} {
		if unsafe.StringData(pair[0]) == unsafe.StringData(pair[1]) {
			t.Errorf("text %d is not copied", i)
		}
	}
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
