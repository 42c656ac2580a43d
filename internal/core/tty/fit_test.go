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

func TestDirectory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dir, home string
		width     int
		want      string
	}{
		{"/home/u/work", "/home/u", 20, "~/work"},
		{"/home/u", "/home/u", 20, "~"},
		{"/home/user", "/home/u", 20, "/home/user"},
		{"/srv/x", "", 20, "/srv/x"},
		{"/", "/", 20, "/"},
		{"/a/long/way/to/project", "/home/u", 14, "…/to/project"},
		{"/a-directory-with-a-long-name", "/home/u", 10, "…long-name"},
		{"/a\x1b[1m", "/home/u", 20, `/a\x1b[1m`},
	} {
		if got := Directory(tt.dir, tt.home, tt.width); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.dir, got, tt.want)
		}
	}
}
