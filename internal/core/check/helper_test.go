package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p"}`

// made is the header that a repair makes in these tests.
const made = `{"type":"session","version":3,"id":"made","timestamp":"2026-01-02T03:04:06.000Z","cwd":"/p"}`

func makeHeader(ms int64) (string, error) {
	return session.NewHeader(session.HeaderFields{ID: "made", Time: ms, CWD: "/p"}), nil
}

// line is an entry of the type, at second 6 of a minute unless at says other.
func line(typ, id, parent string, more ...string) string {
	return lineAt(6, typ, id, parent, more...)
}

func lineAt(second int, typ, id, parent string, more ...string) string {
	p := "null"
	if parent != "" {
		p = fmt.Sprintf("%q", parent)
	}
	return fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:%02d.000Z"%s}`,
		typ, id, p, second, strings.Join(append([]string{""}, more...), ","))
}

func user(id, parent string) string { return userAt(6, id, parent) }

func userAt(second int, id, parent string) string {
	return lineAt(second, "message", id, parent, fmt.Sprintf(`"message":{"role":"user","content":"text of %s"}`, id))
}

func said(id, parent, response string, input int) string {
	return line("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[],"model":"m","usage":{"input":%d,"output":0},"responseId":%q}`, input, response))
}

func call(id, parent, callID string) string {
	return line("message", id, parent, fmt.Sprintf(`"message":{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"read","arguments":{}}]}`, callID))
}

func answer(id, parent, callID string) string {
	return line("message", id, parent, fmt.Sprintf(`"message":{"role":"toolResult","toolCallId":%q,"content":"r"}`, callID))
}

func compaction(id, parent, kept string) string {
	return line("compaction", id, parent, fmt.Sprintf(`"summary":"s","firstKeptEntryId":%q,"tokensBefore":1`, kept))
}

func text(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// findings checks a session and returns each finding as "line severity kind id".
func findings(t testing.TB, input string, o check.Options) []string {
	t.Helper()
	found, err := check.Check(strings.NewReader(input), o)
	must.Do(t, err)
	out := []string{}
	for _, f := range found {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", f.Line, f.Severity, f.Kind, f.ID)))
		checkPlace(t, input, f)
	}
	return out
}

// checkPlace holds a finding to its contract: the offset is that of the line,
// and there is a text.
func checkPlace(t testing.TB, input string, f check.Finding) {
	t.Helper()
	if f.Text == "" {
		t.Errorf("no text: %+v", f)
	}
	if f.Line < 1 {
		return
	}
	offset := 0
	for range f.Line - 1 {
		i := strings.IndexByte(input[offset:], '\n')
		if i < 0 {
			t.Fatalf("no such line: %+v", f)
		}
		offset += i + 1
	}
	if int64(offset) != f.Offset {
		t.Errorf("line %d is at byte %d, not %d: %s", f.Line, offset, f.Offset, f.Text)
	}
}

func repair(t testing.TB, input string, relink bool) *check.Repaired {
	t.Helper()
	r, err := check.Repair(strings.NewReader(input), check.RepairOptions{Relink: relink, Migrate: true, Header: makeHeader})
	must.Do(t, err)
	return r
}

// errorsOf returns the findings that are errors.
func errorsOf(found []string) []string {
	return slices.DeleteFunc(slices.Clone(found), func(f string) bool { return !strings.Contains(f, " error ") })
}
