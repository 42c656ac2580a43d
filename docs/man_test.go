package docs_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/session"
)

// pages returns the paths of the man pages.
func pages(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("man/*.[157]")
	if err != nil || len(paths) < 9 {
		t.Fatalf("pages %q, %v", paths, err)
	}
	return paths
}

// section returns the lines of one section of a page.
func section(page, name string) []string {
	_, rest, ok := strings.Cut(page, "\n.Sh "+name+"\n")
	if !ok {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n.Sh ")
	return strings.Split(rest, "\n")
}

// helpFlags returns the flags that --help of a tool, or of a command of it, lists, as
// "-l, --leaf REF". A name of two flags is an error: it could give only one of them.
func helpFlags(t *testing.T, tool string, command ...string) []string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, tool), append(command, "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(out), "\nFlags:\n")
	if !ok {
		t.Fatalf("%s --help lists no flags", tool)
	}
	var flags []string
	seen := map[string]bool{}
	for line := range strings.Lines(list) {
		if !flagLine.MatchString(line) {
			continue
		}
		flag, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		flags = append(flags, flag)
		for name := range strings.FieldsFuncSeq(flag, func(r rune) bool { return r == ' ' || r == ',' }) {
			if strings.HasPrefix(name, "-") && seen[name] {
				t.Errorf("%s %s: two flags are called %s", tool, command, name)
			}
			seen[name] = true
		}
	}
	slices.Sort(flags)
	return flags
}

// flagLine is the first line of a flag in help.
var flagLine = regexp.MustCompile(`^  (-|    --)`)

// spelled returns words of mdoc as a command line has them.
func spelled(mdoc string) string {
	mdoc = strings.ReplaceAll(mdoc, "Fl Fl ", "--")
	mdoc = strings.ReplaceAll(mdoc, "Fl ", "-")
	mdoc = strings.ReplaceAll(mdoc, "Ar ", "")
	return strings.ReplaceAll(mdoc, " ,", ",")
}

// TestManFlags compares the flags a page describes with those --help lists,
// value names included, in both directions.
func TestManFlags(t *testing.T) {
	t.Parallel()
	for _, tool := range tools(t) {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			page := read(t, "man/"+tool+".1")
			described := describedFlags(section(page, "DESCRIPTION"), commands(t, tool))
			help := helpFlags(t, tool)
			all := strings.Join(help, " ")
			if diff := cmp.Diff(help, described[""]); diff != "" {
				t.Errorf("(-help +page):\n%s", diff)
			}
			for _, command := range commands(t, tool) {
				own := slices.DeleteFunc(helpFlags(t, tool, command), func(f string) bool { return slices.Contains(help, f) })
				if diff := cmp.Diff(own, described[command], cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-help +page):\n%s", command, diff)
				}
				all += " " + strings.Join(own, " ")
			}
			checkSynopsis(t, section(page, "SYNOPSIS"), all)
		})
	}
}

// describedFlags returns the flags that a DESCRIPTION has items for, by the command
// whose subsection they are in, "" for those of the tool.
func describedFlags(lines, commands []string) map[string][]string {
	described := map[string][]string{}
	command := ""
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, ".Ss "); ok {
			if command = ""; slices.Contains(commands, name) {
				command = name
			}
		}
		if item, ok := strings.CutPrefix(line, ".It Fl "); ok {
			described[command] = append(described[command], spelled("Fl "+item))
		}
	}
	for _, flags := range described {
		slices.Sort(flags)
	}
	return described
}

