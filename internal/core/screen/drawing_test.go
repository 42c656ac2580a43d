package screen

import (
	"strings"
	"testing"
)

// A picture is drawn over the one before it, only if it is another one, and is never higher than the terminal.
func TestDrawing(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := Drawing{Out: &out}
	sc := *New(Screen{Width: 60}, true)
	draw := func(height int, lines ...string) string {
		t.Helper()
		out.Reset()
		err := d.Draw(sc, height, func(sc *Screen) error {
			for _, line := range lines {
				if err := sc.Write(Cell{Text: line}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	long := strings.Repeat("x", 50)
	for _, tt := range []struct {
		name   string
		width  int
		height int
		lines  []string
		want   string
	}{
		{"the first", 60, 24, []string{"a", long}, "a\n" + long + "\n"},
		{"the same", 60, 24, []string{"a", long}, ""},
		{"another one", 60, 24, []string{"b", long}, "\r\x1b[2A\x1b[Jb\n" + long + "\n"},
		{"a terminal that became narrow, where its lines take three", 40, 24, []string{"c"}, "\r\x1b[3A\x1b[Jc\n"},
		{"more than there is room for", 40, 4, []string{"1", "2", "3", "4", "5"}, "\r\x1b[1A\x1b[J1\n2\n... and 3 more\n"},
		{"as many as there is room for", 40, 4, []string{"1", "2", "3"}, "\r\x1b[3A\x1b[J1\n2\n3\n"},
		{"none", 40, 4, nil, "\r\x1b[3A\x1b[J"},
	} {
		sc.Width = tt.width
		if got := draw(tt.height, tt.lines...); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := draw(24, "back"); got != "back\n" {
		t.Errorf("behind none: %q", got)
	}
	out.Reset()
	if err := d.Erase(40); err != nil || out.String() != "\r\x1b[1A\x1b[J" {
		t.Errorf("taken away: %q, %v", &out, err)
	}
	out.Reset()
	if err := d.Erase(40); err != nil || out.Len() > 0 {
		t.Errorf("taken away twice: %q, %v", &out, err)
	}
}
