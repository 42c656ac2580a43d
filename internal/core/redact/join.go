package redact

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/js"
)

// A text may be cut into blocks and lines at any place, so a secret may be in two of them. Texts
// beside each other are searched as if they were one. A row of blocks of up to maxRow bytes
// is searched as a whole; of a longer row, and of the texts of several lines, the border bytes on
// both sides of each cut are. A private key of 4,096 bits has 3,300 bytes.
const (
	maxRow = 64 << 10
	border = 4 << 10
)

// joined looks at the texts of a line that follow each other in one array, and keeps its
// first and its last for the lines around it.
func (r *Redactor) joined(l *line) {
	t := &r.tree
	l.first.index, l.last.index = -1, -1
	var row, list []int
	flush := func(row []int, look func(*line, []int)) []int {
		if len(row) > 1 {
			look(l, row)
		}
		return row[:0]
	}
	for i, x := range t.texts {
		if t.inArray(x) {
			if n := len(list); n > 0 && t.texts[list[n-1]].in != x.in {
				list = flush(list, r.list)
			}
			list = append(list, i)
		}
		if !t.said(x) {
			continue
		}
		if n := len(row); n > 0 && !t.follows(t.texts[row[n-1]], x) {
			row = flush(row, r.row)
		}
		row = append(row, i)
		if l.first.index < 0 {
			l.first = piece{line: l, index: i}
		}
		l.last = piece{line: l, index: i}
	}
	flush(list, r.list)
	flush(row, r.row)
	if l.last.index >= 0 {
		l.single = l.first.index == l.last.index
		l.first, l.last = r.head(l, l.first.index), r.tail(l, l.last.index)
	}
}

// inArray reports whether a text stands in an array by itself.
func (t *tree) inArray(x text) bool { return !x.key && x.in >= 0 && !t.frames[x.in].object }

// said reports whether a text is a block of text or thinking, a piece of one as a stream has
// it, or all that a message says.
func (t *tree) said(x text) bool {
	if x.key || x.in <= 0 || x.name == "" {
		return false
	}
	in := t.frames[x.in].name
	switch {
	case js.IsKey(x.name, "text"), js.IsKey(x.name, "thinking"):
		return in == "" || js.IsKey(in, "delta")
	case js.IsKey(x.name, "partial_json"):
		return in != "" && js.IsKey(in, "delta")
	}
	return js.IsKey(x.name, "content") || js.IsKey(x.name, "delta")
}

// follows reports whether the block of b comes after that of a and is of the same kind.
func (t *tree) follows(a, b text) bool {
	f, g := t.frames[a.in], t.frames[b.in]
	return f.up == g.up && !t.frames[max(f.up, 0)].object && g.index == f.index+1 && kindOf(a) == kindOf(b) && t.call(a.in) == t.call(b.in)
}

// kindOf returns of which kind a text is: only those of one kind carry each other on.
func kindOf(x text) string {
	if x.name != "" && (js.IsKey(x.name, "thinking") || js.IsKey(x.name, "partial_json")) {
		return js.Unquote(x.name)
	}
	return "text"
}

// calls are the members that say which call a result is of.
var calls = set("toolCallId", "tool_call_id", "tool_use_id", "call_id", "callID")

// call returns the literal of the call that an object is the result of, "" if it is of none.
func (t *tree) call(in int) string {
	from := t.frames[in].from
	at := sort.Search(len(t.texts), func(i int) bool { return t.texts[i].From >= from })
	end := js.ValueEnd(t.line, from)
	for _, x := range t.texts[at:] {
		if x.From > end {
			break
		}
		if x.in == in && !x.key && calls[js.Unquote(x.name)] {
			return t.literal(x)
		}
	}
	return ""
}

// streamed reports whether a text is a piece of one as a stream has it, which ends in the middle of a word.
func (t *tree) streamed(x text) bool {
	if x.name == "" {
		return false
	}
	in := t.frames[x.in].name
	return js.IsKey(x.name, "delta") || js.IsKey(x.name, "partial_json") || in != "" && js.IsKey(in, "delta")
}

func (r *Redactor) plain(i int) string { return js.Unquote(r.tree.literal(r.tree.texts[i])) }

func (r *Redactor) pieceOf(l *line, i int) piece {
	return piece{line: l, index: i, text: r.plain(i)}
}

func (r *Redactor) head(l *line, i int) piece {
	p := r.pieceOf(l, i)
	if len(p.text) > border {
		p.text, p.cut = p.text[:border], true
	}
	return r.described(p)
}

func (r *Redactor) tail(l *line, i int) piece {
	p := r.pieceOf(l, i)
	if p.from = len(p.text) - border; p.from <= 0 {
		p.from = 0
		return r.described(p)
	}
	for !utf8.RuneStart(p.text[p.from]) {
		p.from--
	}
	p.text, p.cut = p.text[p.from:], true
	return r.described(p)
}

// described returns a piece with copies of its text and its place, which stay when the tree is gone.
func (r *Redactor) described(p piece) piece {
	x := r.tree.texts[p.index]
	p.field = r.tree.field(x, r.shown, 0)
	p.text = strings.Clone(p.text)
	p.literal, p.element, p.kind = x, r.tree.frames[x.in].index, kindOf(x)
	p.streamed = r.tree.streamed(x)
	if r.tree.inArray(x) {
		p.element, p.listed = x.index, true
	}
	return p
}

