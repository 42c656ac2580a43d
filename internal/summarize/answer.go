package summarize

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// ErrLacking is matched by the error of Answer.Take for a text without the
// heading, or the line, that was asked for.
var ErrLacking = errors.New("the answer lacks what was asked for")

// errEcho refuses a program that prints what it reads.
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

// unwrap leaves out what stands around the summary in a reply.
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
