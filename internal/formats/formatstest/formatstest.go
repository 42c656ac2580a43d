// Package formatstest holds what every format has to keep to, for their tests.
package formatstest

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/session"
)

// A Result is one session that was imported.
type Result struct {
	Info   formats.Info
	Lines  []string
	Losses []formats.Loss
}

// Text returns the session as a file has it.
func (r Result) Text() string { return strings.Join(r.Lines, "\n") + "\n" }

// Session returns the session as a reader sees it.
func (r Result) Session(t testing.TB) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(r.Text()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Import imports every session of a source and holds them to the laws: reading
// again gives the same lines; the header's id and time are those of the listing; the
// result is a session of which nothing is skipped, and whose entries have their
// parents before them; a file that is the source has not changed.
//
// Sessions that are damaged, rather than strange, have only the first law and the
// last: lax is for them. The source is closed with the test.
func Import(t testing.TB, f formats.Format, src *formats.Source, lax bool) []Result {
	t.Helper()
	before := digest(src.Path)
	t.Cleanup(func() { closed(t, src) })
	a, err := f.Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, a)
	var out []Result
	for info, err := range a.List(t.Context(), formats.Query{Details: true}) {
		if err != nil {
			t.Fatal(err)
		}
		first, second := Read(t, f, a, info), Read(t, f, a, info)
		if first.Text() != second.Text() {
			t.Errorf("%s: read twice, it is not the same", info.ID)
		}
		if !lax {
			check(t, first)
		}
		out = append(out, first)
	}
	if digest(src.Path) != before {
		t.Errorf("%s: it has changed", src.Path)
	}
	return out
}

func closed(t testing.TB, c io.Closer) {
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Read imports one session.
func Read(t testing.TB, f formats.Format, a formats.Archive, info formats.Info) Result {
	t.Helper()
	r, err := Try(t.Context(), f, a, info)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Try is Read for sessions that may be none.
func Try(ctx context.Context, f formats.Format, a formats.Archive, info formats.Info) (Result, error) {
	r := Result{Info: info}
	b := formats.NewBuilder(f.About().Name,
		func(line string) error { r.Lines = append(r.Lines, line); return nil },
		func(l formats.Loss) { r.Losses = append(r.Losses, l) })
	err := b.Read(ctx, a, info)
	return r, err
}

// check holds a session to the format.
func check(t testing.TB, r Result) {
	t.Helper()
	s := r.Session(t)
	if s.Header.ID != r.Info.ID || !r.Info.Created.IsZero() && s.Header.Timestamp != r.Info.Created.UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("%s: listed as made at %v, the header is %s", r.Info.ID, r.Info.Created, s.Header.Raw())
	}
	for _, p := range s.Problems {
		t.Errorf("%s:%d: %s", r.Info.ID, p.Line, p.Text)
	}
	known := map[string]bool{"": true}
	for _, e := range s.Entries {
		if !known[e.ParentID()] {
			t.Errorf("%s:%d: its parent %q is not before it", r.Info.ID, e.Line(), e.ParentID())
		}
		known[e.ID()] = true
	}
}

// Export exports a session and returns what was printed.
func Export(t testing.TB, f formats.Format, s *session.Session, version string) (string, []formats.Loss) {
	t.Helper()
	var losses []formats.Loss
	target := formats.NewTarget(func(l formats.Loss) { losses = append(losses, l) })
	var out strings.Builder
	target.Out, target.Version = &out, version
	target.Env = formats.Env{Getenv: func(string) string { return "" }}
	if err := f.Export(t.Context(), s, target); err != nil {
		t.Fatal(err)
	}
	return out.String(), losses
}

func digest(path string) [sha256.Size]byte {
	data, err := os.ReadFile(path)
	if err != nil {
		return [sha256.Size]byte{} // a directory, or nothing
	}
	return sha256.Sum256(data)
}
