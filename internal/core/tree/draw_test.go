package tree

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/pkg/session"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, sketch string
		o            Options
		want         string
	}{
		{"empty", "", Options{}, ""},
		{"one", "a", Options{}, "* a user: say a  2 tokens\n"},
		{"a chain stays in one column", "a b<a c<b", Options{}, `
* a user: say a  2 tokens
* b user: say b  2 tokens
* c user: say c  2 tokens
`},
		{"a run of three is shown", "a b<a c<b d<c", Options{}, `
* a user: say a  2 tokens
* b user: say b  2 tokens
* c user: say c  2 tokens
* d user: say d  2 tokens
`},
		{"a run of four is folded", "a b<a c<b d<c e<d", Options{}, `
* a user: say a  2 tokens
* ┆ 2 entries, 4 tokens
* d user: say d  2 tokens
* e user: say e  2 tokens
`},
		{"full", "a b<a c<b d<c e<d", Options{Full: true}, `
* a user: say a  2 tokens
* b user: say b  2 tokens
* c user: say c  2 tokens
* d user: say d  2 tokens
* e user: say e  2 tokens
`},
		{"branches", "a b<a c<b d<a e<d f<d", Options{}, `
* a user: say a  2 tokens
  ├─ b user: say b  2 tokens
  │  c user: say c  2 tokens
* └─ d user: say d  2 tokens
     ├─ e user: say e  2 tokens
*    └─ f user: say f  2 tokens
`},
		{"ascii", "a b<a c<b d<c e<d f<e g<a", Options{ASCII: true}, "* a user: say a  2 tokens\n" +
			"  |- b user: say b  2 tokens\n" +
			"  |  : 2 entries, 4 tokens\n" +
			"  |  e user: say e  2 tokens\n" +
			"  |  f user: say f  2 tokens\n" +
			"* `- g user: say g  2 tokens\n"},
		{"a compaction and a branch summary are not folded", "a b<a c<b!compaction d<c e<d!branch_summary f<e g<f h<g i<h j<i", Options{}, `
* a user: say a  2 tokens
* b user: say b  2 tokens
* c compaction: sum  1 token
* d user: say d  2 tokens
* e branch_summary: sum  1 token
* f user: say f  2 tokens
* ┆ 2 entries, 4 tokens
* i user: say i  2 tokens
* j user: say j  2 tokens
`},
		{"several roots", "a b<a c d<c", Options{}, `
  ├─ a user: say a  2 tokens
  │  b user: say b  2 tokens
* └─ c user: say c  2 tokens
*    d user: say d  2 tokens
`},
		{"an orphan is a root", "a b<x", Options{}, `
  ├─ a user: say a  2 tokens
* └─ b user: say b  2 tokens  [parent x is missing]
`},
		{"its own parent", "a<a b<a", Options{}, `
* a user: say a  2 tokens  [its own parent]
* b user: say b  2 tokens
`},
		{"a cycle beside a root", "r a<c b<a c<b", Options{}, `
  ├─ r user: say r  2 tokens
* └─ a user: say a  2 tokens  [cycle: its parent c is below it]
*    b user: say b  2 tokens
*    c user: say c  2 tokens
`},
		{"the active path decides where a cycle is cut", "a<b b<a x<a", Options{}, `
* b user: say b  2 tokens  [cycle: its parent a is below it]
* a user: say a  2 tokens
* x user: say x  2 tokens
`},
		{"siblings in the order of time", "a@0 b<a@5 c<a@3 d<a@3", Options{}, `
* a user: say a  2 tokens
  ├─ c user: say c  2 tokens
* ├─ d user: say d  2 tokens
  └─ b user: say b  2 tokens
`},
		{"a sibling without time stays behind the one before it", "a@0 b<a@5 c<a@- d<a@3 e<a@9", Options{}, `
* a user: say a  2 tokens
  ├─ d user: say d  2 tokens
  ├─ b user: say b  2 tokens
  ├─ c user: say c  2 tokens
* └─ e user: say e  2 tokens
`},
		{"roots stay in the order of the file", "a@5 b@3", Options{}, `
  ├─ a user: say a  2 tokens
* └─ b user: say b  2 tokens
`},
		{"the later of two with one id counts", "a b<a a c<a", Options{}, `
* a user: say a  2 tokens
  ├─ b user: say b  2 tokens
* └─ c user: say c  2 tokens
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := draw(t, grow(shape(t, tt.sketch)), tt.o)
			want := strings.TrimPrefix(tt.want, "\n")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The end of the active path and labelled entries are never hidden, and a fold
// is wholly on the active path or wholly off it.
func TestDrawSpecial(t *testing.T) {
	t.Parallel()
	s := read(t,
		`{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"one two"}}`,
		`{"type":"custom","customType":"k","id":"b","parentId":"a"}`,
		`{"type":"custom","customType":"k","id":"c","parentId":"b"}`,
		`{"type":"custom","customType":"k","id":"d","parentId":"c"}`,
		`{"type":"custom","customType":"k","id":"e","parentId":"d"}`,
		`{"type":"custom","customType":"k","id":"f","parentId":"e"}`,
		`{"type":"custom","customType":"k","id":"g","parentId":"f"}`,
		label("h", "g", "a", "start here"),
		label("i", "h", "gone", "nowhere"))
	at := func(ref string) *Tree {
		i, err := s.Resolve(ref, 0)
		if ref != "e" && err == nil {
			i = -1
		}
		path, _ := s.PathIndex(i)
		return New(s, path)
	}
	tests := []struct{ ref, want string }{
		{"e", `
* a user: one two  @start here  2 tokens
* b custom: k
* c custom: k
* d custom: k
* e custom: k
  f custom: k
  g custom: k
  h label: start here
  i label: nowhere
`},
		{"a", `
  a user: one two  @start here  2 tokens
  b custom: k
  ┆ 5 entries
  h label: start here
  i label: nowhere
`},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), draw(t, at(tt.ref), Options{})); diff != "" {
			t.Errorf("leaf %s: %s", tt.ref, diff)
		}
	}
}

// Beyond 16 levels the columns of the outer ones make room for their number.
func TestDrawDeep(t *testing.T) {
	t.Parallel()
	var sketch strings.Builder
	sketch.WriteString("n0 ")
	for i := range 26 {
		at := string(rune('a' + i))
		above := "n0"
		if i > 0 {
			above = string(rune('a' + i - 1))
		}
		sketch.WriteString(at + "<" + above + "@1 " + at + at + "<" + above + "@2 ")
	}
	lines := strings.Split(draw(t, grow(shape(t, sketch.String())), Options{}), "\n")
	tests := []struct {
		row  int
		want string
	}{
		{1, "* ├─ a user"},
		{16, "* " + strings.Repeat("│  ", 15) + "├─ p user"},
		{17, "* 8… " + strings.Repeat("│  ", 8) + "├─ q user"},
		{24, "* 8… " + strings.Repeat("│  ", 15) + "├─ x user"},
		{25, "* 16… " + strings.Repeat("│  ", 8) + "├─ y user"},
	}
	for _, tt := range tests {
		if !strings.HasPrefix(lines[tt.row], tt.want+":") {
			t.Errorf("row %d is %q, want %q", tt.row, lines[tt.row], tt.want)
		}
	}
}

func TestDrawColor(t *testing.T) {
	t.Parallel()
	s := shape(t, "a b<a!compaction c<x")
	got := draw(t, grow(s), Options{Color: true, ASCII: true})
	want := "  \x1b[2m|- \x1b[0ma user: say a  2 tokens\n" +
		"  \x1b[2m|  \x1b[0mb \x1b[35mcompaction\x1b[0m: sum  1 token\n" +
		"\x1b[1m*\x1b[0m \x1b[2m`- \x1b[0m\x1b[1mc\x1b[0m user: say c  2 tokens  \x1b[31m[parent x is missing]\x1b[0m\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Lines are cut at the width of a terminal and at no other place.
func TestDrawWidth(t *testing.T) {
	t.Parallel()
	s := read(t, `{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"日本語日本語 and a e\u0301 more"}}`)
	tests := []struct {
		width int
		want  string
	}{
		{0, "* a user: 日本語日本語 and a e\u0301 more  5 tokens\n"},
		{200, "* a user: 日本語日本語 and a e\u0301 more  5 tokens\n"},
		{24, "* a user: 日本語日本語 …\n"},
		{18, "* a user: 日本語…\n"},
		{17, "* a user: 日本語…\n"},
		{16, "* a user: 日本…\n"},
		{3, "* …\n"},
		{1, "…\n"},
	}
	for _, tt := range tests {
		got := draw(t, grow(s), Options{Width: tt.width})
		if got != tt.want {
			t.Errorf("width %d: got %q, want %q", tt.width, got, tt.want)
		}
		if n := screen.Columns(strings.TrimSuffix(got, "\n")); tt.width > 0 && n > tt.width {
			t.Errorf("width %d: the line takes %d columns", tt.width, n)
		}
	}
}

// Colour must not count as width, and a cut must not lose the end of a colour.
func TestDrawColorWidth(t *testing.T) {
	t.Parallel()
	got := draw(t, grow(shape(t, "a-long-id")), Options{Color: true, Width: 8})
	if want := "\x1b[1m*\x1b[0m \x1b[1ma-lon…\x1b[0m\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A failing writer ends every renderer.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	tr := grow(shape(t, "a b<a c<a"))
	boom := errors.New("boom")
	renderers := map[string]func(io.Writer) error{
		"draw":       func(w io.Writer) error { return Draw(w, tr, Options{}) },
		"json":       func(w io.Writer) error { return JSON(w, tr, from) },
		"dot":        func(w io.Writer) error { return Dot(w, tr, Options{}) },
		"heads":      func(w io.Writer) error { return WriteHeads(w, tr, tr.Heads(), Options{}) },
		"heads tty":  func(w io.Writer) error { return WriteHeads(w, tr, tr.Heads(), Options{Width: 80}) },
		"heads json": func(w io.Writer) error { return HeadsJSON(w, tr, tr.Heads(), from) },
		"labels": func(w io.Writer) error {
			return WriteLabels(w, tr, []session.Label{{Target: "a", Name: "l"}}, Options{})
		},
		"labels json": func(w io.Writer) error { return LabelsJSON(w, tr, []session.Label{{Target: "a", Name: "l"}}, from) },
	}
	for name, render := range renderers {
		w := &failing{after: 1, err: boom}
		if name == "labels" || name == "labels json" {
			w.after = 0
		}
		if err := render(w); !errors.Is(err, boom) {
			t.Errorf("%s: error %v", name, err)
		}
		if w.calls > w.after+1 {
			t.Errorf("%s: %d writes after the error", name, w.calls-w.after-1)
		}
	}
}

// failing fails all writes but the first few.
type failing struct {
	after, calls int
	err          error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.calls++; f.calls > f.after {
		return 0, f.err
	}
	return len(p), nil
}
