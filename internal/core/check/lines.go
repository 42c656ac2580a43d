package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/sess-tools/sess/internal/core/lazy"
	"github.com/sess-tools/sess/pkg/convo"
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
	head   []byte          // of the line, as much as a conflict marker has
	marker session.Problem // the first line that git marked a conflict with
	marks  int
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
	l.head = append(l.head, p[:min(len(p), markerSize+1-len(l.head))]...)
	l.last = p[len(p)-1]
	l.offset += int64(len(p))
}

// end ends a line at its line feed.
func (l *lineScan) end() {
	if l.filled {
		l.endRun()
		if isMarker(l.head) {
			if l.marks++; l.marks == 1 {
				l.marker = session.Problem{Line: l.line + 1, Offset: l.start, Kind: ConflictMarker}
			}
		}
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
	l.filled, l.nul, l.last, l.head = false, false, 0, l.head[:0]
}

// markerSize is how often git repeats the character of a conflict marker.
const markerSize = 7

// isMarker reports whether a line that begins so is one with which git marks a conflict.
func isMarker(head []byte) bool {
	if len(head) < markerSize || len(head) > markerSize && !bytes.ContainsAny(head[markerSize:], " \r") {
		return false
	}
	c := head[0]
	return (c == '<' || c == '=' || c == '>' || c == '|') && bytes.Count(head[:markerSize], head[:1]) == markerSize
}

// endRun reports the blank lines before a line that is not blank.
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
	if l.marks > 0 {
		l.marker.Text = fmt.Sprintf("%d lines are conflict markers of git, this one first; sess-merge --git merges sessions without any, see sess-merge(1)", l.marks)
		if l.marks == 1 {
			l.marker.Text = "a conflict marker of git; sess-merge --git merges sessions without any, see sess-merge(1)"
		}
		out = append(out, finding(l.marker))
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

// contents checks what entries say of others, and their times.
func contents(s *session.Session) []Finding {
	var out []Finding
	var replies session.Replies
	before := int64(0)
	for _, e := range s.Entries {
		switch e.Type() {
		case session.TypeLabel, session.TypeContextEdit:
			target := e.Str("targetId")
			if _, ok := s.Index(target); !ok {
				out = append(out, found(e, NoTarget, "targetId %q names no entry", target))
			}
			if e.Type() == session.TypeContextEdit && e.Get("replacement") == "" {
				out = append(out, found(e, NoReplacement, "an edit without a replacement, not even null: pi cannot open the session"))
			}
		}
		if m, ok := e.Message(); ok {
			if what := m.Foreign(); what != "" {
				out = append(out, found(e, UnknownBlock, "no reader knows %s", what))
			}
			if replies.Twice(m) {
				out = append(out, found(e, RepeatedUsage, "the usage of reply %q stands here again, and counts once; import the session again", m.Str("responseId")))
			}
		}
		if ms, ok := e.Timestamp(); ok {
			if ms < before {
				out = append(out, found(e, TimeBackward, "its time is before that of the entry above"))
			}
			before = ms
		}
	}
	return out
}

// A nesting follows how deep JSON text nests, byte by byte. It is exact for JSON, and a guess for
// other text.
type nesting struct {
	depth   int
	inText  bool // inside a string
	escaped bool // behind a backslash in a string
}

func (n *nesting) step(c byte) {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inText:
		n.escaped = c == '\\'
		n.inText = c != '"'
	case c == '"':
		n.inText = true
	case c == '{', c == '[':
		n.depth++
	case c == '}', c == ']':
		n.depth--
	}
}

// objectEnd returns the length of the object that text begins with, as far as
// braces tell, or -1 if text ends inside it.
func objectEnd(text []byte) int {
	var n nesting
	for i := 0; i < len(text); i++ {
		if n.inText && !n.escaped { // most bytes are plain text
			j := bytes.IndexAny(text[i:], `"\`)
			if j < 0 {
				return -1
			}
			i += j
		}
		if n.step(text[i]); n.depth == 0 {
			return i + 1
		}
	}
	return -1
}

var blobRef = lazy.Regexp(`"blob:sha256:([0-9a-f]{64})"`)

// blobs checks the references to blobs that oh-my-pi writes in place of
// images. Each blob is read once.
func blobs(s *session.Session, open func(sum string) (io.ReadCloser, error)) []Finding {
	type verdict struct {
		kind session.Kind
		text string
	}
	known := map[string]verdict{}
	var out []Finding
	for _, e := range s.Entries {
		for _, m := range blobRef().FindAllStringSubmatch(e.Raw(), -1) {
			v, ok := known[m[1]]
			if !ok {
				v.kind, v.text = checkBlob(m[1], open)
				known[m[1]] = v
			}
			if v.kind != "" {
				out = append(out, found(e, v.kind, "blob %s %s", m[1], v.text))
			}
		}
	}
	return out
}

// checkBlob compares a blob with its name; the kind is "" if they agree.
func checkBlob(sum string, open func(sum string) (io.ReadCloser, error)) (session.Kind, string) {
	r, err := open(sum)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return convo.BlobMissing, "is missing"
	case err != nil:
		return convo.BlobMissing, "cannot be read: " + err.Error()
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return convo.BlobMissing, "cannot be read: " + err.Error()
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return convo.BlobHash, "holds other bytes"
	}
	return "", ""
}
