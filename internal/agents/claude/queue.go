package claude

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/typed"
)

// A prompt that is typed while Claude Code is at work waits in a queue, and its operations are lines without a uuid. When a prompt leaves
// the queue it may get a line, alone or with those behind it, or an attachment. In many releases it gets
// neither: then the first reply behind that has it. Notices of tasks in the background wait in the same queue; prompts
// leave it first.

// A queuedPrompt is a prompt that has no line but that of the queue.
type queuedPrompt struct {
	node  int // of the line that put it into the queue
	text  string
	taken string // when it left the queue, "" if it is there
}

func (p queuedPrompt) waits() bool { return p.taken == "" }

// A queue finds the prompts that have no other line, by the replies that have them.
type queue struct {
	prompts []queuedPrompt
	reply   string        // the last one
	of      map[int][]int // nodes of prompts by those of the first lines of replies
}

// replied takes a line of a reply into account: the first takes out the prompts that the reply has. A fork begins with the queue, and
// copies of older replies follow.
func (q *queue) replied(at string, node int, reply string) {
	same := reply == q.reply && reply != ""
	if q.reply = reply; same {
		return
	}
	q.prompts = slices.DeleteFunc(q.prompts, func(p queuedPrompt) bool {
		if p.taken == "" || at < p.taken {
			return false
		}
		q.has(node, p.node)
		return true
	})
}

// has notes that a reply has a prompt.
func (q *queue) has(reply, prompt int) {
	if q.of == nil {
		q.of = map[int][]int{}
	}
	q.of[reply] = append(q.of[reply], prompt)
}

// line takes any other line into account, which says something only of prompts that are there, or of the queue.
func (q *queue) line(l line, node int) {
	switch {
	case l.str("type") != "queue-operation":
		q.said(l)
	case l.str("operation") == "enqueue":
		if text := textOf(l.get("content")); strings.TrimSpace(text) != "" && !typed.IsAgentText(text) {
			q.prompts = append(q.prompts, queuedPrompt{node: node, text: strings.Clone(strings.TrimSpace(text))})
		}
	case l.str("operation") == "popAll": // the user took back what waits, to say something else
		q.prompts = slices.DeleteFunc(q.prompts, queuedPrompt.waits)
	default: // it left the queue
		if at := slices.IndexFunc(q.prompts, queuedPrompt.waits); at >= 0 {
			q.prompts[at].taken = strings.Clone(l.str("timestamp"))
		}
	}
}

// said takes out the prompts that a line says: one, or several that left the queue together.
func (q *queue) said(l line) {
	if l.str("type") == "user" && results(l.message.Get("content")) > 0 || l.is("isMeta") || l.is("isCompactSummary") {
		return
	}
	typed := strings.TrimSpace(l.typed())
	if at := slices.IndexFunc(q.prompts, func(p queuedPrompt) bool { return p.text == typed || p.text == "!"+typed }); at >= 0 {
		q.prompts = slices.Delete(q.prompts, at, at+1)
		return
	}
	q.prompts = slices.DeleteFunc(q.prompts, func(p queuedPrompt) bool { return strings.Contains("\n"+typed+"\n", "\n"+p.text+"\n") })
}

// waited adds the prompts that the reply of some nodes has, in front of it: those of the queue, and a command that asked for it. Their
// lines are kept in their own places.
func (c *conversion) waited(reply []int, place *formats.Place) (of []string, err error) {
	var nodes []int
	for _, i := range reply {
		nodes = append(nodes, c.index.queued[i]...)
	}
	for _, node := range nodes {
		l, _, err := c.line(node)
		if err != nil {
			return nil, err
		}
		content := blocks(l.get("content"), c.lose(node))
		if command, ok := l.command(l.text(), true); ok {
			content = []string{api.Text(command)}
		}
		id, err := c.b.Message(formats.Place{
			Key: "queued " + api.Int(int64(c.index.nodes[node].number)), Parent: place.Parent, Root: place.Root, Time: l.time(),
		}, api.User(content))
		if err != nil {
			return nil, err
		}
		of = append(of, id)
		place.Parent, place.Root = id, false
	}
	return of, nil
}
