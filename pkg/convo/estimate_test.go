package convo_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

func TestEstimators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in          string
		chars, bytes, cjk int64
	}{
		{"empty", `{"role":"user","content":""}`, 0, 0, 0},
		{"ASCII", `{"role":"user","content":"xxxxx"}`, 2, 2, 2},
		{"two bytes a character", `{"role":"user","content":"éééé"}`, 1, 2, 1},
		{"Han", `{"role":"user","content":"漢字漢字"}`, 1, 3, 4},
		{"Han, escaped", `{"role":"user","content":"\u6f22\u5b57\u6F22字"}`, 1, 3, 4},
		{"Kana", `{"role":"user","content":"カタカナ"}`, 1, 3, 4},
		{"Hangul", `{"role":"user","content":"한국어로"}`, 1, 3, 4},
		{"full width", `{"role":"user","content":"ＡＢＣ！"}`, 1, 3, 4},
		{"punctuation", `{"role":"user","content":"「、。」"}`, 1, 3, 4},
		{"beyond the basic plane", `{"role":"user","content":"𠮷𠮷"}`, 1, 2, 2},
		{"beyond the basic plane, escaped", `{"role":"user","content":"\ud842\udfb7\ud842\udfb7"}`, 1, 2, 2},
		{"an emoji is not wide", `{"role":"user","content":"😀😀"}`, 1, 2, 1},
		{"rounded once", `{"role":"user","content":[{"type":"text","text":"漢"},{"type":"text","text":"xxx"},{"type":"text","text":"x"}]}`, 2, 2, 2},
		{"a lone surrogate", `{"role":"user","content":"\ud800\ud800\ud800\ud800"}`, 1, 3, 1},
		{"image", `{"role":"user","content":[{"type":"image","data":"xxxxx"},{"type":"text","text":"漢"}]}`, 1201, 1201, 1201},
		{"thinking", `{"role":"assistant","content":[{"type":"thinking","thinking":"漢字","thinkingSignature":"漢字"},{"type":"text","text":"漢"}]}`, 1, 3, 3},
		{"tool call", `{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"漢" : "\u6f22", "n":1.0}}]}`, 5, 6, 7},
		{"bash", `{"role":"bashExecution","command":"漢","output":"漢"}`, 1, 2, 2},
		{"python", `{"role":"pythonExecution","code":"漢","output":"漢"}`, 1, 2, 2},
		{"file mention", `{"role":"fileMention","files":[{"path":"漢","content":"漢漢"}]}`, 1, 2, 2},
		{"custom", `{"role":"custom","content":"漢漢"}`, 1, 2, 2},
		{"summary", `{"role":"compactionSummary","summary":"漢漢"}`, 1, 2, 2},
		{"branch", `{"role":"branchSummary","summary":"漢漢"}`, 1, 2, 2},
		{"system", `{"role":"system","content":"漢","sections":{"s":"漢","t":null},"toolsAdded":["漢"]}`, 2, 4, 4},
		{"unknown role", `{"role":"odd","content":"漢漢漢漢"}`, 0, 0, 0},
	} {
		m := session.NewMessage(c.in)
		for _, e := range []struct {
			name      string
			got, want int64
		}{{"chars", convo.Estimate(m), c.chars}, {"bytes", convo.EstimateBytes(m), c.bytes}, {"cjk", convo.EstimateCJK(m), c.cjk}} {
			if e.got != e.want {
				t.Errorf("%s: %s estimates %d, want %d", c.name, e.name, e.got, e.want)
			}
		}
	}
}

