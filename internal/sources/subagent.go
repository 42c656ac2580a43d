package sources

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// SubagentMarks are texts of which one is in the line of every entry that
// [IsSubagent] tells a sub-agent by.
func SubagentMarks() []string {
	return []string{session.TypeSessionInit, "codex:meta", "opencode:session"}
}

// IsSubagent reports whether a session is one that an agent started to do a part of its
// work, by its header or one of its entries: a task that oh-my-pi hands on, a thread that
// codex spawns, a child session of opencode, an agent of Claude Code.
func IsSubagent(h session.Header, e session.Entry) bool {
	if h.ParentSession != "" && strings.HasPrefix(h.ID, "agent-") {
		return true // as Claude Code names them
	}
	data := js.Value(e.Get("data"))
	switch {
	case e.Type() == session.TypeSessionInit:
		return true
	case e.Type() != session.TypeCustom:
		return false
	}
	switch e.Str("customType") {
	case "codex:meta":
		meta := data.Get("payload")
		return meta.Get("thread_source").Str() == "subagent" || meta.Get("source", "subagent") != ""
	case "opencode:session":
		return data.Get("parentID").Str() != ""
	}
	return false
}
