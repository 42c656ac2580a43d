package formats

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// apart returns where the values stand on a line that is not one JSON value, and how many of its bytes are of none. A line feed between
// values may be missing, and a value may be torn, by a full disk or a crash, with the next one written behind it. NULs are none. Common are
// members that lines of the source have.
func apart(text string, common []string) (values []js.Span, lost int) {
	effort := 64<<10 + 8*len(text)
	return apartWithin(text, common, &effort)
}

// apartWithin is apart for an effort: so many bytes may be read to find values.
func apartWithin(text string, common []string, effort *int) (values []js.Span, lost int) {
	for at := 0; at < len(text); {
		switch {
		case strings.IndexByte(blank, text[at]) >= 0:
			at++
			continue
		case text[at] == 0:
			at, lost = at+1, lost+1
			continue
		}
		if n := valueAt(text[at:], effort); n > 0 {
			values = append(values, js.Span{From: at, To: at + n})
			at += n
			continue
		}
		n := torn(text[at:], common, effort)
		at, lost = at+n, lost+n
	}
	return values, lost
}

// valueAt returns the length of the object or array that a text begins with, 0 if it begins with none. The bytes that are read for it are
// taken off effort, so that a line made to be read again and again is given up. Numbers and words in a row are no lines.
func valueAt(text string, effort *int) int {
	if text[0] != '{' && text[0] != '[' || *effort < 0 {
		return 0
	}
	if behind := strings.TrimLeft(text[1:], blank); text[0] == '{' && (behind == "" || behind[0] != '"' && behind[0] != '}') {
		return 0
	}
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	err := d.Decode(&raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		*effort -= int(syntax.Offset)
		return 0
	}
	if err != nil {
		*effort -= len(text)
		return 0
	}
	*effort -= int(d.InputOffset())
	return int(d.InputOffset())
}

// torn returns how long the torn value is that a text begins with: it ends where an object stands that can be no part of it. One that stands
// where a value of it may, and nothing of it behind, is the next line if it has the members of a line; else the torn value ends with it.
func torn(text string, common []string, effort *int) int {
	if text[0] != '{' {
		return len(text)
	}
	var s scanner
	for i := range len(text) {
		if i > 0 && text[i] == '{' && *effort > 0 {
			n := valueAt(text[i:], effort)
			if n > 0 && !s.wants() && text[i:i+n] != "{}" || n > 0 && s.wants() && ends(text[i+n:]) && isLine(js.Value(text[i:i+n]), s.keys, common) {
				return i
			}
		}
		s.next(text[i])
	}
	return len(text)
}

// ends reports whether a text behind a value goes on as a line may, and as a value around that one may not.
func ends(text string) bool {
	text = strings.TrimLeft(text, blank)
	return text == "" || text[0] == '{' || text[0] == 0
}

// isLine reports whether an object has two of the members of a torn line, or the only one, and those that lines have in common.
func isLine(v js.Value, keys, common []string) bool {
	n, m := 0, 0
	for name := range v.Members() {
		if slices.Contains(keys, name) {
			n++
		}
		if slices.Contains(common, name) {
			m++
		}
	}
	return n > 0 && n >= min(2, len(keys)) && m == len(common)
}

// mostCommon is of how many lines the common members are asked.
const mostCommon = 8

// line takes a line into account that is one value.
func (c *commonMembers) line(text string) {
	if c.lines == mostCommon || text == "" || text[0] != '{' {
		return
	}
	var names []string
	for name := range js.Value(text).Members() {
		if c.lines == 0 || slices.Contains(c.names, name) {
			names = append(names, name)
		}
	}
	c.names = names
	c.lines++
}

// commonMembers are the members that the first lines of a source have in common.
type commonMembers struct {
	names []string
	lines int
}

// A scanner goes over the characters of an object that may be torn.
type scanner struct {
	open    []byte   // the brackets that are open
	last    byte     // the last character that is not blank, outside of a text
	inside  bool     // of a text
	escaped bool     // behind a backslash
	text    []byte   // the last text of the outermost object
	keys    []string // of the outermost object
}

// wants reports whether a value may stand next.
func (s *scanner) wants() bool {
	return !s.inside && len(s.open) > 0 && (s.last == ':' || s.open[len(s.open)-1] == '[' && (s.last == '[' || s.last == ','))
}

func (s *scanner) next(c byte) {
	const longest = 64 // that the name of a member is, to be remembered
	switch {
	case s.inside && s.escaped:
		s.escaped = false
	case s.inside && c == '\\':
		s.escaped = true
	case s.inside && c == '"':
		s.inside, s.last = false, c
	case s.inside:
		if len(s.open) == 1 && len(s.text) < longest {
			s.text = append(s.text, c)
		}
	case c == '"':
		s.inside, s.text = true, s.text[:0]
	case strings.IndexByte(blank, c) >= 0:
	default:
		switch c {
		case '{', '[':
			s.open = append(s.open, c)
		case '}', ']':
			s.open = s.open[:max(0, len(s.open)-1)]
		case ':':
			if len(s.open) == 1 {
				s.keys = append(s.keys, string(s.text))
			}
		}
		s.last = c
	}
}