// Unicode's own tables of the scripts say which characters are wide; they know
// of a few marks and blocks besides that are not worth a range.
func TestWideScripts(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo) ||
			r < 0x300 || r >= 0x16000 && r < 0x17000 {
			continue
		}
		m := session.NewMessage(`{"role":"user","content":` + js.Quote(strings.Repeat(string(r), 8)) + `}`)
		if got := convo.EstimateCJK(m); got != 8 {
			t.Errorf("8 of U+%04X are %d tokens", r, got)
		}
	}
	for _, r := range "aéЖאعกहⴰ→€😀\uFFFD\u10FF\u1200\u2E7F\uABFF\uFFF0" {
		m := session.NewMessage(`{"role":"user","content":` + js.Quote(strings.Repeat(string(r), 8)) + `}`)
		if got := convo.EstimateCJK(m); got > 4 {
			t.Errorf("8 of U+%04X are %d tokens", r, got)
		}
	}
}

// For every message of the samples the estimators agree on ASCII, and by as
// much as UTF-8 and wide characters allow elsewhere.
func TestEstimatorsBounds(t *testing.T) {
	t.Parallel()
	for _, path := range append(corpus.Sessions(t, "pi"), corpus.Sessions(t, "omp")...) {
		s, err := read(t, path)
		if err != nil {
			continue
		}
		for _, e := range s.Entries {
			for _, m := range convo.EntryMessages(e) {
				chars, bytes, cjk := convo.Estimate(m), convo.EstimateBytes(m), convo.EstimateCJK(m)
				if bytes < chars || bytes > 3*chars || cjk < chars || cjk > 4*chars {
					t.Errorf("%s: entry %s: %d chars/4, %d bytes/4, %d cjk", path, e.ID(), chars, bytes, cjk)
				}
				if strings.IndexFunc(m.Raw(), func(r rune) bool { return r >= 0x80 }) < 0 &&
					!strings.Contains(m.Raw(), `\u`) && (bytes != chars || cjk != chars) {
					t.Errorf("%s: entry %s is ASCII: %d chars/4, %d bytes/4, %d cjk", path, e.ID(), chars, bytes, cjk)
				}
			}
		}
	}
}

func TestMeasureProjectionBy(t *testing.T) {
	t.Parallel()
	reply := line("message", "b", "a", `"message":{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":100}}`)
	for _, c := range []struct {
		name  string
		lines []string
		want  convo.ContextSize
	}{
		{"usage", []string{user("a", "", "漢字漢字"), reply, user("c", "b", "漢字漢字")}, convo.ContextSize{Tokens: 104, Usage: 100, Trailing: 4, LastUsage: 1}},
		{"none", []string{user("a", "", "漢字漢字"), reply, edit("e", "b", "a", "null")}, convo.ContextSize{LastUsage: -1}},
		{"all", []string{line("message", "a", "", `"message":{"role":"system","content":"漢字"}`), user("b", "a", "漢")}, convo.ContextSize{Tokens: 3, Trailing: 3, LastUsage: -1}},
	} {
		s := parse(t, c.lines...)
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		if got := convo.MeasureProjection(convo.Project(path), path, convo.EstimateCJK); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	messages := messagesOf(`{"role":"user","content":"漢字漢字"}`)
	if got := convo.MeasurePi073(messages, convo.EstimateCJK); got.Tokens != 4 {
		t.Errorf("by the rules of 0.73: %+v", got)
	}
}

func TestReportedContext(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		`{"role":"assistant","stopReason":"stop","usage":{"totalTokens":7}}`:                    7,
		`{"role":"assistant","stopReason":"stop","usage":{"input":1,"output":2,"cacheRead":3}}`: 6,
		`{"role":"assistant","stopReason":"stop","usage":{"totalTokens":0}}`:                    0,
		`{"role":"assistant","stopReason":"aborted","usage":{"totalTokens":7}}`:                 0,
		`{"role":"assistant","stopReason":"error","usage":{"totalTokens":7}}`:                   0,
		`{"role":"assistant","stopReason":"stop"}`:                                              0,
		`{"role":"user","usage":{"totalTokens":7}}`:                                             0,
	} {
		if got, ok := convo.ReportedContext(session.NewMessage(in)); got != want || ok != (want > 0) {
			t.Errorf("%s: %d, %v", in, got, ok)
		}
	}
}
