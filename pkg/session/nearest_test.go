package session_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/session"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	ids := []string{"a1b2c3d4", "a1b2c3d5", "a1b2ffff", "00001111", "landing", "before-refactor"}
	for _, c := range []struct{ word, want string }{
		{"a1b2c3d6", "a1b2c3d4 a1b2c3d5"},
		{"a1b2c4d3", "a1b2c3d4 a1b2c3d5"},
		{"1ab2c3d4", "a1b2c3d4 a1b2c3d5"},
		{"a1b3", "a1b2c3d4 a1b2c3d5 a1b2ffff"},
		{"00001112", "00001111"},
		{"lnading", "landing"},
		{"lading", "landing"},
		{"befor-refactor", "before-refactor"},
		{"x", ""},
		{"zzzzzzzz", ""},
		{strings.Repeat("a", 100), ""},
		{"", ""},
	} {
		if got := strings.Join(session.Nearest(c.word, ids), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.word, got, c.want)
		}
	}
}
