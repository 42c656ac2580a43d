package operand

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// What can be read once is the same when it is read anywhere, in memory and in a file.
func TestSpooled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	failed := errors.New("failed")
	for _, size := range []int{0, 1, inMemory - 1, inMemory, inMemory + 1, 2*inMemory + 1} {
		text := strings.Repeat("0123456789", size/10+1)[:size]
		s, err := Spooled(t.Context(), "x.jsonl", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size))
		if string(got) != text || err != nil || (s.file != nil) != (size >= inMemory) {
			t.Errorf("%d bytes: read %d, %v", size, len(got), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		_, err = Spooled(t.Context(), "x.jsonl", io.MultiReader(strings.NewReader(text), iotest.ErrReader(failed)))
		if !errors.Is(err, failed) || !strings.Contains(err.Error(), "x.jsonl: ") {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	t.Setenv("TMPDIR", "/nonexistent") // an error of the copy is none of the session
	_, err := Spooled(t.Context(), "x.jsonl", strings.NewReader(strings.Repeat("x", inMemory)))
	if err == nil || strings.Contains(err.Error(), "x.jsonl") {
		t.Errorf("without a place for the copy: %v", err)
	}
}
