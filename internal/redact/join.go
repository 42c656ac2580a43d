package redact

import (
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/secret"
	"github.com/sess-tools/sess/pkg/js"
)

// What is said may be cut into blocks and lines at any place, and a secret with it. Texts
// beside each other are looked at as if they were one: rows of blocks up to maxRow bytes as
// a whole, others, and the texts of two lines, by the bytes next to the border.
const (
	maxRow = 64 << 10
	border = 1 << 10
)

// joined looks at the texts of a line that follow each other in one array, and keeps its
// first and its last for the lines around it.
func (r *Redactor) joined(l *line) {
	t := &r.tree
	l.first.index, l.last.index = -1, -1
	var row []int
	size := 0
	flush := func() {
		if len(row) > 1 {
			r.row(l, row, size)
		}
		row, size = row[:0], 0
	}
	for i, x := range t.texts {
		if !t.said(x) {
			continue
		}
		if n := len(row); n > 0 && !t.follows(t.texts[row[n-1]], x) {
			flush()
		}
		row, size = append(row, i), size+x.To-x.From
		if l.first.index < 0 {
			l.first = piece{line: l, index: i}
		}
		l.last = piece{line: l, index: i}
	}
	flush()
	if l.last.index >= 0 {
		l.first, l.last = r.head(l, l.first.index), r.tail(l, l.last.index)
	}
}

// said reports whether a text is a text block, or all that a message says.
func (t *tree) said(x text) bool {
	return !x.key && x.in > 0 && x.name != "" && (js.IsKey(x.name, "text") && t.frames[x.in].name == "" || js.IsKey(x.name, "content"))
}

// follows reports whether the block of b comes after that of a.
func (t *tree) follows(a, b text) bool {
	f, g := t.frames[a.in], t.frames[b.in]
	return f.up == g.up && !t.frames[max(f.up, 0)].object && g.index == f.index+1 && js.IsKey(b.name, "text")
}

func (r *Redactor) plain(i int) string { return js.Unquote(r.tree.literal(r.tree.texts[i])) }

func (r *Redactor) whole(l *line, i int) piece {
	return piece{line: l, index: i, text: r.plain(i)}
}

func (r *Redactor) head(l *line, i int) piece {
	p := r.whole(l, i)
	if len(p.text) > border {
		p.text = p.text[:border]
	}
	return r.described(p)
}

func (r *Redactor) tail(l *line, i int) piece {
	p := r.whole(l, i)
	if p.from = len(p.text) - border; p.from <= 0 {
		p.from = 0
		return r.described(p)
	}
	for !utf8.RuneStart(p.text[p.from]) {
		p.from--
	}
	p.text = p.text[p.from:]
	return r.described(p)
}

// described keeps what is needed of a piece when the tree is gone.
func (r *Redactor) described(p piece) piece {
	x := r.tree.texts[p.index]
	p.field = r.tree.field(x, r.shown, 0)
	p.text = strings.Clone(p.text)
	p.literal, p.element = x, r.tree.frames[x.in].index
	return p
}

// row looks at a row of blocks.
func (r *Redactor) row(l *line, row []int, size int) {
	if size <= maxRow {
		pieces := make([]piece, len(row))
		for n, i := range row {
			pieces[n] = r.described(r.whole(l, i))
		}
		r.across(pieces, true)
		return
	}
	for n := range len(row) - 1 {
		r.across([]piece{r.tail(l, row[n]), r.head(l, row[n+1])}, true)
	}
}

// across looks for secrets that stand in several pieces. One is replaced where it begins,
// and what follows of it is cut off.
func (r *Redactor) across(pieces []piece, oneLine bool) {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	all := b.String()
	for _, f := range r.o.Set.Find(all) {
		if f.Loose() || strings.ContainsAny(all[f.From:f.To], " \t\r\n") {
			continue
		}
		at, parts, to := 0, 0, 0
		var first piece
		with := r.o.Style.marker(f)
		var cuts []func()
		for _, p := range pieces {
			s := secret.Span{From: max(f.From, at) - at, To: min(f.To, at+len(p.text)) - at}
			at += len(p.text)
			if s.From >= s.To {
				continue
			}
			if parts++; parts == 1 {
				first = p
			}
			to = p.element
			text := with
			with = ""
			cuts = append(cuts, func() {
				p.line.cut(p.index, p.literal, secret.Span{From: s.From + p.from, To: s.To + p.from}, text)
			})
		}
		if parts < 2 {
			continue
		}
		field := first.field
		if oneLine {
			field = r.tree.field(first.literal, r.shown, to)
		}
		first.line.found = append(first.line.found, Found{Finding: f, Line: first.line.number, Field: field})
		for _, cut := range cuts {
			cut()
		}
	}
}
