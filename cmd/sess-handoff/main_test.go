package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/test/rowtest"
)

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "The line of sess-handoff --json and --dry-run; a line of --losses is that of sess-import.", handoffRow{}, "sess-import.json#/$defs/loss")
}
