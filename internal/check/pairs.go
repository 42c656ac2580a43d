package check

import (
	"github.com/sess-tools/sess/pkg/session"
)

// pairs checks that every tool result follows its call on its own path, and
// that every call has a result somewhere.
func pairs(s *session.Session) []Finding {
	n := len(s.Entries)
	p := pairing{s: s, calls: make([][]string, n), answers: make([]bool, n), result: make([]string, n), answered: map[string]bool{}, open: map[string]int{}}
	some := false
	for i, e := range s.Entries {
		m, ok := e.Message()
		if !ok {
			continue
		}
		for _, c := range m.ToolCalls() {
			p.calls[i] = append(p.calls[i], c.ID)
			some = true
		}
		if m.Role() == session.RoleToolResult {
			p.answers[i], p.result[i] = true, m.Str("toolCallId")
			some = true
			p.answered[p.result[i]] = true
		}
	}
	if !some {
		return nil
	}
	p.walk()
	for i, e := range s.Entries {
		for _, id := range p.calls[i] {
			if !p.answered[id] {
				p.out = append(p.out, found(e, NoResult, "tool call %q has no result", id))
			}
		}
	}
	return p.out
}

// A pairing walks the tree from the roots down and knows the calls between the
// root and where it is. It visits each entry once, whatever calls and results
// claim.
type pairing struct {
	s        *session.Session
	calls    [][]string // ids of the calls each entry makes
	answers  []bool     // whether it is a result
	result   []string   // id of the call it answers then
	answered map[string]bool
	open     map[string]int // calls on the way from the root
	out      []Finding
}

// walk visits the tree without recursion. Entries on or below a cycle hang from
// no root; they have findings enough.
func (p *pairing) walk() {
	n := len(p.s.Entries)
	child, sibling := make([]int, n), make([]int, n) // first child, next sibling; 0 is none, as i+1
	var stack []int                                  // i+1 to enter entry i, -(i+1) to leave it
	for i := n - 1; i >= 0; i-- {
		if parent, ok := p.s.Parent(i); ok {
			sibling[i], child[parent] = child[parent], i+1
		} else {
			stack = append(stack, i+1)
		}
	}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if next < 0 {
			p.leave(-next - 1)
			continue
		}
		p.enter(next - 1)
		stack = append(stack, -next)
		for c := child[next-1]; c != 0; c = sibling[c-1] {
			stack = append(stack, c)
		}
	}
}

func (p *pairing) enter(i int) {
	if p.answers[i] && p.open[p.result[i]] == 0 {
		p.out = append(p.out, found(p.s.Entries[i], OrphanResult, "tool result without a call %q before it on its path", p.result[i]))
	}
	for _, id := range p.calls[i] {
		p.open[id]++
	}
}

func (p *pairing) leave(i int) {
	for _, id := range p.calls[i] {
		p.open[id]--
	}
}
