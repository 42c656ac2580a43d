package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// helpOf is what help of a tool, or of a command of it, prints on a terminal of so many columns.
func helpOf(t *testing.T, columns int, words ...string) string {
	t.Helper()
	c := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
	c.Env = append(os.Environ(), fmt.Sprint("COLUMNS=", columns))
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v", words, err)
	}
	return string(out)
}

// Help has no line that is wider than the terminal, but of one word, and breaks no word; -h is a screen of 24 lines, on which no
// line is broken.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	for _, tool := range tools(t) {
		for _, command := range append(commands(t, tool), "") {
			words := append([]string{tool}, strings.Fields(command)...)
			t.Run(strings.Join(words, " "), func(t *testing.T) {
				t.Parallel()
				whole := map[string]string{}
				for _, flag := range []string{"-h", "--help"} {
					for _, columns := range []int{40, 60, 80, 120} {
						text := helpOf(t, columns, append(words, flag)...)
						for line := range strings.Lines(text) {
							line = strings.TrimSuffix(line, "\n")
							if utf8.RuneCountInString(line) > columns && len(strings.Fields(line)) > 1 {
								t.Errorf("%s at %d columns: %q", flag, columns, line)
							}
						}
						if squeezed := strings.Join(strings.Fields(text), " "); whole[flag] == "" {
							whole[flag] = squeezed
						} else if whole[flag] != squeezed {
							t.Errorf("%s at %d columns has other words", flag, columns)
						}
					}
				}
				short := helpOf(t, 80, append(words, "-h")...)
				if n := strings.Count(short, "\n"); n > 24 {
					t.Errorf("-h has %d lines", n)
				}
				if unbroken := helpOf(t, 100, append(words, "-h")...); strings.Count(unbroken, "\n") != strings.Count(short, "\n") {
					t.Errorf("-h has lines that are broken at 80 columns:\n%s", short)
				}
			})
		}
	}
}
