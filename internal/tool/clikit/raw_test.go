package clikit_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Control characters of data reach a terminal where a flag asks for just that, and nowhere
// else: a tool that wants Raw has to be named here, and its manual page has to say it.
func TestWhoMayWriteRaw(t *testing.T) {
	t.Parallel()
	var who []string
	asks := regexp.MustCompile(`\b(s|streams)\.Raw\(\)|\bos\.Stdout\b`)
	err := filepath.WalkDir("../../../cmd", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && asks.Match(text) {
			who = append(who, filepath.Base(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	who = slices.Compact(who)
	if want := []string{"sess-grep"}; !slices.Equal(who, want) {
		t.Errorf("%q write control characters to a terminal, want %q", who, want)
	}
}
