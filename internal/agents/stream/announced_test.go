package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// TestPiAnnounced: entries that pi announces are recorded as they are, null among them, and an edit is done to the message that
// it names, or to none.
func TestPiAnnounced(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n"
	said := func(role, text string) string {
		return fmt.Sprintf(`{"type":"message_end","message":{"role":%q,"content":[{"type":"text","text":%q}],"api":"a","provider":"p","model":"m","stopReason":"stop","timestamp":1}}`, role, text) + "\n"
	}
	entry := func(id, parent, fields string) string {
		return fmt.Sprintf(`{"type":"entry_appended","entry":{%s,"id":%q,"parentId":%q,"timestamp":"2026-01-01T00:00:01.000Z"}}`, fields, id, parent) + "\n"
	}
	edit := func(id, parent, target, more string) string {
		return entry(id, parent, `"type":"context_edit","targetId":"`+target+`"`+more)
	}
	for _, tt := range []struct{ name, stream, sees, types string }{
		{"an attempt goes", said("user", "q") + said("assistant", "bad") + edit("e1", "a1", "a1", `,"replacement":null`) + said("assistant", "good"), "q good", "message message context_edit message"},
		{"an older message goes", said("user", "q") + said("assistant", "one") + said("assistant", "two") + edit("e1", "a2", "a1", `,"replacement":null`), "q one two", "message message message custom"},
		{"one that an edit has named", said("user", "q") + said("assistant", "one") + edit("e1", "a1", "a1", `,"replacement":null`) + said("assistant", "two") + edit("e2", "a2", "a1", `,"replacement":null`), "q two", "message message context_edit message context_edit"},
		{"two edits of one attempt", said("user", "q") + said("assistant", "bad") + edit("e1", "a1", "a1", `,"replacement":null`) + edit("e2", "e1", "e1", `,"replacement":null`), "q", "message message context_edit custom"},
		{"an edit that says nothing", said("user", "q") + said("assistant", "one") + edit("e1", "a1", "a1", ""), "q one", "message message custom"},
		{"words of an extension", said("user", "q") + said("assistant", "bad") + edit("e1", "a1", "a1", `,"replacement":null`) +
			entry("c1", "e1", `"type":"custom_message","customType":"again","content":"Answer again.","display":false`) + said("assistant", "good"), "q Answer again. good", "message message context_edit custom_message message"},
		{"a call aside", said("user", "q") + entry("u1", "a1", `"type":"usage","kind":"cache_warm","provider":"p","model":"m","usage":{"input":7,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":7}`), "q", "message usage"},
		{"an entry that is none", said("user", "q") + entry("u1", "a1", `"type":"custom_message"`), "q", "message"},
	} {
		var warned []string
		items, err := stream.Decode([]byte(head+tt.stream), stream.Options{Warn: func(f string, args ...any) { warned = append(warned, fmt.Sprintf(f, args...)) }})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		b := session.Batch{Known: func(string) bool { return false }, Force: true}
		if err := stream.AddTo(&b, items); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var types, sees []string
		for _, e := range b.Entries {
			if e.Str("customType") != session.CustomRun {
				types = append(types, e.Type())
			}
			if e.Type() == session.TypeContextEdit && !strings.Contains(e.Raw(), `"replacement":null`) {
				t.Errorf("%s: %s", tt.name, e.Raw())
			}
		}
		for _, m := range convo.MessagesOf(convo.Project(b.Entries)) {
			sees = append(sees, m.Text(""))
		}
		if strings.Join(types, " ") != tt.types || strings.Join(sees, " ") != tt.sees {
			t.Errorf("%s: %q, the model sees %q, want %q and %q", tt.name, types, sees, tt.types, tt.sees)
		}
		if got := len(warned) > 0; got != strings.HasSuffix(tt.types, "custom") {
			t.Errorf("%s: warned %q", tt.name, warned)
		}
	}
}
