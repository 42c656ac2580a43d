package claude

import (
	"cmp"
	"context"
	"hash/maphash"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/intern"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/typed"
)

// A node is where a line stands and how it hangs together with the others.
type node struct {
	offset, size int64
	hash         uint64 // of the text
	number       int    // of the line, from 1
	uuid         int32  // the number of its name, none
	parent       int32  // index of its parent, or none
	group        int32  // of the reply it is of or brings results to, none
	said         int32  // of which reply it says that it is, among those of the indexer; none
	output       int32  // the node below it with the output of the command that the user ran in it, none
	message      bool
	sidechain    bool
	reply        bool // a line of a reply, rather than a result
	answers      bool // it has results of tools
	twice        bool // a line before it has its uuid
	logical      bool // its parent is so in the conversation alone
	unnamed      bool // of the conversation, without a uuid: it stands behind the line before it
	stitched     bool // its parent is not in the file
	goes         bool // a conversation can go on from it
	ends         bool // a reply is over with it: it is the end of one, or begins something else
	passes       bool // a hook's, or of a tool at work: it may stand between the lines of a reply
	ran          bool // the user ran a command in it
	idle         bool // a reader that adds up wants nothing of it
	role         role // by which a command that asks the model is known
	asks         bool // a command that the program ran by itself, and by which it asked the model
}

// A role is what a line is for the commands that the program runs by itself.
type role uint8

const (
	noRole  role = iota
	runs         // such a command: its name comes first
	prompts      // what the program says to the model, in the user's name
	speaks       // anything else that is said to the model, or by it
)

// none is no node and no group.
const none = -1

// A group is the lines of one reply of the API.
type group struct {
	id    string // of the reply: the API's, and what tells two with one id apart
	lines []int
	over  bool // no later line is of it
	again bool // another group is of the same reply, and has its last line and so its usage
	rest  int  // a group in front of it that was over is of the same reply, and has its usage as far as it goes; none
}

// An index is a file's lines and the tree they form.
type index struct {
	nodes  []node
	held   []string     // the texts of the first nodes, "" for one that is not in memory
	names  intern.Table // the uuids of lines and of their parents
	first  []int32      // the first nodes that have them, none for one that no line has yet
	groups []group
	agent  bool          // every line is of a sub-agent; of a source that grows, the first
	grows  bool          // what a later line says changes nothing in front of it
	queued map[int][]int // prompts of the queue that have no other line, by the nodes of replies

	unnamed           []int // numbers of lines of the conversation that have no uuid
	again, firstAgain int   // lines whose uuid another one has, and the number of the first
}

// An indexer makes the index of a file, line by line.
type indexer struct {
	*index
	outline *outline

	parents    []int32         // of the nodes: the numbers of their names, none, or noParent
	replies    []said          // of which replies lines of them are
	lines      map[uint64]bool // hashes of the lines without a uuid, and of those whose uuid a line before has
	said, main bool            // a message has come, one that is not of a sub-agent
	aside      bool            // the source may be all of a sub-agent
	begun      map[int32]bool  // lines with commands that the user ran
	outputs    []int           // nodes with the output of some
	queue      queue
	links      linking
	room       int  // bytes of lines that may still be held
	usageOnly  bool // what says nothing of a usage is idle
}

// indexed reads a file for its index, and tells b of the lines that are none.
func indexed(ctx context.Context, src *formats.Source, f *formats.File, b *formats.Builder) (*index, error) {
	x := &indexer{
		index: &index{grows: b.Growth != formats.Whole}, outline: newOutline(),
		lines: map[uint64]bool{}, begun: map[int32]bool{}, room: mostHeld, usageOnly: b.UsageOnly,
		links: linking{before: none, command: none, counted: map[string]int{}, is: map[string]string{}, nearest: map[int32]int{}},
		aside: idOf(src.Path) == "" || isAgent(idOf(src.Path)),
	}
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return nil, err
		}
		for v := range b.Objects(src, l) {
			if b.Cut(v.Offset + v.Size) {
				x.cut()
			}
			x.line(v)
		}
	}
	if x.again > 0 { // the id of an entry may be made for it, where another one has its own
		for i := range x.nodes {
			x.nodes[i].idle = false
		}
	}
	if x.agent = x.agent || !x.said; !x.grows {
		x.agent = !x.main
	}
	x.link()
	x.queued = x.queue.of
	for i := range x.groups {
		x.groups[i].id = "" // it has served
	}
	return x.index, nil
}

