package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sibling"
)

// driver is the name of the merge driver in the documentation of sess-merge.
const driver = "sess"

// mergeDriver looks whether git knows the merge driver that the attributes of the work
// tree name: git says nothing of one that it does not know, and merges lines.
func mergeDriver(ctx context.Context, _ *clikit.Streams) []finding {
	const check = "git"
	file := attributes()
	if file == "" {
		return nil
	}
	line, err := sibling.Output(ctx, "git", "config", "--get", "merge."+driver+".driver")
	if err != nil || strings.TrimSpace(line) == "" {
		return []finding{{
			check, warn, fmt.Sprintf("%s names the merge driver %s, which git does not know here: it merges lines", file, driver),
			"git config merge." + driver + ".driver 'sess-merge --git -- %O %A %B %P'",
		}}
	}
	return []finding{{Check: check, Status: ok, Text: fmt.Sprintf("%s names the merge driver %s: %s", file, driver, line)}}
}

// attributes returns the file with attributes that names the driver, "" if none does, from
// the working directory up to the top of the work tree.
func attributes() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for found := ""; ; dir = filepath.Dir(dir) {
		if name := filepath.Join(dir, ".gitattributes"); found == "" && names(name) {
			found = name
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return found
		}
		if dir == filepath.Dir(dir) {
			return "" // in no work tree
		}
	}
}

// names reports whether a file with attributes names the driver.
func names(file string) bool {
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if len(words) > 1 && !strings.HasPrefix(words[0], "#") && slices.Contains(words[1:], "merge="+driver) {
			return true
		}
	}
	return false
}
