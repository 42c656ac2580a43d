package seg

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/disk"
)

// A state that cannot be read, or that the table does not know, stops writers.
func TestStateFailsClosed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"garbage":          "garbage\n",
		"flipped":          "", // see below
		"not in the table": string((&transition{seq: 9, from: Clean, to: Migrated, reason: "r", at: "2026-02-15T18:11:00.000Z"}).encode()),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newTestStore(t, 3)
			file := filepath.Join(s.dir, stateFile)
			if text == "" {
				text = strings.ReplaceAll(readText(t, file), "migration", "xigration")
			}
			must(t, os.WriteFile(file, []byte(text), 0o600))
			if err := s.Append(t.Context(), []byte(entryLine(4))); !errors.Is(err, ErrState) {
				t.Errorf("appending: %v", err)
			}
			if got := ids(t, s); len(got) != 3 {
				t.Errorf("reading: %v", got)
			}
			if rep, err := s.Verify(t.Context()); err != nil || rep.OK() || rep.State != Failed {
				t.Errorf("verifying: %+v, %v", rep, err)
			}
			_, err := Recover(t.Context(), s.dir, testOptions)
			must(t, err)
			must(t, s.Append(t.Context(), []byte(entryLine(4))))
			wantSound(t, s)
		})
	}
}

// One torn slot leaves the transition before it.
func TestStateSurvivesTornWrite(t *testing.T) {
	t.Parallel()
	s, _ := newTestStore(t, 3)
	before, err := s.currentState()
	must(t, err)
	next, err := before.nextTransition(Dirty, "test", "2026-02-15T18:11:00.000Z")
	must(t, err)
	file := filepath.Join(s.dir, stateFile)
	old := readText(t, file)
	must(t, writeState(disk.OS{}, s.dir, &next, true))
	whole := readText(t, file)
	for n := 1; n < stateSlot; n += 37 {
		at := int((next.seq + 1) % 2 * stateSlot)
		torn := old[:at] + whole[at:at+n] + old[min(at+n, len(old)):]
		must(t, os.WriteFile(file, []byte(torn), 0o600))
		got, err := s.currentState()
		if err != nil || got.to != before.to && got.to != next.to {
			t.Fatalf("torn after %d bytes: %+v, %v", n, got, err)
		}
	}
}
