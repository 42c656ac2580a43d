package session_test

import (
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

// Who an entry is of: the user's or the session's own words stay such, whatever they look like.
func TestHarness(t *testing.T) {
	t.Parallel()
	marked := session.HarnessBlock(`{"type":"text","text":"r"}`, "claude")
	image := session.HarnessBlock(`{"type":"image","data":"AA==","mimeType":"image/png"}`, "claude")
	for _, tt := range []struct {
		name, entry    string
		harness, aside string
		said           string // the content that stays
		agent          string // whose words are left out
		left           int64
	}{
		{"a custom message of an importer", `{"type":"custom_message","customType":"claude:context","content":"r"}`, "claude", "", "", "", 0},
		{"a custom message of an extension", `{"type":"custom_message","customType":"plan:context","content":"r"}`, "", "", "", "", 0},
		{"another one of an importer", `{"type":"custom_message","customType":"codex:agent_message","content":"r"}`, "", "", "", "", 0},
		{"all blocks", `{"type":"message","message":{"role":"user","content":[` + marked + `]}}`, "claude", "", "[]", "claude", 1},
		{"some blocks", `{"type":"message","message":{"role":"user","content":[` + marked + `,{"type":"text","text":"fix it"}]}}`, "", "", `[{"type":"text","text":"fix it"}]`, "claude", 1},
		{"a marked image beside own words", `{"type":"message","message":{"role":"user","content":[` + image + `,{"type":"text","text":"fix it"}]}}`, "", "", `[{"type":"text","text":"fix it"}]`, "claude", 0},
		{"a marked image", `{"type":"message","message":{"role":"user","content":[` + image + `]}}`, "claude", "", "[]", "claude", 0},
		{"no blocks", `{"type":"message","message":{"role":"user","content":[]}}`, "", "", "[]", "", 0},
		{"a text that says harness", `{"type":"message","message":{"role":"user","content":"a \"harness\": b"}}`, "", "", `"a \"harness\": b"`, "", 0},
		{"a developer message", `{"type":"message","message":{"role":"developer","content":[` + marked + `]}}`, "claude", "", "[]", "claude", 1},
		{"a result", `{"type":"message","message":{"role":"toolResult","content":[` + marked + `]}}`, "", "", "[" + marked + "]", "", 0},
		{"what an importer keeps", `{"type":"custom","customType":"claude:line","data":{}}`, "", "claude", "", "", 0},
		{"how a run ended", `{"type":"custom","customType":"sess:run","data":{}}`, "", "sess", "", "", 0},
		{"an extension's entry", `{"type":"custom","customType":"todo:list","data":{}}`, "", "", "", "", 0},
		{"an entry without type", `{"customType":"claude:line"}`, "", "", "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e, err := session.ParseEntry(tt.entry)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.Harness(); got != tt.harness || e.IsHarness() != (tt.harness != "") {
				t.Errorf("harness %q, want %q", got, tt.harness)
			}
			if got := e.Aside(); got != tt.aside || e.IsAside() != (tt.aside != "") {
				t.Errorf("aside %q, want %q", got, tt.aside)
			}
			if m, ok := e.Message(); ok {
				said, agent, left := m.Said()
				if said.Get("content") != tt.said || agent != tt.agent || left != tt.left {
					t.Errorf("said %s, %d bytes of %q left out; want %s, %d of %q", said.Get("content"), left, agent, tt.said, tt.left, tt.agent)
				}
			}
		})
	}
}
