package jqmap_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// TestWild holds the maps to the laws with sessions of people, which are no part of the
// project: those in the directories below SESS_AGENTS that are called as their format.
func TestWild(t *testing.T) {
	t.Parallel()
	root := os.Getenv("SESS_AGENTS")
	if root == "" {
		t.Skip("SESS_AGENTS names no directory with sessions of people")
	}
	found := map[string]map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".json") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, ok := formats.Detect(all.Formats(), path, data[:min(len(data), formats.HeadSize)])
		if !ok {
			return nil
		}
		name := f.About().Name
		if name == "kimicli" && d.Name() != "context.jsonl" {
			return nil // a file that is read with the session beside it is none by itself
		}
		if found[name] == nil {
			found[name] = map[string]string{}
		}
		below, err := filepath.Rel(root, path)
		found[name][strings.ReplaceAll(filepath.ToSlash(below), "/", " ")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range jqmap.Embedded() {
		name := f.About().Name
		lines := maps.Collect(func(yield func(string, string) bool) {
			for _, file := range slices.Sorted(maps.Keys(found[name])) {
				if filepath.Ext(file) == ".jsonl" && !yield(file, found[name][file]) {
					return
				}
			}
		})
		documents := maps.Clone(found[name])
		maps.DeleteFunc(documents, func(file, _ string) bool { return lines[file] != "" })
		t.Logf("%s: %d files of lines, %d documents", name, len(lines), len(documents))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			held := 0
			if name == "kimi" { // the results of a step are added with its reply
				held = 12
			}
			formatstest.Laws(t, f, formatstest.Corpus{Sources: lines, File: "x.jsonl", Lines: true, Lax: true, Held: held})
			formatstest.Laws(t, f, formatstest.Corpus{Sources: documents, File: "x.json", Whole: true, Text: true, Lax: true})
		})
	}
}
