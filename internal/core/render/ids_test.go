package render

import (
	"strings"
	"testing"
)

func TestNamer(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 65)
	tests := []struct {
		name      string
		api       *api
		ids, want []string
	}{
		{"kept", &anthropic, []string{"a", "toolu_1-Z"}, []string{"a", "toolu_1-Z"}},
		{"longest kept", &anthropic, []string{long[:64]}, []string{long[:64]}},
		{"too long", &anthropic, []string{long}, []string{long[:55] + "_53fc3899"}},
		{"longest kept by OpenAI", &openAI, []string{long[:40]}, []string{long[:40]}},
		{"too long for OpenAI", &openAI, []string{long[:41]}, []string{long[:31] + "_f6f80b2e"}},
		{"empty", &openAI, []string{"", ""}, []string{"call_7daed438", "call_0fc51656"}},
		{"a replacement that is taken", &openAI, []string{"c1_5e14f601", "c1", "c1"}, []string{"c1_5e14f601", "c1", "c1_9c2f0aaa"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, replaced := newNamer(tt.api), 0
			for i, id := range tt.ids {
				got := n.name(id)
				if got != tt.want[i] {
					t.Errorf("%d: %q, want %q", i, got, tt.want[i])
				}
				if got != id {
					replaced++
				}
			}
			if n.replaced != replaced {
				t.Errorf("replaced %d, want %d", n.replaced, replaced)
			}
		})
	}
}
