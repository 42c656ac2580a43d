package claude

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// read reads a session.
func read(ctx context.Context, src *formats.Source, f *formats.File, info formats.Info, b *formats.Builder) error {
	err := b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD, ParentSession: info.ParentSession})
	if err != nil {
		return err
	}
	c := &conversion{src: src, file: f, b: b, tools: map[string]string{}, given: map[answer]bool{}, start: &slot{group: none}}
	c.slot = c.start
	b.BeginKeeping()
	c.index, err = indexed(ctx, src, f, b)
	if err != nil {
		return src.Located(err)
	}
	return c.read(ctx)
}

// A slot is where the next entry hangs: behind what the lines that share the slot
// have made. A reply and the results of its calls share one, since lines hang from
// whichever of them was written last.
type slot struct {
	tail     string    // id of the last entry, "" for none
	group    int32     // of the reply whose slot it is, none
	base     string    // the entry behind the reply itself
	boundary *boundary // that was the last line
}

// An answer is the result of a call of a reply.
type answer struct {
	group int32
	call  string
}

// A conversion is the reading of one session.
type conversion struct {
	src   *formats.Source
	file  *formats.File
	b     *formats.Builder
	index *index

	slots  []*slot           // of the nodes
	ids    []string          // entries that the nodes became, the first of each
	busy   []bool            // nodes whose parents are being added
	start  *slot             // before the first root
	slot   *slot             // of the line added last
	begun  bool              // a message has come
	tools  map[string]string // ids of calls to the tools called
	given  map[answer]bool   // results that have been added
	names  title
	count  formats.Count // of what the entries used
	agents bool          // one was started
	mute   int           // attachments whose text is not known
	muted  int           // the line of the first
}

func (c *conversion) read(ctx context.Context) error {
	n := len(c.index.nodes)
	c.slots, c.ids, c.busy = make([]*slot, n), make([]string, n), make([]bool, n)
	if slices.ContainsFunc(c.index.nodes, func(n node) bool { return n.idle && n.message }) {
		c.b.Pass()
	}
	if c.b.Growth == formats.Closed {
		n = c.index.settled()
	}
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.withParents(i); err != nil {
			return err
		}
	}
	if n := c.index.again; n > 0 {
		c.b.Lose(c.src.At(c.index.firstAgain), formats.KindReference, "%s a uuid that another line has: each is an entry with an id of its own",
			formats.Counted(n, "1 line has", "%d lines have"))
	}
	if lines := c.index.unnamed; len(lines) > 0 {
		c.b.Lost(formats.Many(len(lines), c.src.At(lines[0]), formats.KindTree, "1 line of the conversation has no uuid: it stands behind the line before it",
			"%d lines of the conversation have no uuid: each stands behind the line before it"))
	}
	if c.mute > 0 {
		c.b.Lost(formats.Many(c.mute, c.src.At(c.muted), formats.KindContext, "1 attachment whose text for the model is not in the file", "%d attachments whose text for the model is not in the file"))
	}
	if c.b.Growth != formats.Whole {
		return c.b.Settle()
	}
	if c.b.UsageOnly {
		return nil
	}
	// The leaf of the conversation is that of the session, also where another branch was written last.
	i := c.index.leaf()
	if i == none || c.slots[i] == nil || c.slots[i].tail == "" || c.b.Leaf() == c.slots[i].tail || c.continues(i) {
		return nil
	}
	_, err := c.b.Custom(formats.Place{Key: "leaf", Parent: c.slots[i].tail}, customLeaf, js.Object(js.StringField("uuid", c.index.uuid(i))))
	return err
}

// withParents adds a node, before it those of its ancestors that stand behind it in
// the file.
func (c *conversion) withParents(i int) error {
	var waiting []int
	for at := i; at >= 0 && c.slots[at] == nil; at = int(c.index.nodes[at].parent) {
		if c.busy[at] {
			c.b.Lose(c.src.At(c.index.nodes[at].number), formats.KindTree, "a cycle of parents ends here, in a root")
			c.index.nodes[waiting[len(waiting)-1]].parent = none
			break
		}
		c.busy[at] = true
		waiting = append(waiting, at)
	}
	for len(waiting) > 0 {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if c.slots[at] != nil {
			continue // a line of a reply that has been added whole
		}
		if err := c.node(at); err != nil {
			// The line stands in front of an error of the file's.
			var p session.Problem
			if errors.As(err, &p) {
				return fmt.Errorf("%s: %w", c.src.At(c.index.nodes[at].number), err)
			}
			return err
		}
	}
	return nil
}

