package stream

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// maxValue is how many bytes one value of a stream may have. A longer one is left out.
const maxValue = 256 << 20

// A framer finds JSON values in the bytes of a stream: one a line, one over many lines,
// or in the data of server-sent events.
type framer struct {
	line   []byte // the beginning of a line that is not whole yet
	long   bool   // the line is too long, and its rest is skipped
	number int    // of lines that have ended

	sse   bool
	event string // the name of the event that has begun
	data  []byte // its data

	doc   []byte // a value that began on a line and did not end there
	depth depth
	start int // the line it began on
}

// A receiver takes what a framer finds.
type receiver interface {
	value(v js.Value, event string) error
	malformed(line string, number int, torn bool)
}

// feed takes the next bytes.
func (f *framer) feed(p []byte, to receiver) error {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			f.hold(p)
			return nil
		}
		line := p[:end]
		if len(f.line) > 0 {
			f.hold(line)
			line = f.line
		}
		f.number++
		if err := f.whole(line, to, false); err != nil {
			return err
		}
		f.line, f.long = f.line[:0], false
		p = p[end+1:]
	}
	return nil
}

// hold keeps the beginning of a line.
func (f *framer) hold(p []byte) {
	if f.long = f.long || len(f.line)+len(p) > maxValue; f.long {
		return
	}
	f.line = append(f.line, p...)
}

// end takes the bytes behind the last line feed.
func (f *framer) end(to receiver) error {
	if len(f.line) > 0 {
		f.number++
		if err := f.whole(f.line, to, true); err != nil {
			return err
		}
	}
	if f.sse {
		return f.dispatch(to)
	}
	if f.doc != nil {
		to.malformed(string(f.doc), f.start, true)
		f.doc = nil
	}
	return nil
}

// whole takes a line, the last one perhaps torn.
func (f *framer) whole(line []byte, to receiver, torn bool) error {
	if f.long {
		to.malformed("a line that is too long", f.number, false)
		return nil
	}
	if f.number == 1 {
		line = bytes.TrimPrefix(line, []byte(jsonl.ByteOrderMark))
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	if f.doc == nil && (f.sse || isEvent(line)) {
		f.sse = true
		return f.sent(line, to)
	}
	if f.doc != nil {
		return f.more(line, to)
	}
	line = bytes.TrimSpace(line)
	switch {
	case len(line) == 0:
		return nil
	case js.Valid(line):
		return f.give(line, "", to)
	case !torn && (line[0] == '{' || line[0] == '[') && f.depth.after(line) > 0:
		f.start = f.number
		f.depth = depth{}
		return f.more(line, to)
	}
	to.malformed(string(line), f.number, torn)
	return nil
}

// give gives a value away; a value that is no object or array is not part of a stream.
func (f *framer) give(text []byte, event string, to receiver) error {
	v := js.Value(text)
	if !utf8.Valid(text) {
		v = js.Value(strings.ToValidUTF8(string(v), "\ufffd"))
	}
	v = js.Value(api.Compact(string(v))) // entries have one line
	if !v.IsObject() && !v.IsArray() {
		to.malformed(string(text), f.number, false)
		return nil
	}
	return to.value(v, event)
}

// more adds a line to a value of many lines. A line that looks like the beginning of another event
// while nothing closed the value before is one: the value before was torn.
func (f *framer) more(line []byte, to receiver) error {
	if len(f.doc)+len(line) > maxValue {
		to.malformed("a value that is too long", f.start, false)
		f.doc, f.depth = nil, depth{}
		return nil
	}
	if f.doc != nil && line != nil && bytes.HasPrefix(line, []byte(`{"`)) && js.Valid(line) {
		to.malformed(string(f.doc), f.start, false)
		f.doc, f.depth = nil, depth{}
		return f.give(line, "", to)
	}
	f.doc = append(append(f.doc, line...), '\n')
	if f.depth.add(line) > 0 {
		return nil
	}
	doc := f.doc
	f.doc, f.depth = nil, depth{}
	if !js.Valid(doc) {
		to.malformed(string(doc), f.start, false)
		return nil
	}
	return f.give(doc, "", to)
}

// isEvent reports whether a line is one of a stream of server-sent events.
func isEvent(line []byte) bool {
	for _, field := range []string{"data:", "event:", ":", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(field)) {
			return true
		}
	}
	return false
}

// sent takes a line of server-sent events.
func (f *framer) sent(line []byte, to receiver) error {
	if len(line) == 0 {
		return f.dispatch(to)
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		f.event = string(value)
	case "data":
		if len(f.data)+len(value) > maxValue {
			to.malformed("an event that is too long", f.number, false)
			f.data = nil
			return nil
		}
		f.data = append(append(f.data, value...), '\n')
	case "", "id", "retry":
	default: // the body of an error, or text behind the events
		f.sse = isEvent(line)
		if err := f.dispatch(to); err != nil {
			return err
		}
		return f.whole(line, to, false)
	}
	return nil
}

// dispatch gives an event away.
func (f *framer) dispatch(to receiver) error {
	data, event := bytes.TrimSpace(f.data), f.event
	f.data, f.event = nil, ""
	switch {
	case len(data) == 0:
		return nil
	case string(data) == "[DONE]":
		return to.value(done, event)
	case !js.Valid(data):
		to.malformed(string(data), f.number, false)
		return nil
	}
	return f.give(data, event, to)
}

// done is the value that stands for the end that streams of OpenAI's API announce.
const done js.Value = `{"type":"[DONE]"}`

// depth counts the brackets that are open, those in strings left out.
type depth struct {
	open    int
	str     bool
	escaped bool
}

// after returns how many brackets a text leaves open.
func (d depth) after(text []byte) int { return d.add(text) }

// add counts on through the next bytes, and returns how many brackets are open.
func (d *depth) add(text []byte) int {
	for _, c := range text {
		switch {
		case d.escaped:
			d.escaped = false
		case d.str && c == '\\':
			d.escaped = true
		case c == '"':
			d.str = !d.str
		case d.str:
		case c == '{' || c == '[':
			d.open++
		case c == '}' || c == ']':
			d.open--
		}
	}
	return d.open
}
