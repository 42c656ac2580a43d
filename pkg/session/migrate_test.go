package session_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

const v1Head = `{"type":"session","id":"s"}`

// The index of a version 1 compaction counts every parsed line, the header's as
// 0. One that names no entry before the compaction leaves no id.
func TestMigrateIndex(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ index, want string }{
		{`1`, `,"firstKeptEntryId":"00000001"`},
		{`2`, `,"firstKeptEntryId":"00000002"`},
		{`2.0`, `,"firstKeptEntryId":"00000002"`},
		{`0`, ``},  // the header
		{`3`, ``},  // a scalar
		{`4`, ``},  // a later header
		{`5`, ``},  // the compaction
		{`6`, ``},  // after it
		{`99`, ``}, // nothing
		{`-1`, ``},
		{`1.5`, ``},
		{`1e99`, ``},
	} {
		compaction := `{"type":"compaction","summary":"s","firstKeptEntryIndex":%s,"tokensBefore":1}`
		s := parseText(t, join(v1Head, `{"type":"message"}`, "", "garbage", `{"type":"custom"}`, "42", v1Head,
			fmt.Sprintf(compaction, c.index), `{"type":"custom"}`))
		want := `{"type":"compaction","summary":"s","tokensBefore":1,"id":"00000003","parentId":"00000002"` + c.want + `}`
		if got := s.Entries[2].Raw(); got != want {
			t.Errorf("index %s:\n%s, want\n%s", c.index, got, want)
		}
	}
	// What is no number stays, as in pi.
	s := parseText(t, join(v1Head, `{"type":"compaction","firstKeptEntryIndex":"1"}`, `{"type":"custom","firstKeptEntryIndex":0}`))
	want := []string{
		`{"type":"compaction","firstKeptEntryIndex":"1","id":"00000001","parentId":null}`,
		`{"type":"custom","firstKeptEntryIndex":0,"id":"00000002","parentId":"00000001"}`,
	}
	if diff := cmp.Diff(want, raws(s.Entries)); diff != "" {
		t.Error(diff)
	}
}

func TestMigrateBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, header, in, want string }{
		{"v1, ids given anew", v1Head, `{"id":"x", "n":1.0,"parentId" : "p"}`, `{"id":"00000001", "n":1.0,"parentId" : null}`},
		{"v1, carriage return", v1Head, `{"n":1}` + "\r", `{"n":1,"id":"00000001","parentId":null}` + "\r"},
		{"v1, no members", v1Head, `{ }`, `{ "id":"00000001","parentId":null}`},
		{
			"v1, hook message", v1Head, `{"type":"message","message":{"role":"hookMessage","x":1.50}}`,
			`{"type":"message","message":{"role":"custom","x":1.50},"id":"00000001","parentId":null}`,
		},
		{
			"v2", `{"type":"session","version":2,"id":"s"}`, `{"type":"message","id":"x","message": {"role" : "hookMessage" } }`,
			`{"type":"message","id":"x","message": {"role" : "custom" } }`,
		},
		{"v2, other roles", `{"type":"session","version":2,"id":"s"}`, `{"type":"message","id":"x","message":{"role":"odd"}}`, ``},
		{"v3", head, `{"type":"message","id":"x","message":{"role":"hookMessage"}}`, ``},
		{"v3, index", head, `{"type":"compaction","id":"x","firstKeptEntryIndex":1}`, ``},
	} {
		if c.want == "" {
			c.want = c.in
		}
		s := parseText(t, join(c.header, c.in))
		if got := s.Entries[0].Raw(); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
		if e := s.Entries[0]; e.Line() != 2 || e.Offset() != int64(len(c.header))+1 {
			t.Errorf("%s: line %d, offset %d", c.name, e.Line(), e.Offset())
		}
	}
}

func TestMigrateCorpus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, ids, problems string
		version             int
	}{
		{"v1", "00000001 00000002 00000003 00000004 00000005 00000006", "", 1},
		{"v1_index_forward", "00000001 00000002 00000003 00000004", "2 no-first-kept, 4 no-first-kept, 5 no-first-kept", 1},
		{"v0", "00000001", "", 1},
		{"vnull", "00000001", "", 1},
		{"vstr", "a", "", 3},
		{"v2", "a b", "", 2},
	} {
		data := corpus.Session(t, "omp/edge/"+c.name+".jsonl")
		s, err := session.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		leaf, _ := s.Leaf()
		if got := pathIDs(s, leaf); got != c.ids || s.Header.Version != c.version || kinds(s.Problems) != c.problems {
			t.Errorf("%s: version %d, path %s, problems %s", c.name, s.Header.Version, got, kinds(s.Problems))
		}
		again, err := session.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(raws(s.Entries), raws(again.Entries)); diff != "" {
			t.Errorf("%s: two readings differ: %s", c.name, diff)
		}
	}
	s, err := read(t, "omp/edge/v1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if kept := s.Entries[3].Str("firstKeptEntryId"); kept != "00000002" {
		t.Errorf("index 2 is the second entry, not %q", kept)
	}
	if role := s.Entries[2].Role(); role != "custom" {
		t.Errorf("hookMessage became %q", role)
	}
}

// A migrated session printed is a version 3 session that reads the same.
func TestMigrateTwice(t *testing.T) {
	t.Parallel()
	for _, path := range append(corpus.Sessions(t, "omp/edge"), "pi/sessions/v1-compaction.jsonl", "pi/sessions/v2-hook.jsonl") {
		s, err := read(t, path)
		if err != nil || s.Header.Version == 3 {
			continue
		}
		again := parseText(t, join(append(s.Lead(), raws(s.Entries)...)...))
		if again.Header.Version != 3 {
			t.Errorf("%s: version %d", path, again.Header.Version)
		}
		if diff := cmp.Diff(raws(s.Entries), raws(again.Entries)); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

// migrated are the SHA-256 sums of two real version 1 sessions as real pi 0.73
// rewrites them, with ids by position.
var migrated = map[string]string{
	"pi/sessions/before-compaction.jsonl": "c04b5d5a6d93e5ac7d7e0f9989cebd02b1b5a338e64ac45fd4b63c0835976384",
	"pi/sessions/large-session.jsonl":     "d2012468fd5b23db4563358d398fa9ef3c11143eb427ef4bd9d8823baff47c45",
}

func TestMigrationBytes(t *testing.T) {
	t.Parallel()
	for path, want := range migrated {
		s, err := read(t, path)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for _, line := range s.Lead() {
			io.WriteString(h, line+"\n")
		}
		for _, e := range s.Entries {
			io.WriteString(h, e.Raw()+"\n")
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != want {
			t.Errorf("%s: %s, pi's rewrite is %s", path, got, want)
		}
	}
}
