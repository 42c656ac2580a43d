package brief_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/brief"
)

// still is what a file became of which nothing is known.
func still(string, string) string { return "there" }

func plain(text string) string { return text }

func TestPrompt(t *testing.T) {
	t.Parallel()
	b := everything(t)
	got := brief.Of(b.path, "/w").Prompt(brief.Limits{Length: 10_000, State: still}, plain)
	const want = "\n## The user's words\n[00000001]\n> Make the parser faster\n> \n> Do not change the API.\n" +
		"\n## Files changed\n- parser.go: written once, last [00000003]; there\n" +
		"\n## Last commands\n- `go test ./...`: status 2 [00000003]\n- `git status`: status 0 [0000000a]\n- `make`: status 0 [00000006]\n" +
		"\n## Open\n- the model failed: overloaded [0000000e]\n- the printer (pending) [0000000b]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of many requests the first and the newest stay, as many as there is room for; a text is cleaned before it is cut.
func TestPromptLength(t *testing.T) {
	t.Parallel()
	b := &builder{t: t}
	b.user("first " + strings.Repeat("a", 2000))
	for range 20 {
		b.user(strings.Repeat("secret ", 300))
	}
	for _, length := range []int{20_000, 4_000, 3_000} {
		got := brief.Of(b.path, "/w").Prompt(brief.Limits{Length: length, State: still}, func(text string) string {
			return strings.ReplaceAll(text, "secret", "*")
		})
		if utf8.RuneCountInString(got) > length || !strings.Contains(got, "> first aaa") || !strings.Contains(got, "[00000015]\n") || strings.Contains(got, "sec") {
			t.Errorf("%d characters of %d: %s", utf8.RuneCountInString(got), length, got)
		}
		if n := strings.Count(got, "\n["); length == 20_000 && n != 12 || length == 3_000 && n >= 6 {
			t.Errorf("%d requests in %d characters", n, length)
		}
	}
}

// What became of a file is asked once, however many requests are left out.
func TestPromptAsksOnce(t *testing.T) {
	t.Parallel()
	b := everything(t)
	for range 20 {
		b.user(strings.Repeat("word ", 300))
	}
	asked := map[string]int{}
	brief.Of(b.path, "/w").Prompt(brief.Limits{Length: 2_000, State: func(name, _ string) string {
		asked[name]++
		return "there"
	}}, plain)
	if diff := cmp.Diff(map[string]int{"parser.go": 1}, asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
