package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/test/rowtest"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

func TestMain(m *testing.M) {
	scripttest.Main(m, map[string]func(){tool.Name: main})
}

func TestScript(t *testing.T) {
	t.Parallel()
	scripttest.Run(t, "testdata")
}

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of --json of the commands of sess-seg.", storeRow{}, findingRow{}, migrationRow{}, checkpointRow{})
}
