package codex_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	for name, data := range corpus.Golden(t, "codex/rollouts/0.169") {
		base := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		if base+".jsonl" == filepath.Base(name) && strings.HasPrefix(base, "v") && base != "v16-no-session-meta" {
			sources[base] = string(data)
		}
		if strings.HasPrefix(base, "rollout-") && base+".jsonl" == filepath.Base(name) {
			sources[strings.ReplaceAll(strings.TrimSuffix(name, ".jsonl"), "/", " ")] = string(data)
		}
	}
	for _, path := range corpus.Sessions(t, "codex/home") {
		sources[filepath.Base(path)] = string(corpus.Session(t, path))
	}
	maps.DeleteFunc(sources, func(_, text string) bool { return strings.Contains(text, `"history_base":{`) }) // these need others
	formatstest.Laws(t, codex.Format, formatstest.Corpus{
		Sources: sources, File: "rollout.jsonl", Lines: true, Usage: usage, Same: same,
		Faults: map[string]string{
			"one text edited/v09-compacted-no-replacement": "a compaction that was edited is written anew, and what stands beside it",
		},
		IDs: []*regexp.Regexp{regexp.MustCompile(`"call_id":"([^"]+)"`)},
	})
}

// usage sums up what the requests of a rollout took.
func usage(source string) (input, output int64) {
	var total js.Value // of all requests so far: one that is told again has been counted
	for line := range strings.Lines(source) {
		p := js.Value(strings.TrimSpace(line)).Get("payload")
		if now := p.Get("info").Get("total_token_usage"); p.Get("type").Str() == "token_count" && now != total {
			total = now
			last := p.Get("info").Get("last_token_usage")
			input += last.Get("input_tokens").Int() - last.Get("cached_input_tokens").Int()
			output += last.Get("output_tokens").Int()
		}
	}
	return input, output
}

// same returns the lines that are JSON, as codex writes them.
func same(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); js.Valid([]byte(line)) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
