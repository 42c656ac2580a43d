package brief_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// worked is a session in which files were touched and commands run.
func worked(t tb) *builder {
	b := &builder{t: t}
	b.message(`{"role":"system","content":"be brief"}`)                                                          // 1
	b.user("make it work")                                                                                       // 2
	b.call("1", "read", `{"path":"a.go"}`, "2", "bash", `{"command":"make all\ntwice"}`)                         // 3
	b.result("2", "no rule\nCommand exited with code 2", true)                                                   // 4
	b.result("1", "package a", false)                                                                            // 5
	b.call("3", "edit", `{"path":"a.go","oldText":"a","newText":"b"}`, "4", "exec", `{"command":["go","test"]}`) // 6
	b.result("3", "done", false)                                                                                 // 7
	b.result("4", "ok", false)                                                                                   // 8
	b.message(`{"role":"bashExecution","command":"ls","output":"a.go","exitCode":0}`)                            // 9
	b.message(`{"role":"bashExecution","command":"top","output":"","cancelled":true}`)                           // a
	b.message(`{"role":"bashExecution","command":"secret","output":"","exitCode":0,"excludeFromContext":true}`)  // b
	b.call("5", "shell", `{"command":"false"}`)                                                                  // c
	b.result("5", "killed", true)                                                                                // d
	b.call("6", "write", `{"path":"b.go","content":"b"}`, "7", "bash", `{"command":"sleep 9"}`)                  // e
	b.message(`{"role":"toolResult","toolCallId":"6","content":[],"nestedCalls":` +                              //
		`{"calls":[{"name":"read","arguments":{"path":"c.go"}}]}}`) // f
	b.user("and then?") // 10
	return b
}

func status(n int) *int { return &n }

func TestReport(t *testing.T) {
	t.Parallel()
	b := worked(t)
	plan, err := compact.New(b.path, compact.Options{Strategy: compact.LastTurn})
	if err != nil {
		t.Fatal(err)
	}
	r := brief.Planned(plan, "/w")
	var ids, roles []string
	var tokens int64
	for _, e := range r.Entries {
		ids, roles = append(ids, strings.TrimLeft(e.ID, "0")), append(roles, e.Role)
		tokens += e.Tokens
		if e.Type != "message" || e.Partly || e.Line != 0 || e.Time != "2026-01-02T03:04:05.000Z" || e.Tokens == 0 && e.ID != "0000000f" {
			t.Errorf("entry %+v", e)
		}
	}
	if got := strings.Join(ids, " "); got != "2 3 4 5 6 7 8 9 a b c d e f" { // the system message stays
		t.Errorf("entries %s", got)
	}
	if roles[0] != "user" || roles[2] != "toolResult" || roles[7] != "bashExecution" {
		t.Errorf("roles %q", roles)
	}
	if diff := cmp.Diff([]brief.Command{
		{EntryID: "00000003", Command: "make all\ntwice", Status: status(2), Failed: true},
		{EntryID: "00000006", Command: "go test"},
		{EntryID: "00000009", Command: "ls", Status: status(0)},
		{EntryID: "0000000a", Command: "top", Failed: true},
		{EntryID: "0000000c", Command: "false", Failed: true},
		{EntryID: "0000000e", Command: "sleep 9"},
	}, r.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(compact.FileOps{Read: []string{"a.go", "c.go"}, Written: []string{"b.go"}, Edited: []string{"a.go"}}, r.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if r.Type != "compaction" || r.ID != "" || r.From != "00000002" || r.To != "0000000f" || r.Kept != "00000010" {
		t.Errorf("report %+v", r)
	}
	// What stays are the system message and the last question.
	if r.TokensOut != tokens || r.TokensAfter != 2+3 || r.TokensBefore != r.TokensAfter+r.TokensOut || r.SummaryTokens != 0 {
		t.Errorf("%d tokens, %d leave, %d stay, summary %d", r.TokensBefore, r.TokensOut, r.TokensAfter, r.SummaryTokens)
	}
}

// A call that comes with an id used before is another one, and a result without
// a call says nothing of the call before.
func TestReportReusedID(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("1", "bash", `{"command":"make"}`)
	b.result("1", "Command exited with code 2", true)
	b.result("1", "ok", false)
	b.call("1", "bash", `{"command":"test"}`)
	b.result("1", "ok", false)
	id := b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000006","tokensBefore":1`)
	r, err := brief.ReportOn(b.path, id, "/w")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]brief.Command{
		{EntryID: "00000001", Command: "make", Status: status(2), Failed: true},
		{EntryID: "00000004", Command: "test", Status: status(0)},
	}, r.Commands); diff != "" || r.Kept != id {
		t.Errorf("kept %s, commands (-want +got):\n%s", r.Kept, diff)
	}
}

