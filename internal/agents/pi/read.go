package pi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	customTitle = "omp:title" // data: {"slot":…,"header":…}
	customEntry = "pi:entry"  // data: an entry
)

// A conversion is the reading of one session.
type conversion struct {
	src   *formats.Source
	b     *formats.Builder
	blobs string
}

// errOld says that the session is of version 1 or 2, and has to be upgraded whole.
var errOld = errors.New("of an old version")

// read reads the session line by line, and never has it in memory, unless it is
// of an old version.
func (c *conversion) read(ctx context.Context, f *formats.File) error {
	err := c.stream(f.Reader(ctx))
	if !errors.Is(err, errOld) {
		return err
	}
	s, err := session.Read(f.Reader(ctx))
	if err != nil {
		return c.src.Located(err)
	}
	for _, p := range s.Problems {
		switch p.Kind {
		case session.Torn, session.NotJSON, session.NotObject, session.Fused, session.NUL, session.LaterHeader:
			c.b.Lose(c.src.At(p.Line), formats.KindDamage, "%s", p.Text)
		}
	}
	slot, header := lead(s)
	if err := c.b.RawHeader(titled(slot, header)); err != nil {
		return err
	}
	for _, e := range s.Entries {
		if err := c.entry(e); err != nil {
			return err
		}
	}
	return c.keepTitle(slot, header)
}

// entry takes over one entry.
func (c *conversion) entry(e session.Entry) error {
	return c.b.Entry(c.b.Resolve(unwrapped(e), c.blobs))
}

// lead returns the title slot, "" if there is none, and the header, without white
// space around them: a carriage return would come back in the middle of a line.
func lead(s *session.Session) (slot, header string) {
	lines := s.Lead()
	if len(lines) > 1 {
		slot = strings.TrimSpace(lines[len(lines)-2])
	}
	return slot, strings.TrimSpace(lines[len(lines)-1])
}

// titled returns the header with the title of the slot, which counts, instead of the header's.
func titled(slot, header string) string {
	if slot == "" {
		return header
	}
	h, err := session.ParseEntry(header)
	title, terr := session.ParseEntry(slot)
	if err != nil || terr != nil || h.Str("title") == title.Str("title") {
		return header
	}
	return h.WithRaw("title", js.Quote(title.Str("title"))).Raw()
}

// keepTitle keeps the title slot and the header as it was.
func (c *conversion) keepTitle(slot, header string) error {
	if slot == "" {
		return nil
	}
	e, err := session.ParseEntry(slot)
	if err != nil {
		return err
	}
	at, _ := js.ParseTime(e.Str("updatedAt"))
	_, err = c.b.Add(formats.Place{Key: "title", Time: at}, session.TypeCustom,
		js.StringField("customType", customTitle), js.RawField("data", js.Object(
			js.RawField("slot", slot), js.RawField("header", header))))
	return err
}

// unwrapped returns the entry that e wraps, or e.
func unwrapped(e session.Entry) session.Entry {
	if e.Type() != session.TypeCustom || e.Str("customType") != customEntry {
		return e
	}
	inner, err := session.ParseEntry(e.Get("data"))
	if err != nil || inner.ID() != e.ID() {
		return e // not one of ours, or of a copy with other ids
	}
	if inner.ParentID() != e.ParentID() {
		inner = inner.WithParent(e.ParentID())
	}
	return inner
}

// A stream is the reading of a session of version 3, line by line.
type stream struct {
	*conversion
	slot, header string
	opened       bool
	nonBlank     bool // there was a line that is not blank
}

// stream reads what r holds. The error is errOld, and nothing has been made, if it
// is of version 1 or 2.
func (c *conversion) stream(r io.Reader) error {
	s := stream{conversion: c}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return c.src.Located(err)
		}
		if l.Torn && c.b.Growth != formats.Whole {
			break
		}
		if l.Number == 1 {
			l.Data = bytes.TrimPrefix(l.Data, []byte(jsonl.ByteOrderMark))
		}
		if err := s.line(l); err != nil {
			return err
		}
	}
	switch {
	case !s.nonBlank:
		return c.src.Located(session.Problem{Kind: session.Empty, Text: "not a session: empty"})
	case !s.opened:
		return c.src.Located(session.Problem{Kind: session.NoHeader, Line: 1, Text: "not a session: no session header"})
	}
	if c.b.Growth != formats.Whole {
		return nil
	}
	return c.keepTitle(s.slot, s.header)
}

func (s *stream) line(l jsonl.Line) error {
	if len(bytes.TrimSpace(l.Data)) == 0 {
		return nil
	}
	s.nonBlank = true
	if js.Valid(l.Data) {
		return s.value(l.Number, string(l.Data))
	}
	for v := range s.b.Values(s.src, l) {
		if err := s.value(l.Number, v.Text); err != nil {
			return err
		}
	}
	return nil
}

// value reads a JSON value of a line.
func (s *stream) value(line int, text string) error {
	e, err := session.ParseEntry(text)
	switch {
	case err != nil && !s.opened:
		return s.src.Located(session.WithoutHeader(line, 0))
	case err != nil:
		s.b.Lose(s.src.At(line), formats.KindDamage, "not a JSON object, skipped")
		return nil
	case !s.opened:
		return s.first(e, line)
	case e.Type() == session.TypeSession:
		s.b.Lose(s.src.At(line), formats.KindDamage, "another session header, skipped")
		return nil
	}
	return s.entry(e)
}

// first reads the lines before the entries: a title slot perhaps, and the header.
func (s *stream) first(e session.Entry, line int) error {
	if isSlot(e) {
		s.slot = strings.TrimSpace(e.Raw())
		return nil
	}
	s.header = strings.TrimSpace(e.Raw())
	h, err := session.HeaderOf([]byte(s.header))
	if p, ok := errors.AsType[session.Problem](err); ok {
		p.Line = line
		return s.src.Located(p)
	}
	if h.Version < session.Version {
		return errOld
	}
	s.opened = true
	return s.b.RawHeader(titled(s.slot, s.header))
}

// isSlot reports whether a line is oh-my-pi's title slot (docs/formats/omp.md,
// title slot).
func isSlot(e session.Entry) bool {
	if e.Type() != session.TypeTitle || e.Get("v") != "1" {
		return false
	}
	for _, name := range []string{"title", "updatedAt", "pad"} {
		if !strings.HasPrefix(e.Get(name), `"`) {
			return false
		}
	}
	return true
}
