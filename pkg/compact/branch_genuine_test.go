package compact_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// genuineConversation is the SHA-256 of what pi 1.5.2 gave its model to
// summarize, up to the instructions.
const genuineConversation = "05fdb0d2061616f7e32467423d30a53f6b566af95b5ba81fde49b7ef2877f720"

// genuineBranch leaves a path for what the user said behind hang, as pi does
// to have it said anew: that is not summarized, and the summary takes its
// place.
func genuineBranch(t *testing.T, s *session.Session, old, hang string, rules compact.Rules) *compact.Branch {
	t.Helper()
	path := pathTo(t, s, old)
	again := slices.IndexFunc(path, func(e session.Entry) bool { return e.ParentID() == hang })
	if again < 0 || path[again].Role() != session.RoleUser {
		t.Fatalf("nothing was said behind %s", hang)
	}
	b, err := compact.NewBranch(path, path[:again+1], compact.BranchOptions{
		Budget: compact.DefaultBranchWindow - compact.DefaultReserve, Rules: rules,
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Target = hang
	return b
}

// TestGenuineBranches summarizes again the branches that pi itself summarized,
// in whole conversations, and compares the bytes of the entry. Its mock model
// gave the same reply every time.
func TestGenuineBranches(t *testing.T) {
	t.Parallel()
	compared := map[compact.Rules]int{}
	for _, file := range corpus.Sessions(t, "pi/genuine") {
		rules := compact.Pi15
		if strings.Contains(file, "/0.73/") {
			rules = compact.Pi073
		}
		s := readSession(t, file)
		for i, e := range s.Entries {
			if e.Type() != session.TypeBranchSummary {
				continue
			}
			old := e.Str("fromId") // pi 0.73 names the target: the leaf was the entry before
			if rules == compact.Pi073 {
				old = s.Entries[i-1].ID()
			}
			if _, ok := s.Index(old); !ok || old == e.ParentID() {
				continue // a fork that left the branch behind
			}
			b := genuineBranch(t, s, old, e.ParentID(), rules)
			compareBranchEntry(t, b, withoutUsage(e.Raw()), "## Goal\nMock history summary\n\n## Progress\n### Done\n- [x] things")
			if conversation, _ := splitPrompt(b.Prompt("")); rules == compact.Pi15 && longOf(conversation) != genuineConversation {
				t.Errorf("prompt before the instructions: %s", conversation)
			}
			compared[rules]++
		}
	}
	if compared[compact.Pi15] == 0 || compared[compact.Pi073] == 0 {
		t.Errorf("compared %v", compared)
	}
}
