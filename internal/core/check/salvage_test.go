package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/pkg/js"
)

// FuzzSalvage: the pieces of a line join to the line, the good ones are
// entries, and no two bad ones stand side by side.
func FuzzSalvage(f *testing.F) {
	a, b := `{"type":"custom","id":"a"}`, `{"type":"label","id":"b","x":"\"{"}`
	for _, s := range []string{"", "x", a, a + b, a + "x" + b, `{"type":"cus` + a, "\x00\x00" + a + "\x00", a[:20] + b + a, `{"type":"` + a, `[` + a + `]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var joined strings.Builder
		good := true
		for _, p := range salvage(line) {
			joined.WriteString(p.text)
			switch {
			case p.text == "":
				t.Error("an empty piece")
			case p.good && (!js.Valid([]byte(p.text)) || !isEntry(p.entry)):
				t.Errorf("not an entry: %q", p.text)
			case !p.good && !good:
				t.Errorf("two bad pieces: %q", p.text)
			}
			good = p.good
		}
		if joined.String() != string(line) {
			t.Errorf("%q became %q", line, joined.String())
		}
	})
}

// FuzzNesting: for valid JSON the depth ends at 0 outside a string, and the end
// of an object is where it is.
func FuzzNesting(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":"\\\"}{"}`, `[[{"a":[1,"]"]}]]`, `"\\"`, `{"a\"b":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !js.Valid(text) {
			objectEnd(text)
			return
		}
		var n nesting
		for _, c := range text {
			n.step(c)
		}
		if n != (nesting{}) {
			t.Errorf("%+v at the end of %q", n, text)
		}
		if trimmed := bytes.TrimSpace(text); trimmed[0] == '{' {
			if end := objectEnd(append(trimmed[:len(trimmed):len(trimmed)], "x}"...)); end != len(trimmed) {
				t.Errorf("%q ends at %d", trimmed, end)
			}
		}
	})
}

// A line made to be searched from every place to its end is given up in time.
func TestSalvageIsBounded(t *testing.T) {
	t.Parallel()
	line := []byte(strings.Repeat(`{"type":"message","id":"a","x":`, 50_000)) // 1.5 MB, 50,000 starts
	done := make(chan []piece, 1)
	go func() { done <- salvage(line) }()
	select {
	case pieces := <-done:
		if len(pieces) != 1 || pieces[0].good || pieces[0].text != string(line) {
			t.Errorf("%d pieces", len(pieces))
		}
	case <-time.After(time.Minute): // unbounded it takes hours
		t.Fatal("still searching")
	}
}
