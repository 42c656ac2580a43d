package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:00:00.000Z","cwd":"/w"}` + "\n"

// mergeAll merges texts; the error is one of merging.
func mergeAll(o Options, texts ...string) (string, error) {
	o.Warn = func(string, string, ...any) {}
	var sources []Source
	for i, text := range texts {
		sources = append(sources, source(fmt.Sprint("copy ", i), text))
	}
	r, err := Merge(context.Background(), sources, o)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	if n, err := r.Content(context.Background()).WriteTo(&out); err != nil || n != int64(out.Len()) {
		return "", fmt.Errorf("wrote %d of %d: %w", n, out.Len(), err)
	}
	if again := out.String() == texts[0]; r.Changed == again && strings.HasSuffix(texts[0], "\n") {
		return "", fmt.Errorf("changed is %v, and the result is the first copy: %v", r.Changed, again)
	}
	return out.String(), nil
}

// drawnSession is a session of few ids, so that copies clash, with lines that are no entries.
func drawnSession(t *rapid.T, name string) string {
	return head + strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		id := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"\n", "garbage\n", "[1]\n", `{"type":"session","id":"x"}` + "\n", "\x00\x00\n"}).Draw(t, "damage")
		case 1:
			return fmt.Sprintf(`{"type":"label","id":%q,"parentId":%q,"targetId":%q}`+"\n", id.Draw(t, "id"), id.Draw(t, "parent"), id.Draw(t, "target"))
		}
		return fmt.Sprintf(`{"type":"x","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:00:0%d.000Z"}`+"\n",
			id.Draw(t, "id"), id.Draw(t, "parent"), rapid.IntRange(0, 9).Draw(t, "second"))
	}), 0, 8).Draw(t, name), "")
}

// Two copies that share nothing but a header, with clashing ids: with both, every line
// of either side is there, but for ids that were renamed; and nothing is invented.
func TestBothLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawnSession(t, "a"), drawnSession(t, "b")
		m, err := mergeAll(Options{OnConflict: Both}, a, b)
		must.Do(t, err)
		if self, err := mergeAll(Options{}, a, a); self != a || err != nil {
			t.Fatalf("idempotent: %v\n%s\nis not\n%s", err, self, a)
		}
		if self, err := mergeAll(Options{OnConflict: Both}, m, m); self != m || err != nil {
			t.Fatalf("idempotent: %v\n%s\nis not\n%s", err, self, m)
		}
		most, least := strings.Count(a+b, "\n"), max(strings.Count(a, "\n"), strings.Count(b, "\n"))
		if n := strings.Count(m, "\n"); n >= most || n < least {
			t.Fatalf("%d lines of %d and %d:\n%s", n, strings.Count(a, "\n"), strings.Count(b, "\n"), m)
		}
	})
}

// Without clashes every line is there as it is, refuse is never asked, and both ways
// round the bytes are the same if the copies do not contradict each other in order.
func FuzzMerge(f *testing.F) {
	f.Add(head+`{"id":"a"}`+"\n", head+`{"id":"b","parentId":"a"}`+"\n\n")
	f.Add("\xef\xbb\xbf"+head, head+"torn")
	f.Add(head+"{\"id\":\"a\"}\r\n", head+`{"id":"a"}`)
	f.Add(`{"type":"session","id":"s"}`+"\n{}\n", `{"type":"session","id":"s"}`+"\n{}\n{}\n")
	f.Add(`{"type":"title","v":1,"title":"t","updatedAt":"u","pad":""}`+"\n"+head, head)
	f.Fuzz(func(t *testing.T, a, b string) {
		m, err := mergeAll(Options{}, a, b)
		if err != nil {
			_, broken := errors.AsType[*SourceError](err)
			if !broken && !errors.Is(err, ErrConflict) {
				t.Fatal(err)
			}
			return
		}
		s, err := session.Read(strings.NewReader(m))
		if err != nil {
			t.Fatalf("the result is no session: %v", err)
		}
		lines := strings.SplitAfter(m, "\n")
		for _, side := range []string{a, b} {
			read, err := session.Read(strings.NewReader(side))
			must.Do(t, err)
			if read.Header.Version < 2 {
				continue
			}
			for _, e := range read.Entries {
				if e.ID() != "" && !slices.Contains(lines, e.Raw()+"\n") && !known(s, e.ID()) {
					t.Fatalf("lost: %q of\n%q\nin\n%q", e.Raw(), side, m)
				}
			}
		}
		if again, err := mergeAll(Options{}, m, a, b); err != nil || again != m {
			t.Fatalf("absorbing: %v\n%q\nis not\n%q", err, again, m)
		}
	})
}

