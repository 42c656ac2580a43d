package formats_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// built returns a builder, behind its header, and the lines it makes.
func built(t *testing.T) (*formats.Builder, *[]string) {
	t.Helper()
	lines := &[]string{}
	b := formats.NewBuilder("codex", func(l string) error { *lines = append(*lines, l); return nil }, func(formats.Loss) {})
	if err := b.Header(session.HeaderFields{ID: "s1", Time: 1767323045000, CWD: "/w"}); err != nil {
		t.Fatal(err)
	}
	return b, lines
}

func must(t *testing.T) func(string, error) string {
	return func(id string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
}

func TestBuilderTree(t *testing.T) {
	t.Parallel()
	b, lines := built(t)
	id := must(t)
	ask := id(b.Message(formats.Place{ID: "m1", Time: 1767323046000}, api.User([]string{api.Text("one")})))
	id(b.Message(formats.Place{Key: "k"}, api.Assistant([]string{api.ToolCall("c", "read", "{}")})))
	other := id(b.Message(formats.Place{Parent: ask, Key: "k"}, api.Assistant(nil)))
	id(b.Compaction(formats.Place{}, "sum", "", 7))
	id(b.Custom(formats.Place{Root: true}, "meta", "{\n \"a\": 1.0\n}"))
	id(b.Add(formats.Place{Parent: other}, session.TypeLabel, js.StringField("targetId", ask), js.StringField("label", "x")))
	s := formatstest.Parse(t, strings.Join(*lines, "\n")+"\n")
	if len(s.Problems) > 0 {
		t.Errorf("problems %v", s.Problems)
	}
	var got []string
	for _, e := range s.Entries {
		parent := "-"
		if i, ok := s.Index(e.ParentID()); ok {
			parent = fmt.Sprint(i)
		}
		got = append(got, e.Type()+" "+parent)
	}
	want := []string{"message -", "message 0", "message 0", "compaction 2", "custom -", "label 2"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for i, sub := range map[int]string{
		1: `"id":"m1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z"`,
		2: `"stopReason":"toolUse"`,
		3: `"usage":{"input":0`,
		4: `"firstKeptEntryId":"` + s.Entries[3].ID() + `"`,
		5: `{"type":"custom","customType":"codex:meta","data":{"a":1.0},"id"`,
	} {
		if !strings.Contains((*lines)[i], sub) {
			t.Errorf("line %d has no %s: %s", i, sub, (*lines)[i])
		}
	}
}

// Ids depend on what is said of a place and on the session, not on what is around
// it; and none is given twice.
func TestBuilderIDs(t *testing.T) {
	t.Parallel()
	note := func(b *formats.Builder, p formats.Place) string { return must(t)(b.Custom(p, "n", "1")) }
	a, _ := built(t)
	b, _ := built(t)
	note(b, formats.Place{Key: "before"})
	if x, y := note(a, formats.Place{Key: "k"}), note(b, formats.Place{Key: "k"}); x != y {
		t.Errorf("%s and %s", x, y)
	}
	ids := []string{note(a, formats.Place{Key: "k"}), note(a, formats.Place{ID: "x"}), note(a, formats.Place{ID: "x"}), note(a, formats.Place{}), note(a, formats.Place{})}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 5 {
		t.Errorf("not all different: %q", ids)
	}
}

func TestBuilderRefuses(t *testing.T) {
	t.Parallel()
	label := []js.Field{js.StringField("targetId", "nobody"), js.StringField("label", "x")}
	tests := map[string]func(b *formats.Builder) error{
		"unknown parent": func(b *formats.Builder) error {
			_, err := b.Custom(formats.Place{Parent: "nobody"}, "n", "1")
			return err
		},
		"unknown target": func(b *formats.Builder) error {
			_, err := b.Add(formats.Place{}, session.TypeLabel, label...)
			return err
		},
		"unknown kept":  func(b *formats.Builder) error { _, err := b.Compaction(formats.Place{}, "s", "nobody", 1); return err },
		"missing field": func(b *formats.Builder) error { _, err := b.Add(formats.Place{}, session.TypeSessionInfo); return err },
		"no JSON":       func(b *formats.Builder) error { _, err := b.Custom(formats.Place{}, "n", "{"); return err },
		"two headers":   func(b *formats.Builder) error { return b.Header(session.HeaderFields{ID: "s2"}) },
		"bad id": func(*formats.Builder) error {
			return formats.NewBuilder("x", nil, nil).Header(session.HeaderFields{ID: "../x"})
		},
		"no header": func(*formats.Builder) error {
			_, err := formats.NewBuilder("x", nil, nil).Custom(formats.Place{}, "n", "1")
			return err
		},
	}
	for name, do := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, lines := built(t)
			if err := do(b); err == nil {
				t.Error("no error")
			}
			if len(*lines) != 1 {
				t.Errorf("it made %q", *lines)
			}
		})
	}
}

