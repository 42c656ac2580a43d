package all_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// TestGrowsWild holds sessions of people, which are no part of the project, to the laws that growth is appending, and that a reader
// that adds up finds the same: those in the directories that SESS_PEOPLE names, as PATH names directories.
func TestGrowsWild(t *testing.T) {
	t.Parallel()
	roots := os.Getenv("SESS_PEOPLE")
	if roots == "" {
		t.Skip("SESS_PEOPLE names no directory with sessions of people")
	}
	count := map[string]int{}
	for _, root := range filepath.SplitList(roots) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, ok := formats.Detect(all.Formats(), path, data[:min(len(data), formats.HeadSize)])
			if !ok || !f.About().Grows {
				return nil
			}
			count[f.About().Name] += strings.Count(string(data), "\n")
			t.Run(f.About().Name+" "+filepath.Base(filepath.Dir(path)), func(t *testing.T) {
				c := formatstest.Corpus{Sources: map[string]string{"x": string(data)}, File: filepath.Base(path), Lines: true}
				formatstest.Grows(t, f, c, "x")
				formatstest.Used(t, f, c, "x")
				formatstest.Answers(t, f, c, "x")
				formatstest.Collected(t, f, c, "x")
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("lines: %v", count)
}
