package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/all"
	"github.com/sess-tools/sess/internal/agent/formats"
)

// sess-entry(7) says which tools have a flag for the end of a path, and under which names.
func TestLeafFlags(t *testing.T) {
	t.Parallel()
	_, text, ok := strings.Cut(read(t, "man/sess-entry.7"), "The flag for the entry where a path ends is\n")
	text, _, ok2 := strings.Cut(text, "Others have no such flag")
	long, short, ok3 := strings.Cut(text, ",\nand\n.Fl Fl leaf\n")
	if !ok || !ok2 || !ok3 {
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
		if has := strings.Contains(help, "  -l, --leaf REF "); has != slices.Contains(named(long), tool) {
			t.Errorf("%s has -l, --leaf: %t", tool, has)
		}
		if has := strings.Contains(help, "      --leaf REF "); has != slices.Contains(named(short), tool) {
			t.Errorf("%s has --leaf alone: %t", tool, has)
		}
	}
}

// sess-record(1) says whose stores sess-import(1) reads of the programs that it records.
func TestWhatImportReads(t *testing.T) {
	t.Parallel()
	_, text, ok := strings.Cut(read(t, "man/sess-record.1"), ".Xr sess-import 1\nreads what ")
	reads, text, ok2 := strings.Cut(text, "It reads nothing of ")
	nothing, _, ok3 := strings.Cut(text, ":")
	if !ok || !ok2 || !ok3 {
		t.Fatal("the page has no such sentence")
	}
	for name, called := range map[string]string{
		"claude": "Claude Code", "codex": "codex", "opencode": "opencode", "pi": "pi", "omp": "oh-my-pi", "copilot": "copilot", "gemini": "gemini", "qwen": "qwen",
	} {
		_, has := formats.Lookup(all.Formats(), name)
		word := regexp.MustCompile(`\b` + called + `\b`)
		if has != word.MatchString(reads) || has == word.MatchString(nothing) {
			t.Errorf("sess-import reads %s: %t", name, has)
		}
	}
}
