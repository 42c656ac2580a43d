package compact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
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

// pi 0.73 shows its summarizer an empty summary of a branch; here, as in the
// context, it says nothing, under its rules too.
func TestPi073EmptyBranchSummary(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.add(session.TypeBranchSummary, `"summary":"","fromId":"root"`)
	b.user("hello hello hello")
	b.user("again again again")
	p, err := compact.New(b.path, compact.Options{Keep: 2, Rules: compact.Pi073})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2"}, partIDs(p.Summarize)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
