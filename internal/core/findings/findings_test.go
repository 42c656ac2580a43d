package findings_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/test/must"
)

// A hostile finding has in every text what must not reach a terminal or turn the order of a text.
type hostile struct{}

const evil = "a\x1b[31m\u202eb\u2066\u009b5m\x00\u200fc\x7f\r::error::x"

func (hostile) Line() string { return evil }
func (hostile) Row() string  { return "{}" }
func (hostile) Report() findings.Finding {
	return findings.Finding{Session: evil, File: evil, Line: 1, Rule: evil, About: evil, Message: evil}
}

// TestFilesAreClean: the files for other programs have no control characters and no marks of direction in any text, however
// they are written there, and are what they say.
func TestFilesAreClean(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]findings.Form{"SARIF": findings.Sarif, "JUnit": findings.Junit, "GitHub": findings.GitHub} {
		var out strings.Builder
		p := findings.Printer{Form: form, Out: &out, Tool: "sess-x", Version: "1"}
		must.Do(t, p.Print(hostile{}))
		p.Case(evil, evil, []string{evil, "second " + evil})
		p.Case("s", "holds", nil)
		must.Do(t, p.End(func() string { return "{}" }, errors.New(evil)))
		texts := []string{out.String()}
		switch form {
		case findings.Sarif:
			var v any
			if err := json.Unmarshal([]byte(out.String()), &v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			texts = append(texts, stringsOf(v)...)
		case findings.Junit:
			d := xml.NewDecoder(strings.NewReader(out.String()))
			for {
				token, err := d.Token()
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				switch token := token.(type) {
				case xml.StartElement:
					for _, a := range token.Attr {
						texts = append(texts, a.Value)
					}
				case xml.CharData:
					texts = append(texts, string(token))
				}
			}
		}
		if !strings.Contains(out.String(), "31m") {
			t.Errorf("%s has not what was found: %s", name, out.String())
		}
		for _, text := range texts {
			for _, r := range text {
				if r != '\n' && r != '\t' && ansi.Acts(r) {
					t.Errorf("%s: %U in %q", name, r, text)
				}
			}
		}
	}
}

// stringsOf returns the strings in a value of JSON.
func stringsOf(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, stringsOf(e)...)
		}
	case map[string]any:
		for name, e := range v {
			out = append(append(out, name), stringsOf(e)...)
		}
	}
	return out
}
