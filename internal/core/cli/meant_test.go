package cli

import (
	"strings"
	"testing"
)

// A word that people type has a hint by its meaning, a flag only one of a flag that the tool has, and no slip of the fingers is taken
// for a flag that changes something.
func TestMeant(t *testing.T) {
	t.Parallel()
	var all, force bool
	var since, before string
	var limit int
	tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) {
		return []Flag{Bool(&all, "all, a", "all"), Bool(&force, "force", "replace"), String(&since, "since", "", "since"), Count(&limit, "limit, n", "print at most `N`"), String(&before, "by", "", "by")}, nil
	}}
	for args, want := range map[string]string{
		"--week": "it is --since 7d", "--before x": "see sess-demo -h", "--project=x": "it is --by project", "--search x": "it is sess grep", "--to codex": "it is sess handoff --to", "-3": "it is --limit 3", "-12": "it is --limit 12", "--budget 20k": "it is sess handoff --to AGENT --budget 20k AGENT:",
		"--forse": "see sess-demo -h", "--sincee x": "did you mean --since?",
	} {
		var out, errs strings.Builder
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(args)); status != ExitUsage || !strings.HasSuffix(errs.String(), "hint: "+want+"\n") {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
	seen := map[string]bool{}
	for _, m := range commands {
		if is, ok := Meant(m.word); !ok || is != m.is || seen[m.word] {
			t.Errorf("%s: %q, twice %v", m.word, is, seen[m.word])
		}
		seen[m.word] = true
	}
	if is, ok := Meant("grep"); ok {
		t.Errorf("a command is %q", is)
	}
}