// line reads the line of a node.
func (c *conversion) line(i int) (l line, text string, err error) {
	n := &c.index.nodes[i]
	text, ok, err := c.index.text(c.file, i)
	if err != nil {
		return line{}, "", c.src.Located(err)
	}
	if !ok {
		return line{}, "", formats.Damaged("%s: the file has changed while it was read", c.src.At(n.number))
	}
	return members(text), text, nil
}

// node adds the entries for a node whose parent has been added.
func (c *conversion) node(i int) error {
	n := &c.index.nodes[i]
	if n.uuid == none && !n.unnamed || n.twice {
		return c.aside(i)
	}
	at := c.above(i)
	if err := c.add(i, at); err != nil || !n.unnamed || c.slots[i] == at {
		return err
	}
	// Lines that name the one before it go on behind it.
	made, lines := c.slots[i], []int{i}
	if at.tail = made.tail; n.reply {
		*at, lines = *made, c.index.groups[n.group].lines
	}
	if n.output != none {
		lines = append(lines, int(n.output))
	}
	for _, k := range lines {
		c.slots[k] = at
	}
	c.slot = at
	return nil
}

// add adds the entries for a node behind a slot.
func (c *conversion) add(i int, at *slot) error {
	n := &c.index.nodes[i]
	switch {
	case n.idle:
		c.slots[i], c.slot = at, at
		return nil
	case n.reply:
		return c.reply(i, at)
	case n.message:
		return c.user(i, at)
	}
	return c.other(i, at)
}

// above returns the slot that a node hangs from. The first root of all stands behind
// the bookkeeping that begins a file.
func (c *conversion) above(i int) *slot {
	n := &c.index.nodes[i]
	if n.stitched {
		c.b.Lose(c.src.At(n.number), formats.KindTree, formats.NoParent+"file: it goes on from the line before it, if there is one")
	}
	if n.parent >= 0 && c.slots[n.parent] != nil {
		return c.slots[n.parent]
	}
	if c.start != nil && !(n.sidechain && !c.index.agent) {
		at := c.start
		if !n.unnamed {
			c.start = nil
		}
		return at
	}
	return &slot{group: none}
}

// place returns the place of an entry behind a slot.
func (c *conversion) place(i int, tail string, at int64) formats.Place {
	p := formats.Place{ID: c.index.uuid(i), Parent: tail, Root: tail == "", Time: at}
	if p.ID == "" {
		p.Key = c.key(i)
	}
	return p
}

// key returns by what a node is known: its uuid, or the number of its line.
func (c *conversion) key(i int) string {
	return cmp.Or(c.index.uuid(i), "unnamed line "+strconv.Itoa(c.index.nodes[i].number))
}

// kept returns the line of a node as it is kept.
func (c *conversion) kept(i int, text string) formats.KeptLine {
	return formats.KeptLine{N: c.index.nodes[i].number, Text: text}
}

// alone keeps a line that became no entry as one that says nothing.
func (c *conversion) alone(i int, tail, text string) (string, error) {
	v := js.Value(text)
	if typ, m := v.Get("type"), v.Get("message"); m.Get("content") != "" && !isMessage(typ, m) {
		c.lose(i)(formats.KindEntry, "a message in a line of the unknown type %.60q, kept aside", typ.Str())
	}
	p := formats.Place{Key: "line " + strconv.Itoa(c.index.nodes[i].number), Parent: tail, Root: tail == ""}
	return c.b.Aside(p, customLine, "", c.kept(i, text))
}

// aside keeps a line that is not in the tree where it stands in the file.
func (c *conversion) aside(i int) error {
	if c.slots[i] = (&slot{group: none}); c.index.nodes[i].idle {
		return nil
	}
	l, text, err := c.line(i)
	if err != nil {
		return err
	}
	if l.str("type") == "cost-state" {
		return c.total(i, l, text)
	}
	name, ok := c.names.of(l, c.index, i)
	if !ok {
		c.slot.tail, err = c.alone(i, c.slot.tail, text)
		return err
	}
	key := "name of line " + strconv.Itoa(c.index.nodes[i].number)
	c.slot.tail, err = c.b.Add(formats.Place{Key: key, Parent: c.slot.tail, Root: c.slot.tail == "", Time: l.time()},
		session.TypeSessionInfo, js.StringField("name", name))
	if err != nil {
		return err
	}
	return c.b.Keep(nil, c.kept(i, text))
}