// The first error of whoever takes the lines ends it.
func TestBuilderStops(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	calls := 0
	b := formats.NewBuilder("x", func(string) error {
		if calls++; calls == 2 {
			return full
		}
		return nil
	}, nil)
	if err := b.Header(session.HeaderFields{ID: "s"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := b.Custom(formats.Place{}, "n", "1"); !errors.Is(err, full) {
			t.Errorf("got %v", err)
		}
	}
	e, err := session.ParseEntry(`{"type":"x","id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Entry(e); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if calls != 2 {
		t.Errorf("%d lines were given", calls)
	}
}

func TestSessionID(t *testing.T) {
	t.Parallel()
	a, b := formats.SessionID("x", "ab", "c"), formats.SessionID("x", "a", "bc")
	if a == b || a != formats.SessionID("x", "ab", "c") || !session.ValidSessionID(a) || len(a) != 36 || a[14] != '8' {
		t.Errorf("%s and %s", a, b)
	}
}

// Losses read as sentences: one of a thing, or several, and more of what.
func TestLossesRead(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "a reply", 2: "2 replies"} {
		if got := formats.Counted(n, "a reply", "%d replies"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	e, err := session.ParseEntry(`{"type":"label","id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	var lost formats.Lost
	for range 7 {
		lost.Entry(e, "codex")
	}
	target := formats.NewTarget(func(l formats.Loss) {
		if want := "entry a: label means nothing to codex, left out, and 6 more like it"; l.String() != want {
			t.Errorf("%s", l)
		}
	})
	lost.Tell(target)
}

// listed is an archive of sessions "ID NAME", the fourth in the file /4, and of errors "!".
type listed []string

func (l listed) List(context.Context, formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for i, text := range l {
			info := formats.Info{Row: store.Row{Path: fmt.Sprintf("/%d", i)}}
			var err error
			if info.ID, info.Name, _ = strings.Cut(text, " "); info.ID == "!" {
				err = errors.New("reading x: broken")
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

func (listed) Read(context.Context, formats.Info, *formats.Builder) error { return nil }
func (listed) Close() error                                               { return nil }

func TestFind(t *testing.T) {
	t.Parallel()
	archive := listed{"!", "aaaa1 first", "aaaa2 twin", "bbbb1 twin", "bbbb12 last", "cccc1 dddd1", "dddd1 x", "eeee1 here", "eeee1 there", "eeee2"}
	for id, want := range map[string]string{
		"aaaa1": "aaaa1", "bbbb1": "bbbb1", "bbbb12": "bbbb12", "cccc": "cccc1", "last": "bbbb12", "dddd1": "dddd1",
		"aaaa": "!aaaa means 2 sessions: aaaa1, aaaa2", "twin": "!twin means 2 sessions: aaaa2, bbbb1",
		"eeee1": "!eeee1 means 2 sessions: /7, /8", "eeee": "!eeee means 3 sessions: /7, /8, eeee2", "/8": "eeee1", "/9": "eeee2",
		"ccc": "!no such session ccc; and not all could be read: reading x: broken",
	} {
		info, err := formats.Find(t.Context(), archive, id)
		got := info.ID
		if err != nil {
			got = "!" + err.Error()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
	if _, err := formats.Find(t.Context(), archive, "ccc"); !errors.Is(err, formats.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestEqualIDs: entries with one id of their source get ids of their own, in a time that grows with their number alone.
func TestEqualIDs(t *testing.T) {
	t.Parallel()
	b, lines := built(t)
	seen := map[string]bool{}
	const many = 30_000 // each tried all before it once, which takes ten minutes
	begun := time.Now()
	for range many {
		id, err := b.Message(formats.Place{ID: "m1"}, api.User([]string{api.Text("one")}))
		if err != nil || seen[id] {
			t.Fatalf("%q again, %v", id, err)
		}
		seen[id] = true
	}
	if took := time.Since(begun); took > 2*time.Minute {
		t.Errorf("it takes %v", took)
	}
	if len(*lines) != many+1 {
		t.Errorf("%d lines", len(*lines))
	}
}

func TestIsUUID(t *testing.T) {
	t.Parallel()
	re := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	const id = "0123abcd-ef45-6789-abcd-ef0123456789"
	ids := []string{"", id, id + "0", id[:35], id + "\n", strings.ToUpper(id)}
	for i := range id {
		for _, c := range "/09:@AFG`afg-\x00é" {
			ids = append(ids, id[:i]+string(c)+id[i+1:])
		}
	}
	for _, id := range ids {
		if got, want := formats.IsUUID(id), re.MatchString(id); got != want {
			t.Errorf("%q: %v, want %v", id, got, want)
		}
	}
}
