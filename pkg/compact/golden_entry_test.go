package compact_test

import (
	"encoding/json"
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
	goldenFiles(t, func(t *testing.T, path []session.Entry, golden func(string) []byte) {
		t.Helper()
		var g piCompaction
		if err := json.Unmarshal(golden("compact500"), &g); err != nil {
			t.Fatal(err)
		}
		plan, err := compact.New(path, compact.Options{Keep: 500})
		if err != nil {
			if g.Result != nil {
				t.Errorf("%v, pi compacts", err)
			}
			return
		}
		if g.Result == nil {
			t.Fatal("compacts, pi does not")
		}
		comparePrompts(t, plan, g)
		compareEntry(t, plan, g)
	})
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
func compareEntry(t *testing.T, plan *compact.Plan, g piCompaction) {
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
	if tokens := estimated(after); tokens != g.TokensAfterEstimate.Tokens {
		t.Errorf("%d tokens after, pi says %d", tokens, g.TokensAfterEstimate.Tokens)
	}
}

// estimated is the size of a context as pi estimates it message by message, or as the last answer reports it.
func estimated(messages []session.Message) (tokens int64) {
	for _, m := range messages {
		if reported, ok := convo.ReportedContext(m); ok {
			tokens = reported
			continue
		}
		tokens += convo.Estimate(m)
	}
	return tokens
}

func withoutUsage(line string) string {
	head, rest, found := strings.Cut(line, `,"usage":{`)
	if !found {
		return line
	}
	_, tail, _ := strings.Cut(rest, `,"fromHook"`)
	return fmt.Sprintf(`%s,"fromHook"%s`, head, tail)
}

// TestGenuineEntries compacts again what pi itself compacted, in sessions pi
// wrote with its system messages, and compares the bytes of the entry. Its
// mock model gave the same two replies every time.
func TestGenuineEntries(t *testing.T) {
	t.Parallel()
	const entries = 4 // that pi wrote with the whole path still in the file
	compared := 0
	genuine(t, session.TypeCompaction, func(s *session.Session, i int) {
		e := s.Entries[i]
		parent, ok := s.Index(e.ParentID())
		if !ok {
			return
		}
		path, problems := s.Path(parent)
		if len(problems) > 0 {
			return
		}
		compareGenuine(t, path, e)
		compared++
	})
	if compared != entries {
		t.Errorf("%d entries compared, want %d", compared, entries)
	}
}

// genuine calls test for each entry of a type that pi itself wrote.
func genuine(t *testing.T, typ string, test func(s *session.Session, entry int)) {
	t.Helper()
	for _, file := range corpus.Sessions(t, "pi/genuine/1.5") {
		s := readSession(t, file)
		for i, e := range s.Entries {
			if e.Type() == typ {
				test(s, i)
			}
		}
	}
}

func compareGenuine(t *testing.T, path []session.Entry, want session.Entry) {
	t.Helper()
	const keep = 150 // tokens
	plan, err := compact.New(path, compact.Options{Keep: keep})
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
		if i := strings.LastIndex(raw, `,"timestamp":`); i >= 0 {
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
