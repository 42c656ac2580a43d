package session_test

import (
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

func TestJoinTexts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, want string }{
		"two":                   {`[{"type":"text","text":"a "},{"type":"text","text":"b"}]`, `[{"type":"text","text":"a b"}]`},
		"halves of a character": {`[{"type":"text","text":"\ud83d"},{"type":"text","text":"\ude00"}]`, `[{"type":"text","text":"\ud83d\ude00"}]`},
		"a call between":        {`[{"type":"text","text":"a"},{"type":"toolCall","id":"c"},{"type":"text","text":"b"},{"type":"text","text":"c"}]`, `[{"type":"text","text":"a"},{"type":"toolCall","id":"c"},{"type":"text","text":"bc"}]`},
		"more than a text":      {`[{"type":"text","text":"a"},{"type":"text","text":"b","textSignature":"x"}]`, ""},
		"one":                   {`[{"type":"text","text":"\"text\" \"text\""}]`, ""},
		"no text":               {`[{"type":"text","text":1},{"type":"text","text":2}]`, ""},
		"a string":              {`"a"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := `{"role":"assistant","content":` + tt.content + `,"model":"m"}`
			want := raw
			if tt.want != "" {
				want = `{"role":"assistant","content":` + tt.want + `,"model":"m"}`
			}
			if got := session.NewMessage(raw).JoinTexts().Raw(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			users := session.NewMessage(`{"role":"user","content":` + tt.content + `}`)
			if got := users.JoinTexts().Raw(); got != users.Raw() {
				t.Errorf("the user's became %s", got)
			}
		})
	}
}
