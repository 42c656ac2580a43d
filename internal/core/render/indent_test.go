package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// Calls are indented as encoding/json does it.
func FuzzIndent(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `1`, `"a\"b\\"`, `{"a":[],"b":{},"c":[1,-2.5e3,true,null,"x{},:["],"d":{"e":[{"f":""}]}}`, `[[1],"\\",[{}]]`,
		`"\\\\"`, strings.Repeat("[", 101) + strings.Repeat("]", 101),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !js.Valid([]byte(text)) {
			return
		}
		text = compact(text)
		var got strings.Builder
		w := bufio.NewWriter(&got)
		indent(w, text)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(text), "", "  "); err != nil || depth(text) > 100 {
			want.Reset()
			want.WriteString(text)
		}
		if clean := tty.CleanLines(js.ValidText(want.String())); got.String() != clean {
			t.Errorf("%s:\n%s\nwant\n%s", text, got.String(), clean)
		}
	})
}