// A text that a command prints is not the status of the command, as in package calls.
func TestReportOfWords(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.call("1", "bash", `{"command":"cat build.log"}`)
	b.result("1", "compiling\nexit status 1", false)
	id := b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000003","tokensBefore":1`)
	r, err := brief.ReportOn(b.path, id, "/w")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]brief.Command{{EntryID: "00000001", Command: "cat build.log", Status: status(0)}}, r.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// A context_edit takes the content of its target out, here of the result of a
// call that stays; giving it back is a gain below 0.
func TestReportOnEdit(t *testing.T) {
	t.Parallel()
	b := worked(t)
	text := strings.Repeat("no rule ", 50)
	b.call("8", "bash", `{"command":"make"}`)
	target := b.result("8", text+"\nCommand exited with code 3", true)
	was := convo.EntryMessages(b.path[len(b.path)-1])[0].Get("content")
	prune := b.add(session.TypeContextEdit, `"targetId":"`+target+`","replacement":{"content":"gone"}`)
	undo := b.add(session.TypeContextEdit, `"targetId":"`+target+`","replacement":{"content":`+was+`}`)
	drop := b.add(session.TypeContextEdit, `"targetId":"`+target+`","replacement":null`)
	nothing := b.add(session.TypeContextEdit, `"targetId":"`+target+`","replacement":null`)
	command := []brief.Command{{EntryID: "00000011", Command: "make", Status: status(3), Failed: true}}
	for _, c := range []struct {
		id       string
		tokens   int64
		partly   bool
		commands []brief.Command
	}{
		{prune, 107 - 1, true, command},
		{undo, 1 - 107, true, command},
		{drop, 107, false, command},
	} {
		r, err := brief.ReportOn(b.path, c.id, "/w")
		if err != nil {
			t.Fatal(err)
		}
		want := &brief.Report{
			Type: "context_edit", ID: c.id, From: target, To: target, TokensBefore: r.TokensBefore, TokensAfter: r.TokensBefore - c.tokens,
			TokensOut: c.tokens, Commands: c.commands,
			Entries: []brief.Left{{ID: target, Type: "message", Role: "toolResult", Tokens: c.tokens, Partly: c.partly, Time: "2026-01-02T03:04:05.000Z"}},
		}
		if diff := cmp.Diff(want, r); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.id, diff)
		}
	}
	r, err := brief.ReportOn(b.path, nothing, "/w")
	if err != nil || len(r.Entries) != 0 || r.From != "" || r.TokensBefore != r.TokensAfter {
		t.Errorf("an edit without effect: %+v, %v", r, err)
	}
}

