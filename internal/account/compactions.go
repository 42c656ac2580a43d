package account

import (
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A Compacted is what a compaction did to the context. Before and After are of the same
// estimator, so that they can be compared.
type Compacted struct {
	Entry    string // its id
	Time     string // as it is stored
	Reported int64  // what the entry says that the context had before
	Before   int64  // what the estimator says
	After    int64
	Call     Call     // that made the summary
	Called   bool     // the entry has a usage
	Entries  int      // that left the context
	Files    []string // that calls which left were about, in their order
}

// Compactions finds what each compaction of a session did, in the order of the entries.
func Compactions(s *session.Session) []Compacted {
	var out []Compacted
	for i, e := range s.Entries {
		if e.Type() != session.TypeCompaction {
			continue
		}
		path, _ := s.Path(i)
		c := Compacted{Entry: e.ID(), Time: e.Str("timestamp"), Reported: count(e, "tokensBefore")}
		before, after := convo.Project(path[:len(path)-1]), convo.Project(path)
		c.Before = convo.EstimateContext(convo.MessagesOf(before), convo.Estimate)
		c.After = convo.EstimateContext(convo.MessagesOf(after), convo.Estimate)
		c.summarized(e, path)
		c.left(before, after)
		out = append(out, c)
	}
	return out
}

// summarized finds the call that made the summary.
func (c *Compacted) summarized(e session.Entry, path []session.Entry) {
	usage := e.Get("usage")
	if c.Called = js.Value(usage).IsObject(); !c.Called {
		return
	}
	c.Call = Call{ID: e.ID(), Purpose: Compaction, Provider: e.Str("provider"), Model: e.Str("model")}
	c.Call.Time, c.Call.Timed = e.Timestamp()
	c.Call.usage(usage)
	if m := convo.StateOf(path).Model; c.Call.Model == "" && m != nil {
		c.Call.Provider, c.Call.Model = m.Provider, m.ID
	}
}

// count is a member of an entry that counts, 0 for one that does not.
func count(e session.Entry, name string) int64 {
	var c Call
	return c.count(js.Value(e.Get(name)))
}

// left finds what left the context.
func (c *Compacted) left(before, after []convo.Projected) {
	stays := map[string]bool{}
	for _, p := range after {
		stays[p.Entry.ID()] = true
	}
	seen := map[string]bool{}
	for _, p := range before {
		if stays[p.Entry.ID()] || len(p.Messages) == 0 {
			continue
		}
		c.Entries++
		for _, m := range p.Messages {
			for _, call := range m.ToolCalls() {
				if file := compact.PathOf(call); file != "" && !seen[file] {
					seen[file] = true
					c.Files = append(c.Files, file)
				}
			}
		}
	}
}
