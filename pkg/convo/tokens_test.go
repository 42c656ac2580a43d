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

func TestEstimate(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, in string
		want     int64
	}{
		{"empty", `{"role":"user","content":""}`, 0},
		{"1", `{"role":"user","content":"x"}`, 1},
		{"4", `{"role":"user","content":"xxxx"}`, 1},
		{"5", `{"role":"user","content":"xxxxx"}`, 2},
		{"rounded once, not by block", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"x"},{"type":"text","text":"xx"}]}`, 1},
		{"escapes count as what they are", `{"role":"user","content":"\u0041\n\"\\"}`, 1},
		{"an emoji is two", `{"role":"user","content":"😀😀x"}`, 2},
		{"a lone surrogate is one", `{"role":"user","content":"\ud800\ud800\ud800\ud800"}`, 1},
		{"image", `{"role":"user","content":[{"type":"image","data":"` + x(9999) + `"}]}`, 1200},
		{"image in a tool result", `{"role":"toolResult","content":[{"type":"image"},{"type":"text","text":"x"}]}`, 1201},
		{"other blocks", `{"role":"user","content":[{"type":"thinking","thinking":"xxxxx"},{"type":"toolCall","name":"xxxxx"},7,"xxxxx"]}`, 0},
		{"no content", `{"role":"user"}`, 0},
		{"text that is no string", `{"role":"user","content":[{"type":"text","text":7}]}`, 0},
		{"assistant", `{"role":"assistant","content":[{"type":"text","text":"xx"},{"type":"thinking","thinking":"xx","thinkingSignature":"zzzzz"},{"type":"image"},{"type":"redactedThinking","data":"zzzz"}]}`, 1},
		{"tool call", `{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"a":1}}]}`, 3},
		{"arguments as JavaScript prints them", `{"role":"assistant","content":[{"type":"toolCall","name":"","arguments":{ "a" : 1.000 , "a":2.0}}]}`, 2},
		{"null arguments", `{"role":"assistant","content":[{"type":"toolCall","name":"","arguments":null}]}`, 1},
		{"no arguments", `{"role":"assistant","content":[{"type":"toolCall","name":"xxxx"}]}`, 1},
		{"bash", `{"role":"bashExecution","command":"xx","output":"xxx","excludeFromContext":true}`, 2},
		{"python", `{"role":"pythonExecution","code":"xx","output":"xx"}`, 1},
		{"file mention with an image", `{"role":"fileMention","files":[{"content":"xxxx","image":{"type":"image","data":"AAAA"}},{"image":7}]}`, 1201},
		{"file mention", `{"role":"fileMention","files":[{"path":"zzzz","content":"xxxx"},{"content":"x"}]}`, 2},
		{"custom", `{"role":"custom","content":"xxxx"}`, 1},
		{"hook message, developer", `{"role":"hookMessage","content":"xxxx"}`, 1},
		{"summaries", `{"role":"compactionSummary","summary":"xxxx","shortSummary":"zzzz"}`, 1},
		{"branch summary", `{"role":"branchSummary","summary":"xxxxx"}`, 2},
		{"system", `{"role":"system","content":"xx","sections":{"s":"xx","t":null},"toolsAdded":[{"a":1.0}]}`, 4},
		{"system, no tools", `{"role":"system","content":"xxxx","toolsAdded":null}`, 1},
		{"unknown role", `{"role":"odd","content":"xxxx"}`, 0},
	} {
		m := session.NewMessage(c.in)
		if got := convo.Estimate(m); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func messagesOf(in ...string) []session.Message {
	var out []session.Message
	for _, raw := range in {
		out = append(out, session.NewMessage(raw))
	}
	return out
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	const ask = `{"role":"user","content":"xxxxx"}`
	used := func(stop, usage string) string {
		return `{"role":"assistant","content":[{"type":"text","text":"xxxx"}],"stopReason":"` + stop + `","usage":` + usage + `}`
	}
	for _, c := range []struct {
		name     string
		messages []session.Message
		want     convo.ContextSize
	}{
		{"none", nil, convo.ContextSize{LastUsage: -1}},
		{"estimates", messagesOf(ask, ask), convo.ContextSize{Tokens: 4, Trailing: 4, LastUsage: -1}},
		{"usage", messagesOf(ask, used("stop", `{"totalTokens":100}`)), convo.ContextSize{Tokens: 100, Usage: 100, LastUsage: 1}},
		{"sum of the parts", messagesOf(used("stop", `{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":0}`), ask), convo.ContextSize{Tokens: 12, Usage: 10, Trailing: 2}},
		{"the last one", messagesOf(used("stop", `{"totalTokens":9}`), ask, used("length", `{"totalTokens":5}`), ask), convo.ContextSize{Tokens: 7, Usage: 5, Trailing: 2, LastUsage: 2}},
		{"not of failed replies", messagesOf(used("stop", `{"totalTokens":9}`), used("error", `{"totalTokens":5}`), used("aborted", `{"totalTokens":5}`)), convo.ContextSize{Tokens: 11, Usage: 9, Trailing: 2}},
		{"no usage", messagesOf(used("stop", `null`)), convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}},
		{
			"a usage of zero", messagesOf(ask, used("stop", `{"totalTokens":0}`)),
			convo.ContextSize{Tokens: 3, Trailing: 3, LastUsage: -1},
		},
		{"a user's usage", messagesOf(`{"role":"user","content":"x","usage":{"totalTokens":5}}`), convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}},
	} {
		if got := convo.Measure(c.messages); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A usage speaks of the context at its time: after a compaction or an edit it
// counts no more, and all is estimated, system messages as one.
func TestMeasureProjection(t *testing.T) {
	t.Parallel()
	reply := func(id, parent string) string {
		return line("message", id, parent, `"message":{"role":"assistant","content":[{"type":"text","text":"xxxx"}],"stopReason":"stop","usage":{"totalTokens":100}}`)
	}
	system := func(id, parent string) string {
		return line("message", id, parent, `"message":{"role":"system","content":"x"}`)
	}
	for _, c := range []struct {
		name  string
		lines []string
		want  convo.ContextSize
	}{
		{"none", nil, convo.ContextSize{LastUsage: -1}},
		{"usage", []string{user("a", "", "xxxx"), reply("b", "a"), user("c", "b", "xxxx")}, convo.ContextSize{Tokens: 101, Usage: 100, Trailing: 1, LastUsage: 1}},
		{"before a compaction", []string{reply("b", ""), compaction("c", "b", "b")}, convo.ContextSize{Tokens: 2, Trailing: 2, LastUsage: -1}},
		{"after a compaction", []string{user("a", "", "x"), compaction("c", "a", "a"), reply("b", "c")}, convo.ContextSize{Tokens: 100, Usage: 100, LastUsage: 2}},
		{"before an edit", []string{user("a", "", "xxxx"), reply("b", "a"), edit("e", "b", "a", "null")}, convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}},
		{"system messages as one", []string{system("s", ""), system("t", "s")}, convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}},
		{"system messages and usage", []string{system("s", ""), reply("b", "s"), system("t", "b")}, convo.ContextSize{Tokens: 101, Usage: 100, Trailing: 1, LastUsage: 1}},
	} {
		s := parse(t, c.lines...)
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		if got := convo.MeasureProjection(convo.Project(path), path, convo.Estimate); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

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
