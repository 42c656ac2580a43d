package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/cli"
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

// The surface that a person has to hold: tools, and public flags, each of a command for itself. A flag that comes takes one out.
const (
	mostTools = 28
	mostFlags = 420
)

// everyTools are the flags of every tool, which do not count.
var everyTools = []string{"quiet", "verbose", "color", "h", "help", "version"}

// ownFlags are the flags of a tool, or of a command, that are its own.
func ownFlags(d cli.Description) (flags []cli.FlagData) {
	for _, f := range d.Flags {
		if !slices.Contains(everyTools, f.Name) {
			flags = append(flags, f)
		}
	}
	return flags
}

// shown are the command lines in the blocks that the tests run, and in those that a job or an agent runs: of each tool, or
// command of it, the words behind its name.
func shown(t *testing.T) map[string][][]string {
	t.Helper()
	var text strings.Builder
	pages := []string{"../README.md", "../share/skills/sess/SKILL.md"}
	for _, name := range []string{"tour", "recipes", "ci", "hooks", "tools", "tables", "remotes"} {
		pages = append(pages, name+".md")
	}
	for _, page := range pages {
		for i, part := range strings.Split("\n"+read(t, page), "\n```") {
			if i%2 == 1 {
				_, body, _ := strings.Cut(part, "\n")
				text.WriteString(body + "\n")
			}
		}
	}
	text.WriteString(read(t, "../action.yml"))
	lines := strings.ReplaceAll(text.String(), "\\\n", " ")
	quoted := regexp.MustCompile(`'[^'\n]*'`) // what is quoted ends no command
	lines = quoted.ReplaceAllStringFunc(lines, func(q string) string { return strings.NewReplacer("|", " ", ";", " ", "&", " ", ")", " ").Replace(q) })
	all := map[string][][]string{}
	for _, m := range regexp.MustCompile("\\bsess[- ]([a-z]+)\\b([^|;&\n)`]*)").FindAllStringSubmatch(lines, -1) {
		name, words := "sess-"+m[1], strings.Fields(strings.NewReplacer("[", " ", "]", " ", `"`, " ").Replace(m[2]))
		all[name] = append(all[name], words)
		if len(words) > 0 {
			all[name+" "+words[0]] = append(all[name+" "+words[0]], words[1:])
		}
	}
	return all
}

// The examples of help name flags that there are.
func TestExamplesOfHelp(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	all := descriptions(t)
	for _, tool := range all {
		for _, d := range tool.All() {
			for _, f := range d.Flags {
				known[d.Tool+" --"+f.Name] = true
			}
		}
	}
	seen := 0
	for _, tool := range all {
		for _, d := range tool.All() {
			for _, example := range d.Examples {
				for _, m := range regexp.MustCompile(`\b(sess-[a-z]+)\b([^|;&)]*)`).FindAllStringSubmatch(strings.ReplaceAll(example, "$(", ";"), -1) {
					words, _, _ := strings.Cut(m[2]+" ", " -- ")
					for _, flag := range regexp.MustCompile(` (--[a-z][a-z-]*)`).FindAllStringSubmatch(words, -1) {
						if seen++; !known[m[1]+" "+flag[1]] {
							t.Errorf("%s: %s has no %s: %s", d.Tool, m[1], flag[1], example)
						}
					}
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d flags in examples", seen)
	}
}

// has reports whether one of the command lines has a flag.
func has(lines [][]string, f cli.FlagData) bool {
	for _, words := range lines {
		for _, word := range words {
			if word == "--" {
				break
			}
			long, _, _ := strings.Cut(word, "=")
			letters := len(word) > 1 && word[0] == '-' && word[1] != '-'
			if long == "--"+f.Name || letters && f.Short != "" && strings.Contains(word[1:min(len(word), 4)], f.Short) || letters && len(f.Name) == 1 && word[1:] == f.Name {
				return true
			}
		}
	}
	return false
}

// What is there has a user: the numbers have no slack, and each flag stands with its tool in a block of a page.
func TestSurface(t *testing.T) {
	t.Parallel()
	all, lines := descriptions(t), shown(t)
	flags, unseen := 0, []string{}
	for _, tool := range all {
		for _, d := range tool.All() {
			name := strings.TrimSpace(d.Tool + " " + d.Command)
			for _, f := range ownFlags(d) {
				if flags++; !has(lines[name], f) {
					unseen = append(unseen, name+" --"+f.Name)
				}
			}
		}
	}
	if n := len(all) - 1; n != mostTools { // without sess, which runs them
		t.Errorf("%d tools, want %d", n, mostTools)
	}
	if flags != mostFlags {
		t.Errorf("%d flags, want %d", flags, mostFlags)
	}
	if len(unseen) > 0 {
		t.Errorf("%d flags stand in no block, so nobody has a use for them:\n%s", len(unseen), strings.Join(unseen, "\n"))
	}
}
