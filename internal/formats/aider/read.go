package aider

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The custom entries, without the format's name.
const (
	customStart = "start" // {"text"}: what stands around the line that begins the session
	customTool  = "tool"  // {"text"}, and "raw" if it stands otherwise than aider would put it
	customText  = "text"  // {"of","raw"}: how a message stands there; without "of", what is none
)

func (a *archive) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	var u unit
	if n, err := fmt.Sscanf(info.Key, "%d %d %d %d", &u.offset, &u.size, &u.line, &u.nth); n < 4 {
		return fmt.Errorf("reading %s: no session %q: %w", a.src.Name(), info.Key, err)
	}
	if parts := strings.SplitN(info.Key, " ", 5); len(parts) == 5 {
		u.start = parts[4]
	}
	if err := b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD}); err != nil {
		return err
	}
	c := &conversion{src: a.src, b: b, unit: u}
	r := io.NewSectionReader(a.file.ReaderAt, u.offset, u.size)
	switch a.kind {
	case inputHistory:
		return c.input(ctx, r)
	case llmHistory:
		return c.llm(ctx, r)
	}
	return c.chat(ctx, r, info.Created.UnixMilli())
}

// A conversion is the reading of one session.
type conversion struct {
	src  *formats.Source
	b    *formats.Builder
	unit unit
}

// lead returns what aider writes to begin a session.
func lead(at string) string { return "\n# aider chat started at " + at + "\n\n" }

// formatTime returns a time as aider writes it.
func formatTime(ms int64) string { return timeOf(ms).Format("2006-01-02 15:04:05") }

// chat reads a session of a chat history.
func (c *conversion) chat(ctx context.Context, r io.Reader, at int64) error {
	cut := cutter{give: c.piece}
	var raw strings.Builder // of the beginning
	opening, began := true, false
	for l, err := range lines(r, c.unit.line, c.unit.offset) {
		switch {
		case err != nil:
			return c.src.Located(err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if !utf8.ValidString(l.raw) {
			c.b.Lose(c.src.At(l.number), formats.KindText, "invalid UTF-8, which became U+FFFD")
			l.raw, l.text = strings.ToValidUTF8(l.raw, "\ufffd"), strings.ToValidUTF8(l.text, "\ufffd")
		}
		if opening {
			_, ok := marker(l.text)
			blank := strip(l.text) == ""
			switch {
			case ok && !began && c.unit.start != "":
				began = true
				raw.WriteString(l.raw)
				continue
			case blank && !began && c.unit.start != "":
				raw.WriteString(l.raw)
				continue
			case began && l.raw == "\n":
				raw.WriteString(l.raw)
				l.raw = ""
			}
			opening = false
			if err := c.opened(raw.String(), at); err != nil {
				return err
			}
			if l.raw == "" {
				continue
			}
		}
		if err := cut.add(l, l.number-c.unit.line+1); err != nil {
			return err
		}
	}
	if opening {
		if err := c.opened(raw.String(), at); err != nil {
			return err
		}
	}
	return cut.end()
}

// opened keeps how the session begins, unless aider would begin it so.
func (c *conversion) opened(raw string, at int64) error {
	if raw == lead(formatTime(at)) {
		return nil
	}
	_, err := c.b.Custom(formats.Place{Key: "start"}, customStart, js.Object(js.StringField("text", raw)))
	return err
}

// piece adds the entries for a piece.
func (c *conversion) piece(p *piece) error {
	place := formats.Place{Key: "line " + strconv.Itoa(p.line)}
	text, raw := p.text(), p.raw.String()
	var kept []js.Field
	if framed(p.role, text) != raw {
		kept = []js.Field{js.StringField("raw", raw)}
	}
	switch {
	case strip(p.said.String()) == "" && p.role != tool:
		return c.keep(p, formats.Str("raw", raw))
	case p.role == tool:
		_, err := c.b.Custom(place, customTool, js.Object(append([]js.Field{js.StringField("text", text)}, kept...)...))
		return err
	}
	m := formats.User([]string{formats.Text(text)})
	if p.role == assistant {
		m = formats.Assistant([]string{formats.Text(text)})
	}
	id, err := c.b.Message(place, m)
	if err != nil || kept == nil {
		return err
	}
	return c.keep(p, js.StringField("of", id), kept[0])
}

// keep adds an entry for the layout of a piece.
func (c *conversion) keep(p *piece, fields ...js.Field) error {
	_, err := c.b.Custom(formats.Place{Key: "layout of line " + strconv.Itoa(p.line)}, customText, js.Object(fields...))
	return err
}
