package usage

import (
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
	w := &windows{s: s, kinds: make([]kind, len(s.Entries)), seen: make([]int, len(s.Entries))}
	for i, e := range s.Entries {
		switch e.Type() {
		case session.TypeCompaction:
			w.kinds[i] = compaction
		case session.TypeResetBoundary:
			w.kinds[i] = reset
		}
	}
	for i, e := range s.Entries {
		if e.Type() != session.TypeCompaction {
			continue
		}
		c := Compacted{Entry: e.ID(), Time: e.Str("timestamp"), Reported: new(Call).count(js.Value(e.Get("tokensBefore")))}
		beforePath, afterPath := w.around(i)
		before, after := convo.Project(beforePath), convo.Project(afterPath)
		c.Before = convo.EstimateContext(convo.MessagesOf(before), convo.Estimate)
		c.After = convo.EstimateContext(convo.MessagesOf(after), convo.Estimate)
		c.summarized(s, i)
		c.left(before, after)
		out = append(out, c)
	}
	return out
}

// windows finds the parts of paths that contexts are made of: all of a path, for each of
// thousands of compactions, would take a time that grows with the square of them.
type windows struct {
	s     *session.Session
	kinds []kind
	seen  []int // by entry: the last climb that came by
	climb int
	path  []int // from the leaf to the root
}

// A kind is what begins a context.
type kind byte

const (
	other kind = iota
	compaction
	reset
)

// around returns as much of the path to the parent of a compaction, and of the path to itself,
// as [convo.Project] makes something of.
func (w *windows) around(leaf int) (before, after []session.Entry) {
	w.climb++
	w.path = w.path[:0]
	for i, ok := leaf, true; ok && w.seen[i] != w.climb; i, ok = w.s.Parent(i) {
		w.seen[i] = w.climb
		w.path = append(w.path, i)
	}
	newest := 1
	for newest < len(w.path) && w.kinds[w.path[newest]] == other {
		newest++
	}
	oldest := min(newest, len(w.path)-1)
	if newest < len(w.path) && w.kinds[w.path[newest]] == compaction {
		oldest = w.firstKept(newest)
	}
	return w.entries(oldest, 1), w.entries(w.firstKept(0), 0)
}

// firstKept returns the place on the path of the first entry that a compaction there keeps, and
// its own if there is none.
func (w *windows) firstKept(at int) int {
	id := w.s.Entries[w.path[at]].Str("firstKeptEntryId")
	for n := len(w.path) - 1; n > at; n-- {
		if w.s.Entries[w.path[n]].ID() == id {
			return n
		}
	}
	return at
}

// entries returns the entries between two places of the path, the one nearer to the root first.
func (w *windows) entries(from, to int) []session.Entry {
	if from < to {
		return nil
	}
	list := make([]session.Entry, 0, from-to+1)
	for n := from; n >= to; n-- {
		list = append(list, w.s.Entries[w.path[n]])
	}
	return list
}

// summarized finds the call that made the summary.
func (c *Compacted) summarized(s *session.Session, i int) {
	e := s.Entries[i]
	usage := e.Get("usage")
	if c.Called = js.Value(usage).IsObject(); !c.Called {
		return
	}
	c.Call = Call{ID: e.ID(), Purpose: Compaction, Provider: e.Str("provider"), Model: e.Str("model")}
	c.Call.Time, c.Call.Timed = e.Timestamp()
	c.Call.usage(usage)
	if c.Call.Model == "" {
		path, _ := s.Path(i)
		if m := convo.StateOf(path).Model; m != nil {
			c.Call.Provider, c.Call.Model = m.Provider, m.ID
		}
	}
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
				if file := call.File(); file != "" && !seen[file] {
					seen[file] = true
					c.Files = append(c.Files, file)
				}
			}
		}
	}
}
