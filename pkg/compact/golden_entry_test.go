package compact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// piCompaction is what pi's compact did with a model that answers
// HISTORY-SUMMARY and PREFIX-SUMMARY.
type piCompaction struct {
	Calls  []struct{ User text }
	Result *struct {
		Summary          text
		FirstKeptEntryID string
		TokensBefore     int64
		Details          json.RawMessage
	}
	AppendedRaw         text
	ContextAfter        []string
	TokensAfterEstimate struct{ Tokens int64 }
}

func TestPiCompact(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, rules compact.Rules, path []session.Entry, golden func(string) []byte) {
		t.Helper()
		var g piCompaction
		if err := json.Unmarshal(golden("compact500"), &g); err != nil {
			t.Fatal(err)
		}
		plan, err := compact.New(path, compact.Options{Keep: 500, Rules: rules})
		if err != nil {
			if g.Result != nil && !emptyConversation(g) {
				t.Errorf("%v, pi compacts", err)
			}
			return
		}
		if g.Result == nil {
			t.Fatal("compacts, pi does not")
		}
		comparePrompts(t, plan, g)
		compareEntry(t, plan, g, rules)
	})
}

// emptyConversation reports whether pi 0.73 had nothing to summarize and asked
// for a summary all the same.
func emptyConversation(g piCompaction) bool {
	return len(g.Calls) == 1 && strings.HasPrefix(string(g.Calls[0].User), "<conversation>\n\n</conversation>\n\n")
}

func comparePrompts(t *testing.T, plan *compact.Plan, g piCompaction) {
	t.Helper()
	var ours []string
	if plan.NeedsHistory() {
		ours = append(ours, plan.HistoryPrompt(""))
	}
	if plan.NeedsPrefix() {
		ours = append(ours, plan.PrefixPrompt(""))
	}
	if len(ours) != len(g.Calls) {
		t.Fatalf("%d prompts, pi sends %d", len(ours), len(g.Calls))
	}
	for i, call := range g.Calls {
		theirs, theirInstructions := splitPrompt(string(call.User))
		own, instructions := splitPrompt(ours[i])
		if diff := cmp.Diff(theirs, own); diff != "" {
			t.Errorf("prompt %d before the instructions (-pi +sess):\n%s", i, diff)
		}
		if diff := cmp.Diff(headings(theirInstructions), headings(instructions)); diff != "" {
			t.Errorf("prompt %d headings (-pi +sess):\n%s", i, diff)
		}
	}
}

// splitPrompt cuts a prompt in front of its instructions.
func splitPrompt(prompt string) (conversation, instructions string) {
	at := 0
	for _, end := range []string{"</conversation>\n\n", "</previous-summary>\n\n", "\n\n# Instructions\n"} {
		if i := strings.LastIndex(prompt, end); i >= 0 {
			at = max(at, i+len(end))
		}
	}
	return prompt[:at], prompt[at:]
}

