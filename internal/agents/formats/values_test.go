package formats_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// The example keeps to the laws of formats.
func TestExampleLaws(t *testing.T) {
	t.Parallel()
	formatstest.Laws(t, parrot{}, formatstest.Corpus{
		File: "m1.parrot", Lines: true,
		Faults: map[string]string{"read twice and listed/talk": "readers count the asides of an agent that they do not know"},
		Sources: map[string]string{"talk": `{"kind":"start","id":"m1","dir":"/w"}` + "\n" + `{"kind":"asked","text":"why","by":"me"}` + "\n" +
			`{"kind":"mood","happy":true}` + "\n" + `{"kind":"said","text":"because"}` + "\n"},
	})
}

// What a line holds, where it stands, and what is told of it.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
		lost       string
	}{
		{"one", `{"a":1}` + "\n", []string{`{"a":1}`}, ""},
		{"white space", " \t{\"a\":\r1} \r\n", []string{`{"a":1}`}, ""},
		{"a mark", jsonl.ByteOrderMark + `{"a":1}` + "\n", []string{`{"a":1}`}, ""},
		{"a mark further on", "\n" + jsonl.ByteOrderMark + `{"a":1}` + "\n", nil, "2: not JSON, line of 10 bytes skipped"},
		{"blank", "\n \t\r\n", nil, ""},
		{"torn", `{"a":1}` + "\n" + `{"a`, []string{`{"a":1}`}, "2: torn last line of 3 bytes skipped"},
		{"whole, but without a line feed", `{"a":1}`, []string{`{"a":1}`}, ""},
		{"not UTF-8", "{\"a\":\"\xff\"}\n", []string{"{\"a\":\"\ufffd\"}"}, "1: invalid UTF-8, which became U+FFFD"},
		{"two", `{"a":1}{"b":2}` + "\n", []string{`{"a":1}`, `{"b":2}`}, "1: 2 values on one line, which were read as if each had its own"},
		{"two, and a piece", `{"a":1}{"b":2}{` + "\n", []string{`{"a":1}`, `{"b":2}`}, "1: 1 bytes of a torn line skipped; what stands whole beside them was read"},
		{"torn, and whole", `{"a":1,"b":{"c":[{"d":"x` + `{"a":2,"b":{}}` + "\n", []string{`{"a":2,"b":{}}`}, "1: 24 bytes of a torn line skipped; what stands whole beside them was read"},
		{"torn where a value stands", `{"a":1,"b":` + `{"a": 2, "b": {}}` + "\n", []string{`{"a": 2, "b": {}}`}, "1: 11 bytes of a torn line skipped; what stands whole beside them was read"},
		{"torn behind an object of it", `{"type":"m","content":[{"type":"text","text":"x"}` + "\n", nil, "1: not JSON, line of 49 bytes skipped"},
		{"torn, torn and whole", `{"a":1,"b":2{"a":1,{"a":3,"b":4}` + "\n", []string{`{"a":3,"b":4}`}, "1: 19 bytes of a torn line skipped; what stands whole beside them was read"},
		{"NULs in front", "\x00\x00{\"a\":1}\n", []string{`{"a":1}`}, "1: 2 bytes of a torn line skipped; what stands whole beside them was read"},
		{"a word in front", `see {"a":1}` + "\n", nil, "1: not JSON, line of 11 bytes skipped"},
		{"numbers", "1 2\n", nil, "1: not JSON, line of 3 bytes skipped"},
		{"NULs", "\x00\x00\n", nil, "1: not JSON, line of 2 bytes skipped"},
		{"no object", "[1]\n\"x\"\n", []string{"[1]", `"x"`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var lost, got []string
			b := formats.NewBuilder("x", func(string) error { return nil }, func(l formats.Loss) { lost = append(lost, strings.TrimPrefix(l.String(), "s:")) })
			src := &formats.Source{Path: "s"}
			for l, err := range jsonl.Lines(strings.NewReader(c.text)) {
				if err != nil {
					t.Fatal(err)
				}
				for v := range b.Values(src, l) {
					got = append(got, v.Text)
					if at := c.text[v.Offset : v.Offset+v.Size]; formats.OneLine(at) != v.Text {
						t.Errorf("%q stands where it is said to be", at)
					}
				}
			}
			if !slices.Equal(got, c.want) || strings.Join(lost, "|") != c.lost {
				t.Errorf("%q, lost %q", got, lost)
			}
		})
	}
	objects := 0
	b := formats.NewBuilder("x", nil, func(l formats.Loss) {
		if l.What != "not a JSON object, skipped" {
			t.Errorf("lost %s", l)
		}
		objects--
	})
	for l := range jsonl.Lines(strings.NewReader("{}\n[]\n")) {
		for range b.Objects(&formats.Source{Path: "s"}, l) {
			objects += 2
		}
	}
	if objects != 1 {
		t.Errorf("%d objects", objects)
	}
}
