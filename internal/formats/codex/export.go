package codex

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Export writes a rollout of the path to the leaf, and on request the line that
// names it.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	if t.Index && !t.DryRun && !isDir(t.Path) {
		return fmt.Errorf("naming the session in %s: %s is no directory", indexFile, t.Path)
	}
	x := &exporter{s: s, t: t, restorer: restorer{s: s}, covered: map[string]bool{}, shown: map[int]bool{}, placeOf: map[string]int{}, calls: map[string]session.ToolCall{}}
	if leaf, ok := s.Leaf(); ok {
		x.path, _ = s.PathIndex(leaf)
	}
	for n, i := range x.path {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.plan(n, i)
	}
	x.identify()
	if err := x.write(ctx); err != nil {
		return err
	}
	x.tell()
	name := x.fileName()
	if filepath.Base(t.Path) == dirSessions {
		name = strings.TrimPrefix(name, dirSessions+"/")
	}
	if err := t.File(filepath.FromSlash(name), rollout{x.lines, x.large}); err != nil {
		return err
	}
	return x.index(ctx)
}

// An exporter is the writing of one rollout.
type exporter struct {
	restorer
	s       *session.Session
	t       *formats.Target
	path    []int // entries, from the root to the leaf
	steps   []step
	covered map[string]bool // entries that lines of codex stand for
	shown   map[int]bool    // entries that are in the rollout, in some way
	lost    losses

	meta     string // the first line that codex wrote, "" if it did not
	id       string // of the thread
	was      string // that it had
	at       int64  // when it was made
	original bool   // the first line stays as it was
	named    string // what the lines call the thread
	legacy   bool

	writer
	entries []session.Entry             // of the path
	placeOf map[string]int              // of the path, the first places of ids
	given   int64                       // bytes of the path
	fixes   []repair                    // of the path
	told    map[string]bool             // results that were told with their calls
	calls   map[string]session.ToolCall // by their ids
}

// A step is what becomes of one entry: lines that codex wrote, or, without any, what
// it would have written.
type step struct {
	index int // in the path
	entry session.Entry
	lines []line
}

// plan adds the step for the n-th entry of the path.
func (x *exporter) plan(n, i int) {
	e := x.t.Inline(x.s.Entries[i])
	if _, twice := x.placeOf[e.ID()]; !twice {
		x.placeOf[e.ID()] = len(x.entries)
	}
	x.entries = append(x.entries, e)
	x.given += int64(len(e.Raw()))
	x.shown[i] = true
	st := step{index: n, entry: e}
	switch custom(e) {
	case customMeta:
		x.meta = e.Get("data")
		return
	case customName:
		x.named = session.OneLine(js.Value(e.Get("data")).Get("thread_name").Str())
		return
	case customLines:
		st.lines = x.restoreAll(e, 0)
		if len(st.lines) == 0 {
			return
		}
	}
	x.steps = append(x.steps, st)
}

// custom returns the name of an entry of ours.
func custom(e session.Entry) string { return formats.CustomName(e, "codex") }

// maxNested is how many rollbacks may be abandoned by each other.
const maxNested = 1000

// restoreAll returns the lines of an entry.
func (x *exporter) restoreAll(e session.Entry, depth int) []line {
	var out []line
	for element := range js.Elements(e.Get("data")) {
		r, ok := x.restore(element)
		switch {
		case !ok:
			x.lost.add(formats.At(e), formats.KindDamage, "a line of codex that refers to what the session does not have, left out")
			continue
		case r.typ == typeEvent && r.kind == "thread_rolled_back" && len(r.covers) > 0:
			lines, ok := x.abandoned(e, r.covers[0], depth)
			if !ok {
				continue
			}
			out = append(out, lines...)
		case r.typ == typeEvent && r.kind == "thread_name_updated":
			x.named = session.OneLine(member(r.raw, r.payload, `"thread_name"`).str(r.raw))
		}
		for _, id := range r.covers {
			x.covered[id] = true
		}
		out = append(out, r.line)
	}
	return out
}

// abandoned returns the lines of the branch that ends in the entry id, from where it
// leaves the path to e. ok is false if that is not there.
func (x *exporter) abandoned(e session.Entry, id string, depth int) (out []line, ok bool) {
	end, ok := x.s.Index(id)
	if !ok || depth > maxNested {
		return nil, false
	}
	branch, _ := x.s.PathIndex(end)
	from := 0
	if here, ok := x.s.Index(e.ID()); ok {
		path, _ := x.s.PathIndex(here)
		for from < len(branch) && from < len(path) && branch[from] == path[from] {
			from++
		}
	}
	for _, i := range branch[from:] {
		x.shown[i] = true
		if custom(x.s.Entries[i]) == customLines {
			out = append(out, x.restoreAll(x.s.Entries[i], depth+1)...)
		}
	}
	return out, true
}

// tell tells what the rollout does not hold.
func (x *exporter) tell() {
	left, first := 0, ""
	for i, e := range x.s.Entries {
		if e.Type() == session.TypeMessage && !x.shown[i] {
			if left++; left == 1 {
				first = formats.At(e)
			}
		}
	}
	if left > 0 {
		x.t.Lose(first, formats.KindBranch, "%s on other branches left out; sess-fork makes sessions of them", formats.Counted(left, "1 message", "%d messages"))
	}
	x.lost.tell(x.t.Lose)
}
