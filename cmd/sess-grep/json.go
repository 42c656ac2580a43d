package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// rowsJSON prints the rows of an item as JSON. Members are only ever added. Those of the
// item are made once for all rows, as it takes reading the entry, which may be huge.
func (p *printer) rowsJSON(r *result, it item) error {
	first := []js.Field{js.StringField("path", js.ValidText(r.src.File())), js.StringField("session", r.session)}
	if r.src.Agent != "" {
		first = append(first, js.StringField("agent", r.src.Agent))
	}
	first = append(first, entryJSON(it)...)
	var middle, last []js.Field
	if ts := it.entry.Get("timestamp"); it.index >= 0 && ts != "" {
		middle = append(middle, js.RawField("timestamp", ts))
	}
	middle = append(middle, js.StringField("on", it.on.String()), js.IntField("depth", int64(it.depth)))
	if p.before > 0 {
		last = append(last, js.RawField("before", besideJSON(it.before)))
	}
	if p.after > 0 {
		last = append(last, js.RawField("after", besideJSON(it.after)))
	}
	for from, line := range it.rows {
		text := js.Object(slices.Concat(first, placeJSON(from), middle, lineJSON(line), last)...)
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
func placeJSON(t grep.Text) (fields []js.Field) {
	if t.Block >= 0 {
		fields = append(fields, js.IntField("block", int64(t.Block)))
	}
	fields = append(fields, js.StringField("field", string(t.Field)))
	if t.Tool != "" {
		fields = append(fields, js.StringField("tool", t.Tool))
	}
	if t.Call != "" {
		fields = append(fields, js.StringField("callId", t.Call))
	}
	return fields
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
	typ := session.TypeSession
	id := js.RawField("entry", "null")
	if it.index >= 0 {
		typ, id = it.entry.Type(), js.StringField("entry", it.entry.ID())
	}
	return []js.Field{
		id, js.IntField("line", int64(it.line)), js.IntField("offset", it.offset),
		js.StringField("type", typ), js.StringField("role", it.role()),
	}
}

// besideJSON are the entries before or after a match.
func besideJSON(items []item) string {
	var out []string
	for _, it := range items {
		fields := entryJSON(it)
		for from, line := range it.rows {
			fields = append(fields, js.StringField("field", string(from.Field)), js.StringField("text", line.Text))
		}
		out = append(out, js.Object(append(fields, js.StringField("on", it.on.String()))...))
	}
	return "[" + strings.Join(out, ",") + "]"
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
	for _, row := range l.rows {
		text = append(text[:0], make([]byte, row.size)...)
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("reading the rows that waited: %w", err)
		}
		if n := p.seen[row.key]; n > 0 {
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
