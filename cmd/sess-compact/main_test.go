package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

// A wait of 0 is none at all, not the default.
func TestWait(t *testing.T) {
	t.Parallel()
	c := config{planning: planning{keep: 1, rules: "1.5"}, asking: asking{maxPrompt: 1}}
	if err := c.check(&clikit.Streams{}, "s.jsonl"); err != nil || c.target.Wait >= 0 {
		t.Errorf("wait %v, %v", c.target.Wait, err)
	}
}
