package calls

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// AgentsOf returns the calls among those of a session that started agents with sessions of their own: not those that were denied or failed,
// nor those whose agents' calls or messages stand in the session itself.
func AgentsOf(all []Call, entries []session.Entry) (started []Call) {
	inside := map[string]bool{} // calls whose agents' calls are in the session
	agents := false
	for i := range all {
		inside[all[i].In] = true
		agents = agents || all[i].Kind == Agent
	}
	if !agents {
		return nil
	}
	tasks := asides(entries)
	for i := range all {
		c := &all[i]
		if c.Kind != Agent {
			continue
		}
		if task := js.Value(js.Trim(c.Arguments)).Get("prompt").Str(); tasks[task] > 0 {
			tasks[task]--
			continue
		}
		if !inside[c.ID] && c.Outcome != Denied && c.Outcome != Fail {
			started = append(started, *c)
		}
	}
	return started
}

// asides counts the branches of a session that begin by themselves behind its first entry, by the text that each begins with: an older
// Claude Code has there the work of a sub-agent, and not in a file beside it.
func asides(entries []session.Entry) map[string]int {
	out := map[string]int{}
	first := true
	for _, e := range entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		if !first && e.ParentID() == "" && m.Role() == session.RoleUser {
			if text := m.Text("\n"); text != "" {
				out[strings.Clone(text)]++
			}
		}
		first = false
	}
	return out
}

// A Starter is a session among those that are judged, and how many agents with sessions of their own it started.
type Starter struct {
	Session, Path string
	Parent        string // the session that started it, by its path or id, "" if none did
	Agents        int
}

// Unseen returns for each session how many of the agents that it started are not among them.
func Unseen(sessions []Starter) []int {
	looked := map[string]int{}
	for _, s := range sessions {
		if s.Parent != "" {
			looked[s.Parent]++
		}
	}
	missing := make([]int, len(sessions))
	for i, s := range sessions {
		seen := looked[s.Session]
		if s.Path != "" {
			seen += looked[s.Path]
		}
		missing[i] = max(0, s.Agents-seen)
	}
	return missing
}

// UnseenText says of a session how many of its agents' sessions are not among those that are judged.
const UnseenText = "%s: it started sub-agents, and the sessions of %d were not read: name them, too, and they count"