// What codex's way of compacting keeps as copies does not leave, but for what
// is cut out of them.
func TestReportCopies(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("old: " + strings.Repeat("x", 4000))
	cut := b.user("long: " + strings.Repeat("y", 400))
	b.assistant("an answer")
	image := b.message(`{"role":"user","content":[{"type":"image","data":"eA==","mimeType":"image/png"},{"type":"text","text":"look"}]}`)
	b.user("short")
	b.assistant("another answer")
	plan, err := compact.New(b.path, compact.Options{Strategy: compact.KeepUser, Keep: 60})
	if err != nil {
		t.Fatal(err)
	}
	batch := &session.Batch{Leaf: plan.Leaf}
	e, err := plan.AddTo(batch, compact.Summary{History: "## Goal\n- work"})
	if err != nil {
		t.Fatal(err)
	}
	after, err := brief.ReportOn(plan.After(batch.Entries...), e.ID(), "/w")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*brief.Report{brief.Planned(plan, "/w"), after} {
		got := map[string]bool{}
		for _, e := range r.Entries {
			got[e.ID] = e.Partly
		}
		if diff := cmp.Diff(map[string]bool{"00000001": false, cut: true, "00000003": false, image: true, "00000006": false}, got); diff != "" {
			t.Errorf("entries and whether a part stays (-want +got):\n%s", diff)
		}
		if r.Entries[3].Tokens != 1200 || r.TokensBefore-r.TokensOut+r.SummaryTokens != r.TokensAfter {
			t.Errorf("report %+v", r)
		}
	}
}

// Lists of a foreign program under the same name do no harm.
func TestReportForeignCopies(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("one")
	b.assistant("two")
	b.user("three")
	id := b.add(session.TypeCompaction, `"summary":"s","firstKeptEntryId":"00000003","tokensBefore":1,"details":{"kept":[["00000001","00000003"],["00000002"],7,[]]}`)
	r, err := brief.ReportOn(b.path, id, "/w")
	if err != nil || len(r.Entries) != 2 || r.From != "00000001" || r.To != "00000002" {
		t.Errorf("%+v, %v", r, err)
	}
}

// The summary of the compaction before leaves with what follows it, in the order
// of the path; what it had taken out does not leave again.
func TestReportOnSecond(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("one")
	b.user("two")
	first := b.add(session.TypeCompaction, `"summary":"once","firstKeptEntryId":"00000002","tokensBefore":1`)
	b.user("four")
	second := b.add(session.TypeCompaction, `"summary":"twice!","firstKeptEntryId":"`+first+`","tokensBefore":1`)
	b.user("six")
	r, err := brief.ReportOn(b.path, second, "/w")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, e := range r.Entries {
		got += e.ID[7:] + " " + e.Role + " "
	}
	if got != "2 user 3 compactionSummary " || r.SummaryTokens != 2 || r.TokensBefore != 3 || r.TokensAfter != 3 || r.TokensOut != 2 {
		t.Errorf("%s: %+v", got, r)
	}
}

func TestReportOnErrors(t *testing.T) {
	t.Parallel()
	b := worked(t)
	for id, want := range map[string]string{
		"00000002": "nothing to report on: entry 00000002 is no compaction or context_edit, but a message",
		"missing":  "nothing to report on: entry missing is not on the path",
	} {
		if r, err := brief.ReportOn(b.path, id, "/w"); !errors.Is(err, brief.ErrNoReport) || err.Error() != want || r != nil {
			t.Errorf("%s: %v, %v", id, r, err)
		}
	}
}

// A report of ten times as many entries, each of which names a file of its own, takes some ten times as many allocations.
func TestReportIsLinear(t *testing.T) {
	const n = 600
	cost := func(n int) float64 {
		b := &builder{t: t}
		for i := range n {
			b.user("go on")
			b.call("x", "edit", fmt.Sprintf(`{"path":"f%d.go","oldText":"a","newText":"b"}`, i))
			b.result("x", "ok", false)
		}
		plan, err := compact.New(b.path, compact.Options{Keep: 1})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(1, func() {
			if r := brief.Planned(plan, "/w"); len(r.Files.Edited) < n/2 {
				t.Fatalf("%d files", len(r.Files.Edited))
			}
		})
	}
	if small, large := cost(n), cost(10*n); large > 15*small {
		t.Errorf("%.0f allocations for %d entries, %.0f for ten times as many", small, n, large)
	}
}
