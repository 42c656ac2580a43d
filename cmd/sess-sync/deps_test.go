package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Only this tool links the libraries of remotes: the others stay small and start at
// once.
func TestOnlySyncLinksRemotes(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}: {{join .Deps " "}}`, "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		name, deps, _ := strings.Cut(line, ": ")
		links := strings.Contains(deps, "minio-go") || strings.Contains(deps, "nats-io") || strings.Contains(deps, "internal/share/remote")
		if is := strings.HasSuffix(name, "/sess-sync"); links != is {
			t.Errorf("%s links the libraries of remotes: %v", name, links)
		}
		seen++
	}
	if seen < 10 {
		t.Errorf("%d tools", seen)
	}
}
