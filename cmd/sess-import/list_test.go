package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// TestNarrowed: of nine sessions in two directories, of which the n-th has its newest message and its file n hours after the first,
// only those are read whole that --cwd, --since and --limit leave.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	at := func(n int) string { return js.FormatTime(begun.Add(time.Duration(n) * time.Hour).UnixMilli()) }
	dir := t.TempDir()
	var mu sync.Mutex
	whole := map[string]int{}
	head := func(_ context.Context, src *formats.Source, _ *formats.File) (info formats.Info, _ error) {
		info.ID = filepath.Base(src.Path)
		info.CWD = "/w/" + info.ID[:1]
		return info, nil
	}
	read := func(ctx context.Context, _ *formats.Source, f *formats.File, info formats.Info, b *formats.Builder) error {
		mu.Lock()
		whole[info.ID]++
		mu.Unlock()
		text, err := io.ReadAll(f.Reader(ctx))
		if err != nil {
			return err
		}
		ms, _ := js.ParseTime(string(text))
		if err := b.Header(session.HeaderFields{ID: info.ID, Time: 1, CWD: info.CWD}); err != nil {
			return err
		}
		_, err = b.Message(formats.Place{Time: ms}, api.User([]string{api.Text("hi")}))
		return err
	}
	for n := 1; n <= 9; n++ {
		path := filepath.Join(dir, fmt.Sprintf("%c%d", "ab"[n%2], n))
		said := n
		if n == 8 {
			said = 4 // as a4, and the file was written to later
		}
		must.Do(t, os.WriteFile(path, []byte(at(said)), 0o600))
		written := begun.Add(time.Duration(n) * time.Hour)
		if n == 2 {
			written = begun // a time that was set back
			must.Do(t, os.WriteFile(path, []byte(at(9)), 0o600))
		}
		must.Do(t, os.Chtimes(path, written, written))
	}
	a, err := formats.Files{Match: func(string) bool { return true }, Head: head, Read: read}.Open(&formats.Source{Path: dir})
	must.Do(t, err)
	for _, tt := range []struct {
		c          config
		want, read string
	}{
		{config{}, "a2 a4 a6 a8 b1 b3 b5 b7 b9", "a2 a4 a6 a8 b1 b3 b5 b7 b9"},
		{config{cwd: "/w/a"}, "a2 a4 a6 a8", "a2 a4 a6 a8"},
		{config{since: at(6)}, "a6 b7 b9", "a6 a8 b7 b9"},
		{config{since: at(6), cwd: "/w/a"}, "a6", "a6 a8"},
		{config{since: at(6), exact: true}, "a2 a6 b7 b9", "a2 a4 a6 a8 b1 b3 b5 b7 b9"},
		{config{limit: 1}, "b9", "b9"},
		{config{limit: 2}, "b7 b9", "a4 a6 a8 b5 b7 b9"},
		{config{limit: 2, exact: true}, "a2 b9", "a2 a4 a6 a8 b1 b3 b5 b7 b9"},
		{config{limit: 2, cwd: "/w/a"}, "a6 a8", "a4 a6 a8"},
		{config{limit: 9}, "a2 a4 a6 a8 b1 b3 b5 b7 b9", "a2 a4 a6 a8 b1 b3 b5 b7 b9"},
		{config{limit: 3, since: at(7)}, "b7 b9", "a8 b7 b9"},
		{config{since: at(10)}, "", ""},
	} {
		clear(whole)
		var out, messages strings.Builder
		s := &cli.Streams{Out: &out, Err: &messages, Quiet: true}
		here, err := tt.c.here(formats.About{})
		if err != nil {
			t.Fatal(err)
		}
		since, ok := js.ParseTime(tt.c.since)
		j := &job{said: newSaid("x", nil), streams: s, name: "x", here: here, having: map[string]int{}}
		if ok {
			j.from = time.UnixMilli(since)
		}
		tt.c.list = true
		if err := tt.c.print(t.Context(), j, a); err != nil && (cli.Status(err) != cli.ExitNo || tt.want != "") {
			t.Errorf("%v: %v", tt.c, err)
		}
		var got, read []string
		for line := range strings.Lines(out.String()) {
			got = append(got, js.Value(line).Get("session").Str())
		}
		for id := range whole {
			read = append(read, id)
		}
		slices.Sort(read)
		if g, r := strings.Join(got, " "), strings.Join(read, " "); g != tt.want || r != tt.read {
			t.Errorf("--cwd %q --since %q --limit %d --exact=%v: listed %q, read %q", tt.c.cwd, tt.c.since, tt.c.limit, tt.c.exact, g, r)
		}
	}
}

// The rules of secrets, which take longer to make than many a session to read, are made for a run that takes secrets out, and for no
// other one.
func TestRulesAreNotMade(t *testing.T) {
	t.Parallel()
	for _, redact := range []bool{false, true} {
		made := false
		c := &config{redact: redact, rules: func() (*rules.Rules, error) { made = true; return &rules.Rules{}, nil }}
		if c.origin(t.Context(), formats.About{}); made != redact {
			t.Errorf("redact %v: made %v", redact, made)
		}
	}
}

// A dated archive has a session for each hour, whose row says when it was written to: the n-th was n hours after the first, but for one whose
// entries are older.
type dated struct{ read map[string]bool }

func (d dated) List(_ context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for n := range 9 {
			var info formats.Info
			info.ID, info.Dated = fmt.Sprintf("s%d", n), true
			info.Modified = time.Date(2026, 1, 2, n, 0, 0, 0, time.UTC)
			info.Created = info.Modified
			if q.Detailed(info) {
				d.read[info.ID] = true
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (d dated) Read(context.Context, formats.Info, *formats.Builder) error { return nil }
func (d dated) Close() error                                               { return nil }

// TestDated: of the sessions of a database those are read that --limit and --since leave, and no other ones.
func TestDated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		limit int
		since string
		want  string
	}{
		{2, "", "s7 s8"}, {9, "", "s0 s1 s2 s3 s4 s5 s6 s7 s8"}, {0, "2026-01-02T06:00:00Z", "s6 s7 s8"}, {2, "2026-01-02T08:00:00Z", "s8"},
	} {
		a, c := dated{map[string]bool{}}, config{limit: tt.limit, since: tt.since, list: true}
		var out strings.Builder
		here, err := c.here(formats.About{})
		must.Do(t, err)
		j := &job{said: newSaid("x", nil), streams: &cli.Streams{Out: &out, Err: io.Discard, Quiet: true}, name: "x", here: here, having: map[string]int{}}
		if ms, ok := js.ParseTime(tt.since); ok {
			j.from = time.UnixMilli(ms)
		}
		must.Do(t, c.print(t.Context(), j, a))
		var got []string
		for line := range strings.Lines(out.String()) {
			got = append(got, js.Value(line).Get("session").Str())
		}
		if read := strings.Join(slices.Sorted(maps.Keys(a.read)), " "); strings.Join(got, " ") != tt.want || read != tt.want {
			t.Errorf("--limit %d --since %q: listed %q, read %q, want %q", tt.limit, tt.since, got, read, tt.want)
		}
	}
}
