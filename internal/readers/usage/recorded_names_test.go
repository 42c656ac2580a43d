package usage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
)

// askedFor are the names by which a run asks for the model that answers.
var askedFor = map[string][]string{
	"claude-sonnet-4-6-20260217":              {"claude-sonnet-4-6-20260217", "claude-sonnet-4-6", "sonnet", "us.anthropic.claude-sonnet-4-6-v1:0", "claude-sonnet-4-6[1m]"},
	"us.anthropic.claude-opus-4-6-v1:0":       {"claude-opus-4-6", "opus", "arn:aws:bedrock:x:inference-profile/us.anthropic.claude-opus-4-6-v1:0"},
	"anthropic/claude-fable-5":                {"claude-fable-5", "fable-latest"},
	"glm-5.2":                                 {"claude-sonnet-4-5", "default", "glm"},
	"global.anthropic.claude-haiku-4-5-v1:0":  {"claude-haiku-4-5-20251001", "haiku"},
	"kimi-k3":                                 {"opus", "kimi-k3", "kimi-k3-preview"},
	"claude-3-7-sonnet-20250219":              {"claude-3-7-sonnet-latest", "claude-3-7-sonnet"},
	"arn:aws:bedrock:x:inference-profile/abc": {"claude-opus-5"},
}

// TestNamesOfARun: the totals of a run name a model as it was asked for, and its replies as it answered. Each call counts once, whatever the
// names are, and what a helper used is what is left.
func TestNamesOfARun(t *testing.T) {
	t.Parallel()
	models := slices.Sorted(maps.Keys(askedFor))
	for n, r := range drawn.Cases(t, 2000) {
		run := &claudeRun{}
		run.begin()
		model := models[n%len(models)]
		name := askedFor[model][r.IntN(len(askedFor[model]))]
		helper := r.IntN(2) == 0
		calls, input, output, cost, own, helped, wrote := 0, 0, 0, 0.0, 0, 0, 0
		for turn := range 1 + r.IntN(3) {
			replies := 1 + r.IntN(3)
			before := input
			for i := range replies {
				one := 1 + r.IntN(5000)
				run.says(fmt.Sprintf("m%d-%d", turn, i), model, one, false)
				input += one
			}
			said := replies + r.IntN(50) // each reply told one token, the last gets the rest
			output += said
			calls += replies
			totals := []string{}
			cost += float64(1+r.IntN(64)) / 64
			own = input
			if helper {
				helped, wrote = helped+1+r.IntN(9000), wrote+1
				calls++
				totals = append(totals, used("claude-helper-1", helped, wrote, 0))
			}
			totals = append(totals, used(name, own, output, cost))
			shuffle(r, totals)
			run.ends(input-before, said, strings.Join(totals, ","), cost)
		}
		text := textOf(t, run.recorded(t, "s"))
		got, tokens, paid, listed := charged(t, text)
		wantOutput := int64(output + wrote)
		if len(got) != calls || tokens.Input != int64(own+helped) || tokens.Output != wantOutput || listed.Input != int64(own+helped) || float64(paid)/1e12 != cost {
			t.Fatalf("case %d, %s asked for as %s: %d calls with %d tokens of input, %d of output, $%v; listed %d; want %d with %d, %d, $%v\n%s",
				n, model, name, len(got), tokens.Input, tokens.Output, float64(paid)/1e12, listed.Input, calls, own+helped, wantOutput, cost, strings.Join(run.events, "\n"))
		}
		for _, c := range got {
			if c.Model != model && c.Model != "claude-helper-1" {
				t.Fatalf("case %d: a call of %s\n%s", n, c.Model, text)
			}
		}
	}
}

func shuffle(r *rand.Rand, list []string) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
