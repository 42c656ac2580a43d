package claude

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A node is where a line stands and how it hangs together with the others.
type node struct {
	offset, size int64
	number       int // of the line, from 1
	uuid         string
	parent       int // index of its parent, or none
	group        int // of the reply it is of or brings results to, none
	message      bool
	sidechain    bool
	reply        bool // a line of a reply, rather than a result
	twice        bool // a line before it has its uuid
	stitched     bool // its parent is not in the file
	goes         bool // a conversation can go on from it
	ends         bool // a reply is over with it: it is the end of one, or begins something else
	ran          bool // the user ran a command in it
	output       int  // the node below it with the output of the command that the user ran in it, none
}

// none is no node and no group.
const none = -1

// A group is the lines of one reply of the API.
type group struct {
	id    string // of the reply: the API's, and what tells two with one id apart
	lines []int
	over  bool // no later line is of it
	again bool // a group behind it is of the same reply, and has its usage
	rest  int  // a group in front of it that was over is of the same reply, and has its usage as far as it goes; none
}

// An index is a file's lines and the tree they form.
type index struct {
	nodes  []node
	byUUID map[string]int
	groups []group
	agent  bool          // every line is of a sub-agent; of a source that grows, the first
	grows  bool          // what a later line says changes nothing in front of it
	queued map[int][]int // prompts of the queue that have no other line, by the nodes of replies

	again, firstAgain int // lines whose uuid another one has, and the number of the first
}

// indexed reads a file for its index, and tells b of the lines that are none.
func indexed(ctx context.Context, src *formats.Source, f *formats.File, b *formats.Builder) (*index, error) {
	x := &index{byUUID: map[string]int{}, grows: b.Growth != formats.Whole}
	var parents []string // of the nodes
	var replies []string // ids of the replies that nodes are of
	var results []bool
	said, main, lines, q := false, false, map[[sha256.Size]byte]bool{}, queue{}
	begun, outputs := map[string]bool{}, []int{} // commands that the user ran, and nodes with the output of some
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return nil, err
		}
		for v := range b.Objects(src, l) {
			p := members(v.Text)
			n := node{
				offset: v.Offset, size: v.Size, number: v.Number, uuid: strings.Clone(p.str("uuid")), parent: none, group: none, output: none,
				message: p.isMessage(), sidechain: p.is("isSidechain"), reply: p.isMessage() && p.str("type") == "assistant",
			}
			n.goes = n.uuid != "" && goesOn[p.str("type")]
			parent, reply := strings.Clone(p.str("parentUuid")), ""
			if parent == "" && p.str("logicalParentUuid") != "" {
				parent = "logical " + p.str("logicalParentUuid")
			}
			if n.reply {
				reply = replyID(p)
			}
			if main = main || n.message && !n.sidechain; n.message && !said {
				said, x.agent = true, n.sidechain && (idOf(src.Path) == "" || isAgent(idOf(src.Path)))
			}
			n.ends = p.str("type") == "system" || n.message && !n.reply && !p.hasResults() || n.reply && isFinal(p.get("message"))
			if n.message && !n.reply && strings.Contains(v.Text, "<bash-") {
				if r := p.ran(); r.begins && !r.continues {
					begun[n.uuid], n.ran = true, true
				} else if r.continues && begun[parent] {
					outputs = append(outputs, len(x.nodes))
				}
			}
			if !n.sidechain {
				q.line(p, len(x.nodes), n.reply, reply)
			}
			if n.uuid != "" {
				same := sha256.Sum256([]byte(v.Text))
				if n.twice = lines[same]; !n.twice {
					lines[same] = true
					if _, again := x.byUUID[n.uuid]; !again {
						x.byUUID[n.uuid] = len(x.nodes)
					} else if x.again++; x.again == 1 {
						x.firstAgain = n.number
					}
				}
			}
			x.nodes = append(x.nodes, n)
			parents, replies, results = append(parents, parent), append(replies, reply), append(results, p.hasResults())
		}
	}
	if x.agent = x.agent || !said; !x.grows {
		x.agent = !main
	}
	x.link(parents, replies, results)
	x.queued = q.of
	for _, i := range outputs {
		if at := x.nodes[i].parent; at >= 0 && at < i && x.near(at, i) && x.nodes[at].output == none {
			x.nodes[at].output = i
		}
	}
	return x, nil
}

