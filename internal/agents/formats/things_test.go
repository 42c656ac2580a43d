package formats

import (
	"os"
	"regexp"
	"testing"
)

// Each kind of loss has words for the table of a conversion, which no other has.
func TestThings(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("loss.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`(?m)^\tKind\w+ += `).FindAll(source, -1)); n < 16 || n != len(things) {
		t.Errorf("%d kinds, and words for %d", n, len(things))
	}
	seen := map[string]string{}
	for kind, words := range things {
		if words == "" || seen[words] != "" {
			t.Errorf("%s is %q, as %s is", kind, words, seen[words])
		}
		seen[words] = kind
	}
}