func headings(text string) (out []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// compareEntry builds the entry with the id and the time of pi's and compares
// bytes. Pi 1.5 adds the usage of its model calls.
func compareEntry(t *testing.T, plan *compact.Plan, g piCompaction, rules compact.Rules) {
	t.Helper()
	want, err := session.ParseEntry(withoutUsage(string(g.AppendedRaw)))
	if err != nil {
		t.Fatal(err)
	}
	summary := compact.Summary{History: "HISTORY-SUMMARY", TurnPrefix: "PREFIX-SUMMARY"}
	got := appendCompaction(t, plan, want, summary)
	if diff := cmp.Diff(want.Raw(), got.Raw()); diff != "" {
		t.Errorf("entry (-pi +sess):\n%s", diff)
	}
	if diff := cmp.Diff(string(g.Result.Summary), plan.Text(summary)); diff != "" {
		t.Errorf("summary (-pi +sess):\n%s", diff)
	}
	after := convo.MessagesOf(convo.Project(plan.After(got)))
	roles := []string{}
	for _, m := range after {
		roles = append(roles, m.Role())
	}
	if diff := cmp.Diff(g.ContextAfter, roles); diff != "" {
		t.Errorf("context after (-pi +sess):\n%s", diff)
	}
	size := convo.MeasurePi073(after, convo.Estimate)
	if rules == compact.Pi073 {
		size = convo.MeasurePi073(after, convo.EstimatePi073)
	}
	if size.Tokens != g.TokensAfterEstimate.Tokens {
		t.Errorf("%d tokens after, pi says %d", size.Tokens, g.TokensAfterEstimate.Tokens)
	}
}

func withoutUsage(line string) string {
	head, rest, found := strings.Cut(line, `,"usage":{`)
	if !found {
		return line
	}
	_, tail, _ := strings.Cut(rest, `,"fromHook"`)
	return fmt.Sprintf(`%s,"fromHook"%s`, head, tail)
}

// TestPi073EmptyConversation pins the deliberate difference: where pi 0.73 asks
// its model to summarize an empty conversation, there is nothing to do.
func TestPi073EmptyConversation(t *testing.T) {
	t.Parallel()
	var g piCompaction
	if err := json.Unmarshal(corpus.Golden(t, "pi/golden/0.73")["linear.compact500.json"], &g); err != nil {
		t.Fatal(err)
	}
	if g.Result == nil || !emptyConversation(g) {
		t.Fatal("pi 0.73 no longer compacts an empty conversation: compare it like the others")
	}
	path := leafPath(t, corpus.Session(t, "pi/sessions/linear.jsonl"))
	if p, err := compact.New(path, compact.Options{Keep: 500, Rules: compact.Pi073}); !errors.Is(err, compact.ErrNothing) {
		t.Errorf("plan %+v, error %v; want ErrNothing", p, err)
	}
}

// TestGenuineEntries compacts again what pi itself compacted, in sessions pi
// wrote with its system messages, and compares the bytes of the entry. Its
// mock model gave the same two replies every time.
func TestGenuineEntries(t *testing.T) {
	t.Parallel()
	const entries = 6 // that pi wrote with the whole path still in the file
	compared := 0
	genuine(t, session.TypeCompaction, func(rules compact.Rules, s *session.Session, i int) {
		e := s.Entries[i]
		parent, ok := s.Index(e.ParentID())
		if !ok {
			return
		}
		path, problems := s.Path(parent)
		if len(problems) > 0 {
			return // pi 0.73 loses the beginning of what it forks
		}
		compareGenuine(t, path, e, rules)
		compared++
	})
	if compared != entries {
		t.Errorf("%d entries compared, want %d", compared, entries)
	}
}

// genuine calls test for each entry of a type that pi itself wrote.
func genuine(t *testing.T, typ string, test func(rules compact.Rules, s *session.Session, entry int)) {
	t.Helper()
	for _, file := range corpus.Sessions(t, "pi/genuine") {
		rules := compact.Pi15
		if strings.Contains(file, "/0.73/") {
			rules = compact.Pi073
		}
		s := readSession(t, file)
		for i, e := range s.Entries {
			if e.Type() == typ {
				test(rules, s, i)
			}
		}
	}
}

func compareGenuine(t *testing.T, path []session.Entry, want session.Entry, rules compact.Rules) {
	t.Helper()
	const keep = 150 // tokens
	plan, err := compact.New(path, compact.Options{Keep: keep, Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	got := appendCompaction(t, plan, want, compact.Summary{
		History:    "## Goal\nMock history summary\n\n## Progress\n### Done\n- [x] things",
		TurnPrefix: "## Original Request\nMock turn prefix",
	})
	// Pi stamps the folded system message with the time of the compaction, a
	// plan knows no clock and keeps that of the first system message.
	stamp := func(e session.Entry) string {
		raw := withoutUsage(e.Raw())
		if i := strings.LastIndex(raw, `,"timestamp":`); rules == compact.Pi15 && i >= 0 {
			raw = raw[:i]
		}
		return raw
	}
	if diff := cmp.Diff(stamp(want), stamp(got)); diff != "" {
		t.Errorf("entry %s (-pi +sess):\n%s", want.ID(), diff)
	}
}

// appendCompaction makes a compaction entry with the id and the time of like.
func appendCompaction(t *testing.T, plan *compact.Plan, like session.Entry, s compact.Summary) session.Entry {
	t.Helper()
	b := batchLike(like, plan.Leaf)
	e, err := plan.AddTo(&b, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// batchLike gives entries the id and the time of like.
func batchLike(like session.Entry, leaf string) session.Batch {
	now, _ := like.Timestamp()
	return session.Batch{Leaf: leaf, Now: now, NewID: func(func(string) bool) (string, error) { return like.ID(), nil }}
}
