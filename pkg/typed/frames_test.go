package typed_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/pkg/typed"
)

const (
	stamp  = "<current_datetime>2025-12-02T05:00:01.000Z</current_datetime>"
	opened = "Current File Path:\n```\n/p/a.go\n```"
)

func TestFramed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, words string }{
		"the time behind":               {"look\n\n" + stamp, "look"},
		"the time in front":             {stamp + "\n\nlook", "look"},
		"the time alone":                {stamp, ""},
		"the time in the middle":        {"see " + stamp + " there", "see " + stamp + " there"},
		"two times":                     {"look\n\n" + stamp + "\n" + stamp + "\n", "look"},
		"a file in front":               {opened + "\n\nlook", "look"},
		"a file behind":                 {"look\n\n" + opened, "look"},
		"a file and its text":           {opened + "\n\nCurrent File Content:\n```go\npackage a\n```\nlook\n\nhere", "look\n\nhere"},
		"a file and a block":            {opened + "\n```go\npackage a\n```\nlook", "look"},
		"a file and its text behind":    {"look\n" + opened + "\nCurrent Selection:\n```\nx\n```\n", "look"},
		"a path on the fence's line":    {"Current File Path:\n```go:/p/a.go\npackage a\n```\nlook", "look"},
		"a file without an end":         {"Current File Path:\n```\n/p/a.go\nlook", "Current File Path:\n```\n/p/a.go\nlook"},
		"it is asked for":               {"what is Current File Path:\n```\nx\n``` in Gemini?", "what is Current File Path:\n```\nx\n``` in Gemini?"},
		"a fence of the user behind it": {opened + "\n\nlook at\n```\nx\n```", "look at\n```\nx\n```"},
		"a file alone":                  {opened, ""},
		"a reminder and the time":       {"<system-reminder>x</system-reminder>\n" + "look\n" + stamp, "look"},
		"no frame":                      {" look \n", " look \n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, words, behind := typed.Framed(tt.text)
			if words != tt.words || before+words+behind != tt.text {
				t.Errorf("%q, %q, %q; want the words %q", before, words, behind, tt.words)
			}
		})
	}
}

// The parts of a text are the text, whatever it is, and its words have no frame.
func TestDrawnFrames(t *testing.T) {
	t.Parallel()
	pieces := []string{stamp, opened, "look", "\n", "\n\n", " ", "```", "```go\n", "Current File Path:", "Current x:\n", "<system-reminder>x</system-reminder>", "<current_datetime>", "</current_datetime>", "# a\n## My request for Codex:\n"}
	for _, r := range drawn.Cases(t, 3000) {
		var text strings.Builder
		for range r.IntN(9) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		before, words, behind := typed.Framed(text.String())
		if before+words+behind != text.String() {
			t.Fatalf("%q became %q, %q, %q", text.String(), before, words, behind)
		}
	}
}
