package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
)

// A printer prints what was found, in the order of the sources.
type printer struct {
	*search
	out     io.Writer
	end0    string // of a row
	name    bool   // rows have the name of their session
	width   int    // in characters; 0 is no limit
	colored bool
	dirs    bool      // rows have the directory of their session
	rows    *screened // rows below headings; nil for none
	found   bool      // something was
	shown   int       // entries, or sessions where these are named

	seen   map[uint64]int // copies of each entry so far, the first one left out
	copies int            // entries that were left out
	groups int
	said   map[uint64]shown // what was shown of messages that may have been handed over
	coming map[string]bool  // origins of sessions whose turn is not over
	held   []holding        // groups of sessions that were handed over, until the turn of their origin is over
	later  *later           // rows of JSON that wait for the number of their copies
	recall *grep.Recall     // with --max-tokens, the rows that fit
}

// A shown is an entry that was printed.
type shown struct {
	key uint64
	by  *result
}

// A holding is a group that is not printed yet.
type holding struct {
	of *result
	group
}

func (g *search) printer(all selection.Found) *printer {
	p := &printer{search: g, out: g.streams.Out, end0: "\n", name: g.withName || !all.Single && !g.withoutName, seen: map[uint64]int{}}
	if g.nul {
		p.end0 = "\x00"
	}
	if g.screen != nil {
		p.rows = &screened{Screen: g.screen, address: all.Short()}
	}
	p.colored = !g.json && !g.entries && tty.Color(g.streams.Color, g.streams.OutFile(), os.LookupEnv)
	switch {
	case g.maxTokens >= 0:
		p.width = grep.RecallWidth
	case g.term != nil:
		p.width = g.term.Width
	}
	if g.term != nil && p.name && (g.sessions.All || len(g.sessions.Agents) > 0) && g.sessions.CWD == "" {
		p.dirs = true
	}
	if g.maxTokens >= 0 {
		p.recall = grep.NewRecall(g.maxTokens)
	}
	p.said, p.coming = map[uint64]shown{}, map[string]bool{}
	for _, src := range all.List {
		if g.many {
			p.coming[selection.Origin(src.Name)] = true
		}
	}
	if g.json && !g.dup && !all.Single && p.recall == nil {
		p.later = &later{}
	}
	return p
}

// close gives back what the printer holds.
func (p *printer) close() { p.later.close() }

// group prints a group of a source.
func (p *printer) group(r *result, gr group) error {
	p.found = true
	if p.quiet {
		return nil
	}
	if slices.ContainsFunc(gr, func(it item) bool {
		return slices.ContainsFunc(it.from, func(from string) bool { return p.coming[from] })
	}) {
		p.held = append(p.held, holding{r, gr}) // they are the other session's, if that has them
		return nil
	}
	fresh := gr[:0:0]
	left := 0
	for _, it := range gr {
		if first, ok := p.original(r, it); ok {
			p.seen[first.key]++
			p.copies++
			left++
			continue
		}
		if n, ok := p.seen[it.key]; ok && it.key != 0 && !it.context && !p.dup {
			p.seen[it.key] = n + 1
			p.copies++
			left++
			continue
		}
		if it.key != 0 && !it.context {
			p.seen[it.key] = 0
		}
		fresh = append(fresh, it)
	}
	if left > 0 && !slices.ContainsFunc(fresh, func(it item) bool { return !it.context }) {
		return nil
	}
	if p.groups++; p.groups > 1 && p.contextual() {
		if err := tty.WriteLine(p.out, p.style(tty.Cyan), "--"); err != nil {
			return err
		}
	}
	for _, it := range fresh {
		if !it.context {
			if p.full() {
				break
			}
			p.shown++
		}
		if err := p.item(r, it); err != nil {
			return err
		}
	}
	if p.groups == 1 { // the next match may take its time
		return p.streams.Flush()
	}
	return nil
}

// original returns the entry of another session that was printed, of which an item is a copy that was handed over. It takes note
// of an item that is no copy.
func (p *printer) original(r *result, it item) (first shown, ok bool) {
	for i, key := range it.moved {
		if first, ok = p.said[key]; ok && i > 0 && first.by != r && key != 0 {
			return first, true
		}
	}
	for _, key := range it.moved {
		if _, ok := p.said[key]; !ok {
			p.said[key] = shown{it.key, r}
		}
	}
	return shown{}, false
}

// release prints what was held, when all sessions had their turns.
func (p *printer) release() error {
	clear(p.coming)
	for _, h := range p.held {
		if p.full() {
			break
		}
		if err := p.group(h.of, h.group); err != nil {
			return err
		}
		if p.rows != nil {
			if err := p.rows.flush(); err != nil {
				return err
			}
		}
	}
	p.held = nil
	return nil
}

// full reports whether as much was printed as --limit allows.
func (p *printer) full() bool { return p.limit > 0 && p.shown >= p.limit }

