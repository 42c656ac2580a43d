package render_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// rendered are messages with what Text and Markdown make of them.
var rendered = []struct {
	name           string
	in             []string
	text, markdown string
}{
	{name: "nothing"},
	{
		name:     "conversation",
		in:       []string{user(`What is in\na.txt?\n\n`), says(text("I will look."), calls("c1")), result("c1", `one\ntwo\n`)},
		text:     "user: What is in\na.txt?\n\nassistant: I will look.\ncall read: {\"path\":\"a\"}\n\nresult read: one\ntwo\n",
		markdown: "## User\n\nWhat is in\na.txt?\n\n## Assistant\n\nI will look.\n\n### Call `read`\n\n```json\n{\n  \"path\": \"a\"\n}\n```\n\n## Result `read`\n\n```text\none\ntwo\n```\n",
	},
	{
		name:     "thinking",
		in:       []string{says(`{"type":"thinking","thinking":"hm"}`, text("a"), text("b"), `{"type":"thinking","thinking":"hm"}`)},
		text:     "assistant:\nthinking: hm\nassistant: a\nb\nthinking: hm\n",
		markdown: "## Assistant\n\n### Thinking\n\n```text\nhm\n```\n\na\n\nb\n\n### Thinking\n\n```text\nhm\n```\n",
	},
	{
		name: "thinking without text",
		in: []string{
			says(`{"type":"thinking","thinking":" \n","thinkingSignature":"s"}`), says(`{"type":"thinking","thinking":""}`, text("a")),
			`{"role":"assistant","content":[{"type":"thinking","thinking":""}],"stopReason":"error","errorMessage":"no"}`,
		},
		text:     "assistant: a\n\nassistant:\nerror: no\n",
		markdown: "## Assistant\n\na\n\n## Assistant\n\n[error: no]\n",
	},
	{
		name:     "error",
		in:       []string{`{"role":"toolResult","isError":true,"toolName":"rm","content":"no"}`, `{"role":"toolResult","content":"so"}`},
		text:     "error rm: no\n\nresult: so\n",
		markdown: "## Error `rm`\n\n```text\nno\n```\n\n## Result\n\n```text\nso\n```\n",
	},
	{
		name:     "empty",
		in:       []string{`{"role":"user","content":[]}`, user(""), `{"role":"toolResult","toolName":"t","content":""}`},
		text:     "user:\n\nuser:\n\nresult t:\n",
		markdown: "## User\n\n## User\n\n## Result `t`\n\n```text\n```\n",
	},
	{
		name:     "images and other blocks",
		in:       []string{`{"role":"user","content":[` + png + `,{"type":"image","data":"blob:sha256:ab"},{"type":"x` + "`" + `y"},{}]}`},
		text:     "user:\nimage: image/png, 8 bytes\nimage: of unknown type, blob:sha256:ab\nblock: x`y\nblock:\n",
		markdown: "## User\n\n[image image/png, 8 bytes]\n\n[image of unknown type, blob:sha256:ab]\n\n[block of type `` x`y ``]\n\n[block of type (nameless)]\n",
	},
	{
		name:     "system",
		in:       []string{`{"role":"system","content":"be","sections":{"a":"one"}}`},
		text:     "system: be\n\none\n",
		markdown: "## System\n\n```text\nbe\n\none\n```\n",
	},
	{
		name:     "other roles",
		in:       []string{`{"role":"bashExecution","command":"ls","output":"a"}`, `{"role":"nonsense","content":"x"}`},
		text:     "user: Ran `ls`\n```\na\n```\n",
		markdown: "## User\n\nRan `ls`\n```\na\n```\n",
	},
	{
		name:     "control characters",
		in:       []string{user(`a\u001b[31mb\rc\td\u202e`), `{"role":"toolResult","toolName":"a\nb\u001b","content":"\ud800"}`},
		text:     "user: a\\x1b[31mb\\rc\td\\u202e\n\nresult a\\nb\\x1b: \uFFFD\n",
		markdown: "## User\n\na\\x1b[31mb\\rc\td\\u202e\n\n## Result `a\\nb\\x1b`\n\n```text\n\uFFFD\n```\n",
	},
	{
		name:     "line feeds in types",
		in:       []string{`{"role":"user","content":[{"type":"image","mimeType":"a\nuser: b"},{"type":"x\nuser: y"}]}`},
		text:     `user:` + "\n" + `image: a\nuser: b, 0 bytes` + "\n" + `block: x\nuser: y` + "\n",
		markdown: "## User\n\n" + `[image a\nuser: b, 0 bytes]` + "\n\n" + "[block of type `" + `x\nuser: y` + "`]\n",
	},
	{
		name:     "no arguments",
		in:       []string{says(`{"type":"toolCall","name":"now"}`, `{"type":"toolCall","name":"now","arguments":null}`)},
		text:     "assistant:\ncall now: {}\ncall now: {}\n",
		markdown: "## Assistant\n\n### Call `now`\n\n```json\n{}\n```\n\n### Call `now`\n\n```json\n{}\n```\n",
	},
	{
		name:     "fences in a result",
		in:       []string{`{"role":"toolResult","content":"` + "a ````` b\\n```" + `"}`},
		text:     "result: a ````` b\n```\n",
		markdown: "## Result\n\n``````text\na ````` b\n```\n``````\n",
	},
	{
		name:     "open fences in a text",
		in:       []string{user("see\\n  ````go\\nx\\n```\\n````not\\n    ````"), user("~~~ `a`\\n```"), user("```\\n~~~\\n````  \\n"), user("``` a`b\\n``"), user("````\\n```")},
		text:     "user: see\n  ````go\nx\n```\n````not\n    ````\n\nuser: ~~~ `a`\n```\n\nuser: ```\n~~~\n````  \n\nuser: ``` a`b\n``\n\nuser: ````\n```\n",
		markdown: "## User\n\nsee\n  ````go\nx\n```\n````not\n    ````\n````\n\n## User\n\n~~~ `a`\n```\n~~~\n\n## User\n\n```\n~~~\n````  \n\n## User\n\n``` a`b\n``\n\n## User\n\n````\n```\n````\n",
	},
}

