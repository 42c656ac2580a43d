package main

import (
	"fmt"
	"os"
	"strings"
)

// changes returns the section of a version in a change log: what stands between its heading, "## 1.2.3"
// with perhaps a date behind it, and the next one. For a version such as 1.2.3-rc.1, which may have none, it is
// that of what is not released yet.
func changes(path, version string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text, ok := section(string(data), version)
	if !ok && strings.Contains(version, "-") {
		text, ok = section(string(data), "Unreleased")
	}
	if !ok {
		return "", fmt.Errorf("CHANGELOG.md has no section %q: give the changes a heading \"## %s\", and commit it", version, version)
	}
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("CHANGELOG.md says nothing of %s", version)
	}
	return "# sess " + version + "\n\n" + strings.TrimSpace(text) + "\n", nil
}

func section(text, name string) (string, bool) {
	var out strings.Builder
	found := false
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			if found {
				break
			}
			word, _, _ := strings.Cut(strings.TrimSpace(heading), " ")
			found = word == name
			continue
		}
		if found {
			out.WriteString(line)
		}
	}
	return out.String(), found
}