// item prints an item.
func (p *printer) item(r *result, it item) error {
	switch {
	case p.entries:
		if it.index < 0 {
			return nil // the header is no entry
		}
		return p.print(it.entry.Raw(), p.end0)
	case p.json:
		return p.rowsJSON(r, it)
	case p.rows != nil:
		return p.rows.item(r, it)
	}
	from := p.origin(r, it)
	for _, line := range it.rows {
		if !p.only || p.invert || it.context {
			if err := p.row(r, from, line); err != nil {
				return err
			}
			continue
		}
		for _, m := range line.Matches {
			one := grep.Line{Text: line.Text[m.From:m.To], Matches: []grep.Span{{From: 0, To: m.To - m.From}}}
			if err := p.row(r, from, one); err != nil {
				return err
			}
		}
	}
	return nil
}

// address returns what other tools take for an entry.
func (it item) address() string {
	switch {
	case it.index < 0:
		return "null" // the place before the first entry
	case it.entry.ID() == "":
		return "-"
	}
	return it.entry.ID()
}

// role is the prefix of the text of an item.
func (it item) role() string {
	if it.index < 0 {
		return "session"
	}
	return grep.Role(it.entry)
}

// An origin is how the rows of an item begin.
type origin struct {
	dir   string // "" but on a terminal that gets rows of several directories
	cells []cell
	sep   string
	width int // in characters
}

// A cell is a text in front of a row.
type cell struct {
	style tty.Style
	text  string
}

// dirWidth is how many characters of a directory are shown.
const dirWidth = 20

// origin says where an item is from. It is asked once for all rows of an item, as it takes
// reading the entry, which may be huge.
func (p *printer) origin(r *result, it item) origin {
	o := origin{sep: ":"}
	if it.context {
		o.sep = "-"
	}
	add := func(style tty.Style, text string) {
		o.width += utf8.RuneCountInString(text) + 1
		o.cells = append(o.cells, cell{p.style(style), text})
	}
	if p.dirs {
		o.dir = p.term.Pad(p.term.Directory(r.cwd, dirWidth), dirWidth) + "  "
		o.width = dirWidth + 2
	}
	if p.name {
		add(tty.Magenta, r.src.Label())
	}
	add(tty.Green, strings.ReplaceAll(tty.Clean(it.address()), ":", "\\x3a"))
	add(tty.Yellow, strings.ReplaceAll(tty.Clean(it.role()), ":", "\\x3a"))
	return o
}

// row prints a row of text: where it is from, and the line.
func (p *printer) row(r *result, from origin, line grep.Line) error {
	if !p.recall.Next(r) {
		return nil
	}
	var t tty.Text
	t.Add(p.style(tty.Dim), from.dir)
	for _, c := range from.cells {
		t.Add(c.style, c.text)
		t.Add(p.style(tty.Cyan), from.sep)
	}
	p.body(&t, line, from.width)
	t.Add(tty.Plain, p.end0)
	if p.recall != nil {
		p.recall.Add(t)
		return nil
	}
	_, err := t.WriteTo(p.out)
	return err
}

// body appends the text of a row, the match in colour. Of a long one it takes the part around the
// first match.
func (p *printer) body(t *tty.Text, line grep.Line, used int) {
	from, to := 0, len(line.Text)
	if room := max(p.width-used, 20); p.width > 0 && len(line.Text) > room {
		from, to = grep.Window(line, room)
	}
	if from > 0 {
		t.Add(tty.Plain, "…")
	}
	at := from
	for _, m := range line.Matches {
		if !p.colored || m.From < at || m.To > to {
			continue
		}
		t.Add(tty.Plain, p.visible(line.Text[at:m.From]))
		t.Add(tty.BoldRed, p.visible(line.Text[m.From:m.To]))
		at = m.To
	}
	t.Add(tty.Plain, p.visible(line.Text[at:to]))
	if to < len(line.Text) {
		t.Add(tty.Plain, "…")
	}
}

// visible returns a text without what could act on a terminal or a runner. A row is one line.
func (p *printer) visible(text string) string {
	return strings.ReplaceAll(tty.CleanLog(text), "\n", `\n`)
}

// style returns a style if rows are coloured.
func (p *printer) style(style tty.Style) tty.Style {
	if !p.colored {
		return tty.Plain
	}
	return style
}

// print prints texts, which may be huge, without putting them together.
func (p *printer) print(texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(p.out, text); err != nil {
			return err
		}
	}
	return nil
}

// end prints what there is to say of a source at its end.
func (p *printer) end(r *result) error {
	p.found = p.found || r.count > 0
	if p.rows != nil {
		if err := p.rows.flush(); err != nil {
			return err
		}
		if err := p.streams.Flush(); err != nil { // else the line of the progress may come in the middle of a row
			return err
		}
	}
	listed := func(want bool) error {
		if !want || p.quiet {
			return nil
		}
		p.shown++
		return errors.Join(p.print(r.src.File(), p.end0), p.streams.Flush()) // the next name may take its time
	}
	switch {
	case p.names:
		return listed(r.count > 0)
	case p.namesWithout:
		return listed(r.sure && r.count == 0)
	case p.count && r.sure && !p.quiet:
		var t tty.Text
		if p.name {
			t.Add(p.style(tty.Magenta), r.src.Label())
			t.Add(p.style(tty.Cyan), ":")
		}
		t.Add(tty.Plain, strconv.Itoa(r.count)+p.end0)
		_, err := t.WriteTo(p.out)
		return err
	}
	return nil
}
