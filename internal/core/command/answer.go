package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/ansi"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// ErrLacking is matched by the error of Answer.Take for a text without the
// heading, or the line, that was asked for.
var ErrLacking = errors.New("the answer lacks what was asked for")

// errEcho refuses a program that prints its input.
var errEcho = errors.New("the answer repeats the prompt")

// An Answer says what a text has to have to be taken for a summary. The zero
// Answer takes any text.
type Answer struct {
	// Heading is a line that the text has to have, or the beginning of one; ""
	// asks for none.
	Heading string
	// Require is what a line has to match instead of Heading; nil asks for
	// Heading. A pattern for a line needs (?m).
	Require *regexp.Regexp
}

// Take returns the summary that a reply to a prompt holds; without a prompt it is
// "". What models put around a summary is left out, and left says what that was,
// "" for nothing: words in front of the heading, and a code fence around all. A
// reply in which they might be part of the summary stays as it is.
func (a Answer) Take(prompt, reply string) (text, left string, err error) {
	if echoes(reply, prompt) {
		return "", "", errEcho
	}
	text, left = a.unwrap(reply)
	switch {
	case a.Require != nil && !a.Require.MatchString(text):
		return "", "", &lack{"no line of the answer matches the pattern that is required"}
	case a.Require == nil && a.Heading != "" && !slices.ContainsFunc(strings.Split(text, "\n"), a.heads):
		return "", "", &lack{fmt.Sprintf("the answer lacks the heading %q", a.Heading)}
	}
	return text, left, nil
}

type lack struct{ text string }

func (l *lack) Error() string        { return l.text }
func (l *lack) Is(target error) bool { return target == ErrLacking }

func (a Answer) heads(line string) bool { return strings.HasPrefix(line, a.Heading) }

// unwrap leaves out the text around the summary in a reply.
func (a Answer) unwrap(reply string) (text, left string) {
	lines := strings.Split(reply, "\n")
	if a.Heading == "" || a.Require != nil {
		return unfence(reply, lines)
	}
	first := slices.IndexFunc(lines, a.heads)
	if first <= 0 || slices.ContainsFunc(lines[:first], a.section) {
		return reply, ""
	}
	fence, lines, before := openFence(lines[:first]), lines[first:], lines[:first]
	if fence == "" {
		return strings.Join(lines, "\n"), fmt.Sprintf("%d bytes in front of the heading", len(strings.Join(before, "\n"))+1)
	}
	end := closing(lines, fence)
	after := strings.TrimSpace(strings.Join(lines[min(end+1, len(lines)):], "\n"))
	if len(after) > farewell || slices.ContainsFunc(strings.Split(after, "\n"), a.section) {
		return reply, ""
	}
	return strings.TrimSpace(strings.Join(lines[:end], "\n")), "the code fence around it, and what stands outside"
}

// farewell is how many bytes behind a fenced summary may be words to the reader.
const farewell = 300

// section reports whether a line is a heading of the rank of the one that is
// asked for, or below: it is part of a summary.
func (a Answer) section(line string) bool {
	rank := func(s string) int { return len(s) - len(strings.TrimLeft(s, "#")) }
	n := rank(line)
	return n > 0 && n >= rank(a.Heading) && strings.HasPrefix(line[n:], " ")
}

// unfence takes a text out of the code fence around all of it, if the fence is
// one of Markdown or has no fence inside.
func unfence(reply string, lines []string) (text, left string) {
	fence, info := fenceOf(lines[0])
	last := len(lines) - 1
	if fence == "" || last == 0 || closing(lines[1:], fence) != last-1 {
		return reply, ""
	}
	switch info {
	case "markdown", "md":
	case "":
		if slices.ContainsFunc(lines[1:last], func(s string) bool { f, _ := fenceOf(s); return f != "" }) {
			return reply, ""
		}
	default:
		return reply, ""
	}
	return strings.TrimSpace(strings.Join(lines[1:last], "\n")), "the code fence around it"
}

// fenceOf returns the marks of a line that opens or closes a code fence, and the
// word behind them; "" for any other line.
func fenceOf(line string) (marks, info string) {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, mark) {
			return line[:n], strings.ToLower(strings.TrimSpace(rest))
		}
	}
	return "", ""
}

// openFence returns the marks of the fence that the lines leave open, "" for none.
func openFence(lines []string) (open string) {
	for _, line := range lines {
		marks, info := fenceOf(line)
		switch {
		case open == "":
			open = marks
		case info == "" && strings.HasPrefix(marks, open):
			open = ""
		}
	}
	return open
}

// closing returns the index of the line that closes a fence, len(lines) if none
// does. Fences inside come in pairs, also where they are as long.
func closing(lines []string, fence string) int {
	last, n := len(lines), 0
	for i, line := range lines {
		if marks, _ := fenceOf(line); strings.HasPrefix(marks, fence) {
			last, n = i, n+1
		}
	}
	if n%2 == 0 {
		return len(lines)
	}
	return last
}

// Sizes of what makes an echo, in bytes without white space.
const (
	echoMin = 64
	echoMax = 2000
)

// echoes reports whether a reply has the first or the last half of the prompt in
// it, or much of it if that is long. A summary quotes less.
func echoes(reply, prompt string) bool {
	source := essence(prompt)
	n := min(len(source), max(len(source)/2, echoMin), echoMax)
	if n < echoMin {
		return false
	}
	said := squeeze(reply)
	return strings.Contains(said, source[:n]) || strings.Contains(said, source[len(source)-n:])
}

