package codex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A node is a rollout that a session is read from.
type node struct {
	src   *formats.Source
	head  head
	own   bool // it is the session's; else only a part of it is
	base  *node
	name  string  // its id
	ends  []int64 // where others go on from
	after map[int64]state
	read  bool
}

// maxBases is how many rollouts may go on from each other.
const maxBases = 10_000

// Read reads the rollouts of a session, each after the one that it goes on from: those
// that were abandoned become branches, the newest leads to the leaf.
func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	r := &reader{archive: a, nodes: map[string]*node{}}
	r.conv = &conv{b: b, state: begin(), ended: map[string]end{}, called: map[string]bool{}, kin: map[string]bool{}, requests: map[string]bool{}}
	var own []*node
	sources := a.sources(info)
	for _, path := range a.passedOver(info, sources) {
		b.Lose(path, formats.KindReference, "another rollout of this id was written to later, so this one is not read; by its path it can be")
	}
	for _, src := range sources {
		n, err := r.node(ctx, src, true)
		if err != nil {
			return err
		}
		own = append(own, n)
	}
	// The header is that of the first rollout: it is the same when the session has gone on in another one.
	first, last := own[0], own[len(own)-1]
	r.conv.subagent = first.head.subagent
	header := session.HeaderFields{
		ID: sessionID(first.head.id), Time: first.head.created, CWD: first.head.cwd, ParentSession: first.head.parent, Origin: session.Origin{Git: first.head.git},
	}
	if err := b.Header(header); err != nil {
		return err
	}
	r.conv.session, r.conv.at = header.ID, header.Time
	b.BeginKeeping()
	for _, n := range own {
		if err := r.bases(ctx, n); err != nil {
			return err
		}
	}
	for _, n := range own {
		r.open = n == last && b.Growth != formats.Whole
		if err := r.whole(ctx, n); err != nil {
			return err
		}
	}
	if b.Growth != formats.Whole {
		r.lost.Tell(b.Lost)
		return r.err
	}
	if name, ok := a.nameOf(last.head.id); ok {
		r.taken(b.Custom(r.place("index", name.at), customName, js.Object(js.StringField("thread_name", name.name))))
		r.named(name.name, "index name", name.at)
	}
	r.lost.Tell(b.Lost)
	return r.err
}

// sessionID returns the id of a session for that of a thread.
func sessionID(thread string) string {
	if session.ValidSessionID(thread) {
		return thread
	}
	return formats.SessionID("codex", thread)
}

// A reader reads the rollouts of one session.
type reader struct {
	*archive
	*conv
	nodes map[string]*node // by the names of their files
	open  bool             // more may be written to the one that is read
}

// node returns the node of a file.
func (r *reader) node(ctx context.Context, src *formats.Source, own bool) (*node, error) {
	if n := r.nodes[src.Path]; n != nil {
		return n, nil
	}
	h, err := r.headOf(ctx, src)
	if err != nil {
		return nil, err
	}
	n := &node{src: src, head: h, own: own, after: map[int64]state{}}
	if _, n.name = idsOf(src.Path); n.name == "" {
		n.name = h.id
	}
	r.nodes[src.Path] = n
	return n, nil
}

// bases finds what a node goes on from.
func (r *reader) bases(ctx context.Context, n *node) error {
	for count := 0; n.head.base != nil; count++ {
		b := n.head.base
		if n.base == nil {
			path, ok := r.find(ctx, n.src.Path, b.rollout)
			if !ok {
				return fmt.Errorf("%s: it goes on from rollout %s, which is neither beside it nor among the sessions it belongs to", n.src.Name(), b.rollout)
			}
			var err error
			if n.base, err = r.node(ctx, r.archive.src.Beside(path), false); err != nil {
				return fmt.Errorf("%s: reading what it goes on from: %w", n.src.Name(), err)
			}
		}
		if !slices.Contains(n.base.ends, b.end) {
			n.base.ends = append(n.base.ends, b.end)
		}
		if n = n.base; count > maxBases || n == n.base {
			return fmt.Errorf("%s: rollouts that go on from each other, in a circle", n.src.Name())
		}
	}
	return nil
}