// done says that a node has become entries, the first of which is id.
func (c *conversion) done(i int, id string, at *slot) { c.slots[i], c.ids[i], c.slot = at, id, at }

// lose returns who is told of what a node loses.
func (c *conversion) lose(i int) lost {
	return func(kind, format string, args ...any) {
		c.b.Lose(c.src.At(c.index.nodes[i].number), kind, format, args...)
	}
}

// continues reports whether what was added last stands behind node i.
func (c *conversion) continues(i int) bool {
	for at := len(c.slots) - 1; at >= 0; at-- {
		if c.slots[at] == c.slot && !c.index.nodes[at].twice && c.index.nodes[at].uuid != none {
			return c.index.above(i, at)
		}
	}
	return false
}

// reply adds a reply: all of its lines make one message.
func (c *conversion) reply(i int, at *slot) error {
	g := c.index.nodes[i].group
	lines := c.index.groups[g].lines
	var content []string
	var keeps []formats.KeptLine
	var last line
	stop, begun := "", int64(0)
	for _, k := range lines {
		l, text, err := c.line(k)
		if err != nil {
			return err
		}
		if l.message.Get("content") == "" {
			c.lose(k)(formats.KindDamage, "a message without content: it is not one of Claude Code's")
		}
		content = append(content, c.said(l.message.Get("content"), k)...)
		keeps = append(keeps, c.kept(k, text))
		if last = l; begun == 0 {
			begun = l.time()
		}
		stop = cmp.Or(l.message.Get("stop_reason").Str(), stop)
	}
	if stop == "" && slices.ContainsFunc(content, func(b string) bool { return session.NewBlock(b).Type == session.BlockToolCall }) {
		stop = "tool_use" // before 2.1.60 no line says it
	}
	fields, others := reply(last, stop, c.index.groups[g].again)
	if before := c.index.groups[g].rest; before != none && !c.index.groups[g].again {
		counted := c.index.groups[before].lines
		l, _, err := c.line(counted[len(counted)-1])
		if err != nil {
			return err
		}
		fields, others = rest(fields, last, l), nil
	}
	m := api.Assistant(content, fields...)
	for _, call := range m.ToolCalls() {
		c.tools[strings.Clone(call.ID)] = strings.Clone(call.Name) // else they hold the message
		c.agents = c.agents || calls.KindOf(call.Name) == calls.Agent || call.Name == "Workflow"
	}
	c.agents = c.agents || last.is("isSidechain")
	c.spent(last, m.Get("usage"), m.Str("model"))
	place := c.place(lines[0], at.tail, begun)
	of, err := c.waited(lines, &place)
	if err != nil {
		return err
	}
	for k, other := range others {
		// The id does not depend on the session: another file may have a copy of the reply.
		p := formats.Place{ID: c.key(lines[0]) + "-" + other.Kind + strconv.Itoa(k), Parent: place.Parent, Root: place.Root, Time: begun}
		if c.index.nodes[lines[0]].uuid == none {
			p.ID, p.Key = "", p.ID
		}
		by, usage, fields := other.Entry(m.Str("model"))
		c.spent(last, usage, by)
		id, err := c.b.Add(p, session.TypeUsage, fields...)
		if err != nil {
			return err
		}
		of = append(of, id)
		place.Parent, place.Root = id, false
	}
	id, err := c.b.Message(place, m)
	if err != nil {
		return err
	}
	if err := c.b.Keep(of, keeps...); err != nil {
		return err
	}
	s := &slot{tail: id, base: id, group: g}
	c.begun = true
	for _, k := range lines {
		c.done(k, id, s)
	}
	return nil
}

// said returns the blocks of a line of a reply; for a reader that adds up its calls alone.
func (c *conversion) said(content js.Value, i int) (out []string) {
	if !c.b.UsageOnly {
		return blocks(content, c.lose(i))
	}
	for b := range content.Elements() {
		if b.Get("type").Str() == "tool_use" {
			out = append(out, api.ToolCall("", b.Get("name").Str(), "{}"))
		}
	}
	return out
}

