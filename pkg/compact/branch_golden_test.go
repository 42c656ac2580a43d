package compact_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// piBranch is what pi made of one branch of a session at one budget, with a
// model that answers BRANCH-SUMMARY.
type piBranch struct {
	Old, Target           string
	Hang                  *string // where navigateTree puts the summary
	Budget, Tokens        int64
	Ancestor              *string
	Entries, Messages     []string
	Read, Written, Edited []text
	Serialized            longText
	Prompt                *longText
	Asked                 bool // pi asked its model
	Appended              text
}

// longText is a text, as its SHA-256 if it is longer than 4000 UTF-16 units.
type longText string

func (l *longText) UnmarshalJSON(raw []byte) error {
	if raw[0] == '{' {
		var sum struct{ SHA256 string }
		err := json.Unmarshal(raw, &sum)
		*l = longText(sum.SHA256)
		return err
	}
	return json.Unmarshal(raw, (*text)(l))
}

func longOf(s string) longText {
	if js.Len(s) <= 4000 {
		return longText(s)
	}
	sum := sha256.Sum256([]byte(s))
	return longText(hex.EncodeToString(sum[:]))
}

// Pi 0.87 has the rules of 1.5, except that it ignores edits here, shows thinking and may cut through a surrogate pair.
func TestPiBranch(t *testing.T) {
	t.Parallel()
	answers := corpus.Golden(t, "pi/golden/branch-0.87")
	compared := 0
	for _, dir := range []string{"pi/sessions", "pi/genuine", "pi/branches"} {
		for _, file := range corpus.Sessions(t, dir) {
			answer, ok := answers[corpus.PiName(file)+".json"]
			if !ok {
				continue
			}
			compared++
			t.Run(corpus.PiName(file), func(t *testing.T) {
				t.Parallel()
				comparePiBranches(t, readSession(t, file), answer)
			})
		}
	}
	if compared != len(answers) {
		t.Errorf("%d files compared, there are answers for %d", compared, len(answers))
	}
}

func readSession(t *testing.T, file string) *session.Session {
	t.Helper()
	s, err := session.Read(bytes.NewReader(corpus.Session(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pathTo returns the path to an entry, an empty one for "".
func pathTo(t *testing.T, s *session.Session, id string) []session.Entry {
	t.Helper()
	if id == "" {
		return nil
	}
	i, ok := s.Index(id)
	if !ok {
		t.Fatalf("no entry %s", id)
	}
	path, _ := s.Path(i)
	return path
}

func comparePiBranches(t *testing.T, s *session.Session, answer []byte) {
	t.Helper()
	var golden []piBranch
	if err := json.Unmarshal(answer, &golden); err != nil || len(golden) == 0 {
		t.Fatalf("%d answers: %v", len(golden), err)
	}
	for _, g := range golden {
		b, err := compact.NewBranch(pathTo(t, s, g.Old), pathTo(t, s, g.Target), compact.BranchOptions{Budget: g.Budget})
		if len(g.Entries) == 0 {
			if !errors.Is(err, compact.ErrNothing) {
				t.Errorf("from %s to %s: %v, pi has nothing to summarize", g.Old, g.Target, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("from %s to %s: %v", g.Old, g.Target, err)
			continue
		}
		if diff := cmp.Diff(g, asPiBranch(b, g)); diff != "" {
			t.Errorf("from %s to %s with %d tokens (-pi +sess):\n%s", g.Old, g.Target, g.Budget, diff)
		}
		if g.Appended != "" {
			comparePiBranchEntry(t, b, g)
		}
	}
}

// asPiBranch writes a branch down as pi does. What is not looked at here is
// taken from like.
func asPiBranch(b *compact.Branch, like piBranch) piBranch {
	g := like
	g.Old, g.Target, g.Tokens = b.From, b.Target, b.Tokens
	g.Ancestor, g.Entries, g.Messages = nil, []string{}, []string{}
	if b.Ancestor != "" {
		g.Ancestor = &b.Ancestor
	}
	for _, e := range b.Entries {
		g.Entries = append(g.Entries, e.ID())
	}
	for _, p := range b.Parts {
		g.Messages = append(g.Messages, p.EntryID)
	}
	g.Read, g.Written, g.Edited = texts(b.Files.Read), texts(b.Files.Written), texts(b.Files.Edited)
	if !thinks(b) {
		g.Serialized = longOf(compact.SerializeParts(b.Parts))
	}
	g.Asked = like.Asked && len(b.Parts) > 0
	return g
}

// thinks reports whether pi 0.87 shows its model something of a branch that we do not.
func thinks(b *compact.Branch) bool {
	for _, p := range b.Parts {
		for block := range p.Message.Blocks() {
			if block.Type == session.BlockThinking {
				return true
			}
		}
	}
	return false
}

// comparePiBranchEntry compares the bytes of the entry. Where pi asks its
// model to summarize an empty conversation, there is nothing to summarize
// here.
func comparePiBranchEntry(t *testing.T, b *compact.Branch, g piBranch) {
	t.Helper()
	if b.Empty() != (!g.Asked || g.Serialized == "") {
		t.Errorf("from %s to %s with %d tokens: empty is %v", g.Old, g.Target, g.Budget, b.Empty())
	}
	if b.Empty() && g.Asked {
		return
	}
	if g.Prompt != nil && !thinks(b) && len(*g.Prompt) != sha256.Size*2 {
		theirs, theirInstructions := splitPrompt(string(*g.Prompt))
		ours, instructions := splitPrompt(b.Prompt(""))
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("prompt before the instructions (-pi +sess):\n%s", diff)
		}
		if diff := cmp.Diff(headings(theirInstructions), headings(instructions)); diff != "" {
			t.Errorf("headings (-pi +sess):\n%s", diff)
		}
	}
	b.Target = ""
	if g.Hang != nil {
		b.Target = *g.Hang
	}
	compareBranchEntry(t, b, string(g.Appended), "BRANCH-SUMMARY")
}

// compareBranchEntry builds the entry with the id and the time of pi's and
// compares bytes.
func compareBranchEntry(t *testing.T, b *compact.Branch, want, summary string) {
	t.Helper()
	like, err := session.ParseEntry(want)
	if err != nil {
		t.Fatal(err)
	}
	batch := batchLike(like, b.Target)
	got, err := batch.Add(session.TypeBranchSummary, b.Fields(summary, nil)...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Raw()); diff != "" {
		t.Errorf("entry (-pi +sess):\n%s", diff)
	}
}
