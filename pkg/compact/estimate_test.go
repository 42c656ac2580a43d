package compact_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

func TestEstimators(t *testing.T) {
	t.Parallel()
	if got := compact.Estimators(); !slices.Equal(got, []string{"chars4", "bytes4", "cjk", "usage"}) || got[0] != compact.DefaultEstimator {
		t.Errorf("estimators %q", got)
	}
	m := session.NewMessage(`{"role":"user","content":"漢字漢字é"}`)
	for i, want := range []int64{2, 4, 5, 2} {
		name := compact.Estimators()[i]
		estimate, ok := compact.EstimatorFor(name)
		if !ok || estimate(m) != want {
			t.Errorf("%s: %v, want %d", name, ok, want)
		}
	}
	if estimate, ok := compact.EstimatorFor("tokens"); ok || estimate != nil {
		t.Error("an estimator that is none")
	}
}

// A provider reports usages: a constant part, and what a tokenizer of its own
// makes of the context.
type provider struct {
	builder
	model     string
	constant  int64
	tokenizer func(session.Message) float64
}

// ratio is a tokenizer that needs so many times the tokens that pi estimates.
func ratio(r float64) func(session.Message) float64 {
	return func(m session.Message) float64 { return r * float64(convo.Estimate(m)) }
}

// reply adds an assistant message with the usage of the context it ends.
func (p *provider) reply(text, more string) string {
	p.t.Helper()
	content := `"content":[{"type":"text","text":` + js.Quote(text) + `}` + more + `],"stopReason":"stop","provider":"p","model":` + js.Quote(p.model)
	size := float64(p.constant) + p.tokenizer(session.NewMessage(`{"role":"assistant",`+content+`}`))
	for _, m := range convo.MessagesOf(convo.Project(p.path)) {
		size += p.tokenizer(m)
	}
	return p.message(fmt.Sprintf(`{"role":"assistant",%s,"usage":{"input":1,"output":1,"totalTokens":%.0f}}`, content, size))
}

func (p *provider) turns(n int) {
	for i := range n {
		p.user(strings.Repeat("question ", 50+i))
		p.call("c", "read", `{"path":"a.go"}`)
		p.result("c", strings.Repeat("func ", 90), false)
		p.reply(strings.Repeat("answer ", 40+7*i), "")
	}
}

