package check

import (
	"bytes"

	"github.com/sess-tools/sess/pkg/session"
)

// maxDepth is how deep a line may nest.
const maxDepth = 10_000

// A lineScan sees the bytes of a session go by and notes what a reader of lines
// does not report: blank lines, carriage returns, a missing line feed at the
// end, and which lines nest too deep.
type lineScan struct {
	line    int   // of the byte to come, from 0
	start   int64 // offset of that line
	offset  int64 // of the byte to come
	filled  bool  // the line has a byte that is not white space
	last    byte
	depth   int
	inText  bool // inside a string
	escaped bool
	blank   []session.Problem
	cr      session.Problem // the first line that ends in a carriage return
	crLines int
	deep    map[int]bool
}

func (l *lineScan) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.part(p)
			break
		}
		l.part(p[:i])
		l.end()
		p = p[i+1:]
	}
	return n, nil
}

func (l *lineScan) part(p []byte) {
	if len(p) == 0 {
		return
	}
	l.filled = l.filled || len(bytes.TrimSpace(p)) > 0
	l.last = p[len(p)-1]
	l.offset += int64(len(p))
	if !l.deep[l.line+1] {
		l.nest(p)
	}
}

// nest follows the nesting of the line. It is exact for JSON, and a guess for
// lines that are none anyway.
func (l *lineScan) nest(p []byte) {
	for _, c := range p {
		switch {
		case l.escaped:
			l.escaped = false
		case l.inText:
			l.escaped = c == '\\'
			l.inText = c != '"'
		case c == '"':
			l.inText = true
		case c == '{', c == '[':
			if l.depth++; l.depth > maxDepth {
				if l.deep == nil {
					l.deep = map[int]bool{}
				}
				l.deep[l.line+1] = true
				return
			}
		case c == '}', c == ']':
			l.depth--
		}
	}
}

func (l *lineScan) end() {
	if !l.filled {
		l.blank = append(l.blank, session.Problem{Line: l.line + 1, Offset: l.start, Kind: BlankLine, Text: "blank line"})
	} else if l.last == '\r' {
		if l.crLines++; l.crLines == 1 {
			l.cr = session.Problem{Line: l.line + 1, Offset: l.start, Kind: CarriageReturn, Text: "lines end in a carriage return"}
		}
	}
	l.offset++
	l.line++
	l.start = l.offset
	l.filled, l.last, l.depth, l.inText, l.escaped = false, 0, 0, false, false
}

// finish returns what was seen.
func (l *lineScan) finish() []Finding {
	var out []Finding
	for _, p := range l.blank {
		out = append(out, finding(p))
	}
	if l.crLines > 0 {
		out = append(out, finding(l.cr))
	}
	if l.filled {
		out = append(out, finding(session.Problem{
			Line: l.line + 1, Offset: l.start, Kind: NoNewline, Text: "the last line has no line feed",
		}))
	}
	return out
}
