package js_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"github.com/sess-tools/sess/pkg/js"
)

// What gjson answers, and what the programs that write sessions do: the reasons in
// docs/adr/0030 for comparing all members where these could differ. A version of
// gjson that mends one of them turns this red.
func TestLibraryGet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, raw, member, gjson, javascript string }{
		{"the first of two members with one name", `{"a":1,"a":2}`, "a", "1", "2"},
		{"the first, if the second has escapes", `{"a":1,"\u0061":2}`, "a", "1", "2"},
	} {
		if got := gjson.Get(c.raw, gjson.Escape(c.member)).Raw; got != c.gjson {
			t.Errorf("%s: gjson now says %q", c.name, got)
		}
		if got := string(js.Value(c.raw).Get(c.member)); got != c.javascript {
			t.Errorf("%s: %q, want %q", c.name, got, c.javascript)
		}
	}
}

// gjson gives one U+FFFD for a lone surrogate, which JavaScript keeps, and for a
// pair of which each half stands alone when it is cut; js.Unquote keeps both.
func TestLibraryText(t *testing.T) {
	t.Parallel()
	const raw = `"\ud800x"`
	if got := gjson.Parse(raw).Str; got != "\ufffdx" {
		t.Errorf("gjson now says %q", got)
	}
	if got := js.Quote(js.Value(raw).Str()); got != raw {
		t.Errorf("%s", got)
	}
}

// gjson and sjson take any depth, on which everything recursive behind them would
// depend, and text that is no JSON.
func TestLibraryValid(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", js.MaxDepth+1) + strings.Repeat("]", js.MaxDepth+1)
	if !gjson.Valid(deep) || js.Valid([]byte(deep)) {
		t.Errorf("gjson: %t, Valid: %t", gjson.Valid(deep), js.Valid([]byte(deep)))
	}
	if got := gjson.Get(`{"a":1}}`, "a").Raw; got != "1" {
		t.Errorf("gjson now says %q of what is no JSON", got)
	}
}

// A walk with gjson decodes every string that it passes over: a text of 100 MB
// beside what is looked for is in memory twice.
func TestLibraryMemory(t *testing.T) {
	raw := `{"text":"` + strings.Repeat(`a\n`, 1000) + `","b":1}`
	walk := func() {
		gjson.Parse(raw).ForEach(func(_, _ gjson.Result) bool { return true })
	}
	if n := testing.AllocsPerRun(10, walk); n < 1 {
		t.Errorf("gjson now walks with %v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { js.Member(raw, "b") }); n != 0 {
		t.Errorf("Member: %v allocations", n)
	}
}

// sjson changes the first of two members with one name, takes along the member
// before one whose key has a quote, and writes a value that is no JSON.
func TestLibrarySet(t *testing.T) {
	t.Parallel()
	if got, err := sjson.SetRaw(`{"a":1,"a":2}`, "a", "3"); got != `{"a":3,"a":2}` || err != nil {
		t.Errorf("sjson now gives %s, %v", got, err)
	}
	if got, err := sjson.SetRaw(`{"":1}`, "", "3"); err == nil {
		t.Errorf("sjson now has a path for no name: %s", got)
	}
	if got, err := sjson.SetRaw(`{"a":1}`, "a", "]"); got != `{"a":]}` || err != nil {
		t.Errorf("sjson now gives %s, %v", got, err)
	}
	if got, err := sjson.Delete(`{"z":0,"\"":1}`, gjson.Escape(`"`)); got != `{}` || err != nil {
		t.Errorf("sjson now leaves %s, %v", got, err)
	}
}

// BenchmarkMember finds a member of objects of several lengths: by a walk, by
// [js.Value.Get], and with gjson.
func BenchmarkMember(b *testing.B) {
	for _, size := range []int{0, 300, 3000, 60_000} {
		raw := `{"type":"message","id":"a","content":"` + strings.Repeat(`output line\n`, size/13) + `","tokens":{"input":1,"output":2}}`
		for _, way := range []struct {
			name string
			find func() string
		}{
			{"walk", func() string { return js.Member(raw, "tokens") }},
			{"Value", func() string { return string(js.Value(raw).Get("tokens")) }},
			{"gjson", func() string { return gjson.Get(raw, "tokens").Raw }},
		} {
			b.Run(fmt.Sprintf("%d/%s", len(raw), way.name), func(b *testing.B) {
				for b.Loop() {
					if way.find() == "" {
						b.Fatal("not found")
					}
				}
			})
		}
	}
}