// Clean makes a text of what a program printed, as Command.Run does. It reports whether
// that is more than a change of white space and line ends: control characters were left
// out, or bytes that are not UTF-8 replaced.
func Clean(printed string) (text string, changed bool) {
	return clean(printed), plain(printed) != strings.ReplaceAll(printed, "\r\n", "\n")
}

// clean makes a reply of what a program printed: plain text without byte order
// mark, leading blank lines and trailing white space. The indentation of the
// first line stays. clean(clean(s)) == clean(s).
func clean(s string) string {
	s = plain(s)
	for {
		rest := strings.TrimLeft(s, jsonl.ByteOrderMark) // all at once: a line is searched for its end once
		if line, after, found := strings.Cut(rest, "\n"); found && strings.TrimSpace(line) == "" {
			rest = after
		}
		if len(rest) == len(s) {
			return strings.TrimRightFunc(s, unicode.IsSpace)
		}
		s = rest
	}
}

// plain removes terminal escape sequences and all control characters but tab
// and newline (so CR LF becomes LF), and puts U+FFFD for each byte that is not
// UTF-8. Of a sequence that is not whole only the introducer counts, and so of one with
// lines in it: rather a stray "0;title" in the text than text lost.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := printable(s[i:]); n > 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		if q := ansi.At(s[i:]); q.Size > 0 {
			if strings.ContainsFunc(q.Body, unicode.IsControl) {
				q.Whole = false
			}
			i += q.Sure()
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		if !unicode.IsControl(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// printable returns the length of the ASCII text that s begins with.
func printable(s string) int {
	for i := range len(s) {
		if (s[i] < 0x20 && s[i] != '\n' && s[i] != '\t') || s[i] >= 0x7f {
			return i
		}
	}
	return len(s)
}

// blank reports whether s shows nothing: it has only white space and characters
// without a picture, such as U+200B.
func blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r)
	})
}

const (
	// promptMark stands for a passage of the prompt.
	promptMark = "[prompt left out]"
	// passage is how many bytes, white space not counted, make a passage. API
	// keys and tokens are longer; the stock phrases of error messages, which
	// may well stand in a transcript too, are shorter.
	passage = 24
	// passageMin is the same for a prompt that is shorter as a whole.
	passageMin = 8
)

// withoutPrompt replaces every passage of text that also stands in the prompt by
// promptMark; source is the prompt as essence returns it. White space is ignored in the comparison, so that an echo that
// indents or wraps the lines is found too, and so is one whose beginning or end
// is missing. Text that has no passage in common is returned as it is.
func withoutPrompt(text, source string) string {
	said := squeeze(text)
	if said == "" {
		return text
	}
	size := min(passage, len(source))
	if size < passageMin {
		return text
	}
	echoed := common(said, source, size)
	var b strings.Builder
	var (
		until int    // bytes of said below this one belong to a passage
		k     int    // position in said
		held  []byte // white space since the last byte of a passage
		cut   bool   // the last byte of said belonged to one
	)
	for i := range len(text) {
		if isSpace(text[i]) {
			if cut {
				held = append(held, text[i])
			} else {
				b.WriteByte(text[i])
			}
			continue
		}
		if k+size <= len(said) && echoed[said[k:k+size]] {
			until = k + size
		}
		if k < until && !cut {
			b.WriteString(promptMark)
		}
		if k >= until {
			b.Write(held)
			b.WriteByte(text[i])
		}
		cut, held = k < until, held[:0]
		k++
	}
	b.Write(held)
	return strings.ToValidUTF8(b.String(), "") // a passage may begin inside a character
}

// essence returns prompt as text that was printed is compared with it.
func essence(prompt string) string { return squeeze(plain(prompt)) }

// common tells which stretches of size bytes of said stand in source. Only those
// of said, which is small, are remembered.
func common(said, source string, size int) map[string]bool {
	stretches := make(map[string]bool, len(said))
	for i := 0; i+size <= len(said); i++ {
		stretches[said[i:i+size]] = false
	}
	for i := 0; i+size <= len(source); i++ {
		if found, asked := stretches[source[i:i+size]]; asked && !found {
			stretches[source[i:i+size]] = true
		}
	}
	return stretches
}

// squeeze returns s without white space.
func squeeze(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if !isSpace(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// A relay passes on the collected output as it grows. It has a goroutine, so that the collecting
// never waits for the writer. A nil relay does nothing.
type relay struct {
	mu    sync.Mutex
	data  []byte // everything so far
	ended bool   // it will not grow any more

	wake chan struct{} // a token for each change, at most one waiting
	done chan struct{} // closed when nothing more is written
}

func (r *relay) run(w io.Writer) {
	defer close(r.done)
	for sent := 0; ; {
		r.mu.Lock()
		rest, ended := r.data[sent:], r.ended
		r.mu.Unlock()
		switch {
		case len(rest) > 0:
			if _, err := w.Write(rest); err != nil {
				return
			}
			sent += len(rest)
		case ended:
			return
		default:
			<-r.wake
		}
	}
}

// has says that so much has been collected. What was there before must be the same.
func (r *relay) has(data []byte) { r.change(func() { r.data = data }) }

// moment is how long a writer has for the rest if ctx has ended: one that waits for
// no command needs less.
const moment = 200 * time.Millisecond

// end waits until everything has been written, or until a moment after the end of ctx.
func (r *relay) end(ctx context.Context) {
	r.change(func() { r.ended = true })
	if r == nil {
		return
	}
	select {
	case <-r.done:
		return
	case <-ctx.Done():
	}
	select {
	case <-r.done:
	case <-time.After(moment):
	}
}

func (r *relay) change(what func()) {
	if r == nil {
		return
	}
	r.mu.Lock()
	what()
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