// user adds what a user's line is: a summary, results of tools, or words.
func (c *conversion) user(i int, at *slot) error {
	l, text, err := c.line(i)
	if err != nil {
		return err
	}
	if l.is("isCompactSummary") {
		return c.compaction(i, at, l, text)
	}
	n, answers := &c.index.nodes[i], results(l.message.Get("content"))
	if l.isNotification() && answers == 0 {
		// In the frame in which Claude Code sends it, which tells a model that the user has not said it.
		return c.beside(i, at, l, text, api.Array(api.Text("<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n"+l.text()+"\n</system-reminder>")))
	}
	begun := c.begun
	c.begun = c.begun || !l.is("isMeta")
	said := l.text()
	if command, ok := l.command(said, n.asks); ok {
		return c.typed(i, at, l, text, api.User([]string{api.Text(command)}))
	}
	if task, ok := taskIn(said); ok && !begun {
		return c.typed(i, at, l, text, session.NewTextMessage(session.RoleUser, task, js.StringField("attribution", "agent")))
	}
	if r := l.ran(said); r.begins {
		return c.ran(i, at, l, text, r)
	}
	if l.message.Get("content") == "" {
		c.lose(i)(formats.KindDamage, "a message without content: it is not one of Claude Code's")
	}
	messages := userMessages(l, answers, c.tools, c.lose(i))
	if answers == 0 && messages[0].Harness() != "" {
		return c.beside(i, at, l, text, api.Array(blocks(l.message.Get("content"), func(string, string, ...any) {})...))
	}
	s := &slot{group: none}
	tail := at.tail
	if ids := resultIDs(messages); len(ids) > 0 && n.group != none && at.group == n.group {
		if slices.ContainsFunc(ids, func(id string) bool { return c.given[answer{n.group, id}] }) {
			tail = at.base // the reply was gone on from once more
		} else {
			s = at
			for _, id := range ids {
				c.given[answer{n.group, strings.Clone(id)}] = true
			}
		}
	}
	var of []string
	for k, m := range messages {
		p := c.place(i, tail, l.time())
		if k > 0 {
			p.ID, p.Key = "", c.key(i)+" "+strconv.Itoa(k)
		}
		if tail, err = c.b.Message(p, m); err != nil {
			return err
		}
		of = append(of, tail)
	}
	if err := c.b.Keep(of, c.kept(i, text)); err != nil {
		return err
	}
	s.tail = tail
	c.done(i, of[0], s)
	return nil
}

// other adds a line that is no message: an attachment that is shown to a model beside the messages,
// a boundary, or any other.
func (c *conversion) other(i int, at *slot) error {
	l, text, err := c.line(i)
	if err != nil {
		return err
	}
	if prompt, ok := l.queued(); ok {
		return c.typed(i, at, l, text, api.User(blocks(prompt, c.lose(i))))
	}
	m, ok := c.contextBlocks(l)
	if !ok {
		if l.str("type") == "attachment" && !silent[l.get("attachment").Get("type").Str()] && l.get("attachment") != "" {
			if c.mute++; c.mute == 1 {
				c.muted = c.index.nodes[i].number
			}
		}
		id, err := c.alone(i, at.tail, text)
		if err != nil {
			return err
		}
		c.done(i, id, &slot{tail: id, group: none})
		if l.str("type") == "system" && l.str("subtype") == "compact_boundary" {
			c.slots[i].boundary = boundaryOf(l)
		}
		return nil
	}
	return c.beside(i, at, l, text, m)
}

// beside adds what a line shows a model beside what user and model say.
func (c *conversion) beside(i int, at *slot, l line, text, content string) error {
	id, err := c.b.Add(c.place(i, at.tail, l.time()), session.TypeCustomMessage,
		js.StringField("customType", session.CustomContext(agent)), js.RawField("content", content),
		js.RawField("display", "false"))
	if err != nil {
		return err
	}
	return c.whole(i, text, id)
}

// typed adds what the user typed, of which the line says more: a command that was expanded,
// what was typed while the model was at work, or what a leader gave to do.
func (c *conversion) typed(i int, at *slot, l line, text string, m session.Message) error {
	id, err := c.b.Message(c.place(i, at.tail, l.time()), m)
	if err != nil {
		return err
	}
	return c.whole(i, text, id)
}