// cut decides what the nodes so far are without those that come: they have been read as a whole before.
func (x *indexer) cut() {
	x.agent = x.agent || !x.said
	x.link()
	x.over("")
}

// line adds the node of a line.
func (x *indexer) line(v formats.Value) {
	o := x.outline
	o.pick.WalkText(v.Text)
	typ := o.typ.Str()
	n := node{
		offset: v.Offset, size: v.Size, number: v.Number, hash: maphash.String(hashSeed, v.Text), uuid: x.named(o.uuid.Str()), parent: none, group: none, said: none, output: none,
		message: isMessage(o.typ, o.message), sidechain: o.sidechain == "true",
	}
	n.unnamed = n.uuid == none && (n.message || o.attachment.Get("type").Str() == "queued_command")
	n.reply, n.goes = n.message && typ == "assistant", n.uuid != none && goesOn[typ]
	n.answers = typ == "user" && results(o.content) > 0
	parent, reply := x.named(o.parent.Str()), said{}
	if parent == none {
		parent = x.named(o.logical.Str())
		n.logical = parent != none
	}
	if o.parent == "" && parent == none && n.uuid != none && n.message && !n.sidechain && x.said { // a root says null
		parent = noParent
	}
	if n.reply {
		reply = o.said()
		n.said, x.replies = int32(len(x.replies)), append(x.replies, reply)
	}
	if x.main = x.main || n.message && !n.sidechain; n.message && !x.said {
		x.said, x.agent = true, n.sidechain && x.aside
	}
	n.passes = typ == "progress" || typ == "attachment" && strings.HasPrefix(o.attachment.Get("type").Str(), "hook_")
	n.ends = typ == "system" || n.message && !n.reply && !n.answers || n.reply && x.grows && o.isFinal()
	n.idle = x.usageOnly && !n.reply && typ != "cost-state" && (!n.message || o.content.IsString() || o.content.IsArray()) &&
		!strings.Contains(v.Text, typed.MovedHere) // a reader of calls wants to know which were handed over
	if n.message && !n.idle {
		n.role = x.roleOf(&n, v.Text)
	}
	if n.message && !n.reply && !n.idle && strings.Contains(v.Text, "<bash-") {
		l := members(v.Text)
		if r := l.ran(l.text()); r.begins && !r.continues {
			x.begun[n.uuid], n.ran = true, true
		} else if r.continues && x.begun[parent] && !n.logical {
			x.outputs = append(x.outputs, len(x.nodes))
		}
	}
	switch {
	case n.sidechain || n.idle:
	case n.reply:
		x.queue.replied(o.timestamp.Str(), len(x.nodes), reply.key)
	case typ == "queue-operation" || len(x.queue.prompts) > 0:
		x.queue.line(members(v.Text), len(x.nodes))
	}
	if x.room -= len(v.Text); x.room >= 0 {
		x.held = append(x.held, "")
		if !n.idle {
			x.held[len(x.nodes)] = v.Text
		}
	}
	first := int32(none)
	if n.uuid != none {
		first = x.first[n.uuid]
	}
	switch {
	case n.uuid != none && first == none:
		x.first[n.uuid] = int32(len(x.nodes))
	case n.uuid == none && !n.unnamed:
	case first != none && x.nodes[first].hash == n.hash, x.lines[n.hash]:
		n.twice = true
	default:
		x.lines[n.hash] = true
		if n.unnamed {
			x.unnamed = append(x.unnamed, n.number)
		} else if x.again++; x.again == 1 {
			x.firstAgain = n.number
		}
	}
	x.nodes, x.parents = append(x.nodes, n), append(x.parents, parent)
}

