package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

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
		if !strings.HasPrefix(path, "../internal/agent/") || strings.HasSuffix(path, "_test.go") {
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