// commands returns the commands that --help of a tool lists, none for most.
func commands(t *testing.T, tool string) []string {
	t.Helper()
	out, err := exec.Command(filepath.Join(bin, tool), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := strings.Cut(string(out), "\nCommands:\n")
	if !ok {
		return nil
	}
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for line := range strings.Lines(list) {
		if !strings.HasPrefix(line, "   ") {
			names = append(names, strings.Fields(line)[0])
		}
	}
	return names
}

// checkSynopsis looks up each flag of a synopsis among those of --help.
func checkSynopsis(t *testing.T, lines []string, help string) {
	t.Helper()
	known := map[string]bool{}
	for _, word := range strings.FieldsFunc(help, func(r rune) bool { return r == ' ' || r == ',' }) {
		known[word] = true
	}
	seen := 0
	for _, line := range lines {
		for _, word := range strings.Fields(spelled(line)) {
			switch {
			case strings.HasPrefix(word, "--"):
				if seen++; !known[word] {
					t.Errorf("synopsis: %s is no flag", word)
				}
			case strings.HasPrefix(word, "-"):
				for _, letter := range word[1:] {
					if seen++; !known["-"+string(letter)] {
						t.Errorf("synopsis: -%c is no flag", letter)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("the synopsis has no flags")
	}
}

var updateHelp = flag.Bool("update-help", false, "write testdata/help.txtar anew")

// TestHelp compares what --help prints with testdata/help.txtar, which has a file for each tool and for some commands,
// without the flags that every tool has. -h prints the same, where it is no other flag.
func TestHelp(t *testing.T) {
	t.Parallel()
	const file = "testdata/help.txtar"
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	t.Run("text", func(t *testing.T) { // which waits for them
		for i, want := range a.Files {
			words := strings.Fields(want.Name)
			seen[words[0]] = true
			t.Run(want.Name, func(t *testing.T) {
				t.Parallel()
				help := output(t, append(words, "--help"), 0, "")
				own := everyTool.ReplaceAllString(help, "")
				if own == help {
					t.Errorf("without the flags of every tool:\n%s", help)
				}
				if diff := cmp.Diff(string(want.Data), own); diff != "" && !*updateHelp {
					t.Errorf("(-want +got), see -update-help:\n%s", diff)
				}
				a.Files[i].Data = []byte(own)
			})
		}
	})
	if *updateHelp {
		write(t, ".", file, string(txtar.Format(a)))
	}
	for _, tool := range tools(t) {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			if !seen[tool] {
				t.Errorf("%s has no %s", file, tool)
			}
			output(t, []string{tool, "--xyzzy"}, 2, tool+": unknown flag --xyzzy\n"+tool+": hint: see "+tool+" -h\n")
			for _, command := range append(commands(t, tool), "") {
				version := output(t, append(strings.Fields(tool+" "+command), "--version"), 0, "")
				if !regexp.MustCompile(`^` + tool + ` .+ \(session format 3; reads 1-3\)\n$`).MatchString(version) {
					t.Errorf("%s --version: %s", command, version)
				}
			}
		})
	}
}

// everyTool are the flags of every tool in --help.
var everyTool = regexp.MustCompile(`(?s)(\n Every tool:\n)?(  -q, --quiet +print no messages\n)?(  -v,|     ) --verbose +print more detail\n      --color WHEN +use colours WHEN: auto, always, never\s+\(default\s+auto\)\n  -h +print the flags that most people use\n      --help +print this help\n      --version +print the version\n`)

// output runs a tool, which has to end with a status and these words on standard error, and returns what it prints.
func output(t *testing.T, words []string, status int, stderr string) string {
	t.Helper()
	c := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
	var out, errs strings.Builder
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run()
	if got := c.ProcessState.ExitCode(); got != status || errs.String() != stderr || (out.Len() == 0) != (status != 0) {
		t.Errorf("%s: status %d: %s%s", words, got, out.String(), errs.String())
	}
	return out.String()
}

// TestManSections looks for the sections every page of a tool has, in their
// order.
func TestManSections(t *testing.T) {
	t.Parallel()
	for _, tool := range tools(t) {
		page := read(t, "man/"+tool+".1")
		at := 0
		for _, name := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "SEE ALSO"} {
			i := strings.Index(page, "\n.Sh "+name+"\n")
			if i < at {
				t.Errorf("%s: section %s is missing, or out of order", tool, name)
			}
			at = max(at, i)
		}
	}
}

// TestManSummaries compares the NAME of a page with the summary of --help.
func TestManSummaries(t *testing.T) {
	t.Parallel()
	for _, tool := range tools(t) {
		out, err := exec.Command(filepath.Join(bin, tool), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(out), "\n")
		if want := fmt.Sprintf(".Nm %s\n.Nd %s\n", tool, lines[2]); !strings.Contains(read(t, "man/"+tool+".1"), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestManLint(t *testing.T) {
	t.Parallel()
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc is not installed")
	}
	for _, path := range pages(t) {
		if out, err := exec.Command(mandoc, "-Tlint", "-Wwarning", path).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// TestManReferences follows each reference to a page of ours.
func TestManReferences(t *testing.T) {
	t.Parallel()
	for _, path := range pages(t) {
		for line := range strings.Lines(read(t, path)) {
			words := strings.Fields(line)
			for i, w := range words {
				if strings.TrimPrefix(w, ".") != "Xr" || !strings.HasPrefix(words[i+1], "sess") {
					continue
				}
				if target := "man/" + words[i+1] + "." + words[i+2]; !exists(target) {
					t.Errorf("%s: no page %s", path, target)
				}
			}
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestTypesDescribed looks for every entry type the session package knows in
// sess-format(5).
func TestTypesDescribed(t *testing.T) {
	t.Parallel()
	described := map[string]bool{}
	for _, line := range section(read(t, "man/sess-format.5"), "DESCRIPTION") {
		if item, ok := strings.CutPrefix(line, ".It Cm "); ok {
			for _, name := range strings.Split(item, " , ") {
				described[name] = true
			}
		}
	}
	for _, typ := range session.Types() {
		if !described[typ] {
			t.Errorf("sess-format.5 does not describe %s; it has %q", typ, slices.Sorted(maps.Keys(described)))
		}
	}
}

// TestStoreVariables looks in sess-import(1) for each variable that says where an agent
// keeps its sessions.
func TestStoreVariables(t *testing.T) {
	t.Parallel()
	_, environment, _ := strings.Cut(read(t, "man/sess-import.1"), ".Sh ENVIRONMENT")
	environment, _, ok := strings.Cut(environment, "\n.Sh ")
	if !ok {
		t.Fatal("there is no such section")
	}
	asked := regexp.MustCompile(`\benv\.(?:Getenv|StorePath)\("(\w+)"`)
	seen := 0
	sources(t, func(path, text string) {
		ours := strings.HasPrefix(path, "../internal/agents/") && !strings.HasPrefix(path, "../internal/agents/handoff/") || strings.HasPrefix(path, "../internal/core/homes/")
		if !ours || strings.HasSuffix(path, "_test.go") {
			return
		}
		for _, m := range asked.FindAllStringSubmatch(text, -1) {
			seen++
			if !strings.Contains(environment, m[1]) {
				t.Errorf("%s: sess-import(1) does not say what %s does", path, m[1])
			}
		}
	})
	if seen < 10 {
		t.Errorf("only %d variables", seen)
	}
}

// cmWords are the words of a page that are literals.
var cmWords = regexp.MustCompile(`(?m)^\.Cm (.*)$`)

// The page of a tool names every member of its rows that docs/rows describes.
func TestPagesNameMembers(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("rows/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		tool := strings.TrimSuffix(filepath.Base(file), ".json")
		named := map[string]bool{}
		for _, m := range cmWords.FindAllStringSubmatch(read(t, filepath.Join("man", tool+".1")), -1) {
			for _, word := range strings.Fields(m[1]) {
				named[word] = true
			}
		}
		var doc struct {
			Defs map[string]struct{ Properties map[string]any } `json:"$defs"`
		}
		if err := json.Unmarshal([]byte(read(t, file)), &doc); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for kind, def := range doc.Defs {
			for name := range def.Properties {
				if !named[name] {
					t.Errorf("%s(1) does not name the member %s of %s", tool, name, kind)
				}
			}
		}
	}
}

// TestManExamples runs every example of every page, each in a directory of its
// own. An example has to end with status 0, and no tool may complain, not even
// inside a pipeline, where the shell does not notice, unless the example says
// what is to be done then.
func TestManExamples(t *testing.T) {
	t.Parallel()
	template := t.TempDir()
	write(t, template, "turns", corpus.Turns())
	if _, stderr, err := shell(t, template, corpus.Material); err != nil || stderr != "" {
		t.Fatalf("making the material: %v\n%s", err, stderr)
	}
	for _, path := range pages(t) {
		list := corpus.ManExamples(read(t, path))
		if len(list) == 0 {
			t.Errorf("%s has no examples", path)
		}
		for i, example := range list {
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(path), i+1), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(template)); err != nil {
					t.Fatal(err)
				}
				if _, stderr, err := shell(t, dir, corpus.Stock); err != nil || stderr != "" {
					t.Fatalf("stocking the store: %v\n%s", err, stderr)
				}
				if strings.Contains(example, "sess-git") {
					if _, stderr, err := shell(t, dir, corpus.Repository); err != nil || stderr != "" {
						t.Fatalf("making a repository: %v\n%s", err, stderr)
					}
				}
				stdout, stderr, err := shell(t, dir, example)
				if err != nil {
					t.Errorf("status %d:\n%s\n%s%.2000s", status(err), example, stderr, stdout)
				}
				for line := range strings.Lines(stderr) {
					said := strings.Contains(line, ": go on with: ") || strings.Contains(line, " new, 0 grown, ") // by sess-export and sess-import
					if !said && !strings.Contains(example, " -v ") && !strings.Contains(example, "||") {
						t.Errorf("%s\non standard error: %s", example, line)
					}
				}
			})
		}
	}
}

// TestTitleIsWrittenTwice shows what docs/adr/0010-titles.md decides.
func TestTitleIsWrittenTwice(t *testing.T) {
	t.Parallel()
	stdout, stderr, err := shell(t, t.TempDir(), `sess-new --title 'a name' > s.jsonl
grep -c '^{"type":"session",.*"title":"a name"' s.jsonl
grep -c '^{"type":"session_info",.*"name":"a name"}$' s.jsonl
`)
	if err != nil || stdout != "1\n1\n" {
		t.Errorf("%v: got %q%s", err, stdout, stderr)
	}
}
