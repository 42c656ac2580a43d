package operand

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sess-tools/sess/internal/tool/clikit"
)

// A file that was found in a directory is read no further than it goes when it is opened: a
// link may lead to one that never ends.
func TestOpenFoundEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := OpenFound(t.Context(), &clikit.Streams{}, path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("two\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if data, err := io.ReadAll(in); err != nil || string(data) != "one\n" {
		t.Errorf("%q %v", data, err)
	}
}
