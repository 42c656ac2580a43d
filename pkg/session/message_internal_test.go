package session

import (
	"testing"

	"github.com/sess-tools/sess/pkg/js"
)

// A message that gets members at its end has the members that a look at its text finds.
func TestExtended(t *testing.T) {
	t.Parallel()
	more := []js.Field{
		{Name: "usage", Raw: `{"cost":{"timestamp":1},"stopReason":"}"}`}, {Name: "x", Raw: `"\":"`}, {Name: "stopReason", Raw: `"stop"`}, {Name: "timestamp", Raw: "7"},
	}
	for _, raw := range []string{`{}`, `{ "role" : "user" } `, `{"role":"assistant","content":[{"text":"}"}]}`} {
		for n := range len(more) + 1 {
			got := NewMessage(raw).extended(more[:n])
			want := NewMessage(got.Raw())
			if !js.Valid([]byte(got.Raw())) || got.Role() != want.Role() {
				t.Errorf("%s", got.Raw())
			}
			for _, name := range asked {
				if got.Get(name) != want.Get(name) {
					t.Errorf("%s: %s is %q, want %q", got.Raw(), name, got.Get(name), want.Get(name))
				}
			}
		}
	}
}
