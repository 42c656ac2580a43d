// Package formatstest holds what every format has to keep to, for their tests.
package formatstest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// T is what these need of a test, which a test of properties has as well.
type T interface {
	Helper()
	Context() context.Context
	Cleanup(func())
	Error(args ...any)
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// A Result is one session that was imported.
type Result struct {
	Info   formats.Info
	Lines  []string
	Losses []formats.Loss
}

// Text returns the session as a file has it.
func (r Result) Text() string { return strings.Join(r.Lines, "\n") + "\n" }

// Session returns the session as a reader sees it.
func (r Result) Session(t T) *session.Session {
	t.Helper()
	return Parse(t, r.Text())
}

// Sessions returns the session of each result.
func Sessions(t T, results []Result) (out []*session.Session) {
	t.Helper()
	for _, r := range results {
		out = append(out, r.Session(t))
	}
	return out
}

// Parse returns the session of a text.
func Parse(t T, text string) *session.Session {
	t.Helper()
	s, err := session.Read(strings.NewReader(text))
	must.Do(t, err)
	return s
}

// Path returns the entries of the path to the leaf, none of a session without one.
func Path(s *session.Session) []session.Entry {
	leaf, ok := s.Leaf()
	if !ok {
		return nil
	}
	path, _ := s.Path(leaf)
	return path
}

// Shown returns the messages of the context at the leaf.
func Shown(s *session.Session) []session.Message { return convo.MessagesOf(convo.Project(Path(s))) }

// File puts a text into a file of its own, and returns its path.
func File(t testing.TB, name, text string) string {
	t.Helper()
	return must.Write(t, t.TempDir(), filepath.FromSlash(name), text)
}

// Put makes the file at path, and its directories.
func Put(t T, path, text string) {
	t.Helper()
	must.Write(t, filepath.Dir(path), filepath.Base(path), text)
}

// Open opens a source until the test ends.
func Open(t T, f formats.Format, src *formats.Source) formats.Archive {
	t.Helper()
	a, err := f.Open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, a) })
	return a
}

// One imports a source that is one session, and holds it to the laws.
func One(t T, f formats.Format, src *formats.Source) Result {
	t.Helper()
	results := Import(t, f, src, false)
	if len(results) != 1 {
		t.Fatal(fmt.Sprintf("%s: %d sessions", src.Name(), len(results)))
	}
	return results[0]
}

// Import imports every session of a source and holds them to the laws: reading
// again gives the same lines; the header's id and time are those of the listing; the
// result is a session of which nothing is skipped, and whose entries have their
// parents before them; a file that is the source has not changed.
//
// Sessions that are damaged, rather than strange, have only the first law and the
// last: lax is for them. The source is closed with the test.
func Import(t T, f formats.Format, src *formats.Source, lax bool) []Result {
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

func closed(t T, c io.Closer) {
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Read imports one session.
func Read(t T, f formats.Format, a formats.Archive, info formats.Info) Result {
	t.Helper()
	r, err := Try(t.Context(), f, a, info)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Try is Read for sessions that may be none.
func Try(ctx context.Context, f formats.Format, a formats.Archive, info formats.Info) (Result, error) {
	return Grown(ctx, f, a, info, formats.Whole)
}

// Grown reads one session of a source to which more may be written, and which was taken whole before.
func Grown(ctx context.Context, f formats.Format, a formats.Archive, info formats.Info, g formats.Growth, cuts ...int64) (Result, error) {
	return read(ctx, f, a, info, func(b *formats.Builder) { b.Growth, b.Cuts = g, cuts })
}

func read(ctx context.Context, f formats.Format, a formats.Archive, info formats.Info, how func(*formats.Builder)) (Result, error) {
	r := Result{Info: info}
	b := formats.NewBuilder(f.About().Kept(),
		func(line string) error { r.Lines = append(r.Lines, line); return nil },
		func(l formats.Loss) { r.Losses = append(r.Losses, l) })
	how(b)
	err := b.Read(ctx, a, info)
	return r, err
}

// TryAll reads every session of a source that may be none; the first error is returned.
func TryAll(ctx context.Context, f formats.Format, src *formats.Source) (results []Result, err error) {
	a, err := f.Open(ctx, src)
	if err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, a.Close()) }()
	for info, lerr := range a.List(ctx, formats.Query{}) {
		if lerr != nil {
			err = cmp.Or(err, lerr)
			continue
		}
		r, rerr := Try(ctx, f, a, info)
		if rerr != nil {
			err = cmp.Or(err, rerr)
			continue
		}
		results = append(results, r)
	}
	return results, err
}

// Twice reads every session of a source that may be none: it is the same twice, each line is an
// object of a session, and the source stays as it was.
func Twice(t T, f formats.Format, src *formats.Source) ([]Result, error) {
	t.Helper()
	before := digest(src.Path)
	first, err := TryAll(t.Context(), f, src)
	second, again := TryAll(t.Context(), f, src)
	if (err == nil) != (again == nil) || len(first) != len(second) {
		t.Fatal(fmt.Sprintf("%d sessions, %v; then %d, %v", len(first), err, len(second), again))
	}
	for i, r := range first {
		if r.Text() != second[i].Text() {
			t.Errorf("%s: read twice, it is not the same", r.Info.ID)
		}
		for _, line := range r.Lines {
			if !js.Value(line).IsObject() || !js.Valid([]byte(line)) {
				t.Errorf("no line: %q", line)
			}
		}
	}
	if digest(src.Path) != before {
		t.Errorf("%s: it has changed", src.Path)
	}
	return first, err
}

// check holds a session to the format.
func check(t T, r Result) {
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
func Export(t T, f formats.Format, s *session.Session, version string) (string, []formats.Loss) {
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