// row looks at a row of blocks.
func (r *Redactor) row(l *line, row []int) {
	size := 0
	pieces := make([]piece, len(row))
	for _, i := range row {
		x := r.tree.texts[i]
		size += x.To - x.From
	}
	if size <= maxRow {
		for n, i := range row {
			pieces[n] = r.described(r.pieceOf(l, i))
		}
		r.across(pieces, 0, "", true)
		return
	}
	s := &speech{}
	for _, i := range row {
		s.say(r, r.head(l, i), r.tail(l, i))
	}
	s.close(r)
}

// list looks at an array of texts: the lines of a file, the words of a command.
func (r *Redactor) list(l *line, list []int) {
	command := len(list) <= maxWords
	s := &speech{}
	words := make([]piece, 0, len(list))
	for _, i := range list {
		head, tail := r.head(l, i), r.tail(l, i)
		s.say(r, head, tail)
		if command = command && !head.cut && !strings.Contains(head.text, "\n"); command {
			words = append(words, head)
		}
	}
	s.close(r)
	if command {
		r.across(words, 0, " ", true)
	}
}

// maxName is how far behind a border a secret may begin that text in front of the border reveals.
const maxName = 256

// maxWords is how many words a command has at most.
const maxWords = 64

// across looks for secrets that are divided between neighbouring pieces, and skips those that lie within the first searched
// pieces: they were found before. The piece in which a secret begins gets the replacement, and the rest of the secret is cut
// from the pieces behind it. If between is a blank the pieces are the words of a command, and a secret in one word counts
// as well when only the words around it tell that it is one.
func (r *Redactor) across(pieces []piece, searched int, between string, oneLine bool) {
	var b strings.Builder
	starts := make([]int, len(pieces))
	for i, p := range pieces {
		if i > 0 {
			b.WriteString(between)
		}
		starts[i] = b.Len()
		b.WriteString(p.text)
	}
	all := b.String()
	seams := starts // blocks and entries are texts by themselves, and a stream is cut anywhere
	if len(pieces) > 0 && pieces[0].streamed {
		seams = nil
	}
	for _, f := range r.o.Set.FindJoined(all, seams) {
		if f.Loose() || strings.ContainsAny(all[f.From:f.To], " \t\r\n") && !isKeyOf(f, all[f.From:f.To]) {
			continue
		}
		first, _ := slices.BinarySearch(starts, f.From+1)
		last, _ := slices.BinarySearch(starts, f.To)
		first, last = first-1, last-1
		if last < searched || first == last && between != " " && f.From-starts[first] > maxName {
			continue
		}
		r.take(f, pieces[first:last+1], starts[first:last+1], oneLine)
	}
	if between == "" && strings.Contains(all, "PRIVATE KEY") {
		r.across(pieces, searched, "\n", oneLine)
	}
}

// take cuts a secret out of pieces, which begin at some places of the text that it was found in.
func (r *Redactor) take(f secret.Finding, pieces []piece, starts []int, oneLine bool) {
	with := r.o.Style.marker(f)
	var cuts []func()
	known, touched := true, false
	first := pieces[0]
	for i, p := range pieces {
		if r.newest != nil && p.line != r.newest {
			first = pieces[min(i+1, len(pieces)-1)]
			continue
		}
		s := secret.Span{From: max(f.From-starts[i], 0), To: min(f.To-starts[i], len(p.text))}
		if s.From >= s.To {
			continue
		}
		s.From, s.To = s.From+p.from, s.To+p.from
		cutIn := p.line.cuts[p.index]
		known = known && slices.ContainsFunc(cutIn, func(c cut) bool { return c.From <= s.From && s.To <= c.To })
		touched = touched || p.listed && slices.ContainsFunc(cutIn, func(c cut) bool { return c.From < s.To && s.From < c.To })
		text := with
		with = ""
		cuts = append(cuts, func() { p.line.cut(p.index, p.literal, s, text) })
	}
	if known || touched { // words of a list do not carry on what was found in one
		return
	}
	field := first.field
	if oneLine && len(pieces) > 1 {
		field = r.tree.field(first.literal, r.shown, pieces[len(pieces)-1].element)
	}
	first.line.found = append(first.line.found, Found{Finding: f, Line: first.line.number, Field: field})
	for _, cut := range cuts {
		cut()
	}
}

// isKeyOf reports whether what was found is a private key and nothing else: its lines have one
// length, but for the last, and for the first where the beginning is missing.
func isKeyOf(f secret.Finding, text string) bool {
	if !strings.HasPrefix(f.Rule, "private-key") {
		return false
	}
	begins := strings.HasPrefix(text, "-----")
	width, short := 0, false
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimRight(line, "\r")
		switch {
		case line == "" || strings.HasPrefix(line, "-----") || begins && strings.Contains(line, ": "):
			continue
		case short || !isRun(line) || width > 0 && len(line) > width && (begins || i > 1):
			return false
		case width > 0 && len(line) < width && (begins || i > 1):
			short = true
		default:
			width = len(line)
		}
	}
	return width > 0
}
