package page

import (
	"strings"

	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// levels are the classes of branches: from the last on, branches of branches stand where they do.
var levels = [...]constant{"off", "off l2", "off l3", "off l4"}

// nav writes the tree. Prompts have rows, and so have compactions, labels and the beginnings of branches; the entries between
// them are dots, unless the reader asks for all: then turns have rows too, and the entries between them are counted.
func (p *page) nav() {
	p.raw(`<input type="checkbox" id="theme" aria-label="Light and dark the other way round"><nav aria-label="Tree"><h2>Prompts</h2>`)
	p.raw(`<label><input type="checkbox" id="every"> all entries</label>`)
	var counted, dotted fold
	end := func() {
		p.folded(&counted)
		p.dots(&dotted)
	}
	for r := range p.tree.Rows(true) {
		on, label := p.on[r.Pos], p.tree.Label(r.Pos)
		e := p.s.Entries[r.Pos]
		level := 0
		if !on {
			level = min(max(len(r.Last)-1, 0), len(levels)-1) // how many branches it is away from the path
		}
		turn := on && p.turns(e)
		_, asked := typed.Prompt(e)
		switch {
		case label != "" || r.Opens && !on && e.Type() == session.TypeMessage || turn && (asked || e.Type() != session.TypeMessage):
			end()
			p.row(r.Pos, on, level, label, "")
			continue
		case dotted.entries > 0 && (dotted.on != on || dotted.level != level):
			end()
		case turn:
			p.folded(&counted)
		}
		dotted.take(r, on, level)
		if turn {
			p.row(r.Pos, on, level, label, " m")
		} else {
			counted.take(r, on, level)
		}
	}
	end()
	p.raw(`<p id="keys" hidden>/ search · j k next prompt · n next failed · o open all · t theme · ? this</p></nav>`)
}

// A fold is entries without rows of their own.
type fold struct {
	on             bool
	level          int
	first, entries int
	tokens         int64
}

func (f *fold) take(r tree.Row, on bool, level int) {
	if f.entries == 0 {
		*f = fold{on: on, level: level, first: r.Pos}
	}
	f.entries++
	f.tokens += r.Tokens
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

// row writes an entry of the tree. A prompt needs no word that says so.
func (p *page) row(i int, on bool, level int, label string, class constant) {
	e := p.s.Entries[i]
	p.begin(i, on, level, 1, false, class)
	if _, ok := typed.Prompt(e); !ok || !on {
		p.element(`<span class="r">`, convo.Kind(e), "</span> ")
	}
	text := js.Head(convo.Say(e), 300)
	if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); strings.HasPrefix(line, "|") { // a table: its heading
		text = strings.ReplaceAll(strings.Trim(line, "| "), "|", "·")
	}
	p.text(js.Head(plain.Replace(session.OneLine(text)), 60))
	if label != "" {
		p.element(` <span class="lab">@`, label, "</span>")
	}
	p.raw("</a>")
}

// plain takes out the marks of Markdown that are most often seen.
var plain = strings.NewReplacer("**", "", "`", "", "### ", "", "## ", "", "# ", "")

// mostDots is how many entries dots count.
const mostDots = 24

// dots writes a dot for each of the entries that are not seen.
func (p *page) dots(f *fold) {
	if f.entries > 0 && f.tokens > 0 {
		p.begin(f.first, f.on, f.level, 1, false, " dots")
		p.text(strings.Repeat("·", min(f.entries, mostDots)))
		p.raw("</a>")
	}
	*f = fold{}
}

// folded writes how many entries there are that have no rows.
func (p *page) folded(f *fold) {
	if f.entries > 0 {
		p.begin(f.first, f.on, f.level, f.entries, f.tokens == 0, " m")
		p.raw(`<span class="r">`)
		p.text(tty.Count(int64(f.entries), "entry", "entries"), ", ", grouped(f.tokens), " tokens")
		p.raw("</span></a>")
	}
	*f = fold{}
}

// begin begins a row, which is a link if its entry is on the page.
func (p *page) begin(i int, on bool, level, entries int, hidden bool, class constant) {
	p.raw(`<a class="`)
	if on {
		p.raw("on")
	} else {
		p.raw(levels[level])
	}
	p.raw(class, `"`)
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
