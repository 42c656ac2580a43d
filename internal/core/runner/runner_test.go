package runner_test

import (
	"slices"
	"testing"

	"github.com/sess-tools/sess/internal/core/runner"
)

func TestReadsOutput(t *testing.T) {
	t.Parallel()
	for want, sets := range map[bool][]map[string]string{
		true:  {{"GITHUB_ACTIONS": "true"}, {"TF_BUILD": "True"}, {"GITLAB_CI": "true"}, {"TEAMCITY_VERSION": "2026.1"}},
		false: {{}, {"CI": "1", "GITHUB_ACTIONS": "", "TF_BUILD": "false"}},
	} {
		for _, set := range sets {
			if got := runner.ReadsOutput(func(name string) (string, bool) { v, ok := set[name]; return v, ok }); got != want {
				t.Errorf("%v: %t", set, got)
			}
		}
	}
}

// A command ends with the second colon at the beginning of a line, or with the bracket behind ##.
func TestCommands(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"::error::x": {1}, "a\n \u200b:\u200b:": {10}, "a ::x": nil, "##[x ##vso[y": {2, 10}, "# #[": nil, ":x:": nil,
	} {
		var c runner.Commands
		var got []int
		for i, r := range text {
			if c.Ends(r) {
				got = append(got, i)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	c := runner.Commands(0)
	c.Ends(':')
	c.Break()
	if c.Ends(':') {
		t.Error("a command across a break")
	}
}
