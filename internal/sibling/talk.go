package sibling

import (
	"bytes"
	"strings"
)

// A Message is a line that a program printed on standard error while it ran. What
// it printed at its end, why it failed, is in the error instead.
type Message struct {
	Text    string // without the program's name
	Warning bool
}

const (
	// maxLine is how many bytes of a line on standard error are kept.
	maxLine = 16 << 10
	// maxLast is how many messages make an error.
	maxLast = 8
)

// talk is what a program says on standard error. Warnings are handed on at once;
// what else it says is kept, as it may be why it fails. It is written to by one
// goroutine, which has ended when the rest is asked for.
type talk struct {
	name string
	say  func(Message)

	line  []byte   // not ended yet, its beginning if it is longer than maxLine
	other []string // messages that are no warnings, the last of them
	stray string   // the first line that has not the form of a message
	hints []string
}

// Write takes what the program prints on standard error.
func (t *talk) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		t.line = append(t.line, line[:min(len(line), maxLine-len(t.line))]...)
		if ended {
			t.end()
		}
		rest = after
	}
	return len(b), nil
}

// end takes the line that has been read.
func (t *talk) end() {
	if text := strings.TrimSpace(string(t.line)); text != "" {
		t.hear(text)
	}
	t.line = t.line[:0]
}

func (t *talk) hear(line string) {
	text, ours := strings.CutPrefix(line, t.name+": ")
	warning, isWarning := strings.CutPrefix(text, "warning: ")
	hint, isHint := strings.CutPrefix(text, "hint: ")
	switch {
	case !ours && t.stray == "":
		t.stray = line
	case !ours:
	case isWarning:
		t.tell(Message{Text: warning, Warning: true})
	case isHint:
		t.hints = append(t.hints, hint)
	case len(t.other) == maxLast:
		t.tell(Message{Text: t.other[0]})
		t.other = append(t.other[1:], text)
	default:
		t.other = append(t.other, text)
	}
	if n := len(t.hints) - maxLast; n > 0 {
		t.hints = t.hints[n:]
	}
}

func (t *talk) tell(m Message) {
	if t.say != nil {
		t.say(m)
	}
}

// last returns why a program failed, in its own words, and what to do about it.
func (t *talk) last() (text, hint string) {
	if text = strings.Join(t.other, "; "); text == "" {
		text = t.stray
	}
	return text, strings.Join(t.hints, "; ")
}

// rest hands on what was no reason to fail.
func (t *talk) rest() {
	for _, text := range t.other {
		t.tell(Message{Text: text})
	}
}