// named returns the number of a uuid, none for an empty one.
func (x *indexer) named(uuid string) int32 {
	if uuid == "" {
		return none
	}
	number := x.names.Add(uuid)
	if number == len(x.first) {
		x.first = append(x.first, none)
	}
	return int32(number)
}

// uuid returns the uuid of a node, "" for none.
func (x *index) uuid(i int) string {
	if number := x.nodes[i].uuid; number != none {
		return x.names.Text(int(number))
	}
	return ""
}

// with returns the first node with a uuid, if there is one.
func (x *index) with(uuid string) (i int, ok bool) {
	number, ok := x.names.Number(uuid)
	if !ok || x.first[number] == none {
		return none, false
	}
	return int(x.first[number]), true
}

// noParent stands for the parent of a message that names none, and is no root.
const noParent = none - 1

// goesOn are the types of the lines that Claude Code resumes from.
var goesOn = map[string]bool{"user": true, "assistant": true, "attachment": true, "system": true}

// maxBehind is how many lines behind its child a parent may stand, and behind a command of the user's its output: of 10,446
// lines of sessions, 4 have a parent behind them.
const maxBehind = 8

// A linking is how far the nodes are linked.
type linking struct {
	nodes, before, open int               // all in front of the first are; the last one of the conversation; the groups from the third on may not be over
	counted             map[string]int    // the group of each reply with its last line
	is                  map[string]string // ids of replies by the keys of lines whose counters a gateway has corrected
	nearest             map[int32]int     // the last line before of each uuid that several have
	command             int               // the last one by which the program may have asked the model, until a message follows
}

// over ends the groups that are open, but that of a reply.
func (x *indexer) over(but string) {
	kept := true
	for g := x.links.open; g < len(x.groups) && x.grows; g++ {
		x.groups[g].over = x.groups[g].over || but == "" || x.groups[g].id != but
		if kept = kept && x.groups[g].over; kept {
			x.links.open = g + 1
		}
	}
}

// link finds the parents of the nodes that have none yet, and which of them are of one reply: lines
// with its id that hang from one another, or from results of its calls. Other lines may
// stand between lines of a reply, which are two groups then; the usage of all is that of the last line. In a source that grows, lines
// that come when the reply was over are a group that has the rest of its usage.
//
// A line whose parent is not in the file hangs from the line before it, as when
// Claude Code resumes.
func (x *indexer) link() {
	k, first := &x.links, x.links.nodes
	for i := first; i < len(x.nodes); i++ {
		n := &x.nodes[i]
		if n.unnamed && n.sidechain && !x.agent {
			n.unnamed = false // which line of the sub-agent's is before it is not known
		}
		if n.uuid == none && !n.unnamed || n.twice {
			continue
		}
		parent := x.parents[i]
		at, ok := k.nearest[parent]
		if !ok && parent >= 0 {
			at = int(x.first[parent])
			ok = at != none && (at < i || x.near(i, at))
		}
		if !n.unnamed && int(x.first[n.uuid]) != i {
			k.nearest[n.uuid] = i
		}
		if n.unnamed {
			n.parent = int32(k.before)
		} else if ok && at != i {
			n.parent = int32(at)
		} else if n.stitched = parent != none; n.stitched && !n.logical {
			n.parent = int32(k.before)
		}
		if !n.sidechain || x.agent {
			k.before = i
		}
		above, id := none, ""
		if n.parent >= 0 && int(n.parent) < i {
			above = int(x.nodes[n.parent].group)
		}
		if n.reply {
			reply := x.replies[n.said]
			id = cmp.Or(k.is[reply.key], reply.key)
			near, direct := x.replyAbove(i)
			if near != none && reply.same(x.replies[x.nodes[near].said], direct) {
				id = x.groups[x.nodes[near].group].id
				k.is[reply.key] = id
			}
			if direct {
				above = int(x.nodes[near].group)
			}
		}
		switch {
		case n.reply && above != none && id != "" && x.groups[above].id == id && !x.groups[above].over:
			n.group = int32(above)
			x.groups[above].lines = append(x.groups[above].lines, i)
		case n.reply:
			x.over(id)
			n.group = int32(len(x.groups))
			x.groups = append(x.groups, group{id: id, lines: []int{i}, rest: none})
		case n.answers:
			n.group = int32(above)
		}
		if last, ok := k.counted[id]; ok && last != int(n.group) && x.groups[last].over {
			x.groups[n.group].rest = last
		} else if ok && last != int(n.group) {
			x.groups[last].again, x.groups[n.group].again, x.groups[n.group].rest = true, false, x.groups[last].rest
		}
		if id != "" {
			k.counted[id] = int(n.group)
		}
		if n.ends {
			x.over("")
		}
	}
	k.nodes = len(x.nodes)
	x.asked(first)
	for _, i := range x.outputs {
		if at := int(x.nodes[i].parent); at >= first && at < i && x.near(at, i) && x.nodes[at].output == none {
			x.nodes[at].output = int32(i)
		}
	}
	x.outputs = nil
}

