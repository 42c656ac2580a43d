package tty_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/tool/tty"
)

func visible(t testing.TB, chunks ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tty.Visible(&b)
	for _, chunk := range chunks {
		if n, err := io.WriteString(w, chunk); n != len(chunk) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	return b.String()
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb\n":               "a\tb\n",
		"\x1b]52;c;x\x07":      `\u001b]52;c;x\u0007`,
		"\u009b31m\x7f":        `\u009b31m\u007f`,
		"\u202e é \u2066":      `\u202e é \u2066`,
		"\xff\x9b.":            `\xff\x9b.`,
		`{"a":"\u001b\u202e"}`: `{"a":"\u001b\u202e"}`,
	} {
		if got := visible(t, in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Laws: nothing acts on a terminal, however the text comes; JSON stays JSON of the same
// value.
func FuzzVisible(f *testing.F) {
	f.Add("{\"a\":\"\u009b\u202e\x7f\"}", 7)
	f.Add("\xe2\x80\xae\x1b[31m\xe2\x80", 2)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		whole := visible(t, text, "\n")
		if got := visible(t, text[:at], text[at:], "\n"); got != whole {
			t.Fatalf("%q cut at %d: %q, whole %q", text, at, got, whole)
		}
		if !utf8.ValidString(whole) || tty.CleanLines(whole) != whole {
			t.Fatalf("%q: %q", text, whole)
		}
		var before, after any
		if utf8.ValidString(text) && json.Unmarshal([]byte(text), &before) == nil && !strings.Contains(text, "\r") {
			if err := json.Unmarshal([]byte(whole), &after); err != nil || !reflect.DeepEqual(before, after) {
				t.Fatalf("%q: %q, %v", text, whole, err)
			}
		}
	})
}
