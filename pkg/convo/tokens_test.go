package convo_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, in string
		want     int64
		old      int64 // pi 0.73; -1 for the same
	}{
		{"empty", `{"role":"user","content":""}`, 0, -1},
		{"1", `{"role":"user","content":"x"}`, 1, -1},
		{"4", `{"role":"user","content":"xxxx"}`, 1, -1},
		{"5", `{"role":"user","content":"xxxxx"}`, 2, -1},
		{"rounded once, not by block", `{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"x"},{"type":"text","text":"xx"}]}`, 1, -1},
		{"escapes count as what they are", `{"role":"user","content":"\u0041\n\"\\"}`, 1, -1},
		{"an emoji is two", `{"role":"user","content":"😀😀x"}`, 2, -1},
		{"a lone surrogate is one", `{"role":"user","content":"\ud800\ud800\ud800\ud800"}`, 1, -1},
		{"image", `{"role":"user","content":[{"type":"image","data":"` + x(9999) + `"}]}`, 1200, 0},
		{"image in a tool result", `{"role":"toolResult","content":[{"type":"image"},{"type":"text","text":"x"}]}`, 1201, -1},
		{"other blocks", `{"role":"user","content":[{"type":"thinking","thinking":"xxxxx"},{"type":"toolCall","name":"xxxxx"},7,"xxxxx"]}`, 0, -1},
		{"no content", `{"role":"user"}`, 0, -1},
		{"text that is no string", `{"role":"user","content":[{"type":"text","text":7}]}`, 0, -1},
		{"assistant", `{"role":"assistant","content":[{"type":"text","text":"xx"},{"type":"thinking","thinking":"xx","thinkingSignature":"zzzzz"},{"type":"image"},{"type":"redactedThinking","data":"zzzz"}]}`, 1, -1},
		{"tool call", `{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"a":1}}]}`, 3, -1},
		{"arguments as JavaScript prints them", `{"role":"assistant","content":[{"type":"toolCall","name":"","arguments":{ "a" : 1.000 , "a":2.0}}]}`, 2, -1},
		{"null arguments", `{"role":"assistant","content":[{"type":"toolCall","name":"","arguments":null}]}`, 1, -1},
		{"no arguments", `{"role":"assistant","content":[{"type":"toolCall","name":"xxxx"}]}`, 1, -1},
		{"bash", `{"role":"bashExecution","command":"xx","output":"xxx","excludeFromContext":true}`, 2, -1},
		{"python", `{"role":"pythonExecution","code":"xx","output":"xx"}`, 1, -1},
		{"file mention with an image", `{"role":"fileMention","files":[{"content":"xxxx","image":{"type":"image","data":"AAAA"}},{"image":7}]}`, 1201, -1},
		{"file mention", `{"role":"fileMention","files":[{"path":"zzzz","content":"xxxx"},{"content":"x"}]}`, 2, -1},
		{"custom", `{"role":"custom","content":"xxxx"}`, 1, -1},
		{"hook message, developer", `{"role":"hookMessage","content":"xxxx"}`, 1, -1},
		{"summaries", `{"role":"compactionSummary","summary":"xxxx","shortSummary":"zzzz"}`, 1, -1},
		{"branch summary", `{"role":"branchSummary","summary":"xxxxx"}`, 2, -1},
		{"system", `{"role":"system","content":"xx","sections":{"s":"xx","t":null},"toolsAdded":[{"a":1.0}]}`, 4, 0},
		{"system, no tools", `{"role":"system","content":"xxxx","toolsAdded":null}`, 1, 0},
		{"unknown role", `{"role":"odd","content":"xxxx"}`, 0, -1},
	} {
		m := session.NewMessage(c.in)
		if got := convo.Estimate(m); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
		old := c.old
		if old < 0 {
			old = c.want
		}
		if got := convo.EstimatePi073(m); got != old {
			t.Errorf("%s by the rules of 0.73: %d, want %d", c.name, got, old)
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
		old      *convo.ContextSize // pi 0.73, nil for the same
	}{
		{"none", nil, convo.ContextSize{LastUsage: -1}, nil},
		{"estimates", messagesOf(ask, ask), convo.ContextSize{Tokens: 4, Trailing: 4, LastUsage: -1}, nil},
		{"usage", messagesOf(ask, used("stop", `{"totalTokens":100}`)), convo.ContextSize{Tokens: 100, Usage: 100, LastUsage: 1}, nil},
		{"sum of the parts", messagesOf(used("stop", `{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":0}`), ask), convo.ContextSize{Tokens: 12, Usage: 10, Trailing: 2}, nil},
		{"the last one", messagesOf(used("stop", `{"totalTokens":9}`), ask, used("length", `{"totalTokens":5}`), ask), convo.ContextSize{Tokens: 7, Usage: 5, Trailing: 2, LastUsage: 2}, nil},
		{"not of failed replies", messagesOf(used("stop", `{"totalTokens":9}`), used("error", `{"totalTokens":5}`), used("aborted", `{"totalTokens":5}`)), convo.ContextSize{Tokens: 11, Usage: 9, Trailing: 2}, nil},
		{"no usage", messagesOf(used("stop", `null`)), convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}, nil},
		{
			"a usage of zero", messagesOf(ask, used("stop", `{"totalTokens":0}`)),
			convo.ContextSize{Tokens: 3, Trailing: 3, LastUsage: -1},
			&convo.ContextSize{LastUsage: 1},
		},
		{"a user's usage", messagesOf(`{"role":"user","content":"x","usage":{"totalTokens":5}}`), convo.ContextSize{Tokens: 1, Trailing: 1, LastUsage: -1}, nil},
	} {
		if got := convo.Measure(c.messages); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		old := c.want
		if c.old != nil {
			old = *c.old
		}
		if got := convo.MeasurePi073(c.messages, convo.EstimatePi073); got != old {
			t.Errorf("%s by the rules of 0.73: %+v, want %+v", c.name, got, old)
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