// isFinal reports whether a line of a reply says that the reply ends with it: its stop reason is final, and its last block a text.
func isFinal(m js.Value) bool {
	last := ""
	for b := range m.Get("content").Elements() {
		last = b.Get("type").Str()
	}
	switch m.Get("stop_reason").Str() {
	case "", "tool_use", "pause_turn":
		return false
	}
	return last == session.BlockText
}

// replyID returns what the lines of one reply have in common, "" for a line that does not say. Gateways hand on ids that are
// short numbers, and the API gave one id to several replies: so the request, or what was counted before the first
// word, belongs to it. All lines of a reply have the same of both.
func replyID(l line) string {
	m := l.get("message")
	id := m.Get("id").Str()
	if id == "" {
		return ""
	}
	if request := l.str("requestId"); request != "" {
		return id + "\x00" + request
	}
	usage := m.Get("usage")
	return strings.Join([]string{id, string(usage.Get("input_tokens")), string(usage.Get("cache_read_input_tokens")), string(usage.Get("cache_creation_input_tokens"))}, "\x00")
}

// goesOn are the types of the lines that Claude Code resumes from.
var goesOn = map[string]bool{"user": true, "assistant": true, "attachment": true, "system": true}

// maxBehind is how many lines behind its child a parent may stand, and behind a command of the user's its output: of 10,446
// lines of sessions, 4 have a parent behind them.
const maxBehind = 8

// link finds the parents of the nodes, and which of them are of one reply: lines
// with its id that hang from one another, or from results of its calls. Other lines may
// stand between lines of a reply, which are two groups then; the usage of all is that of the last. In a source that grows, lines
// that come when the reply was over are a group that has the rest of its usage.
//
// A line whose parent is not in the file hangs from the line before it, as when
// Claude Code resumes.
func (x *index) link(parents, replies []string, results []bool) {
	before, open, counted := none, none, map[string]int{} // the groups from open on may not be over; the last group of each reply
	over := func(but string) {
		kept := true
		for g := max(open, 0); g < len(x.groups) && x.grows; g++ {
			x.groups[g].over = x.groups[g].over || but == "" || x.groups[g].id != but
			if kept = kept && x.groups[g].over; kept {
				open = g + 1
			}
		}
	}
	nearest := map[string]int{} // the last line before of each uuid
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.uuid == "" || n.twice {
			continue
		}
		parent, logical := strings.CutPrefix(parents[i], "logical ")
		at, ok := nearest[parent]
		if !ok {
			at, ok = x.byUUID[parent]
			ok = ok && x.near(i, at)
		}
		nearest[n.uuid] = i
		if ok && at != i {
			n.parent = at
		} else if n.stitched = parent != ""; n.stitched && !logical {
			n.parent = before
		}
		if !n.sidechain || x.agent {
			before = i
		}
		above := none
		if n.parent >= 0 && n.parent < i {
			above = x.nodes[n.parent].group
		}
		switch {
		case n.reply && above != none && replies[i] != "" && x.groups[above].id == replies[i] && !x.groups[above].over:
			n.group = above
			x.groups[above].lines = append(x.groups[above].lines, i)
		case n.reply:
			over(replies[i])
			g := group{id: replies[i], lines: []int{i}, rest: none}
			if last, ok := counted[g.id]; ok && g.id != "" {
				if x.groups[last].again = !x.groups[last].over; x.groups[last].over {
					g.rest = last
				}
			}
			n.group, counted[g.id] = len(x.groups), len(x.groups)
			x.groups = append(x.groups, g)
		case results[i]:
			n.group = above
		}
		if n.ends {
			over("")
		}
	}
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
	for _, g := range x.groups {
		if !g.over {
			end = min(end, g.lines[0])
		}
	}
	for before := none; before != end; { // nodes that are added with another one are to be settled as well
		before = end
		for i, n := range x.nodes[:end] {
			if n.parent >= end || n.output >= end {
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
		i = x.nodes[i].parent
	}
	return false
}

// text reads the line of a node again, as [formats.Builder.Values] gave it.
func (n *node) text(f *formats.File) (string, error) {
	data := make([]byte, n.size)
	if _, err := f.ReadAt(data, n.offset); err != nil {
		return "", err
	}
	return formats.OneLine(string(data)), nil
}

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
