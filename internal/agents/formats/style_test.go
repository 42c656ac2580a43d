package formats_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// The lines of an export end as the first line of the source, and the other ends are told.
func TestEndsOfLines(t *testing.T) {
	t.Parallel()
	lines := []string{`{"kind":"start","id":"s1","dir":"/w"}`, `{"kind":"asked","text":"q"}`, `{"kind":"said","text":"a"}`}
	for name, tt := range map[string]struct {
		text, want string
		told       string
	}{
		"LF":                        {strings.Join(lines, "\n") + "\n", strings.Join(lines, "\n") + "\n", ""},
		"CR LF":                     {strings.Join(lines, "\r\n") + "\r\n", strings.Join(lines, "\r\n") + "\r\n", ""},
		"CR LF, the last without":   {strings.Join(lines, "\r\n"), strings.Join(lines, "\r\n") + "\r\n", ""},
		"a byte order mark":         {"\ufeff" + strings.Join(lines, "\n") + "\n", "\ufeff" + strings.Join(lines, "\n") + "\n", ""},
		"a mark and CR LF":          {"\ufeff" + strings.Join(lines, "\r\n") + "\r\n", "\ufeff" + strings.Join(lines, "\r\n") + "\r\n", ""},
		"one of them in CR LF":      {lines[0] + "\n" + lines[1] + "\r\n" + lines[2] + "\n", strings.Join(lines, "\n") + "\n", "1 line ends otherwise"},
		"all but the first in LF":   {lines[0] + "\r\n" + lines[1] + "\n" + lines[2] + "\n", strings.Join(lines, "\r\n") + "\r\n", "2 lines end otherwise"},
		"a line feed within a text": {lines[0] + "\r\n" + `{"kind":"asked","text":"q\n"}` + "\r\n", lines[0] + "\r\n" + `{"kind":"asked","text":"q\n"}` + "\r\n", ""},
	} {
		r := formatstest.One(t, parrot{}, &formats.Source{Path: formatstest.File(t, "s.parrot", tt.text)})
		told := ""
		for _, l := range r.Losses {
			told += l.String()
		}
		if !strings.Contains(told, tt.told) || (told == "") != (tt.told == "") {
			t.Errorf("%s: told of %q", name, told)
		}
		if got, _ := formatstest.Export(t, parrot{}, r.Session(t), ""); got != tt.want {
			t.Errorf("%s: came back as %q, want %q", name, got, tt.want)
		}
	}
}
