package aider

import (
	"context"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A line is a line as aider's reader has it.
type line struct {
	raw    string // with what ends it
	text   string // the same with line feeds for carriage returns
	offset int64  // in bytes
	number int    // of the line of the file that it is of, from 1
}

// ends are the characters behind which Python's splitlines begins a new line,
// beside the line feed and the carriage return.
const ends = "\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// lines yields the lines of r from the given line and offset on.
func lines(r io.Reader, number int, offset int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		for l, err := range jsonl.Lines(r) {
			at := line{offset: offset + l.Offset, number: number + l.Number - 1}
			if err != nil {
				yield(at, err)
				return
			}
			rest := l.Text()
			if !l.Torn {
				rest += "\n"
			}
			for rest != "" {
				n := lineEnd(rest)
				at.raw, rest = rest[:n], rest[n:]
				at.text = at.raw
				if number == 1 && at.offset == 0 {
					at.text = strings.TrimPrefix(at.raw, jsonl.ByteOrderMark)
				}
				if strings.Contains(at.raw, "\r") {
					at.text = strings.ReplaceAll(strings.ReplaceAll(at.text, "\r\n", "\n"), "\r", "\n")
				}
				if !yield(at, nil) {
					return
				}
				at.offset += int64(n)
			}
		}
	}
}

// lineEnd returns the length of the first line of text.
func lineEnd(text string) int {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= ' ' && c < 0x80:
		case c == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			return i + 2
		case c >= '\n' && c <= '\r', c >= 0x1c && c <= 0x1e:
			return i + 1
		case c == 0xc2 && strings.HasPrefix(text[i:], "\u0085"):
			return i + 2
		case c == 0xe2 && (strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029")):
			return i + 3
		}
	}
	return len(text)
}

// split returns the lines of a text without what ends them, as Python's
// splitlines does.
func split(text string) []string {
	var out []string
	for text != "" {
		n := lineEnd(text)
		out = append(out, strings.TrimRight(text[:n], "\n\r"+ends))
		text = text[n:]
	}
	return out
}

// isSpace is what Python's strip takes away.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

func strip(text string) string { return strings.TrimFunc(text, isSpace) }

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// firstTime returns the first time in an input history.
func (a *archive) firstTime(ctx context.Context) (string, error) {
	for l, err := range jsonl.Lines(a.file.Reader(ctx)) {
		if err != nil {
			return "", err
		}
		if at := timeIn(strings.TrimSuffix(l.Text(), "\r")); at != "" {
			return at, nil
		}
	}
	return "", nil
}

// timeIn returns the time that a line of an input history has, "" if none.
func timeIn(text string) string {
	at, ok := strings.CutPrefix(text, "# ")
	if _, isTime := parseTime(at); !ok || !isTime {
		return ""
	}
	return at
}

// valid returns a line with U+FFFD for bytes that are no UTF-8, and tells of them.
func (c *conversion) valid(text string, number int) string {
	if utf8.ValidString(text) {
		return text
	}
	c.b.Lose(c.src.At(number), formats.KindText, "invalid UTF-8, which became U+FFFD")
	return strings.ToValidUTF8(text, "\ufffd")
}

// input reads an input history: what was typed, each behind its time.
func (c *conversion) input(ctx context.Context, r io.Reader) error {
	var typed strings.Builder
	open, first := false, 0
	at := int64(0)
	flush := func() error {
		if !open {
			return nil
		}
		open = false
		text := strings.TrimSuffix(typed.String(), "\n")
		typed.Reset()
		_, err := c.b.Message(formats.Place{Key: api.Int(int64(first)), Time: at}, api.User([]string{api.Text(text)}))
		return err
	}
	for l, err := range jsonl.Lines(r) {
		switch {
		case err != nil:
			return c.src.Located(err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		text := c.valid(l.Text(), l.Number)
		if more, ok := strings.CutPrefix(text, "+"); ok {
			if !open {
				open, first = true, l.Number
			}
			typed.WriteString(more + "\n")
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if ms, ok := parseTime(timeIn(strings.TrimSuffix(text, "\r"))); ok {
			at = ms
		} else if strings.TrimSpace(text) != "" {
			c.b.Lose(c.src.At(l.Number), formats.KindDamage, "neither a time nor typed: %.60q", text)
		}
	}
	return flush()
}
