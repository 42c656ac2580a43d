package check

import (
	"bytes"
	"fmt"

	"github.com/sess-tools/sess/pkg/session"
)

// A lineScan sees the bytes of a session go by and notes what a reader of lines
// does not report: blank lines, carriage returns, a missing line feed at the
// end, and NULs in a torn tail.
type lineScan struct {
	line   int   // number of whole lines so far
	start  int64 // offset of the line that has begun
	offset int64 // of the byte to come
	filled bool  // the line has a byte that is not white space
	nul    bool  // the line has a NUL
	last   byte
	blank  run // of blank lines
	blanks []session.Problem
	cr     session.Problem // the first line that ends in a carriage return
	crs    int
}

// A run is a row of blank lines.
type run struct {
	line, n int
	offset  int64
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

// part looks at a part of a line.
func (l *lineScan) part(p []byte) {
	if len(p) == 0 {
		return
	}
	l.filled = l.filled || len(bytes.TrimSpace(p)) > 0
	l.nul = l.nul || bytes.IndexByte(p, 0) >= 0
	l.last = p[len(p)-1]
	l.offset += int64(len(p))
}

// end ends a line at its line feed.
func (l *lineScan) end() {
	if l.filled {
		l.endRun()
		if l.last == '\r' {
			if l.crs++; l.crs == 1 {
				l.cr = session.Problem{Line: l.line + 1, Offset: l.start, Kind: CarriageReturn}
			}
		}
	} else {
		if l.blank.n++; l.blank.n == 1 {
			l.blank.line, l.blank.offset = l.line+1, l.start
		}
	}
	l.offset++
	l.line++
	l.start = l.offset
	l.filled, l.nul, l.last = false, false, 0
}

// endRun reports the blank lines before a line that is none.
func (l *lineScan) endRun() {
	if l.blank.n == 0 {
		return
	}
	text := "blank line"
	if l.blank.n > 1 {
		text = fmt.Sprintf("%d blank lines", l.blank.n)
	}
	l.blanks = append(l.blanks, session.Problem{Line: l.blank.line, Offset: l.blank.offset, Kind: BlankLine, Text: text})
	l.blank = run{}
}

// finish returns what was seen. A torn tail is reported by the reader of the
// session; that no line feed follows it goes without saying.
func (l *lineScan) finish(torn bool) []Finding {
	l.endRun()
	var out []Finding
	for _, p := range l.blanks {
		out = append(out, finding(p))
	}
	if l.crs > 0 {
		l.cr.Text = fmt.Sprintf("%d lines end in a carriage return, this one first", l.crs)
		if l.crs == 1 {
			l.cr.Text = "the line ends in a carriage return"
		}
		out = append(out, finding(l.cr))
	}
	if l.filled && !torn {
		out = append(out, finding(session.Problem{
			Line: l.line + 1, Offset: l.start, Kind: NoNewline, Text: "the last line has no line feed",
		}))
	}
	return out
}
