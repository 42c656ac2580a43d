package cli

import (
	"strings"
	"testing"
)

// A flag that was given up is an error that says what there is now, if the tool has that.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	var s string
	for args, want := range map[string]string{
		"--older-than=3d": "now it is --until", "--top 3": "see sess-demo --help", "--unti 3d": "did you mean --until?",
	} {
		var out, errs strings.Builder
		tool := Tool{Name: "sess-demo", New: func() ([]Flag, Action) { return []Flag{String(&s, "until", "", "rows")}, nil }}
		if status := Run(t.Context(), tool, strings.NewReader(""), &out, &errs, strings.Fields(args)); status != ExitUsage || !strings.Contains(errs.String(), "hint: "+want) {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	words := []string{"user", "assistant", "system", "toolResult", "label", "leaf"}
	for word, want := range map[string]string{
		"usr": "user", "assistent": "assistant", "lable": "label", "toolresult": "toolResult", "level": "", "x": "", "": "", "zebra": "",
	} {
		if got, ok := Closest(word, words); got != want || ok != (want != "") {
			t.Errorf("%q is like %q, want %q", word, got, want)
		}
	}
}
