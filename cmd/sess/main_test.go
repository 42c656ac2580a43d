package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
	"github.com/sess-tools/sess/pkg/js"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// TestResumed: the line is that of the newest session, or of the newest one here.
func TestResumed(t *testing.T) {
	t.Parallel()
	rows := []js.Value{`{"resume":"cd /x && claude --resume a"}`, `{"resume":"codex resume b"}`, `{"resume":null}`}
	for _, c := range []struct {
		newest []js.Value
		here   bool
		want   string
	}{
		{rows, false, "cd /x && claude --resume a"},
		{rows, true, "codex resume b"},
		{rows[2:], true, ""},
		{rows[:1], true, ""},
		{nil, false, ""},
	} {
		if got := resumed(c.newest, c.here); got != c.want {
			t.Errorf("%s, here %v: %q, want %q", c.newest, c.here, got, c.want)
		}
	}
}
