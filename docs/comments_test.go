package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

// comment is one in a line for a shell.
var comment = regexp.MustCompile(`(^|\s)#(\s|$)`)

// Lines that people paste have no comments: zsh as macOS starts it takes # for a word.
func TestNoCommentsInShellBlocks(t *testing.T) {
	t.Parallel()
	var seen int
	look := func(where, script string) {
		seen++
		for line := range strings.Lines(script) {
			if comment.MatchString(line) {
				t.Errorf("%s: the comment of %q belongs into a sentence", where, strings.TrimSpace(line))
			}
		}
	}
	var files []string
	for _, glob := range []string{"../*.md", "*.md", "*/*.md"} {
		found, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	fenced := regexp.MustCompile("(?ms)^```(?:sh|bash|zsh|console)\\b[^\n]*\n(.*?)^```$")
	for _, path := range files {
		for _, m := range fenced.FindAllStringSubmatch(read(t, path), -1) {
			look(path, m[1])
		}
	}
	for _, path := range pages(t) {
		for _, example := range corpus.ManExamples(read(t, path)) {
			look(path, example)
		}
	}
	if seen < 60 {
		t.Errorf("only %d blocks", seen)
	}
}

// What is said to be a command for an answer keeps no session of its own, and uses the login
// that the program has: claude --bare reads none.
func TestRecommendedCommands(t *testing.T) {
	t.Parallel()
	var seen int
	var files []string
	for _, glob := range []string{"../*.md", "*.md", "man/*.[157]", "../cmd/*/main.go", "../scripts/chat"} {
		found, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	// Those whose events are recorded may keep theirs.
	call := regexp.MustCompile("\\b(claude -p|codex exec|pi -p) [^\n`]*")
	for _, path := range files {
		for _, line := range call.FindAllString(strings.ReplaceAll(read(t, path), "\\e\n", ""), -1) {
			if regexp.MustCompile(`stream-json|--json|resume|…`).MatchString(line) {
				continue
			}
			seen++
			if strings.Contains(line, "--bare") || !regexp.MustCompile(`--no-session-persistence|--ephemeral|--no-session\b`).MatchString(line) {
				t.Errorf("%s: %s", path, line)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d commands", seen)
	}
}
