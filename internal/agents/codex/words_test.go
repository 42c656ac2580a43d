package codex_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// TestWhoseWords lists the messages of sessions: prompts in brackets, what the user ran behind "$", copies behind "=", what an
// agent said behind "#". Each comes back byte for byte.
func TestWhoseWords(t *testing.T) {
	t.Parallel()
	says := func(text string) string { return strings.Replace(asked, "q1", text, 1) }
	compacted := func(message string, history ...string) string {
		var items []string
		for _, text := range history {
			items = append(items, `{"type":"message","role":"user","content":[{"type":"input_text","text":"`+text+`"}]}`)
		}
		return `{"timestamp":"2026-02-03T05:00:00.000Z","type":"compacted","payload":{"message":"` + message + `","replacement_history":[` + strings.Join(items, ",") + `]}}` + "\n"
	}
	const lead = `Another language model started to solve this problem and produced a summary of its thinking process. You also have access to the state of the tools that were used by that language model. ` +
		`Use this to build on the work that has already been done and avoid duplicating work. Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\n`
	for _, tt := range []struct{ name, file, says, loss string }{
		{"what the user ran", says(`<user_shell_command>\n<command>\ngo vet\n</command>\n<result>\nExit code: 1\nDuration: 0.1 seconds\nOutput:\nbad\n</result>\n</user_shell_command>`), "$go vet>bad 1", ""},
		{"in the older form", says(`<user_shell_command>\n<command>ls</command>\n</user_shell_command>`), "$ls> ", ""},
		{"a frame", says(`# In app browser:\n\n- Current URL: http://localhost/\n\n## My request for Codex:\nfix it`), "[fix it]", ""},
		{"frames of an image", strings.Replace(asked, `"q1"}`, `"see"},{"type":"input_text","text":"<image name=[Image #1] path=\"/a.png\">"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="},{"type":"input_text","text":"</image>"}`, 1), "[see]", ""},
		{"context", says(`<environment_context>\n</environment_context>`), "#", ""},
		{"copies of a compaction", says("one") + reply("yes") + says("two") + compacted("so far", "one", "two", lead+"so far") + says("three"), "[one] yes [two] =one =two =# [three]", ""},
		{"without a summary", says("one") + compacted("", "one") + says("two"), "[one] =one [two]", "whose summary is not in the file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := formatstest.One(t, codex.Format, &formats.Source{Path: formatstest.File(t, "r.jsonl", meta+tt.file)})
			s := r.Session(t)
			var said []string
			for _, e := range s.Entries {
				if m, ok := e.Message(); ok || e.IsHarness() {
					said = append(said, wordsOf(e, m))
				}
			}
			if diff := cmp.Diff(tt.says, strings.Join(said, " ")); diff != "" {
				t.Errorf("it says (-want +got):\n%s", diff)
			}
			lost := ""
			for _, l := range r.Losses {
				lost += l.String()
			}
			if (lost == "") != (tt.loss == "") || !strings.Contains(lost, tt.loss) {
				t.Errorf("lost %q, want %q", lost, tt.loss)
			}
			if text, _ := formatstest.Export(t, codex.Format, s, ""); text != meta+tt.file {
				t.Errorf("it comes back as\n%s", text)
			}
		})
	}
}

func wordsOf(e session.Entry, m session.Message) string {
	mark, text := "", m.Text("")
	if e.IsCopy() {
		mark = "="
	}
	if _, isSummary := typed.CodexSummary(text); isSummary || e.IsHarness() {
		return mark + "#"
	}
	if prompt, ok := typed.Prompt(e); ok {
		return mark + "[" + prompt + "]"
	}
	if m.Role() == session.RoleBashExecution {
		return mark + "$" + m.Str("command") + ">" + m.Str("output") + " " + m.Get("exitCode")
	}
	return mark + text
}