// ran adds what the user ran, with the line of its output.
func (c *conversion) ran(i int, at *slot, l line, text string, r ran) error {
	keeps, j := []formats.KeptLine{c.kept(i, text)}, int(c.index.nodes[i].output)
	if j != none {
		below, text, err := c.line(j)
		if err != nil {
			return err
		}
		r.output = below.ran(below.text()).output
		keeps = append(keeps, c.kept(j, text))
	}
	id, err := c.b.Message(c.place(i, at.tail, l.time()), session.NewTextMessage(session.RoleBashExecution, r.command, js.StringField("output", r.output)))
	if err != nil {
		return err
	}
	s := &slot{group: none, tail: id}
	if c.done(i, id, s); j != none {
		c.done(j, id, s)
	}
	return c.b.Keep(nil, keeps...)
}

// whole keeps a line with the entry that it became.
func (c *conversion) whole(i int, text, id string) error {
	c.done(i, id, &slot{group: none, tail: id})
	return c.b.Keep(nil, c.kept(i, text))
}

// silent are the attachments that no model is shown.
var silent = map[string]bool{"prompt_snapshot": true, "session_context": true}

// contextBlocks returns the blocks that a line beside the messages shows a model.
func (c *conversion) contextBlocks(l line) (content string, ok bool) {
	switch {
	case l.get("rendered").IsArray():
		var out []string
		for r := range l.get("rendered").Elements() {
			out = append(out, blocks(r.Get("content"), func(string, string, ...any) {})...)
		}
		return api.Array(out...), len(out) > 0
	case l.str("type") == "attachment" && l.get("attachment").Get("type").Str() == "queued_command":
		out := blocks(l.get("attachment").Get("prompt"), func(string, string, ...any) {})
		return api.Array(out...), len(out) > 0
	case l.str("type") == "system" && l.str("subtype") == "local_command" && l.get("content").IsString():
		return api.Array(api.Text(l.str("content"))), true
	}
	return "", false
}

// A boundary is the line in front of a summary.
type boundary struct {
	head, tail string // uuids of the first and last line kept in sight, "" for none
	tokens     int64
}

func boundaryOf(l line) *boundary {
	about := l.get("compactMetadata")
	segment := about.Get("preservedSegment")
	b := &boundary{head: segment.Get("headUuid").Str(), tail: segment.Get("tailUuid").Str()}
	b.tokens, _ = api.Whole(about.Get("preTokens"))
	if b.head != "" {
		return b
	}
	for id := range about.Get("preservedMessages", "uuids").Elements() {
		b.head, b.tail = cmp.Or(b.head, id.Str()), id.Str()
	}
	return b
}

// compaction adds a compaction: the summary that a boundary was followed by.
func (c *conversion) compaction(i int, at *slot, l line, text string) error {
	b := cmp.Or(at.boundary, &boundary{})
	firstKept, relink := c.preserved(i, b)
	summary := api.User(blocks(l.message.Get("content"), c.lose(i))).Text("\n\n")
	id, err := c.b.Compaction(c.place(i, at.tail, l.time()), strings.TrimSpace(summary), firstKept, b.tokens)
	if err != nil {
		return err
	}
	if err := c.whole(i, text, id); err != nil {
		return err
	}
	s := c.slots[i]
	if relink != none {
		c.slots[relink] = s // what hangs from the last message kept comes behind the summary
	}
	return nil
}

// preserved returns the entry from which on a compaction keeps what was before it,
// "" for none, and the node of the last message it keeps.
func (c *conversion) preserved(i int, b *boundary) (firstKept string, last int) {
	if b.head == "" {
		return "", none
	}
	head, ok := c.index.with(b.head)
	tail, tok := c.index.with(b.tail)
	if !ok || !tok || c.ids[head] == "" || !c.index.above(head, i) || !c.index.above(head, tail) || !c.b.Known(c.ids[head]) {
		c.lose(i)(formats.KindContext, "messages that the compaction kept are not in front of it, and are out of sight")
		return "", none
	}
	if !c.index.above(tail, i) {
		tail = none
	}
	return c.ids[head], tail
}
