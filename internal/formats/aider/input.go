package aider

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/jsonl"
)

func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// firstTime returns the first time that an input history or a log says.
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

// timeIn returns the time that a line of an input history or a log says.
func timeIn(text string) string {
	for _, before := range []string{"# ", "TO LLM ", "LLM RESPONSE "} {
		if at, ok := strings.CutPrefix(text, before); ok {
			if _, ok := parseTime(at); ok {
				return at
			}
		}
	}
	return ""
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
		_, err := c.b.Message(formats.Place{Key: formats.Int(int64(first)), Time: at}, formats.User([]string{formats.Text(text)}))
		return err
	}
	for l, err := range jsonl.Lines(r) {
		switch {
		case err != nil:
			return c.src.Located(err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		text := l.Text()
		if !utf8.ValidString(text) {
			c.b.Lose(c.src.At(l.Number), formats.KindText, "invalid UTF-8, which became U+FFFD")
			text = strings.ToValidUTF8(text, "\ufffd")
		}
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
