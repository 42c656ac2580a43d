package page

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// levels are the classes of branches: from the last on, branches of branches stand where they do.
var levels = [...]constant{"off", "off l2", "off l3", "off l4"}

// nav writes the tree. Turns have rows, and the entries between them are counted.
func (p *page) nav() {
	p.raw(`<input type="checkbox" id="theme" aria-label="Light and dark the other way round"><nav aria-label="Tree"><h2>Tree</h2>`)
	run := fold{}
	for r := range p.tree.Rows(true) {
		on, label := p.on[r.Pos], p.tree.Label(r.Pos)
		e := p.s.Entries[r.Pos]
		level := 0
		if !on {
			level = p.level(r)
		}
		opens := r.Opens && !on && e.Type() == session.TypeMessage
		if label == "" && !opens && !(on && p.turns(e)) {
			if run.entries > 0 && (run.on != on || run.level != level) {
				p.folded(&run)
			}
			if run.entries == 0 {
				run = fold{on: on, level: level, first: r.Pos}
			}
			run.entries++
			run.tokens += r.Tokens
			continue
		}
		p.folded(&run)
		p.row(r.Pos, on, level, label)
	}
	p.folded(&run)
	p.raw("</nav>")
}

// A fold is entries without rows of their own.
type fold struct {
	on             bool
	level          int
	first, entries int
	tokens         int64
}

// level is how many branches an entry is away from the path.
func (p *page) level(r tree.Row) (n int) {
	n = len(r.Last) - 1
	return min(max(n, 0), len(levels)-1)
}

// turns reports whether an entry is one of those that a conversation is made of.
func (p *page) turns(e session.Entry) bool {
	switch e.Type() {
	case session.TypeCompaction, session.TypeBranchSummary:
		return true
	case session.TypeMessage:
		return e.Role() == session.RoleUser || e.Role() == session.RoleAssistant && !onlyCalls(e)
	}
	return false
}

// onlyCalls reports whether a reply has calls and says nothing.
func onlyCalls(e session.Entry) bool {
	m, ok := e.Message()
	if !ok {
		return false
	}
	for b := range m.Blocks() {
		if b.Type == session.BlockText && b.Str("text") != "" {
			return false
		}
	}
	return true
}

// row writes an entry of the tree.
func (p *page) row(i int, on bool, level int, label string) {
	e := p.s.Entries[i]
	p.begin(i, on, level, 1, false)
	p.raw(`<span class="r">`)
	p.text(convo.Kind(e))
	p.raw("</span> ")
	p.text(js.Head(plain.Replace(session.OneLine(js.Head(convo.Say(e), 300))), 60))
	if label != "" {
		p.raw(` <span class="lab">@`)
		p.text(label)
		p.raw("</span>")
	}
	p.raw("</a>")
}

// plain takes out the marks of Markdown that are most often seen.
var plain = strings.NewReplacer("**", "", "`", "", "### ", "", "## ", "", "# ", "")

// folded writes how many entries there are that have no rows.
func (p *page) folded(f *fold) {
	if f.entries > 0 {
		p.begin(f.first, f.on, f.level, f.entries, f.tokens == 0)
		p.raw(`<span class="r">`)
		p.text(tty.Count(int64(f.entries), "entry", "entries"), ", ", grouped(f.tokens), " tokens")
		p.raw("</span></a>")
	}
	*f = fold{}
}

// begin begins a row, which is a link if its entry is on the page.
func (p *page) begin(i int, on bool, level, entries int, hidden bool) {
	p.raw(`<a class="`)
	if on {
		p.raw("on")
	} else {
		p.raw(levels[level])
	}
	p.raw(`"`)
	if entries > 1 {
		p.raw(` data-n="`)
		p.number(int64(entries))
		p.raw(`"`)
	}
	if hidden { // it says nothing, and counts
		p.raw(" hidden")
	}
	if on || p.o.All {
		p.attr("href", "#"+p.anchor(i))
	}
	p.raw(">")
}

// anchor is the name of an entry on the page.
func (p *page) anchor(i int) string {
	e := p.s.Entries[i]
	if e.Type() == session.TypeCompaction {
		return anchor("c-", e.ID())
	}
	return anchor("e-", e.ID())
}
