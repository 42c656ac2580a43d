package tty

import (
	"strings"
	"testing"
)

func TestFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 3, ""}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"abcdef", 5, "abcd…"}, {strings.Repeat("x", 1<<20), 4, "xxx…"},
	} {
		if got := Fit(tt.text, tt.width); got != tt.want {
			t.Errorf("Fit(%.10q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}