func TestCalibrate(t *testing.T) {
	t.Parallel()
	const question = "a question of some length, so that rounding does not matter much, asked again and again"
	for _, c := range []struct {
		name    string
		session func(p *provider)
		factor  float64
		within  float64
		samples int
	}{
		{"nothing", func(*provider) {}, 1, 0, 0},
		{"one usage", func(p *provider) { p.turns(1) }, 1, 0, 0},
		{"two", func(p *provider) { p.turns(2) }, 1.7, 0.01, 1},
		{"many", func(p *provider) { p.turns(9) }, 1.7, 0.002, 8},
		{"the constant part does not count", func(p *provider) { p.constant = 90_000; p.turns(3) }, 1.7, 0.01, 2},
		{"fewer tokens than estimated", func(p *provider) { p.tokenizer = ratio(0.6); p.turns(9) }, 0.6, 0.002, 8},
		{"no fewer than a quarter", func(p *provider) { p.tokenizer = ratio(0.1); p.turns(9) }, 0.25, 0, 8},
		{"no more than eight times", func(p *provider) { p.tokenizer = ratio(9); p.turns(9) }, 8, 0, 8},
		{"a compaction between", func(p *provider) {
			p.turns(5)
			p.add(session.TypeCompaction, `"summary":"short","firstKeptEntryId":`+js.Quote(p.path[len(p.path)-3].ID())+`,"tokensBefore":1`)
			p.turns(4)
		}, 1.7, 0.005, 4 + 3},
		{"an edit between", func(p *provider) {
			p.turns(5)
			p.add(session.TypeContextEdit, `"targetId":`+js.Quote(p.path[2].ID())+`,"replacement":null`)
			p.turns(4)
		}, 1.7, 0.005, 4 + 3},
		{"a reset between", func(p *provider) {
			p.turns(5)
			p.add(session.TypeResetBoundary, "")
			p.turns(4)
		}, 1.7, 0.005, 4 + 3},
		{"another tokenizer", func(p *provider) {
			p.turns(5)
			p.model, p.tokenizer = "other", ratio(3.4)
			p.turns(5)
		}, (1.7 + 3.4) / 2, 0.01, 4 + 4},
		{"entries that are no messages", func(p *provider) {
			p.turns(2)
			p.add(session.TypeLabel, `"targetId":"00000001","label":"l"`)
			p.add(session.TypeBranchSummary, `"fromId":"00000001","summary":`+js.Quote(strings.Repeat("branch ", 80)))
			p.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":`+js.Quote(strings.Repeat("custom ", 80)))
			p.turns(2)
		}, 1.7, 0.01, 3},
		{"failed replies have no say", func(p *provider) {
			p.turns(3)
			p.message(`{"role":"assistant","content":[],"stopReason":"error","usage":{"totalTokens":999999}}`)
			p.message(`{"role":"assistant","content":[],"stopReason":"aborted","usage":{"totalTokens":999999}}`)
			p.message(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":0}}`)
			p.turns(3)
		}, 1.7, 0.01, 5},
		{"thinking that is not sent back", func(p *provider) {
			// The provider counts the thinking of a reply once, in that reply: by far more in
			// each usage than in the messages between two of them.
			for range 30 {
				p.user(strings.Repeat(question, 10))
				context := 0.0
				for _, m := range convo.MessagesOf(convo.Project(p.path)) {
					context += p.tokenizer(m)
				}
				p.message(fmt.Sprintf(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":%.0f}}`, context+5000))
			}
		}, 1.7, 0.01, 29},
		{"usages that do not grow", func(p *provider) {
			for range 4 {
				p.user(question)
				p.message(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":500}}`)
			}
		}, 1, 0, 0},
		{"usages that shrink", func(p *provider) {
			for i := range 4 {
				p.user(question)
				p.message(fmt.Sprintf(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":%d}}`, 500-i))
			}
		}, 1, 0, 0},
		{"usages of nothing", func(p *provider) {
			for i := range 4 {
				p.message(fmt.Sprintf(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":%d}}`, 500+i))
			}
		}, 1, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &provider{builder: builder{t: t}, model: "m", constant: 5000, tokenizer: ratio(1.7)}
			c.session(p)
			factor, samples := compact.Calibrate(p.path, convo.Estimate)
			if math.Abs(factor-c.factor) > c.within*c.factor || samples != c.samples {
				t.Errorf("factor %v of %d pairs, want %v of %d", factor, samples, c.factor, c.samples)
			}
		})
	}
}

// An estimator that knows of wide characters needs no calibration where one
// that does not needs much.
func TestCalibrateEstimators(t *testing.T) {
	t.Parallel()
	p := &provider{builder: builder{t: t}, constant: 3000, tokenizer: func(m session.Message) float64 { return float64(convo.EstimateCJK(m)) }}
	for i := range 9 {
		p.user(strings.Repeat("質問です。", 40+i))
		p.reply(strings.Repeat("回答です。", 90), "")
	}
	for name, want := range map[string]float64{"chars4": 4, "bytes4": 4. / 3, "cjk": 1} {
		estimate, _ := compact.EstimatorFor(name)
		if factor, _ := compact.Calibrate(p.path, estimate); math.Abs(factor-want) > 0.01*want {
			t.Errorf("%s: factor %v, want %v", name, factor, want)
		}
	}
}

// Whatever happens in a session, the factor found is that of the tokenizer.
func TestCalibrateLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		want := rapid.Float64Range(0.3, 7).Draw(r, "ratio")
		p := &provider{builder: builder{t: r}, constant: rapid.Int64Range(0, 50_000).Draw(r, "constant"), tokenizer: ratio(want)}
		p.turns(2)
		for i, op := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 12).Draw(r, "operations") {
			switch op {
			case 0:
				p.add(session.TypeCompaction, `"summary":"short","firstKeptEntryId":`+js.Quote(p.path[len(p.path)-1-i%4].ID())+`,"tokensBefore":1`)
			case 1:
				p.add(session.TypeContextEdit, `"targetId":`+js.Quote(p.path[len(p.path)-1-i%4].ID())+`,"replacement":{"content":"x"}`)
			case 2:
				p.add(session.TypeModelChange, `"provider":"p","modelId":"m"`)
			default:
				p.turns(op - 2)
			}
		}
		factor, samples := compact.Calibrate(p.path, convo.Estimate)
		if math.Abs(factor-want) > 0.03*want || samples < 1 { // a usage has whole tokens, and few of them for a small ratio
			r.Fatalf("factor %v of %d pairs, want %v", factor, samples, want)
		}
		if factor != math.Round(factor*1000)/1000 {
			r.Fatalf("factor %v is not in whole thousandths", factor)
		}
	})
}
