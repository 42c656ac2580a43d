package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // of the tools that are run beside it
	if err := scripttest.Build(dir, "sess-export", "sess-import"); err != nil {
		t.Fatal(err)
	}
	scripttest.Run(t, "testdata", dir)
}

// A wait of 0 is none at all, not the default, and a time-out of 0 never comes.
func TestWait(t *testing.T) {
	t.Parallel()
	text := "x"
	c := config{text: &text}
	if err := c.check(&cli.Streams{Command: []string{"x"}}, "s.jsonl"); err != nil || c.target.Wait >= 0 || c.timeout.Hours() < 1e6 {
		t.Errorf("wait %v, time-out %v, %v", c.target.Wait, c.timeout, err)
	}
}
