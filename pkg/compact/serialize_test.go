package compact_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

func TestSerialize(t *testing.T) {
	t.Parallel()
	emoji := strings.Repeat("😀", compact.ResultLimit/2)
	for _, c := range []struct{ name, message, want, want073 string }{
		{"user", `{"role":"user","content":"hi"}`, "[User]: hi", ""},
		{"user blocks", `{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]}`, "[User]: ab", ""},
		{"image alone", `{"role":"user","content":[{"type":"image","data":"x"}]}`, "", ""},
		{"developer", `{"role":"developer","content":"d"}`, "[User]: d", ""},
		{"system", `{"role":"system","content":"s"}`, "", ""},
		{"hidden command", `{"role":"bashExecution","command":"ls","output":"o","exitCode":0,"excludeFromContext":true}`, "", ""},
		{"command", `{"role":"bashExecution","command":"ls","output":"o","exitCode":2}`, "[User]: Ran `ls`\n```\no\n```\n\nCommand exited with code 2", ""},
		{"empty answer", `{"role":"assistant","content":[{"type":"text","text":""}]}`, "[Assistant]: ", ""},
		{"no content", `{"role":"assistant","content":[]}`, "", ""},
		{
			"thinking", `{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"thinking","thinking":"u"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
			"[Assistant]: a\nb", "[Assistant thinking]: t\nu\n\n[Assistant]: a\nb",
		},
		{
			"calls", `{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"f","arguments":{"b":1.50,"a":"<&\u2028","1":[true]}},{"type":"toolCall","id":"2","name":"g","arguments":{}},{"type":"toolCall","id":"3","name":"h"}]}`,
			"[Assistant tool calls]: f(1=[true], b=1.5, a=\"<&\u2028\"); g(); h()", "",
		},
		{"empty result", `{"role":"toolResult","content":[{"type":"text","text":""}]}`, "", ""},
		{"result at the limit", `{"role":"toolResult","content":"` + emoji + `"}`, "[Tool result]: " + emoji, ""},
		{
			"result beyond the limit", `{"role":"toolResult","content":"x` + emoji + `"}`,
			"[Tool result]: x" + emoji[4:] + "\n\n[... 1 more characters truncated]",
			"[Tool result]: x" + emoji[4:] + "\ufffd\n\n[... 1 more characters truncated]",
		},
	} {
		m := session.NewMessage(c.message)
		if got := compact.Serialize([]session.Message{m}); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		p := planOf(t, compact.Pi073, historyOnly)
		want := c.want073
		if want == "" {
			want = c.want
		}
		if got := p.Serialize([]compact.Part{{Message: m}}); got != want {
			t.Errorf("%s, pi 0.73: %q, want %q", c.name, got, want)
		}
	}
}
