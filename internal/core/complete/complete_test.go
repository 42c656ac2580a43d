package complete_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/test/must"
)

// file makes a session of entries below dir.
func file(t *testing.T, dir, name, id string, entries ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	text := `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}` + "\n"
	for _, e := range entries {
		text += e + "\n"
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func message(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":%q,"timestamp":1}}`, id, parent, text)
}

func gathered(at cli.Place, with func(context.Context, cli.Place, func(cli.Candidate))) []cli.Candidate {
	var order []string
	last := map[string]cli.Candidate{}
	gather := make(chan cli.Candidate)
	go func() {
		defer close(gather)
		with(context.Background(), at, func(c cli.Candidate) { gather <- c })
	}()
	for c := range gather {
		key := c.Value + "\x00"
		if c.Value == "" {
			key = c.Text
		}
		if _, ok := last[key]; !ok {
			order = append(order, key)
		}
		last[key] = c
	}
	var out []cli.Candidate
	for _, key := range order {
		out = append(out, last[key])
	}
	return out
}

func TestSessions(t *testing.T) {
	store := t.TempDir()
	t.Setenv("SESS_DIR", store)
	named := func(id, title string) cli.Candidate {
		file(t, store, "--p--/2026-01-02T03-04-05-000Z_"+id+".jsonl", id, message("a", "null", title))
		return cli.Candidate{Value: id, Text: title}
	}
	one, two, three := named("aaaa0001", "Parse it"), named("aaaa0002", "parse more"), named("bbbb0001", "other")
	file(t, store, "--p--/2026-01-02T03-04-05-000Z_ev$(il).jsonl", "x")
	for _, c := range []struct {
		kind, word string
		want       []cli.Candidate
	}{
		{"SESSION", "", []cli.Candidate{cli.Files, three, two, one}},
		{"SESSION", "aaaa", []cli.Candidate{cli.Files, two, one}},
		{"SESSION", "bbbb0001", []cli.Candidate{cli.Files, three}},
		{"SESSION", "./a", []cli.Candidate{cli.Files}},
		{"SESSION", "OTHER", []cli.Candidate{cli.Files, three}},
		{"SESSION", "ot", []cli.Candidate{cli.Files}},
		{"SESSION", "ev", []cli.Candidate{cli.Files}},
		{"ROLE", "us", []cli.Candidate{{Value: "user"}}},
		{"ROLE,ROLE", "user,us", []cli.Candidate{{Value: "user,user"}}},
		{"TYPE", "session_in", []cli.Candidate{{Value: "session_info"}, {Value: "session_init"}}},
		{"TEXT", "", nil},
	} {
		got := gathered(cli.Place{Kind: c.kind, Word: c.word}, complete.Writer)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.kind, c.word, got, c.want)
		}
	}
	got := gathered(cli.Place{Kind: "SESSION", Word: "co"}, complete.Reader)
	if want := []cli.Candidate{{Value: "codex:"}, {Value: "continue:"}, {Value: "copilot:"}, cli.Files}; !slices.Equal(got, want) {
		t.Errorf("with agents: %q, want %q", got, want)
	}
}

// What many sessions have in common is what those that are offered have.
func TestManySessions(t *testing.T) {
	store := t.TempDir()
	t.Setenv("SESS_DIR", store)
	for i := range 300 {
		id := fmt.Sprintf("ab%03d", i+100)
		file(t, store, fmt.Sprintf("--p--/2026-01-02T03-04-05-%03dZ_%s.jsonl", i, id), id)
	}
	got := gathered(cli.Place{Kind: "SESSION", Word: "a"}, complete.Writer)
	if n := len(got); n != 1+102 {
		t.Errorf("%d candidates", n)
	}
	for _, want := range []string{"ab399", "ab300", "ab299", "ab100"} {
		if !slices.ContainsFunc(got, func(c cli.Candidate) bool { return c.Value == want }) {
			t.Errorf("no %s", want)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Setenv("SESS_DIR", t.TempDir())
	dir := t.TempDir()
	path := file(t, dir, "s.jsonl", "s", message("e0000001", "null", "one"), message("e0000002", `"e0000001"`, "two"),
		`{"type":"label","id":"f0000001","parentId":"e0000002","timestamp":"2026-01-02T03:04:06.000Z","targetId":"e0000001","label":"first"}`)
	one := cli.Candidate{Value: "e0000001", Text: "user: one"}
	two := cli.Candidate{Value: "e0000002", Text: "user: two"}
	label := cli.Candidate{Value: "@first", Text: "user: one"}
	// One that is too large to be read whole, but for its end.
	large := file(t, dir, "large.jsonl", "s", message("e0000001", "null", strings.Repeat("x", 5<<20)),
		`{"type":"compaction","id":"c0000001","parentId":"e0000001","timestamp":"2026-01-02T03:04:06.000Z","summary":"s","firstKeptEntryId":"e0000002","tokensBefore":1}`,
		message("e0000002", `"c0000001"`, "two"))
	for _, c := range []struct {
		path, flag, word string
		want             []cli.Candidate
	}{
		{path, "at", "e000", []cli.Candidate{two, one}},
		{path, "at", "@", []cli.Candidate{label}},
		{path, "leaf", "l", []cli.Candidate{{Value: "last"}, {Value: "longest"}}},
		{path, "parent", "nu", []cli.Candidate{{Value: "null"}}},
		{path, "at", "r", []cli.Candidate{{Value: "root"}}},
		{large, "at", "e0000002", []cli.Candidate{two}},
		{dir, "at", "e", nil},
		{dir + "/none", "at", "e", nil},
		{"/dev/zero", "at", "e", nil},
	} {
		got := gathered(cli.Place{Kind: "REF", Flag: c.flag, Word: c.word, Operands: []string{c.path}}, complete.Reader)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s of %s: %q, want %q", c.word, filepath.Base(c.path), got, c.want)
		}
	}
}
