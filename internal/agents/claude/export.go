package claude

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

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
	x.losses.Tell(x.t)
	x.t.LoseNested(s, nil)
	if len(x.out) == 0 {
		return formats.Damaged("the session has nothing that Claude Code could open, and a file without lines is no session there")
	}
	name := x.session + ".jsonl"
	if filepath.Base(filepath.Clean(t.Path)) == "projects" {
		name = filepath.Join(escaped(s.Header.CWD), name)
	}
	if strings.Contains(name, string(filepath.Separator)) { // else Claude Code does not look there
		t.Next = formats.ResumeWith(agent, x.session)
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

	index  map[string]int // entries by their ids
	keeper *formats.Keeper
	uuids  map[string]string          // what entries are called there, or the entry that answers for them
	firsts map[string]string          // the first lines of the entries that have some
	early  map[string][]session.Entry // results in front of their calls, by the replies with the calls
	timed  int                        // the line of the entry whose time is when
	when   string
	tree   *ancestry          // made when it is needed
	heads  map[int]int        // what head has found
	unsaid map[string]bool    // results that have no line in their place
	out    []formats.KeptLine // each behind those with lower numbers
	at     int                // the number of the last line kept

	losses formats.Lost
}

func newExporter(s *session.Session, t *formats.Target) *exporter {
	x := &exporter{
		s: s, t: t, losses: formats.Lost{Words: what}, session: s.Header.ID, index: map[string]int{}, keeper: t.Keeper(s, agent), uuids: map[string]string{}, firsts: map[string]string{},
		early: map[string][]session.Entry{}, unsaid: map[string]bool{}, heads: map[int]int{},
	}
	if !formats.IsUUID(x.session) && !isAgent(x.session) {
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
	for i := range s.Entries {
		lines, _ := x.keeper.Lines(i)
		for _, l := range lines {
			switch of := js.Value(l.Text).Get("sessionId").Str(); of {
			case "":
			case x.session, s.Header.ID:
				own = true
			default:
				others = true
			}
		}
	}
	// A fork has a new id; the lines of a sub-agent name its parent.
	x.moved = others && !own && s.Header.ParentSession != "" && !isAgent(x.session)
	x.pair()
	return x
}

// entry writes what an entry is there.
func (x *exporter) entry(i int) {
	e := x.s.Entries[i]
	if lines, _ := x.keeper.Lines(i); lines != nil {
		x.restore(i)
		return
	}
	if name := formats.CustomName(e, agent); x.keeper.Covers(e.ID()) || name == customLine || name == customLeaf || x.unsaid[e.ID()] {
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
		out[i] = w.Text
	}
	return out
}

// compaction writes a boundary and its summary.
func (x *exporter) compaction(e session.Entry) {
	before := x.uuids[e.ID()]
	head, tail := x.preserved(e)
	anchor := x.uuidOf(e, 0)
	keeps := js.Field{Name: "preservedSegment"}
	if head != "" {
		keeps.Raw = js.Object(js.StringField("headUuid", head), js.StringField("anchorUuid", anchor), js.StringField("tailUuid", tail))
	}
	meta := js.Object(js.StringField("trigger", "manual"), js.RawField("preTokens", cmp.Or(e.Get("tokensBefore"), "0")), keeps)
	fields := x.lead("")
	if before != "" {
		fields = append(fields, js.StringField("logicalParentUuid", before))
	}
	fields = append(fields, js.StringField("type", "system"), js.StringField("subtype", "compact_boundary"),
		js.StringField("content", "Conversation compacted"), js.RawField("isMeta", "false"),
		js.StringField("level", "info"), js.RawField("compactMetadata", meta))
	x.write(e, 1, fields)
	boundary := x.uuids[e.ID()]
	message := js.Object(js.StringField("role", "user"), js.StringField("content", e.Str("summary")))
	x.write(e, 0, append(x.lead(boundary), js.StringField("type", "user"), js.RawField("message", message),
		js.RawField("isVisibleInTranscriptOnly", "true"), js.RawField("isCompactSummary", "true")))
}

// preserved returns the uuids of the first and the last line that a compaction keeps
// in sight.
func (x *exporter) preserved(e session.Entry) (head, tail string) {
	last, ok := x.index[e.ParentID()]
	kept, known := x.index[e.Str("firstKeptEntryId")]
	if !ok || !known {
		return "", ""
	}
	if x.tree == nil {
		x.tree = newAncestry(x.parents())
	}
	if !x.tree.above(kept, last) {
		return "", ""
	}
	return x.head(kept, last), x.uuids[e.ParentID()]
}

// head returns the uuid of the first line of the path from one entry to another, "" if it
// has none.
func (x *exporter) head(from, to int) string {
	at, ok := x.heads[from]
	if !ok || !x.tree.above(at, to) {
		at = from
		for x.firsts[x.s.Entries[at].ID()] == "" {
			if at == to {
				return ""
			}
			at = x.tree.at(to, x.tree.depth[at]+1)
		}
		x.heads[from] = at
	}
	return x.firsts[x.s.Entries[at].ID()]
}

// parents returns the indices of the entries' parents.
func (x *exporter) parents() []int {
	out := make([]int, len(x.s.Entries))
	for i, e := range x.s.Entries {
		out[i] = none
		if p, ok := x.index[e.ParentID()]; ok {
			out[i] = p
		}
	}
	return out
}

// goOn adds a line at the leaf if the last line of the conversation is not the leaf: Claude Code goes on from
// the last line. An imported session has such a line already.
func (x *exporter) goOn() {
	slices.SortStableFunc(x.out, func(a, b formats.KeptLine) int { return cmp.Compare(a.N, b.N) })
	i, ok := x.s.Leaf()
	if !ok {
		return
	}
	leaf := x.s.Entries[i]
	if strings.HasPrefix(leaf.Str("customType"), "claude:") && leaf.Type() == session.TypeCustom {
		return
	}
	at, last := x.uuids[leaf.ID()], ""
	for _, w := range slices.Backward(x.out) {
		if l, ok := parse(w.Text); ok && l.str("uuid") != "" && goesOn[l.str("type")] {
			last = l.str("uuid")
			break
		}
	}
	if at != "" && at != last && !x.above(last, leaf) {
		x.write(leaf, 2, append(x.lead(at), js.StringField("type", "system"), js.StringField("subtype", "informational"),
			js.StringField("content", "the conversation goes on from here"), js.RawField("isMeta", "false"), js.StringField("level", "info")))
	}
}

// above reports whether a line is the last of an entry or of an ancestor of it: a reply's last line may come behind results of its calls.
func (x *exporter) above(line string, e session.Entry) bool {
	for range x.s.Entries {
		if x.uuids[e.ID()] == line {
			return true
		}
		up, ok := x.index[e.ParentID()]
		if !ok {
			return false
		}
		e = x.s.Entries[up]
	}
	return false
}

// pair finds the results on the path to the leaf that Claude Code would refuse to
// send: each that stands in front of its call goes behind it, and one that answers
// no call, or a call that has a result, is left out. What was imported stays as it
// was.
func (x *exporter) pair() {
	leaf, ok := x.s.Leaf()
	if !ok {
		return
	}
	path, _ := x.s.Path(leaf)
	var messages []session.Message
	var of []session.Entry
	for _, e := range path {
		if m, ok := e.Message(); ok {
			messages, of = append(messages, m), append(of, e)
		}
	}
	for i, p := range convo.Pair(messages) {
		id := of[i].ID()
		if x.keeper.Covers(id) {
			continue
		}
		if messages[i].Role() == session.RoleToolResult && p.Reply < 0 {
			x.unsaid[id] = true
			x.losses.Add(of[i], formats.KindTool)
		}
		for _, r := range p.Results {
			if early := of[r.Message].ID(); r.Message < i && !x.keeper.Covers(early) {
				x.early[id] = append(x.early[id], of[r.Message])
				x.unsaid[early] = true
			}
		}
	}
}

// adopt writes the results of a reply's calls that stand in front of it.
func (x *exporter) adopt(reply string) {
	for _, e := range x.early[reply] {
		id := e.ID()
		e = x.t.Inline(e)
		m, _ := e.Message()
		x.uuids[id] = x.uuids[reply]
		x.message(e, m)
		x.uuids[reply] = x.uuids[id] // children of the reply stand behind its results
		delete(x.firsts, id)         // a compaction that keeps the result begins with the entry behind it
	}
}

// what describes the losses of a kind: of one part, and of several.
var what = map[string][2]string{
	formats.KindThinking: {
		"a block of thinking without a signature of Anthropic's, or a level of thinking, left out",
		"%d blocks of thinking without a signature of Anthropic's, or levels of thinking, left out",
	},
	formats.KindRole: {"a message of another role, which became a message of the user", "%d messages of other roles, which became messages of the user"},
	formats.KindTool: {"a result that answers no call, or one that has its result, left out", "%d results that answer no call, or one that has its result, left out"},
	formats.KindText: {"a reply without content, left out", "%d replies without content, left out"},
}

// restore writes the lines that the i-th entry keeps.
func (x *exporter) restore(i int) {
	e := x.s.Entries[i]
	lines, of := x.keeper.Lines(i)
	for _, l := range lines {
		if v := js.Value(l.Text); x.moved && v.Get("sessionId") != "" {
			l.Text = string(v.With("sessionId", js.Value(js.Quote(x.session))))
		}
		x.out = append(x.out, l)
		x.at = max(x.at, l.N)
		if name := js.Value(l.Text).Get("uuid").Str(); name != "" {
			for _, id := range of {
				x.called(id, name)
			}
			x.called(e.ID(), name)
		}
	}
	if _, named := x.uuids[e.ID()]; !named {
		x.uuids[e.ID()] = x.parent(e)
	}
}

// called says that a line for an entry has this uuid.
func (x *exporter) called(id, name string) {
	x.uuids[id] = name
	if x.firsts[id] == "" {
		x.firsts[id] = name
	}
}
