package main

import (
	"testing"

	"github.com/sess-tools/sess/internal/test/rowtest"
)

func TestRows(t *testing.T) {
	t.Parallel()
	rowtest.Schema(t, "A line of sess-git --json.", commitRow{}, lineRow{})
}
