package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/find/grep"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// rowsJSON prints the rows of an item as JSON. Those members of the item that are the same in
// all its rows are made once, as it takes reading the entry, which may be huge.
func (p *printer) rowsJSON(r *result, it item) error {
	first := append(r.place.Fields(), row.Text("agent", r.src.Owner()))
	first = append(first, entryJSON(it)...)
	middle := []js.Field{row.Null("timestamp"), js.StringField("on", it.on.String()), js.IntField("depth", int64(it.depth))}
	if it.index >= 0 {
		middle[0] = row.Timestamp(it.entry.Timestamp())
	}
	var last []js.Field
	if p.before > 0 {
		last = append(last, row.List("before", besideJSON(it.before)))
	}
	if p.after > 0 {
		last = append(last, row.List("after", besideJSON(it.after)))
	}
	for from, line := range it.rows {
		text := row.Object("match", slices.Concat(first, placeJSON(from), middle, lineJSON(line), last)...)
		if p.later != nil && it.key != 0 {
			if err := p.later.add(text, it.key); err != nil {
				return err
			}
			continue
		}
		if err := p.later.flush(p); err != nil {
			return err
		}
		if err := p.print(text, p.end0); err != nil {
			return err
		}
	}
	return nil
}

// placeJSON are the members that say where in the entry a row is from.
func placeJSON(t grep.Text) []js.Field {
	block := row.Null("block")
	if t.Block >= 0 {
		block = js.IntField("block", int64(t.Block))
	}
	return []js.Field{block, js.StringField("field", string(t.Field)), row.Text("tool", t.Tool), row.Text("callId", t.Call)}
}

// lineJSON are the members that say what it says.
func lineJSON(line grep.Line) []js.Field {
	var spans []string
	for _, m := range line.Matches {
		spans = append(spans, js.Object(js.IntField("start", int64(m.From)), js.IntField("end", int64(m.To))))
	}
	return []js.Field{js.StringField("text", line.Text), js.RawField("match", "["+strings.Join(spans, ",")+"]")}
}

// entryJSON are the members that say which entry it is.
func entryJSON(it item) []js.Field {
	typ, id := session.TypeSession, ""
	if it.index >= 0 {
		typ, id = it.entry.Type(), it.entry.ID()
	}
	return []js.Field{
		row.Entry(id), js.IntField("line", int64(it.line)), js.IntField("offset", it.offset),
		row.Text("type", typ), row.Text("role", it.role()),
	}
}

// besideJSON are the entries before or after a match.
func besideJSON(items []item) []string {
	var out []string
	for _, it := range items {
		field, text := row.Null("field"), row.Null("text") // it may have no text
		for from, line := range it.rows {
			field, text = js.StringField("field", string(from.Field)), js.StringField("text", line.Text)
		}
		out = append(out, row.Object("context", append(entryJSON(it), field, text, js.StringField("on", it.on.String()))...))
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
