package redact

import (
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
// if its name says nothing.
func (t *tree) context(x text) string {
	if x.key || len(x.name) < 5 || len(x.name) > 66 {
		return ""
	}
	name := js.Unquote(x.name)
	lower := strings.ToLower(name)
	for _, word := range telling {
		if strings.Contains(lower, word) {
			return name + `="`
		}
	}
	return ""
}
