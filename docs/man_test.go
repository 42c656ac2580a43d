package docs_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
		flag, _, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if !strings.HasPrefix(flag, "-") {
			continue
		}
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
		names = append(names, strings.Fields(line)[0])
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
