package docs_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/clikit"
)

// descriptions returns what each tool says of itself as data.
func descriptions(t *testing.T) (all []clikit.Description) {
	t.Helper()
	for _, tool := range tools(t) {
		out, err := exec.Command(filepath.Join(bin, tool), "--describe").Output()
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		var d clikit.Description
		if err := json.Unmarshal(out, &d); err != nil || d.Tool != tool || len(d.Flags) == 0 {
			t.Fatalf("%s: %v: %s", tool, err, out)
		}
		all = append(all, d)
	}
	return all
}

// One word has one meaning in all tools, and one meaning one word.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, complaint := range clikit.Drift(descriptions(t)) {
		t.Error(complaint)
	}
}
