package clikit_test

import (
	"testing"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

func TestColumns(t *testing.T) {
	t.Parallel()
	columns := clikit.Columns{{Head: "ID", Width: 4, Cut: true}, {Head: "N", Right: true}, {Head: "NAME"}, {Head: "TITLE"}}
	rows := [][]string{{"ä", "1,000", "漢字", ""}, {"too long", "7", "x", "whatever"}}
	columns[1:].Fit(rows[0][1:], rows[1][1:])
	for want, got := range map[string]string{
		"  a   b\n  cc  \n":              clikit.Table("  ", [][]string{{"a", "b"}, {"cc", ""}}),
		"ä     1,000  漢字    ":            columns.Line(rows[0]...),
		"too       7  x     whatever":    columns.Line(rows[1]...),
		"ä     a longer one  x     last": columns.Line("ä", "a longer one", "x", "last"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
