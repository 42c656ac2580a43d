package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() // of the tools that show what was recorded
	if err := scripttest.Build(dir, "sess-new", "sess-path", "sess-check", "sess-append"); err != nil {
		t.Fatal(err)
	}
	scripttest.Run(t, "testdata", dir)
}
