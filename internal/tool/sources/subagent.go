package sources

import (
	"io"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/find/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Subagents says what becomes of the sessions of sub-agents.
type Subagents string

// What --subagents says.
const (
	WithSubagents    Subagents = "yes"
	WithoutSubagents Subagents = "no"
	OnlySubagents    Subagents = "only"
)

// leavesOut reports whether some sessions are left out.
func (w Subagents) leavesOut() bool { return w == WithoutSubagents || w == OnlySubagents }

// Takes reports whether sessions are meant of which sub says whether a sub-agent had them.
func (w Subagents) Takes(sub bool) bool { return !w.leavesOut() || sub == (w == OnlySubagents) }

// OfSubagent reads a session, of which h is the header, for what [IsSubagent] tells a sub-agent by.
func OfSubagent(h session.Header, entries io.Reader) (bool, error) {
	if IsSubagent(h, session.Entry{}) {
		return true, nil
	}
	for line, err := range marks().Scanner(false).Candidates(entries) {
		if err != nil {
			return false, err
		}
		if e, err := session.ParseEntry(line.Text); err == nil && IsSubagent(h, e) {
			return true, nil
		}
	}
	return false, nil
}

var marks = sync.OnceValue(func() *grep.Pattern { return grep.MustCompile(SubagentMarks(), grep.Options{Fixed: true}) })

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
	switch {
	case e.Type() == session.TypeSessionInit:
		return true
	case e.Type() != session.TypeCustom:
		return false
	}
	switch e.Str("customType") {
	case "codex:meta":
		for line := range e.KeptLines("codex") {
			meta := line.Get("payload")
			return meta.Get("thread_source").Str() == "subagent" || meta.Get("source", "subagent") != ""
		}
	case "opencode:session":
		return js.Value(e.Get("data")).Get("parentID").Str() != ""
	}
	return false
}