// whole reads all of a node.
func (r *reader) whole(ctx context.Context, n *node) error {
	if n.read {
		return nil
	}
	n.read = true
	start := begin()
	start.forked = n.head.parent != "" || n.head.base != nil
	if n.base != nil {
		if err := r.whole(ctx, n.base); err != nil {
			return err
		}
		after, ok := n.base.after[n.head.base.end]
		if !ok {
			r.b.Lose(n.src.Name(), formats.KindReference,
				"it goes on from byte %d of %s, where no line ends; so it begins anew, as for codex", n.head.base.end, n.base.src.Name())
			after = start
		}
		start = after.copied()
	}
	r.conv.src, r.conv.rollout, r.conv.own, r.conv.begun = n.src, n.name, n.own, false
	r.conv.state = start
	if err := r.lines(ctx, n); err != nil {
		return err
	}
	if r.open && r.b.Growth == formats.Closed {
		return r.err
	}
	if r.open {
		r.quiet()
		return r.err
	}
	if n.own {
		r.settle()
	}
	r.flush()
	r.put(len(r.batch))
	r.restLines()
	return r.err
}

// quiet takes all that there is of a rollout to which more may be written. A call may still get its result, and lines behind the end of
// a turn are kept with the next entry.
func (r *reader) quiet() {
	r.flush()
	if r.put(len(r.batch)); r.cut {
		r.restLines()
	}
}

// lines converts the lines of a rollout. Of a rollout that the session was forked from, it converts the lines
// up to the fork.
func (r *reader) lines(ctx context.Context, n *node) error {
	f, err := open(ctx, n.src)
	if err != nil {
		return err
	}
	defer f.done()
	r.conv.late = sync.OnceValue(func() []decider { return deciders(ctx, n.src) })
	limit := int64(-1)
	if !n.own {
		limit = slices.Max(n.ends)
	}
	for jl, err := range jsonl.Lines(f.r) {
		if err != nil {
			return n.src.Located(err)
		}
		if limit >= 0 && jl.End() > limit {
			break
		}
		for v := range r.b.Objects(r.conv.src, jl) {
			c := r.conv
			if r.open && r.b.Cut(jl.End()) {
				c.flush()
				c.seal()
				c.cut = true
			}
			l := parseLine(v.Text)
			l.number, l.offset = v.Number, v.Offset
			if l.time != 0 {
				c.now = l.time
			}
			c.line(l)
		}
		if r.err != nil || r.stopped {
			return r.err
		}
		if slices.Contains(n.ends, jl.End()) && !jl.Torn {
			r.flush()
			r.put(len(r.batch))
			r.restLines()
			s := r.copied()
			s.jump = r.b.Leaf()
			n.after[jl.End()] = s
		}
	}
	return r.err
}

// A decider is a line that decides whether calls get their results: the result of one, or a line that stands where none comes.
type decider struct {
	at     int64  // where it is
	output string // the call whose result it is, "" for an item of the model, or the begin or end of a turn
}

// deciders returns those of a rollout, in order.
func deciders(ctx context.Context, src *formats.Source) (list []decider) {
	f, err := open(ctx, src)
	if err != nil {
		return nil // which will be noticed
	}
	defer f.done()
	for jl, err := range jsonl.Lines(f.r) {
		if err != nil {
			break
		}
		if !js.Valid(jl.Data) {
			continue
		}
		switch l := parseLine(string(jl.Data)); l.kind {
		case kindOutput, kindCustomOutput:
			list = append(list, decider{jl.Offset, strings.Clone(itemOf(l.payload).callID)})
		case kindReasoning, kindCall, kindCustomCall, kindShellCall, "task_started", "task_complete", "turn_aborted":
			list = append(list, decider{at: jl.Offset})
		case kindMessage:
			if itemOf(l.payload).role == "assistant" {
				list = append(list, decider{at: jl.Offset})
			}
		}
	}
	return list
}