// replyAbove returns the line of a reply that a line hangs from, none if there is none: directly, or by the lines of hooks, or else the last
// line of the reply whose result it hangs from.
func (x *index) replyAbove(i int) (line int, direct bool) {
	for steps := 0; steps < maxPassed; steps++ {
		at := int(x.nodes[i].parent)
		if at < 0 || at >= i {
			return none, false
		}
		switch n := &x.nodes[at]; {
		case n.reply && n.group != none:
			return at, true
		case n.group != none:
			lines := x.groups[n.group].lines
			return lines[len(lines)-1], false
		case !n.passes:
			return none, false
		}
		i = at
	}
	return none, false
}

// maxPassed is how many lines of hooks may stand between two lines of a reply: a tool at work may tell of itself for hours.
const maxPassed = 1000

// roleOf returns the role of a line of a message.
func (x *indexer) roleOf(n *node, text string) role {
	const name, output = "<command-name>", "<local-command-"
	switch {
	case n.sidechain:
		return noRole
	case n.reply || n.answers:
		return speaks
	case !strings.Contains(text, name) && !strings.Contains(text, output) && !strings.Contains(text, `"isMeta"`):
		return speaks
	}
	l := members(text)
	switch said := strings.TrimSpace(l.text()); {
	case strings.HasPrefix(said, output):
		return noRole
	case l.is("isMeta") && (typed.IsHarnessText(said) || said == goOn):
		return noRole
	case l.is("isMeta"):
		return prompts
	case strings.HasPrefix(said, name):
		return runs
	}
	return speaks
}

// goOn is what Claude Code says to the model when it resumes a session whose last turn was not over.
const goOn = "Continue from where you left off."

// asked finds the commands by which the program asked the model: the first reply behind one hangs from a prompt of the program's, and
// that from the command. A command in front of a cut is told with that reply.
func (x *indexer) asked(first int) {
	for i := first; i < len(x.nodes); i++ {
		switch n := &x.nodes[i]; {
		case n.twice:
		case n.role == runs:
			x.links.command = i
		case n.role == speaks:
			switch command := x.links.command; {
			case !n.reply || command == none || !x.prompted(command, i):
			case command >= first:
				x.nodes[command].asks = true
			default:
				x.queue.has(i, command)
			}
			x.links.command = none
		}
	}
}

// prompted reports whether a prompt of the program's stands between a command and a reply that hangs from it.
func (x *index) prompted(command, reply int) (ok bool) {
	at := int(x.nodes[reply].parent)
	for steps := 0; at > command && steps < maxPassed; steps++ {
		ok = ok || x.nodes[at].role == prompts
		at = int(x.nodes[at].parent)
	}
	return ok && at == command
}

// near reports whether line i is looked for from line at on: everywhere, or not far below in a source that grows.
func (x *index) near(at, i int) bool { return !x.grows || i-at <= maxBehind }

