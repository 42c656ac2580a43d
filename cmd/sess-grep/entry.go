package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/session"
)

// Rows are lines of the texts of an entry, each behind the text that it is from. They are
// found one after the other: one entry may have more of them than there is memory.
type rows iter.Seq2[grep.Text, grep.Line]

// some reports whether there are any.
func (r rows) some() bool {
	for range r {
		return true
	}
	return false
}

// wanted reports whether the flags select an entry, whatever its texts are.
func (g *search) wanted(ctx context.Context, e session.Entry) (bool, error) {
	switch {
	case g.roles != nil && !g.roles[grep.Role(e)],
		g.status != "" && !endedSo(e, g.status) && (g.status != string(calls.Fail) || !hasFailed(e)):
		return false, nil
	case g.expr == nil:
		return true, nil
	}
	g.exprMu.Lock()
	defer g.exprMu.Unlock()
	ok, err := g.expr.Match(ctx, e.Raw())
	if err != nil {
		err = fmt.Errorf("--where: %w", err)
	}
	return ok, err
}

// hasFailed reports whether an entry tells of a failure: of a tool, of a command, of a
// reply.
func hasFailed(e session.Entry) bool {
	m, ok := e.Message()
	if !ok {
		return false
	}
	return m.Failed() || calls.End(m).Outcome == calls.Fail
}

// endedSo reports whether an entry is the result of a command that ended as --status says.
func endedSo(e session.Entry, status string) bool {
	m, ok := e.Message()
	return ok && (m.Role() != session.RoleToolResult || calls.KindOf(m.Str("toolName")) == calls.Run) && calls.End(m).Is(status)
}

// texts calls visit for the texts of an entry that are searched.
func (g *search) texts(e session.Entry, visit func(grep.Text) bool) {
	grep.Texts(e, func(t grep.Text) bool {
		switch {
		case !g.searches(t),
			g.tool != "" && t.Tool != g.tool:
			return true
		}
		return visit(t)
	})
}

// searches reports whether texts of this kind are searched: copies only in what the model sees.
func (g *search) searches(t grep.Text) bool {
	return g.fields[t.Field] && (!t.Quiet || g.harness == address.KeepHarness) && (!t.Copy || g.context)
}

// A match is the first text of an entry with a match.
type match struct {
	place int // among the texts that are searched
	text  string
}

// match reports whether an entry is one to print: whether it has a match or, with -v,
// texts and none of them a match.
func (g *search) match(ctx context.Context, e session.Entry) (m match, ok bool, err error) {
	if ok, err := g.wanted(ctx, e); !ok || err != nil {
		return m, false, err
	}
	said := 0
	g.texts(e, func(t grep.Text) bool {
		m = match{said, t.String()}
		said++
		ok = g.pattern.Match(m.text)
		return !ok
	})
	if g.invert {
		return match{}, said > 0 && !ok, nil
	}
	return m, ok, nil
}

// rows returns the rows of an entry that is to be printed, whose first match may be known.
// With -v that is its first line, for it has none with a match.
func (g *search) rows(e session.Entry, first match) rows {
	return func(yield func(grep.Text, grep.Line) bool) {
		place := -1
		g.texts(e, func(t grep.Text) bool {
			place++
			switch {
			case g.invert:
				yield(t, grep.Line{Text: t.Line()})
				return false
			case place < first.place:
				return true
			case place == first.place && first.text != "":
				return g.lines(t, first.text, yield)
			}
			return g.lines(t, t.String(), yield)
		})
	}
}

// lines yields the rows of one text.
func (g *search) lines(t grep.Text, text string, yield func(grep.Text, grep.Line) bool) bool {
	for l := range g.pattern.Lines(text, g.spans) {
		if !yield(t, l) {
			return false
		}
	}
	return true
}

// headerRows returns the rows of the header.
func (g *search) headerRows(h session.Header) rows {
	return func(yield func(grep.Text, grep.Line) bool) {
		if g.roles != nil || g.tool != "" || g.status != "" || g.expr != nil || g.invert {
			return
		}
		grep.HeaderTexts(h, func(t grep.Text) bool { return !g.fields[t.Field] || g.lines(t, t.String(), yield) })
	}
}

// opening returns the row of an entry beside a match: the first line of its texts.
func (g *search) opening(e session.Entry) rows {
	return func(yield func(grep.Text, grep.Line) bool) {
		grep.Texts(e, func(t grep.Text) bool {
			shown := g.searches(t)
			if shown {
				yield(t, grep.Line{Text: t.Line()})
			}
			return !shown
		})
	}
}

