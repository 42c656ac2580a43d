package openoxide_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/formatstest"
	"github.com/sess-tools/sess/internal/agent/openoxide"
)

// comb is a session with a branch at each of n steps: as forks they repeat n²/2 entries.
func comb(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i := range n {
		for _, kind := range "ab" {
			fmt.Fprintf(&b, `{"type":"message","id":"%c%07d","parentId":%s,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", kind, i, parent)
		}
		parent = fmt.Sprintf(`"b%07d"`, i)
	}
	return b.String()
}

// Forks that would repeat too much are refused with the numbers before anything is
// made, unless it was allowed.
func TestGrowth(t *testing.T) {
	t.Parallel()
	s := formatstest.Parse(t, comb(5000))
	for growth, refused := range map[int64]bool{0: true, 100: true, 1000: true, 2000: false} {
		target := formats.NewTarget(func(formats.Loss) {})
		target.Path, target.Growth, target.Strict = filepath.Join(t.TempDir(), "x.db"), growth, true // which ends one that is allowed
		err := openoxide.OpenOxide.Export(t.Context(), s, target)
		e, large := errors.AsType[*formats.GrowthError](err)
		switch {
		case large != refused || !large && !errors.Is(err, formats.ErrLossy):
			t.Errorf("up to %d times: %v", growth, err)
		case large && (e.Size < 1<<20 || e.Made < 1000*e.Size || e.Times() > 1999 || len(target.Made) > 0):
			t.Errorf("%v", e)
		}
	}
	few := formatstest.Parse(t, comb(20))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, few, filepath.Join(t.TempDir(), "x.db")); err != nil {
		t.Errorf("a small one: %v", err)
	}
}

// The lengths of paths are right where parents form a cycle, too: it costs nothing to ask.
func TestGrowthOfCycles(t *testing.T) {
	t.Parallel()
	entry := func(id, parent string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"x"}}`+"\n", id, parent)
	}
	header, _, _ := strings.Cut(comb(0), "\n")
	s := formatstest.Parse(t, header+"\n"+entry("a", "c")+entry("b", "a")+entry("c", "b")+entry("d", "c")+entry("e", "e")+entry("f", "gone"))
	if _, err := formatstest.TryExportTo(t.Context(), openoxide.OpenOxide, s, filepath.Join(t.TempDir(), "x.db")); err != nil {
		t.Error(err)
	}
}