// settled returns how many nodes there are, from the first on, that no later line can change.
func (x *index) settled() int {
	end := len(x.nodes)
	for i := max(0, end-maxBehind); i < end; i++ {
		if n := &x.nodes[i]; n.stitched || n.ran && n.output == none {
			end = i
		}
	}
	for i := end - 1; i >= 0 && x.nodes[i].role != speaks; i-- {
		if x.nodes[i].role == runs {
			end = i
		}
	}
	for _, g := range x.groups {
		if !g.over {
			end = min(end, g.lines[0])
		}
	}
	for before := none; before != end; { // nodes that are added with another one are to be settled as well
		before = end
		for i, n := range x.nodes[:end] {
			if int(n.parent) >= end || int(n.output) >= end {
				end = i
				break
			}
		}
		for _, g := range x.groups {
			if g.lines[0] < end && g.lines[len(g.lines)-1] >= end {
				end = g.lines[0]
			}
		}
	}
	return end
}

// leaf returns the node that the conversation goes on from: its last line outside of sidechains; none if
// there is no such line.
func (x *index) leaf() int {
	for i := len(x.nodes) - 1; i >= 0; i-- {
		if n := &x.nodes[i]; n.goes && !n.twice && (!n.sidechain || x.agent) {
			return i
		}
	}
	return none
}

// above reports whether node a is i or an ancestor of it; the lines of a reply and
// the results of its calls are all above one another.
func (x *index) above(a, i int) bool {
	for steps := 0; i >= 0 && steps <= len(x.nodes); steps++ {
		if i == a || x.nodes[i].group != none && x.nodes[i].group == x.nodes[a].group {
			return true
		}
		i = int(x.nodes[i].parent)
	}
	return false
}

// mostHeld is how many bytes of a session's lines are held in memory. Those behind are read again.
const mostHeld = 4 << 20

// text returns the line of node i as [formats.Builder.Values] gave it. ok is false if another one is there now.
func (x *index) text(f *formats.File, i int) (text string, ok bool, err error) {
	n := &x.nodes[i]
	if i < len(x.held) && x.held[i] != "" {
		text, x.held[i] = x.held[i], ""
		return text, true, nil
	}
	data := make([]byte, n.size)
	if _, err := f.ReadAt(data, n.offset); err != nil {
		return "", false, err
	}
	text = formats.OneLine(string(data))
	return text, maphash.String(hashSeed, text) == n.hash, nil
}

// hashSeed is that of the hashes of lines, which are compared within a process.
var hashSeed = maphash.MakeSeed()

// An ancestry finds ancestors of entries in logarithmic time. A parent of -1 is none.
// Besides its parent each entry knows one ancestor further up, chosen so that any
// depth is reached in few steps.
type ancestry struct{ parent, jump, depth []int }

// newAncestry makes the ancestry of entries with these parents. A cycle is cut where it
// closes. Each entry is visited once.
func newAncestry(parent []int) *ancestry {
	a := &ancestry{parent: parent, jump: make([]int, len(parent)), depth: make([]int, len(parent))}
	var chain []int
	for i := range parent {
		chain = chain[:0]
		for j := i; j >= 0 && a.depth[j] == 0; j = parent[j] {
			a.depth[j] = -1 // on the chain
			chain = append(chain, j)
		}
		for k := len(chain) - 1; k >= 0; k-- {
			a.add(chain[k])
		}
	}
	return a
}

// add adds an entry whose parent was added, or is none.
func (a *ancestry) add(i int) {
	p := a.parent[i]
	if p < 0 || a.depth[p] < 0 {
		a.parent[i], a.jump[i], a.depth[i] = -1, i, 1
		return
	}
	a.depth[i], a.jump[i] = a.depth[p]+1, p
	if j := a.jump[p]; a.depth[p]-a.depth[j] == a.depth[j]-a.depth[a.jump[j]] {
		a.jump[i] = a.jump[j]
	}
}

// at returns the ancestor of i, or i itself, that has a depth of at most i's.
func (a *ancestry) at(i, depth int) int {
	for a.depth[i] > depth {
		if a.depth[a.jump[i]] >= depth {
			i = a.jump[i]
		} else {
			i = a.parent[i]
		}
	}
	return i
}

// above reports whether i is j or an ancestor of it.
func (a *ancestry) above(i, j int) bool { return a.depth[i] <= a.depth[j] && a.at(j, a.depth[i]) == i }
