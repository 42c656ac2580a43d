package redact

import (
	"sort"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// places are the members whose objects a session is made of. What stands in others, as the
// arguments of a call, is of the conversation.
var places = set("message", "content", "payload", "blocks", "parts", "")

// structural are the members by which entries, calls and results belong together, or are
// known for what they are.
var structural = set("id", "parentId", "targetId", "fromId", "firstKeptEntryId", "toolCallId", "timestamp", "type", "role",
	"tool_call_id", "tool_use_id", "call_id", "callID", "uuid", "parentUuid", "sessionId", "messageID", "sessionID")

// opaque are the members that hold what only a server can read.
var opaque = set("thinkingSignature", "textSignature", "thoughtSignature", "thought_signature", "signature",
	"encrypted_content", "encryptedContent", "reasoningSignature")

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// structural reports whether a text is an id, a time or the like.
func (t *tree) structural(x text) bool {
	if x.key || x.in < 0 || !structural[js.Unquote(x.name)] {
		return false
	}
	for at := x.in; t.frames[at].up >= 0; at = t.frames[at].up {
		if !places[js.Unquote(t.frames[at].name)] {
			return false
		}
	}
	return true
}

// opaque reports whether a text is a signature.
func (t *tree) opaque(x text) bool { return !x.key && opaque[js.Unquote(x.name)] }

// telling are parts of keys that say that their value is a secret.
var telling = []string{"pass", "pwd", "secret", "token", "key", "credential", "auth", "cookie"}

// context returns what stands in front of a value for rules that want to see its name, ""
// if its name says nothing. The name of a member called value stands beside it.
func (t *tree) context(x text) string {
	if x.key || len(x.name) < 5 || len(x.name) > 66 {
		return ""
	}
	name := js.Unquote(x.name)
	if strings.EqualFold(name, "value") {
		name = t.beside(x)
	}
	lower := strings.ToLower(name)
	for _, word := range telling {
		switch {
		case !strings.Contains(lower, word):
		case strings.Contains(name, "-"): // of a header
			return name + `: "`
		default:
			return name + `="`
		}
	}
	return ""
}

// naming are the members that name what another member of the same object holds.
var naming = set("name", "key", "header", "variable", "field")

// beside returns the name that an object gives to its value, "" if it gives none.
func (t *tree) beside(x text) string {
	const near = 8
	at := sort.Search(len(t.texts), func(i int) bool { return t.texts[i].From >= x.From })
	for _, y := range t.texts[max(at-near, 0):min(at+near, len(t.texts))] {
		if y.in == x.in && !y.key && naming[strings.ToLower(js.Unquote(y.name))] && y.To-y.From <= 66 {
			return js.Unquote(t.literal(y))
		}
	}
	return ""
}
