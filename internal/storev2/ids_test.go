package storev2

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// The first release kept a table of ids beside the index. A store that has one is read and
// written as any other: nothing looks at the table, whatever is in it.
func TestTableOfIDs(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 5)
	file := filepath.Join(s.dir, "ids.hash")
	table := strings.Repeat("sessids1", 64)
	must.Do(t, os.WriteFile(file, []byte(table), 0o600))
	wantSound(t, s)
	if e, err := s.Get("e0000002"); err != nil || e.Seq != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	must.Do(t, mark(fastDisk{}, name))
	must.Do(t, s.Append(background, []byte(entryLine(6))))
	must.Do(t, s.RollbackTo(background, 1))
	if _, err := s.Rebuild(background); err != nil {
		t.Error(err)
	}
	if r, err := Recover(background, name, testOptions); err != nil || r.Action != "none" {
		t.Errorf("%+v, %v", r, err)
	}
	wantSound(t, s)
	if readText(t, file) != table {
		t.Error("the table was changed")
	}
}

// An id is looked for in all of the index, by search or, in a large batch, by reading it
// once.
func TestTakenIDs(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t, 30)
	for n := 1; n <= 30; n++ {
		if err := s.Append(background, []byte(entryLine(n))); !errors.Is(err, ErrDuplicate) {
			t.Errorf("entry %d twice: %v", n, err)
		}
	}
	batch := func(last string) [][]byte {
		var lines [][]byte
		for n := range fewIDs + 2 {
			lines = append(lines, fmt.Appendf(nil, `{"type":"label","id":"n%d","parentId":"e%07d"}`, n, n+1))
		}
		return append(lines, []byte(last))
	}
	for _, last := range []string{entryLine(1), `{"type":"label","id":"x","parentId":"e0000031"}`} {
		if err := s.Append(background, batch(last)...); !errors.Is(err, ErrContract) {
			t.Errorf("%s: %v", last, err)
		}
	}
	must.Do(t, s.Append(background, batch(`{"type":"label","id":"x","parentId":"e0000030"}`)...))
	wantSound(t, s)
	if !strings.Contains(catText(t, s), `"id":"x"`) {
		t.Error("the batch is not there")
	}
}
