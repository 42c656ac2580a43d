package docs_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/test/corpus"
)

// A block is one example of README.md or of the tour: a fenced block marked "sh example", with the
// names of programs behind it if it needs them, and what it prints, if a block marked "text"
// stands behind it.
type block struct {
	line    int
	script  string
	needs   []string
	output  string
	checked bool // there is an output to compare with
}

// blocks returns the examples of a Markdown text.
func blocks(text string) []block {
	var out []block
	lines := strings.Split(text, "\n")
	last := -1 // line behind the last example
	for i := 0; i < len(lines); i++ {
		mark, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			if strings.TrimSpace(lines[i]) != "" {
				last = -1
			}
			continue
		}
		start := i + 1
		i++
		for i < len(lines) && lines[i] != "```" {
			i++
		}
		body := strings.Join(lines[start:i], "\n") + "\n"
		words := strings.Fields(mark)
		switch {
		case len(words) > 1 && words[0] == "sh" && words[1] == "example":
			out = append(out, block{line: start, script: body, needs: words[2:]})
			last = i
		case mark == "text" && last >= 0:
			out[len(out)-1].output, out[len(out)-1].checked = body, true
			last = -1
		default:
			last = -1
		}
	}
	return out
}

// runs reports whether the programs that a block needs are here.
func (b block) runs() bool {
	return !slices.ContainsFunc(b.needs, func(program string) bool {
		_, err := exec.LookPath(program)
		return err != nil
	})
}

// mark stands before the output of each block. Sessions have no such byte.
const mark = "\x01"

// TestReadme runs the examples of README.md and of the tour: one shell in one directory runs all
// blocks of a page, so that one may use what another one made. It does so in each of the
// shells that people type examples into; the examples are POSIX, and quoted for zsh. One is
// zsh as it is without a configuration.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme := append([]block{{script: corpus.Home}}, blocks(read(t, "../README.md"))...)
	tour := blocks(read(t, "tour.md"))
	if len(readme) < 6 || len(tour) < 10 {
		t.Fatalf("only %d and %d examples", len(readme), len(tour))
	}
	for _, name := range []string{"sh", "bash", "dash", "zsh", "zsh -f -i"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runTour(t, name, readme)
			runTour(t, name, tour)
		})
	}
}

// README.md is one page, and its first screen has what it is, the picture, the installation and the first command.
func TestReadmeIsOnePage(t *testing.T) {
	t.Parallel()
	lines := strings.Split(strings.TrimSuffix(read(t, "../README.md"), "\n"), "\n")
	if len(lines) > 135 {
		t.Errorf("%d lines", len(lines))
	}
	screen := strings.Join(lines[:40], "\n")
	for _, want := range []string{"# sess\n\nSmall Unix programs ", "For people who use Claude Code", "$ ./scripts/demo\n$ ./scripts/test", "](docs/images/", "./scripts/install", "\nsess-ls --agent all\n"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the first screen has no %q", want)
		}
	}
	for _, b := range blocks(read(t, "../README.md")) {
		if strings.Contains(b.script, " # ") {
			t.Errorf("line %d: a comment behind a command, which zsh takes for words", b.line)
		}
	}
}