// rowsJSON prints the rows of an item as JSON. Those members of the item that are the same in
// all its rows are made once, as it takes reading the entry, which may be huge.
func (p *printer) rowsJSON(r *result, it item) error {
	out := matchRow{Place: r.place, Agent: cmp.Or(r.src.Owner(), r.harness), position: positionOf(it), On: it.on.String(), Depth: it.depth}
	if it.index >= 0 {
		out.Entry, out.Timestamp = it.entry.ID(), row.At(it.entry.Timestamp())
	}
	if p.before > 0 {
		out.Before = beside(it.before)
	}
	if p.after > 0 {
		out.After = beside(it.after)
	}
	for from, line := range it.rows {
		if !p.recall.Next(r) {
			continue
		}
		line = p.cut(line)
		out.Block, out.Field, out.Tool, out.CallID = row.Known(from.Block, from.Block >= 0), string(from.Field), from.Tool, from.Call
		out.Text, out.Match = line.Text, out.Match[:0]
		for _, m := range line.Matches {
			out.Match = append(out.Match, spanRow{m.From, m.To})
		}
		text := row.JSON(out)
		if p.recall != nil {
			var t tty.Text
			t.Add(tty.Plain, text+p.end0)
			p.recall.Add(t)
			continue
		}
		if p.later != nil {
			if err := p.later.add(text, it.key); err != nil {
				return err
			}
			continue
		}
		if err := p.print(text, p.end0); err != nil {
			return err
		}
	}
	return nil
}

// cut returns a line of which a row of JSON has as much as fits, and of the matches those that are in
// it whole: all of it but with --max-tokens.
func (p *printer) cut(line grep.Line) grep.Line {
	if p.recall == nil || p.width == 0 {
		return line
	}
	from, to := grep.Window(line, p.width)
	short := grep.Line{Text: line.Text[from:to]}
	for _, m := range line.Matches {
		if m.From >= from && m.To <= to {
			short.Matches = append(short.Matches, grep.Span{From: m.From - from, To: m.To - from})
		}
	}
	return short
}

// placeJSON are the members that say where in the entry a row is from.
func positionOf(it item) position {
	typ := session.TypeSession
	if it.index >= 0 {
		typ = it.entry.Type()
	}
	return position{it.line, it.offset, typ, it.role()}
}

// beside are the entries before or after a match.
func beside(items []item) []contextRow {
	out := []contextRow{}
	for _, it := range items {
		c := contextRow{position: positionOf(it), On: it.on.String()}
		if it.index >= 0 {
			c.Entry = it.entry.ID()
		}
		for from, line := range it.rows { // it may have no text
			c.Field, c.Text = string(from.Field), &line.Text
		}
		out = append(out, c)
	}
	return out
}

// Later holds rows until the number of their copies is known, which is when all
// sessions were searched: in memory, or from a certain size on in a file. The nil
// pointer holds none.
type later struct {
	memory []byte
	file   *os.File
	rows   []waiting
}

type waiting struct {
	size int
	key  uint64
}

func (l *later) add(text string, key uint64) (err error) {
	l.memory = append(l.memory, text...)
	l.rows = append(l.rows, waiting{len(text), key})
	if len(l.memory) < large {
		return nil
	}
	if l.file == nil {
		if l.file, err = disk.Unnamed("sess-grep"); err != nil {
			return err
		}
	}
	_, err = l.file.Write(l.memory)
	l.memory = l.memory[:0]
	return err
}

// flush prints the rows.
func (l *later) flush(p *printer) error {
	if l == nil {
		return nil
	}
	var r io.Reader = strings.NewReader(string(l.memory))
	if l.file != nil {
		if _, err := l.file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		r = io.MultiReader(bufio.NewReader(l.file), r)
	}
	var text []byte
	for _, w := range l.rows {
		text = append(text[:0], make([]byte, w.size)...)
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("reading the rows that waited: %w", err)
		}
		if n := p.seen[w.key]; n > 0 {
			text = fmt.Appendf(text[:len(text)-1], `,"also":%d}`, n)
		}
		if err := p.print(string(text), p.end0); err != nil {
			return err
		}
	}
	l.memory, l.rows = nil, nil
	return nil
}

func (l *later) close() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}
