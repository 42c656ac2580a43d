package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// build makes a projection of short words: u user, a assistant, t tool result,
// b bash, m custom message, s system, l label, C compaction that keeps nothing,
// K one that keeps all, r branch summary. Each message costs 10 tokens; ids count from 0.
func build(t fataler, words string) []convo.Projected {
	t.Helper()
	var path []session.Entry
	content := strings.Repeat("x", 40)
	for i, word := range words {
		body := map[rune]string{
			'u': `"type":"message","message":{"role":"user","content":"%s"}`,
			'a': `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"%s"}]}`,
			't': `"type":"message","message":{"role":"toolResult","toolCallId":"c","content":"%s"}`,
			'b': `"type":"message","message":{"role":"bashExecution","command":"","output":"%s"}`,
			'm': `"type":"custom_message","customType":"x","content":"%s"`,
			's': `"type":"message","message":{"role":"system","content":"%s"}`,
			'l': `"type":"label","targetId":"0","label":"%s"`,
			'C': `"type":"compaction","summary":"%s","firstKeptEntryId":"none"`,
			'K': `"type":"compaction","summary":"%s","firstKeptEntryId":"0"`,
			'r': `"type":"branch_summary","summary":"%s","fromId":"0"`,
		}[word]
		e, err := session.ParseEntry(fmt.Sprintf(`{"id":"%d","parentId":null,`+body+`}`, i, content))
		if err != nil {
			t.Fatalf("%v", err)
		}
		path = append(path, e)
	}
	return convo.Project(path)
}

func ids(projection []convo.Projected) string {
	var out []string
	for _, p := range projection {
		out = append(out, p.Entry.ID())
	}
	return strings.Join(out, " ")
}

func TestBudget(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		tokens     int64
		want       string
		ok         bool
	}{
		{"all", "uaua", 40, "0 1 2 3", true},
		{"one less", "uaua", 39, "1 2 3", true},
		{"the newest alone", "uaua", 10, "3", true},
		{"not even that", "uaua", 9, "3", false},
		{"never a result first", "uatu", 29, "3", true},
		{"call with its result", "uatu", 30, "1 2 3", true},
		{"newest are results", "uatt", 29, "1 2 3", false},
		{"bash, custom, branch summary", "ubmr", 30, "1 2 3", true},
		{"summary stays", "uCuaua", 30, "1 4 5", true},
		{"summary counts", "uCuaua", 29, "1 5", true},
		{"summary does not fit", "uCuaua", 19, "1 5", false},
		{"summary alone", "uC", 10, "1", true},
		{"summary alone does not fit", "uC", 9, "1", false},
		{"kept messages go first", "uuKu", 20, "2 3", true},
		{"kept messages", "uuKu", 30, "2 1 3", true},
		{"an older compaction may go", "uCuKuu", 20, "3 5", true},
		{"system stays", "suaua", 30, "0 3 4", true},
		{"later system stays", "suasua", 40, "0 3 4 5", true},
		{"system in between counts once", "uasu", 30, "1 2 3", true},
		{"metadata goes with what follows", "ulaul", 20, "1 2 3 4", true},
		{"metadata at the start", "lua", 20, "0 1 2", true},
		{"metadata alone", "ll", 0, "0 1", true},
		{"results alone", "tt", 20, "", true},
		{"results behind a summary", "uCttu", 40, "1 4", true},
		{"nothing", "", 0, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			kept, ok := render.Budget(build(t, tt.path), tt.tokens)
			if d := cmp.Diff(tt.want, ids(kept)); d != "" || ok != tt.ok {
				t.Errorf("ok %v, want %v; -want +got\n%s", ok, tt.ok, d)
			}
		})
	}
}

// legalTail reports whether kept is one of the tails Budget may return: the
// entries that stay, and all others from one on that does not begin with a
// result.
func legalTail(projection, kept []convo.Projected) bool {
	stays := func(i int, p convo.Projected) bool {
		return i == 0 && p.Entry.Type() == session.TypeCompaction ||
			len(p.Messages) > 0 && p.Messages[0].Role() == session.RoleSystem
	}
	position := map[string]int{}
	for i, p := range projection {
		position[p.Entry.Raw()] = i
	}
	first, n := -1, 0
	for _, k := range kept {
		i := position[k.Entry.Raw()]
		if stays(i, k) {
			continue
		}
		if first < 0 && len(k.Messages) > 0 {
			first = i
			if k.Messages[0].Role() == session.RoleToolResult {
				return false
			}
		}
		if first >= 0 {
			n++
		}
	}
	if first < 0 {
		return true
	}
	for i, p := range projection[first:] {
		if !stays(first+i, p) {
			n--
		}
	}
	return n == 0
}

// lawfulBudget checks one budget: it is kept, or ok is false; the tail is
// legal; and what is kept of it by half the tokens is no more.
func lawfulBudget(t fataler, projection []convo.Projected, tokens int64) {
	t.Helper()
	kept, ok := render.Budget(projection, tokens)
	if cost := render.Tokens(kept); ok != (cost <= tokens) {
		t.Fatalf("ok %v with %d tokens of %d", ok, cost, tokens)
	}
	if !legalTail(projection, kept) {
		t.Fatalf("%d tokens: no legal tail: %s of %s", tokens, ids(kept), ids(projection))
	}
	if fewer, _ := render.Budget(projection, tokens/2); len(fewer) > len(kept) {
		t.Fatalf("%d tokens keep %d entries, half of it %d", tokens, len(kept), len(fewer))
	}
	// The budget that is just used up keeps the same.
	if same, ok := render.Budget(projection, render.Tokens(kept)); !ok || ids(same) != ids(kept) {
		t.Fatalf("%d tokens keep %q, just as many as that needs %q", tokens, ids(kept), ids(same))
	}
}

// TestBudgetIsLongest compares with a search through all tails.
func TestBudgetIsLongest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		projection := build(r, rapid.StringOfN(rapid.SampledFrom([]rune("uuaattbmslr")), 0, 12, -1).Draw(r, "path"))
		tokens := rapid.Int64Range(0, 130).Draw(r, "tokens")
		lawfulBudget(r, projection, tokens)
		kept, ok := render.Budget(projection, tokens)
		for first := range projection {
			var candidate []convo.Projected
			for i, p := range projection {
				if i >= first || len(p.Messages) > 0 && p.Messages[0].Role() == session.RoleSystem {
					candidate = append(candidate, p)
				}
			}
			if ok && legalTail(projection, candidate) && render.Tokens(candidate) <= tokens && render.Tokens(candidate) > render.Tokens(kept) {
				r.Fatalf("%d tokens: %q fits and is longer than %q", tokens, ids(candidate), ids(kept))
			}
		}
	})
}
