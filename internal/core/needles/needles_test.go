package needles

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// An escape is one that may stand for a character of a needle, or of an escape in a string in the string.
func TestEscape(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		needle, text string
		want         bool
	}{
		{"needle", `plain`, false},
		{"needle", `\u003cdiv\u003e \u0026 \u001b[31m`, false},
		{"needle", `\\u003cdiv\\u003e`, false},
		{"needle", `\u006e`, true},
		{"needle", `\u004E`, true},
		{"needle", `\u0078`, false},
		{"needle", `\\u00\u00366e`, true},
		{"needle", `\u005cu006e`, true},
		{"needle", `\u00e9`, false},
		{"é", `\u00e9`, true},
		{"é", `C:\\users`, true},
		{"needle", `C:\\users`, false},
		{"needle", `\u00`, true},
	} {
		if got := New([]Needle{{tt.needle, true}}).In([]byte(tt.text)); got != tt.want {
			t.Errorf("%s in %s: %v", tt.needle, tt.text, got)
		}
	}
}

// Text in JSON, and in JSON within JSON, may have its needle, however its characters are written.
func TestWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{2,8}`).Draw(t, "word")
		text := rapid.StringMatching(`[a-z<>&\\"\n]{0,9}`).Draw(t, "before") + word
		var written string
		for level := range rapid.IntRange(1, 3).Draw(t, "levels") {
			plain, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			written = string(plain)
			for i := range rapid.IntRange(0, 2).Draw(t, "escapes") { // of characters that stand for themselves
				at := rapid.IntRange(1, len(written)-2).Draw(t, fmt.Sprint("at ", level, i))
				if c := written[at]; c >= 'a' && c <= 'z' && !strings.Contains(written[max(0, at-5):at], `\`) {
					written = written[:at] + fmt.Sprintf(`\u%04x`, c) + written[at+1:]
				}
			}
			text = written
		}
		if !New([]Needle{{strings.ToUpper(word), true}}).In([]byte(written)) {
			t.Fatalf("%s is not seen in %s", word, written)
		}
	})
}
