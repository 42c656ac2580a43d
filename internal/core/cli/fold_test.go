package cli_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/cli"
)

// A run prints of warnings that say the same the first, of each class three lines, and how many more there are; -v prints all, in
// order, and a tool that writes does.
func TestFold(t *testing.T) {
	t.Parallel()
	type warning struct {
		class cli.Class
		text  string
	}
	damage := func(texts ...string) (out []warning) {
		for _, text := range texts {
			out = append(out, warning{cli.Damage, text})
		}
		return out
	}
	for name, tt := range map[string]struct {
		warnings []warning
		want     []string
	}{
		"none": {},
		"one":  {damage("a.jsonl:3: torn"), []string{"a.jsonl:3: torn"}},
		"equal but for the place": {
			damage("a.jsonl:3: torn", "a.jsonl:14: torn", "b.jsonl:1: torn", "a.jsonl:5: fused"),
			[]string{"a.jsonl:3: torn (and 2 more in 2 sessions)", "a.jsonl:5: fused"},
		},
		"three":            {damage("a: 1", "a: 2", "a: 3"), []string{"a: 1", "a: 2", "a: 3"}},
		"four":             {damage("a: 1", "a: 2", "a: 3", "a: 4"), []string{"a: 1", "a: 2", "a: 3", "a: 4"}},
		"four, one twice":  {damage("a: 1", "a: 2", "a: 3", "a: 4", "b: 4"), []string{"a: 1", "a: 2", "a: 3", "a: 4 (and 1 more in 2 sessions)"}},
		"five":             {damage("a: 1", "a: 2", "b: 3", "c: 4", "d: 5"), []string{"a: 1", "a: 2", "b: 3", "… and 2 more in 2 sessions; --verbose lists them"}},
		"a late equal one": {damage("a: 1", "a: 2", "b: 3", "c: 4", "c: 5", "d: 1"), []string{"a: 1 (and 1 more in 2 sessions)", "a: 2", "b: 3", "… and 2 more; --verbose lists them"}},
		"classes do not hide each other": {
			append(damage("a: 1", "a: 2", "a: 3", "a: 4", "a: 5"), warning{cli.Unseen, "opening b: locked"}, warning{cli.Unseen, "opening c: locked"}),
			[]string{"a: 1", "a: 2", "a: 3", "… and 2 more; --verbose lists them", "opening b: locked (and 1 more)"},
		},
		"notes are told apart by all they say": {[]warning{{cli.Note, "a: x"}, {cli.Note, "b: x"}, {cli.Note, "a: x"}}, []string{"a: x (and 1 more)", "b: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := func(folds bool, args ...string) string {
				tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
					for _, w := range tt.warnings {
						s.Warn(w.class, "%v", errors.New(w.text))
					}
					return errors.New("the end")
				})
				tool.Writes = !folds
				return run(t, tool, "", args...).stderr
			}
			lines := func(texts []string) string {
				var b strings.Builder
				for _, text := range texts {
					b.WriteString("sess-demo: warning: " + text + "\n")
				}
				return b.String()
			}
			all := make([]string, len(tt.warnings))
			for i, w := range tt.warnings {
				all[i] = w.text
			}
			const end = "sess-demo: the end\n"
			if got, want := said(true), lines(tt.want)+end; got != want {
				t.Errorf("folded: got\n%swant\n%s", got, want)
			}
			if got, want := said(true, "-v"), lines(all)+end; got != want {
				t.Errorf("-v: got\n%swant\n%s", got, want)
			}
			if got, want := said(false), lines(all)+end; got != want {
				t.Errorf("a tool that writes: got\n%swant\n%s", got, want)
			}
			if got := said(true, "-q"); got != end {
				t.Errorf("-q: got\n%s", got)
			}
		})
	}
}

// A tally where warnings are folded hands all on, so that the sum of the run is right; what a gate did not look at is said
// with -q, too.
func TestFoldOfTally(t *testing.T) {
	t.Parallel()
	tool := demo(func(_ context.Context, s *cli.Streams, _ []string) error {
		for _, name := range []string{"a", "b"} {
			tally := s.Tally(cli.Damage)
			for i := range 20 {
				tally.Warnf("kind", "%s:%d: line %s%d", name, i, name, i)
			}
			tally.More(name+": ", "; elsewhere")
		}
		s.Alwaysf("not seen")
		return nil
	})
	const always = "sess-demo: warning: not seen\n"
	want := ""
	for i := range 3 {
		want += fmt.Sprintf("sess-demo: warning: a:%d: line a%d\n", i, i)
	}
	want += "sess-demo: warning: … and 37 more in 2 sessions; --verbose lists them\n" + always
	if got := run(t, tool, ""); got.stderr != want {
		t.Errorf("got\n%swant\n%s", got.stderr, want)
	}
	if got := run(t, tool, "", "-v"); strings.Count(got.stderr, "\n") != 41 {
		t.Errorf("-v: got\n%s", got.stderr)
	}
	if got := run(t, tool, "", "-q"); got.stderr != always {
		t.Errorf("-q: got\n%s", got.stderr)
	}
}

// A line of a folded warning is cut to the terminal's width, but for the number of the others; its control characters count as
// they are shown. Without a terminal it is as long as it is.
func TestFoldWidth(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width int
		text  string
		want  string
	}{
		{0, "a long text", "a long text"},
		{22, "a long text", "a long text"},
		{21, "a long text", "a long te…"},
		{21, "a\x1blong text", `a\x1blong…`},
		{3, "a long text", "…"},
		{100, "warning: /home/somebody/projects/a-long-name/b/sessions/s.jsonl:12: torn last line of 3 bytes", "warning: …/somebody/projects/a-long-name/b/sessions/s.jsonl:12: torn last line of 3 bytes"},
		{80, "warning: /home/somebody/projects/a-long-name/b/sessions/s.jsonl:12: torn last line of 3 bytes", "warning: …-long-name/b/sessions/s.jsonl:12: torn last line of 3 bytes"},
		{60, "warning: /home/somebody/projects/a-long-name/b/sessions/s.jsonl:12: torn last line of 3 bytes", "warning: …me/b/sessions/s.jsonl:12: torn last li…"},
		{50, "warning: claude:5c0447e5, line 6: torn last line of 3 bytes", "warning: claude:5c0447e5, line 6: torn…"},
		{50, "warning: a/b.jsonl:1: torn last line of many, many bytes", "warning: a/b.jsonl:1: torn last line o…"},
	} {
		if got := cli.Within("sess-demo", tt.width, tt.text); got != tt.want {
			t.Errorf("%d: %q, want %q", tt.width, got, tt.want)
		}
	}
}
