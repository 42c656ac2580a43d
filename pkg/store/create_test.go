package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/jsonl"
)

type failing struct{}

func (failing) WriteTo(w io.Writer) (int64, error) {
	n, _ := io.WriteString(w, "half a")
	return int64(n), fs.ErrInvalid
}

// A path appears with all of its content or not at all, and never in the place of
// another.
func TestCreateWhole(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(t.TempDir(), "store"))
	if _, err := s.Create("/w", testTime, testID, failing{}, true); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("content that fails: %v", err)
	}
	path, err := s.Create("/w", testTime, testID, jsonl.Content{"{}"}, true)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := s.PathFor("/w", testTime, testID); path != want {
		t.Errorf("%s, not %s", path, want)
	}
	if _, err := s.Create("/w", testTime, testID, jsonl.Content{"other"}, true); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "{}\n" {
		t.Errorf("%q, %v", got, err)
	}
	names, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(names) != 1 || strings.HasPrefix(names[0].Name(), ".") {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := s.Create("/w", testTime, "../x", jsonl.Content{"{}"}, true); err == nil {
		t.Error("a path was made of an id")
	}
}
