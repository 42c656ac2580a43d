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
	// Blob returns the bytes of the blob with that SHA-256 sum in hex. Nil
	// leaves references to blobs unchecked.
	Blob func(sum string) ([]byte, error)
}

// Check reads a session and returns what it finds, in the order of the lines.
// The error is the reader's own; an input that is no session is a finding.
func Check(r io.Reader, o Options) ([]Finding, error) {
	lines := &lineScan{}
	s, err := session.Read(io.TeeReader(r, lines))
	var findings []Finding
	if p, ok := errors.AsType[session.Problem](err); ok {
		findings = append(findings, finding(p))
		// The lines behind it are looked at all the same.
		_, err = io.Copy(lines, r)
	}
	if err != nil {
		return nil, err
	}
	findings = append(findings, lines.finish()...)
	if s != nil {
		findings = append(findings, problems(s, lines.deep)...)
		findings = append(findings, tree(s)...)
		findings = append(findings, contents(s)...)
		if o.Blob != nil {
			findings = append(findings, blobs(s, o.Blob)...)
		}
	}
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(b.Severity, a.Severity))
	})
	return findings, nil
}

// problems are those that reading found, some told more exactly.
func problems(s *session.Session, deep map[int]bool) []Finding {
	var out []Finding
	for _, p := range s.Problems {
		switch {
		case p.Kind == session.NotJSON && deep[p.Line]:
			p.Kind, p.Text = TooDeep, "nested deeper than 10,000 levels, line skipped"
		case p.Kind == session.DuplicateID && sameBytes(s, p):
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

// sameBytes reports whether the entry of a duplicate id repeats an earlier one.
func sameBytes(s *session.Session, p session.Problem) bool {
	var last string
	for _, e := range s.Entries {
		if e.ID() != p.ID {
			continue
		}
		if e.Line() == p.Line {
			return e.Raw() == last
		}
		last = e.Raw()
	}
	return false
}
