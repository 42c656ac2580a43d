package check

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/sess-tools/sess/pkg/session"
)

// Options say what to look at beside the session itself.
type Options struct {
	// Blob opens the blob with that SHA-256 sum in hex. Nil leaves references
	// to blobs unchecked.
	Blob func(sum string) (io.ReadCloser, error)
}

// Check reads a session and returns what it finds, in the order of the lines,
// the worst finding of a line first. The error is the reader's own; an input
// that is no session is a finding.
//
// A session whose header is missing is looked at as if it had one.
func Check(r io.Reader, o Options) ([]Finding, error) {
	lines := &lineScan{}
	in := &rewinder{r: io.TeeReader(r, lines)}
	read := session.ReadOutline // the lines hold more than is asked of them
	if o.Blob != nil {
		read = session.Read
	}
	s, err := read(in)
	var findings []Finding
	headless := false
	if p, ok := errors.AsType[session.Problem](err); ok {
		findings = append(findings, finding(p))
		if rest, ok := in.rewind(); ok && p.Kind == session.NoHeader && lines.line > 0 {
			s, err = readHeadless(rest)
			headless = true
		} else {
			// The lines behind it are looked at, too.
			_, err = io.Copy(io.Discard, in)
		}
	}
	if err != nil {
		return nil, err
	}
	findings = append(findings, lines.finish(s != nil && s.Torn)...)
	if s != nil {
		found := examine(s, lines, o)
		if headless {
			found = withoutHeader(found)
		}
		findings = append(findings, found...)
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.Severity, a.Severity))
	})
	return findings, nil
}

// examine checks all that a session says.
func examine(s *session.Session, lines *lineScan, o Options) []Finding {
	out := problems(s, lines)
	out = append(out, tree(s)...)
	out = append(out, contents(s)...)
	out = append(out, pairs(s)...)
	if o.Blob != nil {
		out = append(out, blobs(s, o.Blob)...)
	}
	return out
}

// problems are those that reading found, some told more exactly.
func problems(s *session.Session, lines *lineScan) []Finding {
	var out []Finding
	same := repeats(s)
	for _, p := range s.Problems {
		switch {
		case p.Kind == session.Torn && lines.nul:
			p.Kind, p.Text = session.NUL, "NUL bytes at the end of the file, skipped"
		case p.Kind == session.DuplicateID && same[p.Line]:
			p.Kind = SameDuplicate
		}
		out = append(out, finding(p))
	}
	if s.Header.Version < session.Version {
		out = append(out, finding(session.Problem{
			Line: 1, Kind: OldVersion, Text: "an old version of the format; --migrate writes it as version 3",
		}))
	}
	return out
}

// repeats returns the lines of the entries that have the id of an earlier one,
// and its bytes.
func repeats(s *session.Session) map[int]bool {
	if !slices.ContainsFunc(s.Problems, func(p session.Problem) bool { return p.Kind == session.DuplicateID }) {
		return nil
	}
	before := map[string]session.Entry{} // id to its last entry so far
	same := map[int]bool{}
	for _, e := range s.Entries {
		if last, ok := before[e.ID()]; ok && last.SameLine(e) {
			same[e.Line()] = true
		}
		before[e.ID()] = e
	}
	return same
}
