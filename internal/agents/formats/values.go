package formats

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Value is a JSON value of a source: valid, on one line, in valid UTF-8.
type Value struct {
	Text   string
	Number int // of its line, from 1

	// Where it stands in the source, in bytes: Text may be shorter or longer.
	Offset, Size int64
}

// IsObject reports whether the value is an object.
func (v Value) IsObject() bool { return js.Value(v.Text).IsObject() }

// Values yields the JSON values of a line of a source, nearly always one: without a byte order mark
// and white space around it, and with U+FFFD for bytes that are no UTF-8. A blank line has none. It
// tells of a line that is not JSON, of one that is torn, and of one with several values.
func (b *Builder) Values(src *Source, l jsonl.Line) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		text := l.Text()
		v := Value{Number: l.Number, Offset: l.Offset}
		if l.Number == 1 && strings.HasPrefix(text, jsonl.ByteOrderMark) {
			text = strings.TrimPrefix(text, jsonl.ByteOrderMark)
			b.style.bom = true
		}
		b.style.line(l)
		text = strings.TrimLeft(text, blank)
		v.Offset += int64(len(l.Data) - len(text))
		if text = strings.TrimRight(text, blank); text == "" || l.Torn && b.Growth != Whole {
			return
		}
		v.Size = int64(len(text))
		if js.Valid([]byte(text)) {
			b.common.line(text)
			yield(b.value(src, v, text))
			return
		}
		values, lost := apart(text, b.common.names)
		switch {
		case len(values) == 0:
			b.LoseLine(src.At(l.Number), l.Torn, len(text))
			return
		case lost > 0:
			b.Lose(src.At(l.Number), KindDamage, "%d bytes of a torn line skipped; what stands whole beside them was read", lost)
		default:
			b.Lose(src.At(l.Number), KindDamage, "%d values on one line, which were read as if each had its own", len(values))
		}
		at := v.Offset
		for _, s := range values {
			v.Offset, v.Size = at+int64(s.From), int64(s.To-s.From)
			if !yield(b.value(src, v, text[s.From:s.To])) {
				return
			}
		}
	}
}

// Objects is Values for a source of objects. It tells of any other value.
func (b *Builder) Objects(src *Source, l jsonl.Line) iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for v := range b.Values(src, l) {
			if !v.IsObject() {
				b.Lose(src.At(v.Number), KindDamage, "not a JSON object, skipped")
			} else if !yield(v) {
				return
			}
		}
	}
}

const blank = " \t\r\n"

// value returns the value with a text that is JSON.
func (b *Builder) value(src *Source, v Value, text string) Value {
	if !utf8.ValidString(text) {
		b.Lose(src.At(v.Number), KindText, "invalid UTF-8, which became U+FFFD")
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	v.Text = api.Compact(text)
	return v
}

// OneLine returns a JSON text in valid UTF-8 and on one line.
func OneLine(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	return api.Compact(text)
}
