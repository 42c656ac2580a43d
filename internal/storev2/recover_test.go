package storev2

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/must"
)

// The three rules of a migration that died, and what becomes of a missing target.
func TestRecoverMigration(t *testing.T) {
	t.Parallel()
	staged := func(t *testing.T) (*Store, string) { // in place, not confirmed
		s, name := newTestStore(t, 3)
		tr := transition{seq: 1, from: Clean, to: MigrationStaging, reason: "test", at: s.o.now(), ordered: true}
		must.Do(t, os.Remove(filepath.Join(s.dir, stateFile)))
		must.Do(t, writeState(disk.OS{}, s.dir, &tr, true))
		if err := s.Append(t.Context(), []byte(entryLine(4))); !errors.Is(err, ErrState) {
			t.Errorf("appending: %v", err)
		}
		return s, name
	}
	flip := func(t *testing.T, s *Store) {
		file := s.segmentPath(1)
		must.Do(t, os.WriteFile(file, []byte(strings.Replace(readText(t, file), "number 1", "number 7", 1)), 0o600))
	}
	t.Run("no marker", func(t *testing.T) {
		t.Parallel()
		s, name := staged(t)
		must.Do(t, os.Remove(filepath.Join(s.dir, markerFile)))
		got, err := Recover(t.Context(), name, testOptions)
		if err != nil || got.Action != "source" || got.Dir != "" {
			t.Errorf("%+v, %v", got, err)
		}
		if left, _ := filepath.Glob(Dir(name) + "*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("marker", func(t *testing.T) {
		t.Parallel()
		s, name := staged(t)
		got, err := Recover(t.Context(), name, testOptions)
		if err != nil || got.Action != "completed" {
			t.Errorf("%+v, %v", got, err)
		}
		wantSound(t, s)
	})
	t.Run("marker, damaged", func(t *testing.T) {
		t.Parallel()
		s, name := staged(t)
		flip(t, s)
		got, err := Recover(t.Context(), name, testOptions)
		if err != nil || got.Action != "rolledback" {
			t.Fatalf("%+v, %v", got, err)
		}
		if st, err := mustOpen(t, got.Dir, testOptions).Status(); err != nil || st.State != RolledBack {
			t.Errorf("%+v, %v", st, err)
		}
	})
	for what, spoil := range map[string]func(t *testing.T, name string){
		"gone":    func(t *testing.T, name string) { must.Do(t, os.Remove(name)) },
		"changed": func(t *testing.T, name string) { must.Do(t, os.WriteFile(name, []byte(testHeader+"\n"), 0o600)) },
	} {
		t.Run("marker, damaged, target "+what, func(t *testing.T) {
			t.Parallel()
			s, name := staged(t)
			flip(t, s)
			spoil(t, name)
			if _, err := Recover(t.Context(), name, testOptions); !errors.Is(err, ErrNoTarget) {
				t.Errorf("%v", err)
			}
			if st, err := s.currentState(); err != nil || st.to != Failed {
				t.Errorf("%+v, %v", st, err)
			}
			if err := s.Append(t.Context(), []byte(entryLine(4))); !errors.Is(err, ErrState) {
				t.Errorf("appending: %v", err)
			}
		})
	}
	t.Run("damaged, with sound entries of its own", func(t *testing.T) {
		t.Parallel()
		s, name := newTestStore(t, 3)
		text := readText(t, name)
		must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
		flip(t, s)
		got, err := Recover(t.Context(), name, testOptions)
		if err != nil || got.Action != "rolledback" || got.Carried != 1 || got.Lost != 0 || readText(t, name) != text+entryLine(4)+"\n" {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("damaged, with entries of its own", func(t *testing.T) {
		t.Parallel()
		s, name := newTestStore(t, 3)
		must.Do(t, s.Append(t.Context(), []byte(entryLine(4))))
		file := lastSegment(t, name)
		must.Do(t, os.WriteFile(file, []byte(strings.Replace(readText(t, file), "number 4", "number 7", 1)), 0o600))
		if _, err := Recover(t.Context(), name, testOptions); !errors.Is(err, ErrUnsaved) {
			t.Errorf("%v", err)
		}
		if st, err := s.currentState(); err != nil || st.to != Failed {
			t.Errorf("%+v, %v", st, err)
		}
	})
}
