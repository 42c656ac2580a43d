package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/tty"
)

// A Class is what a warning is about.
type Class int

// The classes of warnings. Those of a class are folded among themselves: much damage hides no session that could not be read.
// Other messages have their class by how they are printed: a refusal is the error of a run, a hint stands in [WithHint], news of
// what was made in [Streams.Infof], detail in [Streams.Notef], and progress in [Progress.Showf].
const (
	Note   Class = iota // how the answer came about
	Damage              // the session has something that the answer lacks: "FILE:LINE: what"
	Unseen              // a session, or another source, was not looked at: "SOURCE: why"
	Loss                // what another format, or another model, will not have: with -v alone
)

// mostLines is how many lines of a class a run prints; the rest are counted.
const mostLines = 3

// A fold keeps the warnings of a run until it ends.
type fold struct {
	classes [Unseen + 1]struct {
		lines []*folded // the first
		rest  folded    // all others
	}
}

// Folded are warnings with one text, but for the place in front of it.
type folded struct {
	text, what string // that of the first, and the same without its place
	count      int
	of         map[string]bool // their places, without lines
}

// Unfolded is what the environment of a tool has that another one runs, which folds the warnings of all that it runs, and its own.
const Unfolded = "SESS_MESSAGES=each"

// Fold keeps warnings until the run ends, and prints of those that say the same the first, with the number of the others, and
// three lines of each class. With -v nothing is folded, nor for a program that reads the warnings, see [Unfolded]. Run calls it
// for all tools but those that write.
func (s *Streams) Fold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.many = true; s.fold == nil && !s.Verbose && !s.each {
		s.fold = &fold{}
	}
}

// Unfolded reports whether another program reads the warnings, all of them.
func (s *Streams) Unfolded() bool { return s.each }

// Warn prints a warning of a class unless -q was given, or keeps it if warnings are folded. A loss is a warning with -v alone.
func (s *Streams) Warn(class Class, format string, args ...any) {
	if !s.Quiet && (class != Loss || s.Verbose) {
		s.warn(class, format, args)
	}
}

// warn prints a warning, or keeps it if warnings are folded.
func (s *Streams) warn(class Class, format string, args []any) {
	text := fmt.Sprintf(format, flattened(args)...)
	s.mu.Lock()
	kept := s.fold != nil
	if kept {
		s.fold.add(class, text)
	}
	s.mu.Unlock()
	if !kept {
		s.printf("%s%s", warning, text)
	}
}

// Tally returns a tally of warnings of a class. It counts nothing itself where they are folded.
func (s *Streams) Tally(class Class) *Tally {
	t := NewTally(func(format string, args ...any) { s.Warn(class, format, args...) })
	t.all = s.many
	return t
}

func (f *fold) add(class Class, text string) {
	place, what := "", text
	if class != Note {
		if _, after, ok := strings.Cut(text, ": "); ok {
			place, what = PlaceOf(text), after
		}
	}
	c := &f.classes[class]
	into := &c.rest
	if at := slices.IndexFunc(c.lines, func(l *folded) bool { return l.what == what }); at >= 0 {
		into = c.lines[at]
	} else if len(c.lines) <= mostLines { // one more, in case it is the last
		into = &folded{text: text, what: what}
		c.lines = append(c.lines, into)
	}
	if into.of == nil {
		into.of = map[string]bool{}
	}
	into.count++
	into.of[place] = true
}

// Unfold prints what was kept, and has warnings printed at once from now on.
func (s *Streams) Unfold() {
	s.mu.Lock()
	f := s.fold
	s.fold = nil
	s.mu.Unlock()
	if f == nil {
		return
	}
	width := s.ErrWidth()
	for class, c := range f.classes {
		if len(c.lines) > mostLines && c.rest.count > 0 {
			c.rest.count += c.lines[mostLines].count
			maps.Copy(c.rest.of, c.lines[mostLines].of)
			c.lines = c.lines[:mostLines]
		}
		for _, l := range c.lines {
			more := ""
			if l.count > 1 {
				more = " (and " + l.more(Class(class), l.count-1) + ")"
			}
			s.printf("%s%s", within(width, utf8.RuneCountInString(more), warning+l.text), more)
		}
		if c.rest.count > 0 {
			s.printf("warning: … and %s; --verbose lists them", c.rest.more(Class(class), c.rest.count))
		}
	}
}

// PlaceOf returns the place that stands in front of a warning, without its line: "FILE" of "FILE:LINE: what", and "ADDRESS" of
// "ADDRESS, line N: what".
func PlaceOf(text string) string {
	place, _, _ := strings.Cut(text, ": ")
	place = strings.TrimRight(place, "0123456789")
	return strings.TrimSuffix(strings.TrimSuffix(place, ":"), ", line ")
}

// more says how many more there are, and in how many sessions they all are.
func (l *folded) more(class Class, n int) string {
	if class != Damage || len(l.of) == 1 {
		return fmt.Sprintf("%d more", n)
	}
	return fmt.Sprintf("%d more in %s", n, tty.Count(len(l.of), "session", "sessions"))
}

// within returns a text that fits into a line of a terminal that has width columns and has to keep room for some; -v has all of
// it. There is no terminal if width is 0. A path in front of the message is cut first, at its beginning.
func within(width, room int, text string) string {
	if width == 0 {
		return text
	}
	text, width = tty.Clean(text), max(width-room, 1)
	if place, _, ok := strings.Cut(strings.TrimPrefix(text, warning), ": "); ok && strings.ContainsAny(place, `/\`) {
		path := []rune(place)
		if over := utf8.RuneCountInString(text) - width; over > 0 && len(path) > leastOfPath {
			from := min(over+1, len(path)-leastOfPath)
			text = strings.Replace(text, place, "…"+string(path[from:]), 1)
		}
	}
	return tty.Fit(text, width)
}

const warning = "warning: "

// leastOfPath is how many characters of a path are printed at least, from its end: the end of a name and a line.
const leastOfPath = 24
