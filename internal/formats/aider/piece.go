package aider

import (
	"strings"
)

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
	said strings.Builder // what aider's reader makes of them
	line int             // of the session, from 1
}

// text returns what was said, without the framing that aider's writer puts around
// it.
func (p *piece) text() string { return unframed(p.role, p.said.String()) }

// unframed takes off what aider's writer adds.
func unframed(r role, said string) string {
	if r == assistant {
		return strip(said)
	}
	ended := strings.SplitAfter(said, "\n")
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
	r, said := assistant, l.text
	switch {
	case strings.HasPrefix(l.text, "# "): // which aider's reader passes over
		if c.now != nil && c.now.role != assistant {
			c.now.raw.WriteString(l.raw)
			return nil
		}
	case strings.HasPrefix(l.text, "> "):
		r, said = tool, l.text[2:]
	case strings.HasPrefix(l.text, "#### "):
		r, said = user, l.text[5:]
	}
	if c.now == nil || c.now.role != r {
		if err := c.next(r, number); err != nil {
			return err
		}
	}
	c.now.raw.WriteString(l.raw)
	c.now.said.WriteString(said)
	return nil
}

// next ends the piece at hand and begins one of another role. A blank line in front
// of what a user typed belongs to it.
func (c *cutter) next(r role, number int) error {
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
	said := strings.TrimSuffix(p.said.String(), "\n")
	p.raw.Reset()
	p.raw.WriteString(raw[:len(raw)-1])
	p.said.Reset()
	p.said.WriteString(said)
	return true
}
