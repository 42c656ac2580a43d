package redact

import (
	"fmt"
	"iter"
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Run looks at lines, and calls report for what it finds, in the order of the lines. It
// calls emit for the lines without their secrets, in pieces of any length; if emit is nil, it
// only looks. It returns an error of the lines or of emit as it is, and a
// [session.Problem] for a line of which a secret cannot be taken out; that line is not emitted.
func (r *Redactor) Run(lines iter.Seq2[jsonl.Line, error], emit func(string) error, report func(Found)) error {
	q := &queue{spoken: map[string]*speech{}}
	finish := func() error {
		for l, ok := q.next(); ok; l, ok = q.next() {
			if err := r.finish(l, emit, report); err != nil {
				return err
			}
		}
		return nil
	}
	for raw, err := range lines {
		if err != nil {
			return err
		}
		q.add(r, r.line(raw))
		if err := finish(); err != nil {
			return err
		}
	}
	q.close(r)
	return finish()
}

// line looks at a line.
func (r *Redactor) line(raw jsonl.Line) *line {
	l := &line{text: string(raw.Data), number: raw.Number, end: "\n"}
	l.first.index, l.last.index = -1, -1
	if raw.Torn {
		l.end = ""
	}
	if raw.Number == 1 {
		if rest, ok := strings.CutPrefix(l.text, jsonl.ByteOrderMark); ok {
			l.lead, l.text = jsonl.ByteOrderMark, rest
		}
	}
	if !js.Valid([]byte(l.text)) {
		for _, f := range r.o.Set.Find(l.text) {
			l.found = append(l.found, Found{Finding: f, Line: l.number, Field: "line", Damaged: true})
		}
		l.entry = fmt.Sprintf("L%d", l.number)
		return l
	}
	l.text = r.prepared(l.text)
	r.look(l)
	return l
}

// finish reports what was found in a line, and emits it.
func (r *Redactor) finish(l *line, emit func(string) error, report func(Found)) error {
	damaged := false
	for _, f := range l.found {
		f.Entry = l.entry
		damaged = damaged || f.Damaged
		report(f)
	}
	if emit == nil {
		return nil
	}
	var text string
	switch {
	case damaged && !r.o.Damaged:
		return session.Problem{Kind: Damaged, Line: l.number, Text: "a secret is in a line that is not JSON"}
	case damaged:
		text = "[redacted:damaged-line]"
	default:
		var err error
		if text, err = r.replaced(l); err != nil {
			return session.Problem{Kind: Left, Line: l.number, Text: err.Error()}
		}
	}
	for _, part := range []string{l.lead, text, l.end} {
		if part == "" {
			continue
		}
		if err := emit(part); err != nil {
			return err
		}
	}
	return nil
}

// prepared returns a line without the signatures and images that are not wanted.
func (r *Redactor) prepared(text string) string {
	t := &r.tree
	if r.o.Signatures {
		t.read(text)
		var b strings.Builder
		done := 0
		for _, x := range t.texts {
			if t.opaque(x) {
				b.WriteString(text[done:x.From])
				b.WriteString(`""`)
				done = x.To
			}
		}
		text = b.String() + text[done:]
	}
	if r.o.Images == "" || r.o.Images == "keep" {
		return text
	}
	for {
		t.read(text)
		f, ok := t.image()
		if !ok {
			return text
		}
		text = r.withoutImage(text, f)
	}
}

// image returns the first block that is an image.
func (t *tree) image() (frame, bool) {
	for _, x := range t.texts {
		if x.key || !js.IsKey(x.name, "type") || x.in < 1 || t.frames[t.frames[x.in].up].object {
			continue
		}
		switch js.Unquote(t.literal(x)) {
		case "image", "input_image", "image_url":
			return t.frames[x.in], true
		}
	}
	return frame{}, false
}

// withoutImage returns the line without a block, or with a text in its place.
func (r *Redactor) withoutImage(text string, f frame) string {
	from, to := f.from, js.ValueEnd(text, f.from)
	if r.o.Images == "note" {
		note := js.Object(js.StringField("type", "text"), js.StringField("text", convo.ImageLeftOut("it was taken out")))
		return text[:from] + note + text[to:]
	}
	before, after := strings.TrimRight(text[:from], " \t\r\n"), strings.TrimLeft(text[to:], " \t\r\n")
	if rest, ok := strings.CutPrefix(after, ","); ok {
		return before + rest
	}
	return strings.TrimSuffix(before, ",") + after
}
