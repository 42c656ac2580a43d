package compact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
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

// goldenFiles calls test for each session that golden answers of pi 1.5 speak of, with the path to its leaf.
func goldenFiles(t *testing.T, test func(t *testing.T, path []session.Entry, golden func(kind string) []byte)) {
	t.Helper()
	answers := corpus.Golden(t, "pi/golden/1.5")
	for _, file := range append(corpus.Sessions(t, "pi/sessions"), corpus.Sessions(t, "pi/genuine")...) {
		name := corpus.PiName(file)
		if noSession[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, leafPath(t, corpus.Session(t, file)), func(kind string) []byte {
				answer, ok := answers[name+"."+kind+".json"]
				if !ok {
					t.Fatalf("no golden answer %s.%s.json", name, kind)
				}
				return answer
			})
		})
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

// nothing reports whether pi had nothing to summarize.
func (g piPlan) nothing() bool {
	return g.MessagesToSummarize.Count+g.TurnPrefixMessages.Count == 0
}

// keeps are the budgets of the golden answers, by the kind of the answer.
var keeps = map[string]int64{"cut200": 200, "cut500": 500, "cut1500": 1500, "cut5000": 5000, "cut": 20000}

func TestPiCut(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, path []session.Entry, golden func(string) []byte) {
		t.Helper()
		for kind, keep := range keeps {
			var g piPlan
			if err := json.Unmarshal(golden(kind), &g); err != nil {
				t.Fatal(err)
			}
			plan, err := compact.New(path, compact.Options{Keep: keep})
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
	g.Serialized.History, g.Serialized.TurnPrefix = text(compact.SerializeParts(p.Summarize)), text(compact.SerializeParts(p.TurnPrefix))
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

// Pi shows its summarizer an empty summary of a branch when it summarizes another branch; here, as in the context, it says
// nothing.
func TestEmptyBranchSummary(t *testing.T) {
	t.Parallel()
	b := branchOf(t, compact.BranchOptions{}, func(b *builder) {
		b.add(session.TypeBranchSummary, `"summary":"","fromId":"root"`)
		b.user("hello")
	})
	if diff := cmp.Diff([]string{"hello"}, spoken(b)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