func TestRendered(t *testing.T) {
	t.Parallel()
	for _, tt := range rendered {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var text, markdown strings.Builder
			must.Do(t, errors.Join(render.Text(&text, parse(tt.in...)), render.Markdown(&markdown, parse(tt.in...))))
			if d := cmp.Diff(tt.text, text.String()); d != "" {
				t.Errorf("text: -want +got\n%s", d)
			}
			if d := cmp.Diff(tt.markdown, markdown.String()); d != "" {
				t.Errorf("Markdown: -want +got\n%s", d)
			}
		})
	}
}

// TestDeepArguments: indentation would make a deep value many times as long.
func TestDeepArguments(t *testing.T) {
	t.Parallel()
	for _, levels := range []int{100, 101, 20_000} {
		deep := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		var b strings.Builder
		must.Do(t, render.Markdown(&b, parse(says(`{"type":"toolCall","name":"f","arguments":`+deep+`}`))))
		if got, want := strings.Contains(b.String(), "```json\n"+deep+"\n```"), levels > 100; got != want {
			t.Errorf("%d levels: as they are: %v, want %v", levels, got, want)
		}
	}
}

type fullDisk struct{ error }

func (w fullDisk) Write([]byte) (int, error) { return 0, w.error }

func TestWriteError(t *testing.T) {
	t.Parallel()
	want := errors.New("no space")
	if err := render.Text(fullDisk{want}, parse(user("hi"))); !errors.Is(err, want) {
		t.Errorf("Text: %v", err)
	}
	if err := render.Markdown(fullDisk{want}, parse(user("hi"))); !errors.Is(err, want) {
		t.Errorf("Markdown: %v", err)
	}
}

// A reply that failed does not read as a whole one.
func TestFailedReplies(t *testing.T) {
	t.Parallel()
	messages := []session.Message{
		session.NewMessage(`{"role":"assistant","content":[{"type":"text","text":"half"}],"stopReason":"error","errorMessage":"status 3"}`),
		session.NewMessage(`{"role":"assistant","content":[],"stopReason":"aborted"}`),
		session.NewMessage(`{"role":"assistant","content":[{"type":"text","text":"whole"}],"stopReason":"stop"}`),
	}
	var text, markdown strings.Builder
	must.Do(t, render.Text(&text, messages))
	must.Do(t, render.Markdown(&markdown, messages))
	if want := "assistant: half\nerror: status 3\n\nassistant:\naborted:\n\nassistant: whole\n"; text.String() != want {
		t.Errorf("text %q, want %q", text.String(), want)
	}
	if want := "## Assistant\n\nhalf\n\n[error: status 3]\n\n## Assistant\n\n[aborted]\n\n## Assistant\n\nwhole\n"; markdown.String() != want {
		t.Errorf("markdown %q, want %q", markdown.String(), want)
	}
}
