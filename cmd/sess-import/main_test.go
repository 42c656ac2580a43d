package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sess-tools/sess/internal/agents/losses"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

// Scripts find in $CORPUS what other programs wrote.
func TestScript(t *testing.T) {
	t.Parallel()
	p := scripttest.Params()
	setup := p.Setup
	p.Dir, p.Setup = "testdata", func(e *testscript.Env) error {
		e.Setenv("CORPUS", corpus.Dir())
		return setup(e)
	}
	testscript.Run(t, p)
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-import --list, --all --json, --homes --list, --prompts or --losses.", promptRow{}, homeRow{}, listing.CollectedRow{}, losses.LossRow{}, "sess-ls.json#/$defs/session")
}