// Each recipe is a script of its own in each shell, with the sessions of two agents in its home. Blocks marked "sh tool NAME" are programs
// that recipes use.
func TestRecipes(t *testing.T) {
	t.Parallel()
	page := read(t, "recipes.md")
	programs := map[string]string{
		"sess-chat": read(t, "../scripts/chat"),
		"fzf":       "#!/bin/sh\nhead -n 1\n", // which chooses the first
		"xdg-open":  "#!/bin/sh\n",            // no test opens a browser
		"open":      "#!/bin/sh\n",            // as on macOS
		"my-api": `#!/bin/sh
if jq -e '.[-1].role == "tool"' > /dev/null; then
	message='"content":"Two."' reason=stop
else
	message='"content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"wc -l notes.txt\"}"}}]' reason=tool_calls
fi
printf '{"id":"r1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":"%s"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n' "$message" "$reason"
`,
	}
	for _, m := range regexp.MustCompile("(?ms)^```sh tool (\\S+)\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		programs[m[1]] = m[2]
	}
	recipes := regexp.MustCompile("(?ms)^## ([^\n]*)\n.*?^```sh recipe[^\n]*\n(.*?)^```").FindAllStringSubmatch(page, -1)
	if len(recipes) != strings.Count(page, "\n## ") || len(recipes) < 10 {
		t.Fatalf("%d recipes", len(recipes))
	}
	for _, r := range recipes {
		for _, name := range []string{"dash", "bash", "zsh"} {
			t.Run(name+": "+r[1], func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				for name, text := range programs {
					write(t, dir, name, text)
				}
				stdout, stderr, err := shellOf(t, name, dir, corpus.Home+"chmod +x sess-* my-* fzf *open; PATH=\"$PWD:$PATH\"\n"+r[2])
				if err != nil {
					t.Errorf("status %d: %s\n%s", status(err), stdout, stderr)
				}
				if strings.Contains(stderr, "rror") {
					t.Errorf("on standard error: %s", stderr)
				}
			})
		}
	}
}

func runTour(t *testing.T, name string, tour []block) {
	t.Helper()
	var script strings.Builder
	if name == "zsh" {
		script.WriteString("setopt extendedglob\n") // with which ^ is special
	}
	for i, b := range tour {
		if b.runs() {
			fmt.Fprintf(&script, "printf '\\001%d\\001'\n%s", i, b.script)
		}
	}
	stdout, stderr, err := shellOf(t, name, t.TempDir(), script.String())
	if strings.HasSuffix(name, " -i") {
		stderr = "" // prompts
	}
	printed := map[int]string{}
	parts := strings.Split(stdout, mark)
	for i := 1; i+1 < len(parts); i += 2 {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			t.Fatalf("%q: %v", parts[i], err)
		}
		printed[n] = parts[i+1]
	}
	if err != nil {
		at := tour[max(len(printed)-1, 0)]
		t.Fatalf("status %d in or after the block on line %d:\n%s%s", status(err), at.line, at.script, stderr)
	}
	for i, b := range tour {
		if !b.checked || !b.runs() {
			continue
		}
		if diff := cmp.Diff(masked(b.output), masked(printed[i])); diff != "" {
			t.Errorf("line %d (-README +printed):\n%s", b.line, diff)
		}
	}
	expected := []string{"the leaf moved", "sess-stat: warning: no price for ", "sess-handoff: "} // the stub's model has no price
	for line := range strings.Lines(stderr) {
		if !slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(line, text) }) {
			t.Errorf("on standard error: %s", line)
		}
	}
}

var masks = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8}\b|\d{4}-\d\d-\d\dT[\d:.-]+Z`)

// masked replaces ids and times, which are others at each run.
func masked(s string) string { return masks.ReplaceAllString(s, "*") }

func TestMasked(t *testing.T) {
	t.Parallel()
	got := masked(`0d6f9a51 "01a1fcac-c267-779a-a780-ec658886b419" 2026-01-02T03:04:05.678Z 342 0d6f9a512`)
	if want := `* "*" * 342 0d6f9a512`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestToolLists holds the lists of tools to the tools there are.
func TestToolLists(t *testing.T) {
	t.Parallel()
	listed := func(re, text string) map[string]bool {
		out := map[string]bool{}
		for _, m := range regexp.MustCompile(re).FindAllStringSubmatch(text, -1) {
			out[m[1]] = true
		}
		return out
	}
	have := map[string]bool{}
	for _, name := range tools(t) {
		have[name] = true
	}
	for where, got := range map[string]map[string]bool{
		"README.md": listed(`\[(sess(?:-[a-z]+)?)\]\(docs/man/sess(?:-[a-z]+)?\.1\)`, read(t, "../README.md")),
		"tools.md":  listed(`(?m)^\| \[(sess(?:-[a-z]+)?)\]\(man/sess(?:-[a-z]+)?\.1\)`, read(t, "tools.md")),
		"sess.7":    listed(`(?m)^\.It Xr (sess(?:-[a-z]+)?) 1$`, read(t, "man/sess.7")),
	} {
		if diff := cmp.Diff(have, got); diff != "" {
			t.Errorf("%s (-cmd +listed):\n%s", where, diff)
		}
	}
}

// TestExitStatuses looks for every status in both tables.
func TestExitStatuses(t *testing.T) {
	t.Parallel()
	readme, page := read(t, "../README.md"), read(t, "man/sess.7")
	for _, n := range []int{
		cli.ExitDone, cli.ExitNo, cli.ExitUsage, cli.ExitMalformed, cli.ExitBusy, cli.ExitCommand,
		cli.ExitInterrupted, cli.ExitPipe,
	} {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^\| ([\d, ]*\b)?%d\b[\d, ]* \|`, n)).MatchString(readme) {
			t.Errorf("README.md has no status %d", n)
		}
		if !strings.Contains(page, fmt.Sprintf("\n.It %d\n", n)) {
			t.Errorf("sess.7 has no status %d", n)
		}
	}
}

