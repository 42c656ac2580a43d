package operand

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// An error of reading names the session, and one of the copy does not.
func TestSpooled(t *testing.T) {
	failed := errors.New("failed")
	_, err := Spooled(t.Context(), "x.jsonl", io.MultiReader(strings.NewReader("text"), iotest.ErrReader(failed)))
	if !errors.Is(err, failed) || !strings.Contains(err.Error(), "x.jsonl: ") {
		t.Errorf("%v", err)
	}
	t.Setenv("TMPDIR", "/nonexistent")
	_, err = Spooled(t.Context(), "x.jsonl", strings.NewReader(strings.Repeat("x", 16<<20)))
	if err == nil || strings.Contains(err.Error(), "x.jsonl") {
		t.Errorf("without a place for the copy: %v", err)
	}
}
