package opencode

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/formats/formatstest"
)

// export exports a session.
func export(t testing.TB, r formatstest.Result) (string, []string) {
	t.Helper()
	out, losses := formatstest.Export(t, Format, r.Session(t), "")
	var said []string
	for _, l := range losses {
		said = append(said, l.String())
	}
	return out, said
}

// An export of opencode's comes back byte for byte.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	files := exports(t)
	for _, name := range names(files, ".json") {
		if len(name) < 8 || name[:8] != "genuine-" {
			continue
		}
		r := importOne(t, files[name+".json"])
		out, losses := export(t, r)
		if diff := cmp.Diff(string(files[name+".json"]), out); diff != "" {
			t.Errorf("%s (-opencode +sess):\n%.3000s", name, diff)
		}
		if len(losses)+len(r.Losses) > 0 {
			t.Errorf("%s: lost %q, %v", name, losses, r.Losses)
		}
	}
}