// sess-entry(7) says which tools have a flag for the end of a path, under which name.
func TestLeafFlags(t *testing.T) {
	t.Parallel()
	_, text, ok := strings.Cut(read(t, "man/sess-entry.7"), "The flag for the entry where a path ends is\n")
	text, _, ok2 := strings.Cut(text, "Others have no such flag")
	if !ok || !ok2 {
		t.Fatalf("the page has no such sentence: %q", text)
	}
	named := func(text string) (names []string) {
		for _, m := range regexp.MustCompile(`(?m)^\.Xr (sess-[a-z]+) 1`).FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		return names
	}
	for _, tool := range tools(t) {
		out, err := exec.Command(filepath.Join(bin, tool), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		help := string(out)
		if has := strings.Contains(help, "  -l, --leaf REF "); has != slices.Contains(named(text), tool) {
			t.Errorf("%s has -l, --leaf: %t", tool, has)
		}
		if strings.Contains(help, "      --leaf REF ") {
			t.Errorf("%s has --leaf alone", tool)
		}
	}
}

// sess-record(1) says whose stores sess-import(1) reads of the programs that it records.
func TestWhatImportReads(t *testing.T) {
	t.Parallel()
	_, text, ok := strings.Cut(read(t, "man/sess-record.1"), ".Xr sess-import 1\nreads what ")
	reads, _, ok2 := strings.Cut(text, " store.")
	if !ok || !ok2 {
		t.Fatal("the page has no such sentence")
	}
	for name, called := range map[string]string{
		"claude": "Claude Code", "codex": "codex", "opencode": "opencode", "pi": "pi", "omp": "oh-my-pi", "copilot": "copilot", "gemini": "gemini", "qwen": "qwen",
	} {
		_, has := formats.Lookup(all.Formats(), name)
		word := regexp.MustCompile(`\b` + called + `\b`)
		if has != word.MatchString(reads) {
			t.Errorf("sess-import reads %s: %t", name, has)
		}
	}
}

// TestAccountingExample runs the worked example of docs/accounting.md: its script, and then
// each command, which has to print what stands below it.
func TestAccountingExample(t *testing.T) {
	t.Parallel()
	page := read(t, "accounting.md")
	dir := t.TempDir()
	if _, stderr, err := shell(t, dir, fenced(page, "sh")[0]); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	commands := 0
	for part := range strings.SplitSeq("\n"+fenced(page, "console")[0]+"\n", "\n$ ") {
		command, want, ok := strings.Cut(part, "\n")
		if !ok || command == "" {
			continue
		}
		commands++
		stdout, stderr, err := shell(t, dir, command)
		if err != nil || strings.TrimRight(stdout, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s: %v\n%s%s\nwant\n%s", command, err, stdout, stderr, want)
		}
	}
	if commands != 4 {
		t.Errorf("%d commands", commands)
	}
}
