package pi

import (
	"context"
	"errors"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	customTitle = "omp:title" // data: {"slot":…,"header":…}
	customEntry = "pi:entry"  // data: an entry
)

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	src := a.src
	if src.IsDir() {
		src = &formats.Source{Path: info.Path}
	}
	f, err := src.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	c := conversion{src: src, b: b, blobs: a.blobs}
	return c.read(ctx, f)
}

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

// titled returns the header with the title of the slot, which counts, in place of
// its own.
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
		js.StringField("customType", customTitle), js.Field{Name: "data", Raw: js.Object(
			js.RawField("slot", slot), js.RawField("header", header))})
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
