package aider

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The custom entries, without the format's name.
const (
	customStart = "start" // {"text"}: the text around the line that begins the session
	customTool  = "tool"  // {"text"}: what the program said
	customText  = "text"  // text that is no message
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
	if a.kind == inputHistory {
		return c.input(ctx, r)
	}
	return c.chat(ctx, r, info.Created.UnixMilli())
}

// A conversion is the reading of one session.
type conversion struct {
	src  *formats.Source
	b    *formats.Builder
	unit unit

	asked bool // a prompt came, or the lack of one was told
}

// lead returns what aider writes to begin a session.
func lead(at string) string { return "\n# aider chat started at " + at + "\n\n" }

// formatTime returns a time as aider writes it.
func formatTime(ms int64) string { return timeOf(ms).Format("2006-01-02 15:04:05") }

// chat reads a session of a chat history.
func (c *conversion) chat(ctx context.Context, r io.Reader, at int64) error {
	c.b.BeginKeeping()
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

// piece adds the entry for a piece, and keeps how it stands there, unless aider would put it so
// and read it so.
func (c *conversion) piece(p *piece) (err error) {
	place := formats.Place{Key: "line " + strconv.Itoa(p.line)}
	text, raw := unframed(p.role, p.body.String()), p.raw.String()
	blocks := []string{api.Text(text)}
	switch {
	case strip(p.body.String()) == "" && p.role != tool:
		place.Key = "layout of line " + strconv.Itoa(p.line)
		_, err = c.b.Aside(place, customText, "", formats.KeptLine{Text: raw, Words: true})
		return err
	case p.role == tool:
		_, err = c.b.Custom(place, customTool, js.Object(js.StringField("text", text)))
	case p.role == assistant:
		if !c.asked {
			c.asked = true // told once
			c.b.Lose(c.src.At(c.unit.line+p.line-1), formats.KindRole, "text in front of the first prompt, which aider takes for a reply")
		}
		_, err = c.b.Message(place, api.Assistant(blocks))
	default:
		c.asked = true
		_, err = c.b.Message(place, api.User(blocks))
	}
	if err != nil || framed(p.role, text) == raw && (p.role == tool || faithful(p.role, text, raw)) {
		return err
	}
	return c.b.Keep(nil, formats.KeptLine{Text: raw, Words: true})
}

// A spoken message is one as aider's reader gives it.
type spoken struct {
	role role
	text string
}

// readers returns what aider's own reader makes of a chat history: the messages
// that --restore-chat-history shows the model, and the notes between them if tools
// is set (docs/formats/aider.md, the reader).
func readers(history string, tools bool) []spoken {
	var out []spoken
	var body [tool + 1]strings.Builder
	flush := func(roles ...role) {
		for _, r := range roles {
			if text := body[r].String(); strip(text) != "" && (tools || r != tool) {
				out = append(out, spoken{r, text})
			}
			body[r].Reset()
		}
	}
	for l, err := range lines(strings.NewReader(history), 1, 0) {
		switch {
		case err != nil: // memory does not fail
		case strings.HasPrefix(l.text, "# "):
		case strings.HasPrefix(l.text, "> "):
			flush(assistant, user)
			body[tool].WriteString(l.text[2:])
		case strings.HasPrefix(l.text, "#### "):
			flush(assistant, tool)
			body[user].WriteString(l.text[5:])
		default:
			flush(user, tool)
			body[assistant].WriteString(l.text)
		}
	}
	flush(assistant, user)
	return out
}

// faithful reports whether aider's reader gets text, said by r, out of what was
// written for it.
func faithful(r role, text, written string) bool {
	want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if r == user {
		want = strings.TrimRightFunc(want, isSpace)
	} else {
		want = strip(want)
	}
	if want == "" {
		return true
	}
	got := readers(written, true)
	return len(got) == 1 && got[0].role == r && unframed(r, got[0].text) == want
}

// A role says whose lines are.
type role int

const (
	nobody role = iota
	user
	assistant
	tool
)

// A piece is lines of one role in a row, with the blank line in front that aider
// puts there.
type piece struct {
	role role
	raw  strings.Builder // as they stand in the file
	body strings.Builder // what aider's reader makes of them
	line int             // of the session, from 1
}

// unframed takes off what aider's writer adds.
func unframed(r role, body string) string {
	if r == assistant {
		return strip(body)
	}
	ended := strings.SplitAfter(body, "\n")
	for i, l := range ended {
		body, ok := strings.CutSuffix(l, "\n")
		switch {
		case ok && r == tool && body == " ":
			ended[i] = "\n" // how aider says nothing
		case ok:
			ended[i] = strings.TrimSuffix(body, "  ") + "\n"
		}
	}
	return strings.TrimSuffix(strings.Join(ended, ""), "\n")
}

// framed returns the bytes that aider's writer makes of what was said.
func framed(r role, text string) string {
	var b strings.Builder
	switch r {
	case user:
		b.WriteByte('\n')
		lines := split(strings.TrimRightFunc(text, isSpace))
		if len(lines) == 0 {
			lines = []string{"<blank>"}
		}
		for _, l := range lines {
			b.WriteString("#### " + l + "  \n")
		}
	case assistant:
		b.WriteString("\n" + strip(text) + "\n\n")
	case tool:
		for l := range strings.SplitSeq(text, "\n") {
			if l == "" {
				l = ">  \n"
			} else {
				l = "> " + l + "  \n"
			}
			b.WriteString(l)
		}
	}
	return b.String()
}

// A cutter cuts the lines of a session into pieces.
type cutter struct {
	now  *piece // nil at the beginning
	give func(*piece) error
}

// add takes a line, and gives a piece away when it is complete.
func (c *cutter) add(l line, number int) error {
	r, body := assistant, l.text
	switch {
	case strings.HasPrefix(l.text, "# "): // which aider's reader passes over
		if c.now != nil && c.now.role != assistant {
			c.now.raw.WriteString(l.raw)
			return nil
		}
	case strings.HasPrefix(l.text, "> "):
		r, body = tool, l.text[2:]
	case strings.HasPrefix(l.text, "#### "):
		r, body = user, l.text[5:]
	}
	if c.now == nil || c.now.role != r {
		// A blank line in front of what a user typed belongs to the piece of the user.
		blank := false
		if r == user && c.now != nil && c.now.role == assistant {
			blank = c.now.loseBlank()
		}
		if err := c.end(); err != nil {
			return err
		}
		c.now = &piece{role: r, line: number}
		if blank {
			c.now.raw.WriteByte('\n')
		}
	}
	c.now.raw.WriteString(l.raw)
	c.now.body.WriteString(body)
	return nil
}

// end gives the piece at hand away, if there is something in it.
func (c *cutter) end() error {
	p := c.now
	c.now = nil
	if p == nil || p.raw.Len() == 0 {
		return nil
	}
	return c.give(p)
}

// loseBlank takes a blank line off the end of a reply.
func (p *piece) loseBlank() bool {
	raw := p.raw.String()
	if raw != "\n" && !strings.HasSuffix(raw, "\n\n") {
		return false
	}
	body := strings.TrimSuffix(p.body.String(), "\n")
	p.raw.Reset()
	p.raw.WriteString(raw[:len(raw)-1])
	p.body.Reset()
	p.body.WriteString(body)
	return true
}
