package calls_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// TestAgentsOf: a call starts an agent with a session of its own, unless it was denied or failed, or the agent's work stands in the session.
func TestAgentsOf(t *testing.T) {
	t.Parallel()
	head := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"
	n := 0
	entry := func(parent, message string) string {
		n++
		return fmt.Sprintf(`{"type":"message","id":"aaaa%04d","parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":%s}`, n, parent, message) + "\n"
	}
	call := func(id, tool, prompt string) string {
		return entry("null", fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":{"prompt":%q}}],"stopReason":"toolUse"}`, id, tool, prompt))
	}
	result := func(id string, failed bool) string {
		return entry("null", fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"x","content":[{"type":"text","text":"seen"}],"isError":%t}`, id, failed))
	}
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"one that ended":   {call("a", "Task", "look") + result("a", false), []string{"a"}},
		"one that goes on": {call("a", "spawn_agent", "look"), []string{"a"}},
		"of an extension":  {call("a", "subagent", "look") + result("a", false), []string{"a"}},
		"one that failed":  {call("a", "Agent", "look") + result("a", true), nil},
		"no agent":         {call("a", "Bash", "look") + result("a", false), nil},
		"one whose work stands here": {
			call("a", "Task", "look") + call("b", "Task", "look") + entry("null", `{"role":"user","content":"look"}`) + result("a", false) + result("b", false), []string{"b"},
		},
	} {
		s := formatstest.Parse(t, head+tt.text)
		var got []string
		for _, c := range calls.AgentsOf(calls.Of(s.Entries, "/w"), s.Entries) {
			got = append(got, c.ID)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestUnseen: an agent's session is among others if it names the one that started it, by its id or path.
func TestUnseen(t *testing.T) {
	t.Parallel()
	got := calls.Unseen([]calls.Starter{
		{Session: "a", Path: "/a.jsonl", Agents: 3},
		{Session: "b", Parent: "a", Agents: 1},
		{Session: "c", Parent: "/a.jsonl"},
		{Session: "d", Agents: 1},
		{Session: "e", Parent: "d"},
		{Session: "f", Parent: "d"},
		{Session: "g"},
		{Agents: 1},
	})
	if diff := cmp.Diff([]int{1, 1, 0, 0, 0, 0, 0, 1}, got); diff != "" {
		t.Error(diff)
	}
}
