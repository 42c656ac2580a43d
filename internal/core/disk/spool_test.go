package disk

import (
	"errors"
	"io"
	"io/fs"
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
		s, err := Spooled(t.Context(), strings.NewReader(text))
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
		_, err = Spooled(t.Context(), io.MultiReader(strings.NewReader(text), iotest.ErrReader(failed)))
		if !errors.Is(err, failed) || err.Error() != failed.Error() {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	t.Setenv("TMPDIR", "/nonexistent")
	if _, err := Spooled(t.Context(), strings.NewReader(strings.Repeat("x", inMemory))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a place for the copy: %v", err)
	}
}
