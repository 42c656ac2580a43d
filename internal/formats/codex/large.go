package codex

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// largeSize is from how many bytes on a text is not copied into lines.
const largeSize = 64 << 10

// A store of large texts: in lines a number between NULs, which JSON never has, stands for
// each. They are quoted as they are written: one may be most of a session, and codex says
// it in two lines.
type large []string

// quote returns valid text as a literal, or what stands for it.
func (g *large) quote(text string) string {
	if len(text) < largeSize {
		return js.Quote(text)
	}
	*g = append(*g, text)
	return "\x00" + strconv.Itoa(len(*g)-1) + "\x00"
}

// pieces calls each with the parts of a line: JSON text, and texts to be quoted.
func (g large) pieces(line string, each func(piece string, text bool)) {
	for text := false; ; text = !text {
		piece, rest, more := strings.Cut(line, "\x00")
		if text {
			n, _ := strconv.Atoi(piece) // of our own
			each(g[n], true)
		} else {
			each(piece, false)
		}
		if !more {
			return
		}
		line = rest
	}
}

// size returns how many bytes a line has when it is written, about: without the escapes of
// large texts.
func (g large) size(line string) (n int64) {
	g.pieces(line, func(piece string, _ bool) { n += int64(len(piece)) })
	return n
}

// A rollout is lines with large texts.
type rollout struct {
	lines []string
	large large
}

// WriteTo writes the lines, each with its line feed. The error is that of w.
func (r rollout) WriteTo(w io.Writer) (int64, error) {
	c := &counted{w: w}
	out := bufio.NewWriterSize(c, largeSize)
	var buf []byte
	for _, line := range r.lines {
		r.large.pieces(line, func(piece string, text bool) {
			if !text {
				out.WriteString(piece)
				return
			}
			out.WriteByte('"')
			for piece != "" {
				n := min(len(piece), largeSize)
				for n < len(piece) && !utf8.RuneStart(piece[n]) {
					n--
				}
				buf = js.AppendQuote(buf[:0], piece[:n])
				out.Write(buf[1 : len(buf)-1])
				piece = piece[n:]
			}
			out.WriteByte('"')
		})
		out.WriteByte('\n')
	}
	err := out.Flush()
	return c.n, err
}

// counted counts the bytes that w takes.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
