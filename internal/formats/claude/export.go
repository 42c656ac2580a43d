package claude

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// sort puts the lines in the order of the file.
func (x *exporter) sort() {
	slices.SortStableFunc(x.out, func(a, b written) int { return cmp.Compare(a.n, b.n) })
}

// Export writes one file of all branches. Into a directory called projects it goes
// where Claude Code looks for it.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := newExporter(s, t)
	x.title()
	for i := range s.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.entry(i)
	}
	x.goOn()
	x.losses.Tell(x.t, what)
	if len(x.out) == 0 {
		return formats.Damaged("the session has nothing that Claude Code could open, and a file without lines is no session there")
	}
	name := x.session + ".jsonl"
	if filepath.Base(filepath.Clean(t.Path)) == "projects" {
		name = filepath.Join(escaped(s.Header.CWD), name)
	}
	return t.File(name, x.lines())
}

// An exporter is the writing of one session.
type exporter struct {
	s       *session.Session
	t       *formats.Target
	session string // its id there
	of      string // the id that its lines name
	moved   bool   // lines that are kept have another id

	index  map[string]int             // entries by their ids
	kept   map[string]bool            // entries whose lines are kept
	uuids  map[string]string          // what entries are called there, or the entry that answers for them
	firsts map[string]string          // the first lines of the entries that have some
	early  map[string][]session.Entry // results in front of their calls, by the replies with the calls
	timed  int                        // the line of the entry whose time is when
	when   string
	tree   *ancestry       // made when it is needed
	heads  map[int]int     // what head has found
	unsaid map[string]bool // results that have no line in their place
	out    []written
	at     int // the number of the last line kept

	losses formats.ByKind
}

// A written line has its place behind the lines with lower numbers.
type written struct {
	n    int
	text string
}

func newExporter(s *session.Session, t *formats.Target) *exporter {
	x := &exporter{
		s: s, t: t, session: s.Header.ID, index: map[string]int{}, kept: map[string]bool{}, uuids: map[string]string{}, firsts: map[string]string{},
		early: map[string][]session.Entry{}, unsaid: map[string]bool{}, heads: map[int]int{},
	}
	if !uuid.MatchString(x.session) && !isAgent(x.session) {
		x.session = formats.SessionID("claude", x.session)
	}
	x.of = x.session
	if isAgent(x.session) && s.Header.ParentSession != "" {
		x.of = s.Header.ParentSession
	}
	for i, e := range s.Entries {
		if _, twice := x.index[e.ID()]; !twice {
			x.index[e.ID()] = i
		}
	}
	own, others := false, false
	for _, e := range s.Entries {
		k, ok := keptIn(e)
		if !ok || !x.intact(k) {
			continue
		}
		for _, id := range k.of {
			x.kept[id] = true
		}
		for _, l := range k.lines {
			switch of := js.Value(l.line).Get("sessionId").Str(); of {
			case "":
			case x.session, s.Header.ID:
				own = true
			default:
				others = true
			}
		}
	}
	// A fork has an id of its own; the lines of a sub-agent name who started it.
	x.moved = others && !own && s.Header.ParentSession != "" && !isAgent(x.session)
	x.pair()
	return x
}

// entry writes what an entry is there.
func (x *exporter) entry(i int) {
	e := x.s.Entries[i]
	if k, ok := keptIn(e); ok {
		if x.intact(k) {
			x.restore(e, k)
		}
		return
	}
	if x.kept[e.ID()] || formats.CustomName(e, "claude") == customLeaf {
		x.uuids[e.ID()] = x.parent(e)
		return
	}
	if x.unsaid[e.ID()] {
		x.uuids[e.ID()] = x.parent(e)
		return
	}
	x.add(x.t.Inline(e))
	x.adopt(e.ID())
}

// lines returns what was written.
func (x *exporter) lines() jsonl.Content {
	out := make(jsonl.Content, len(x.out))
	for i, w := range x.out {
		out[i] = w.text
	}
	return out
}
