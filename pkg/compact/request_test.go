package compact_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// around is what stands around a prompt when a model reads it.
const around = len("\n\n" + "\n")

// terse is a prompt of nothing but the conversation and the summary so far.
func terse(d compact.PromptData) (string, error) {
	return d.PreviousSummary + "|" + d.Conversation, nil
}

// request asks for a summary of a path's messages with the prompt of write.
func request(path []session.Entry, o compact.PromptOptions) *compact.Request {
	s := compact.Subject{Part: compact.PartBranch, Heading: "## X"}
	for _, e := range path {
		for _, m := range convo.EntryMessages(e) {
			s.Parts = append(s.Parts, compact.Part{EntryID: e.ID(), Message: m})
		}
	}
	return compact.NewRequest(s, o)
}

// next is Next for requests that have one more prompt.
func next(t tb, r *compact.Request) (prompt string, chunk, chunks int) {
	t.Helper()
	prompt, chunk, chunks, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	again, chunk2, chunks2, err := r.Next()
	if err != nil || again != prompt || chunk2 != chunk || chunks2 != chunks {
		t.Fatalf("asked twice, the prompts differ: %v", err)
	}
	return prompt, chunk, chunks
}

func hasImages(path []session.Entry) bool {
	for _, e := range path {
		if strings.Contains(e.Raw(), `"image"`) {
			return true
		}
	}
	return false
}

// TestRequestOnePrompt: what fits is asked with the prompts of the plan.
func TestRequestOnePrompt(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, p *compact.Plan) {
		t.Helper()
		want := map[string]string{}
		if p.NeedsHistory() {
			want[compact.PartHistory] = p.HistoryPrompt("the tests")
		}
		if p.NeedsPrefix() {
			want[compact.PartTurnPrefix] = p.PrefixPrompt("the tests")
		}
		requests := p.Requests(compact.PromptOptions{Focus: "the tests", MaxPrompt: compact.HardMaxPrompt})
		if len(requests) != len(want) {
			t.Errorf("%d requests, want %d", len(requests), len(want))
		}
		for _, r := range requests {
			prompt, chunk, chunks := next(t, r)
			if chunk != 1 || chunks != 1 || prompt != want[r.Name()] {
				t.Errorf("%s %d/%d: got %q, want %q", r.Name(), chunk, chunks, prompt, want[r.Name()])
			}
			r.Accept("REPLY")
			if !r.Done() || r.Summary() != "REPLY" || r.Dropped() != 0 || r.System() != compact.System {
				t.Errorf("done %v, summary %q, %d dropped, system %q", r.Done(), r.Summary(), r.Dropped(), r.System())
			}
			if _, _, _, err := r.Next(); err == nil {
				t.Error("asks on when all is answered")
			}
		}
	}
	for _, rules := range bothRules {
		for _, c := range prompts {
			check(t, planOf(t, rules, c.build))
		}
	}
	var asked atomic.Int32
	t.Cleanup(func() { // behind the parallel subtests
		if n := asked.Load(); n < 10 {
			t.Errorf("%d plans of the corpus were asked", n)
		}
	})
	goldenFiles(t, func(t *testing.T, rules compact.Rules, path []session.Entry, _ func(string) []byte) {
		t.Helper()
		if p, err := compact.New(path, compact.Options{Keep: 200, Rules: rules}); err == nil && !hasImages(path) {
			asked.Add(1)
			check(t, p)
		}
	})
}

func TestRequestHeadings(t *testing.T) {
	t.Parallel()
	requests := planOf(t, compact.Pi15, historyAndPrefix).Requests(compact.PromptOptions{})
	if len(requests) != 2 || requests[0].Name() != "history" || requests[1].Name() != "turn-prefix" ||
		requests[0].Heading() != compact.RequiredHeading || requests[1].Heading() != compact.PrefixHeading {
		t.Errorf("%d requests: %+v", len(requests), requests)
	}
}