// known reports whether a session has the id: two spellings of one entry became one.
func known(s *session.Session, id string) bool {
	_, ok := s.Index(id)
	return ok
}

// Whoever is interrupted writes no more.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	sources := []Source{source("a", lineSession(9, 4, "a")), source("b", lineSession(9, 4, "b"))}
	r, err := Merge(ctx, sources, Options{})
	must.Do(t, err)
	cancel()
	var out bytes.Buffer
	if _, err := r.Content(ctx).WriteTo(&out); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("wrote %d bytes, %v", out.Len(), err)
	}
	if _, err := Merge(ctx, sources, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("merging: %v", err)
	}
}

// The order of the lines that a merge writes has nothing to do with how they are read.
func TestWriter(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcdef\n", 40_000)
	s := &side{Source: source("s", text)}
	rapid.Check(t, func(t *rapid.T) {
		var out, want strings.Builder
		w := &writer{w: &out, ctx: t.Context(), windows: map[*side]*window{}}
		for range rapid.IntRange(1, 20).Draw(t, "ranges") {
			from := rapid.IntRange(0, len(text)-1).Draw(t, "from")
			to := min(len(text), from+rapid.SampledFrom([]int{1, 17, 40_000, 70_000, 300_000}).Draw(t, "size"))
			want.WriteString(text[from:to])
			w.add(s, index.Range{Start: int64(from), End: int64(to)}, "")
		}
		w.flush()
		if w.empty(); w.err != nil || out.String() != want.String() || w.n != int64(out.Len()) {
			t.Fatalf("%d bytes, want %d, %v", out.Len(), want.Len(), w.err)
		}
	})
}

// lineSession returns a session of so many entries, of which the last ones are its own.
func lineSession(n, own int, tag string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"01900000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range n {
		id := fmt.Sprintf("%08x", i)
		if i >= n-own {
			id = fmt.Sprintf("%s%07x", tag, i)
		}
		fmt.Fprintf(&b, `{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T%02d:%02d:%02d.000Z","message":{"role":"user","content":"x","timestamp":1}}`+"\n",
			id, parent, i/3600%24, i/60%60, i%60)
		parent = fmt.Sprintf("%q", id)
	}
	return b.String()
}

func source(name, text string) Source {
	return Source{Name: name, R: strings.NewReader(text), Size: int64(len(text))}
}

// What a merge holds in memory: the promise is 130 bytes for each entry that is read.
func TestMemory(t *testing.T) {
	const n = 200_000
	for _, own := range []int{n / 10, n} { // from nine tenths in common to none
		a, b := lineSession(n, own, "a"), lineSession(n, own, "b")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := Merge(context.Background(), []Source{source("a", a), source("b", b)}, Options{})
		must.Do(t, err)
		runtime.GC()
		runtime.ReadMemStats(&after)
		each := float64(after.HeapAlloc-before.HeapAlloc) / (2 * n)
		t.Logf("%d of %d lines of each their own: %.0f bytes for each entry", own, n, each)
		if each > 130 {
			t.Errorf("%.0f bytes for each entry", each)
		}
		if r.Common != n-own || r.Ours != own || r.Theirs != own {
			t.Errorf("%+v", r.Report)
		}
		var out bytes.Buffer
		if _, err := r.Content(context.Background()).WriteTo(&out); err != nil {
			t.Fatal(err)
		}
	}
}
