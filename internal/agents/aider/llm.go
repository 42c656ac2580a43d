package aider

import (
	"context"
	"crypto/sha256"
	"io"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A logged message is one of a request or of a reply.
type logged struct {
	role string // in upper case
	text strings.Builder
	line int
}

// A logReader reads a log of requests and replies. Each request repeats what was
// said before: what it has in common with the one before it is the same path.
type logReader struct {
	*conversion
	at     int64 // of the request or reply
	reply  bool
	now    *logged
	path   []step // of the request at hand
	depth  int    // how much of the path the request has repeated so far
	leaf   string // the entry that the next message hangs from
	warned bool   // a line that has no role has been told of
}

// A step is a message on a path.
type step struct {
	sum [sha256.Size]byte
	id  string
}

func (c *conversion) llm(ctx context.Context, r io.Reader) error {
	g := &logReader{conversion: c}
	err := c.each(ctx, r, func(text string, number int) error { return g.line(strings.TrimSuffix(text, "\r"), number) })
	if err != nil {
		return err
	}
	return g.flush()
}

// line takes a line: the beginning of a request or a reply, a rule between
// messages, or text behind a role.
func (g *logReader) line(text string, number int) error {
	at := timeIn(text)
	if text == "-------" || at != "" && text[0] != '#' {
		if err := g.flush(); err != nil {
			return err
		}
		if at != "" {
			g.at, _ = parseTime(at)
			if g.reply = strings.HasPrefix(text, "LLM"); !g.reply {
				g.depth, g.leaf = 0, ""
			}
		}
		return nil
	}
	role, body, ok := strings.Cut(text, " ")
	switch {
	case g.now != nil && (!ok || role != g.now.role):
		role, body = g.now.role, text // an image, or a text that was not put behind the role
		g.tell(number)
	case !ok || role != strings.ToUpper(role):
		if text != "" {
			g.tell(number)
		}
		return nil
	}
	if g.now == nil {
		g.now = &logged{role: role, line: number}
	} else {
		g.now.text.WriteByte('\n')
	}
	g.now.text.WriteString(body)
	return nil
}

// tell tells of the first line that is not as it should be.
func (g *logReader) tell(number int) {
	if !g.warned {
		g.warned = true
		g.b.Lose(g.src.At(number), formats.KindText, "lines of a log that belong to no message, or say no role; the log has no escapes")
	}
}

// flush adds the message at hand, unless the path has it.
func (g *logReader) flush() error {
	m := g.now
	g.now = nil
	if m == nil {
		return nil
	}
	text := m.text.String()
	sum := sha256.Sum256([]byte(m.role + "\x00" + text))
	if g.depth < len(g.path) && g.path[g.depth].sum == sum && !g.reply {
		g.leaf = g.path[g.depth].id
		g.depth++
		return nil
	}
	id, err := g.b.Message(formats.Place{Key: api.Int(int64(m.line)), Parent: g.leaf, Root: g.leaf == "", Time: g.at}, g.message(m.role, text))
	if err != nil {
		return err
	}
	g.path = append(g.path[:g.depth], step{sum, id})
	g.depth, g.leaf = g.depth+1, id
	return nil
}

func (g *logReader) message(role, text string) session.Message {
	block := []string{api.Text(text)}
	switch role {
	case "USER":
		return api.User(block)
	case "ASSISTANT":
		return api.Assistant(block)
	case "SYSTEM":
		return session.NewMessage(js.Object(js.StringField("role", session.RoleSystem), js.RawField("content", api.Array(block...))))
	}
	return api.User([]string{api.Text(role + ": " + text)})
}