// TestPromptData: what a prompt of one's own is written from.
func TestPromptData(t *testing.T) {
	t.Parallel()
	var seen []compact.PromptData
	p := planOf(t, compact.Pi15, func(b *builder) {
		prefixWithPrevious(b)
		b.path = b.path[:len(b.path)-1]
		b.call("x", "read", `{"path":"r.go"}`, "y", "write", `{"path":"w.go"}`)
		b.user("second")
		b.assistant("begin")
		b.assistant(long(20))
	})
	for _, r := range p.Requests(compact.PromptOptions{Focus: "F", Write: func(d compact.PromptData) (string, error) {
		if d.Conversation != "" {
			seen = append(seen, d)
		}
		return "OWN", nil
	}}) {
		prompt, _, _, err := r.Next()
		if err != nil || prompt != "OWN" || r.System() != "" {
			t.Errorf("prompt %q, system %q, %v", prompt, r.System(), err)
		}
	}
	both := compact.PromptData{
		Instructions: "F", System: compact.System, Chunk: 1, Chunks: 1, SplitTurn: true,
		ReadFiles: []string{"r.go"}, ModifiedFiles: []string{"w.go"},
	}
	history, prefix := both, both
	history.Part, history.Heading, history.PreviousSummary = "history", compact.RequiredHeading, "## Goal\n- before"
	history.Conversation = "[User]: first\n\n[Assistant]: begin\n\n[Assistant tool calls]: read(path=\"r.go\"); write(path=\"w.go\")"
	prefix.Part, prefix.Heading = "turn-prefix", compact.PrefixHeading
	prefix.Conversation = "[User]: second\n\n[Assistant]: begin"
	if got, want := fmt.Sprintf("%+v", seen), fmt.Sprintf("%+v", []compact.PromptData{history, prefix}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestRollingPrompts: the second chunk's prompt asks to bring the summary of the
// first up to date.
func TestRollingPrompts(t *testing.T) {
	t.Parallel()
	for _, rules := range bothRules {
		p := planOf(t, rules, func(b *builder) {
			for range 25 {
				b.user("ask " + strings.Repeat("x", 400))
				b.assistant("answer")
			}
			b.user("second")
			for range 25 {
				b.assistant("step " + strings.Repeat("y", 400))
			}
			b.assistant(long(20))
		})
		for _, r := range p.Requests(compact.PromptOptions{Focus: "the tests", MaxPrompt: 3500}) {
			n := 0
			for ; !r.Done(); n++ {
				prompt, chunk, chunks := next(t, r)
				if len(compact.System)+len(prompt)+around > 3500 {
					t.Errorf("%s %d: prompt of %d bytes", r.Name(), chunk, len(prompt))
				}
				carried := fmt.Sprintf("\n\n<previous-summary>\nSUMMARY %d\n</previous-summary>\n\n", n)
				if strings.Contains(prompt, carried) != (n > 0) || strings.Count(prompt, "<previous-summary>\n") != min(n, 1) {
					t.Errorf("%s %d: the summary so far is missing, or one too many, in:\n%s", r.Name(), chunk, prompt)
				}
				if !strings.Contains(prompt, r.Heading()) || strings.Count(prompt, "\n\nAdditional focus: the tests") != 1 {
					t.Errorf("%s %d: the heading or the focus is missing in:\n%s", r.Name(), chunk, prompt)
				}
				if framed := strings.HasPrefix(prompt, "# Conversation\n"); framed != (rules == compact.Pi15 && r.Name() == "turn-prefix") {
					t.Errorf("%s %d: the frame of other rules:\n%s", r.Name(), chunk, prompt)
				}
				if chunk != n+1 || chunks < chunk {
					t.Errorf("%s: chunk %d of %d, want %d", r.Name(), chunk, chunks, n+1)
				}
				r.Accept(fmt.Sprint("SUMMARY ", n+1))
			}
			if n < 3 || r.Summary() != fmt.Sprint("SUMMARY ", n) {
				t.Errorf("%s: %d chunks, summary %q", r.Name(), n, r.Summary())
			}
		}
	}
}
