package compact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// These tests compare with what real pi answered for the same files
// (testdata/README.md). What differs on purpose has a name here and a line in
// docs/formats/pi.md.

// noSession are the files that are no session to us; pi starts a new one there
// or refuses as well.
var noSession = map[string]bool{"empty": true, "not-a-session": true}

// newerThan073 tells files with entries that pi 0.73 does not know: it counts
// edited content and summarizes system messages. Under its rules here such
// entries keep the meaning they have.
func newerThan073(name string) bool {
	return name == "v3-pi15-entries" || strings.HasPrefix(name, "genuine-1.5")
}

// versions are the programs with golden answers and the rules that follow them.
var versions = map[string]compact.Rules{"1.5": compact.Pi15, "0.73": compact.Pi073}

// goldenFiles calls test for each session a version's golden answers speak of,
// with the path to its leaf.
func goldenFiles(t *testing.T, test func(t *testing.T, rules compact.Rules, path []session.Entry, golden func(kind string) []byte)) {
	t.Helper()
	files := append(corpus.Sessions(t, "pi/sessions"), corpus.Sessions(t, "pi/genuine")...)
	for version, rules := range versions {
		answers := corpus.Golden(t, "pi/golden/"+version)
		for _, file := range files {
			name := corpus.PiName(file)
			if noSession[name] || rules == compact.Pi073 && newerThan073(name) {
				continue
			}
			t.Run(version+"/"+name, func(t *testing.T) {
				t.Parallel()
				test(t, rules, leafPath(t, corpus.Session(t, file)), func(kind string) []byte {
					answer, ok := answers[name+"."+kind+".json"]
					if !ok {
						t.Fatalf("no golden answer %s.%s.json", name, kind)
					}
					return answer
				})
			})
		}
	}
}

func leafPath(t testing.TB, data []byte) []session.Entry {
	t.Helper()
	s, err := session.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	leaf, _ := s.Leaf()
	path, _ := s.Path(leaf)
	return path
}

// text is a JSON string with its lone surrogates, which encoding/json loses.
// Null is "".
type text string

func (x *text) UnmarshalJSON(raw []byte) error {
	*x = ""
	if raw[0] == '"' {
		*x = text(js.Unquote(string(raw)))
	}
	return nil
}

type piMessages struct {
	Count int
	IDs   []text
	Roles []string
}

// piPlan is what pi's prepareCompaction returned.
type piPlan struct {
	Preparation         any // null if pi plans nothing; absent otherwise
	Leaf                string
	FirstKeptEntryID    string
	IsSplitTurn         bool
	TokensBefore        int64
	PreviousSummary     text
	MessagesToSummarize piMessages
	TurnPrefixMessages  piMessages
	KeptIDs             []text
	FileOps             struct{ Read, Written, Edited []text }
	FileLists           struct{ ReadFiles, ModifiedFiles []text }
	FileListsText       text
	Serialized          struct{ History, TurnPrefix text }
}

// nothing reports whether pi had nothing to summarize. Pi 0.73 does not look
// and asks its model to summarize an empty conversation; here both rules return
// ErrNothing.
func (g piPlan) nothing() bool {
	return g.MessagesToSummarize.Count+g.TurnPrefixMessages.Count == 0
}

// keeps are the budgets of the golden answers, by the kind of the answer.
var keeps = map[string]int64{"cut200": 200, "cut500": 500, "cut1500": 1500, "cut5000": 5000, "cut": 20000}

func TestPiCut(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, rules compact.Rules, path []session.Entry, golden func(string) []byte) {
		t.Helper()
		for kind, keep := range keeps {
			var g piPlan
			if err := json.Unmarshal(golden(kind), &g); err != nil {
				t.Fatal(err)
			}
			plan, err := compact.New(path, compact.Options{Keep: keep, Rules: rules})
			if g.nothing() {
				if !errors.Is(err, compact.ErrNothing) {
					t.Errorf("keep %d: %v, pi has nothing to summarize", keep, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("keep %d: %v", keep, err)
				continue
			}
			if diff := cmp.Diff(g, asPi(plan)); diff != "" {
				t.Errorf("keep %d (-pi +sess):\n%s", keep, diff)
			}
		}
	})
}

// asPi writes a plan down as pi does.
func asPi(p *compact.Plan) piPlan {
	g := piPlan{
		Leaf: p.Leaf, FirstKeptEntryID: p.FirstKept, IsSplitTurn: p.SplitTurn, TokensBefore: p.TokensBefore,
		PreviousSummary:     text(p.PreviousSummary),
		MessagesToSummarize: partsAsPi(p.Summarize), TurnPrefixMessages: partsAsPi(p.TurnPrefix),
		KeptIDs: []text{}, FileListsText: text(p.Files.Text()),
	}
	for _, e := range p.Kept() {
		g.KeptIDs = append(g.KeptIDs, text(e.ID()))
	}
	g.FileOps.Read, g.FileOps.Written, g.FileOps.Edited = texts(p.Files.Read), texts(p.Files.Written), texts(p.Files.Edited)
	read, modified := p.Files.Lists()
	g.FileLists.ReadFiles, g.FileLists.ModifiedFiles = texts(read), texts(modified)
	g.Serialized.History, g.Serialized.TurnPrefix = text(p.Serialize(p.Summarize)), text(p.Serialize(p.TurnPrefix))
	return g
}

func partsAsPi(parts []compact.Part) piMessages {
	m := piMessages{Count: len(parts), IDs: []text{}, Roles: []string{}}
	for _, p := range parts {
		m.IDs = append(m.IDs, text(p.EntryID))
		m.Roles = append(m.Roles, p.Message.Role())
	}
	return m
}

func texts(list []string) []text {
	out := []text{}
	for _, s := range list {
		out = append(out, text(s))
	}
	return out
}

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
	after := session.BuildContext(plan.After(got)).Messages
	roles := []string{}
	for _, m := range after {
		roles = append(roles, m.Role())
	}
	if diff := cmp.Diff(g.ContextAfter, roles); diff != "" {
		t.Errorf("context after (-pi +sess):\n%s", diff)
	}
	size := session.Measure(after)
	if rules == compact.Pi073 {
		size = session.MeasureWithoutImages(after)
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
	for _, file := range corpus.Sessions(t, "pi/genuine") {
		rules := compact.Pi15
		if strings.Contains(file, "/0.73/") {
			rules = compact.Pi073
		}
		s, err := session.Read(bytes.NewReader(corpus.Session(t, file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range s.Entries {
			parent, ok := s.Index(e.ParentID())
			if e.Type() != session.TypeCompaction || !ok {
				continue
			}
			path, problems := s.Path(parent)
			if len(problems) > 0 {
				continue // pi 0.73 loses the beginning of what it forks
			}
			compareGenuine(t, path, e, rules)
			compared++
		}
	}
	if compared != entries {
		t.Errorf("%d entries compared, want %d", compared, entries)
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
	now, _ := like.Timestamp()
	b := session.Batch{Leaf: plan.Leaf, Now: now, NewID: func(func(string) bool) (string, error) { return like.ID(), nil }}
	e, err := b.Add(session.TypeCompaction, plan.Entry(s)...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
