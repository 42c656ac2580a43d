package opencode

import (
	"encoding/json"
	"strings"
)

type fataler interface{ Fatalf(string, ...any) }

// importable holds an export to what opencode 1.18 checks when it imports one, and to the order
// that it puts things in.
func importable(t fataler, text string) {
	var x struct {
		Info     map[string]any
		Messages []struct {
			Info  map[string]any
			Parts []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatalf("%v", err)
	}
	has := func(where string, v map[string]any, names ...string) {
		for _, name := range names {
			if v[name] == nil {
				t.Fatalf("%s has no %s: %v", where, name, v)
			}
		}
	}
	has("the session", x.Info, "id", "slug", "title", "version", "time", "directory", "projectID")
	if strings.Contains(text, ": null") {
		t.Fatalf("there is a null:\n%s", text)
	}
	before, at := "", -1.0
	seen := map[any]bool{}
	for _, m := range x.Messages {
		id := m.Info["id"].(string)
		created := m.Info["time"].(map[string]any)["created"].(float64)
		if created < at || created == at && id <= before || created != float64(int64(created)) || !strings.HasPrefix(id, "msg") || seen[id] {
			t.Fatalf("message %s at %f is behind %s at %f", id, created, before, at)
		}
		before, at, seen[id] = id, created, true
		has(id, m.Info, "role", "agent", "sessionID")
		if m.Info["role"] == "user" {
			has(id, m.Info, "model")
		} else {
			has(id, m.Info, "parentID", "modelID", "providerID", "mode", "path", "cost", "tokens")
		}
		last := ""
		for _, p := range m.Parts {
			has(id, p, "id", "type", "sessionID", "messageID")
			part := p["id"].(string)
			if part <= last || !strings.HasPrefix(part, "prt") || seen[part] || p["messageID"] != id {
				t.Fatalf("part %s is behind %s", part, last)
			}
			last, seen[part] = part, true
			state, ok := p["state"].(map[string]any)
			if !ok {
				continue
			}
			has(part, state, "status", "input")
			if state["status"] != "pending" {
				has(part, state, "time")
			}
			if state["status"] == "completed" {
				has(part, state, "title", "metadata", "output")
			}
		}
	}
}
