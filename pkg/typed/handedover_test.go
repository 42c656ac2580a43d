package typed

import (
	"testing"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

func TestMoved(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, role, text, want string }{
		{"the note", "user", "[Moved here by sess-handoff from codex:1, 2 messages. Files may have changed since.]", "codex:1"},
		{"of one message", "user", "[Moved here by sess-handoff from /p/a, b.jsonl, 1 message. Files may have changed since.]", "/p/a, b.jsonl"},
		{"said by a model", "assistant", "[Moved here by sess-handoff from codex:1, 2 messages.]", ""},
		{"in the midst of words", "user", "what is [Moved here by sess-handoff from codex:1, 2 messages.]?", ""},
		{"another text", "user", "[Moved here by hand from codex:1, 2 messages.]", ""},
		{"a brief", "user", "# Work handed over from Codex\n", ""},
	} {
		e, err := session.ParseEntry(`{"type":"message","id":"a","parentId":null,"message":{"role":"` + tt.role + `","content":` + js.Quote(tt.text) + `}}`)
		if err != nil {
			t.Fatal(err)
		}
		if from, ok := Moved(e); from != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %q, %v", tt.name, from, ok)
		}
	}
}
