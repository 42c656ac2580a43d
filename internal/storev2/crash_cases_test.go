package storev2

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/must"
)

func fastOptions() Options {
	o := testOptions
	o.MaxSegment = 1200
	return o
}

func appendN(d disk.FS, name string, from, to int) error {
	s, err := openStore(d, Dir(name), fastOptions())
	if err != nil {
		return err
	}
	var lines [][]byte
	for n := from; n <= to; n++ {
		lines = append(lines, []byte(entryLine(n)))
	}
	return s.Append(background, lines...)
}

func withStore(d disk.FS, name string, do func(s *Store) error) error {
	s, err := openStore(d, Dir(name), fastOptions())
	if err != nil {
		return err
	}
	return do(s)
}

func mark(d disk.FS, name string) error {
	return withStore(d, name, func(s *Store) error { _, err := s.Checkpoint(background, "manual"); return err })
}

var crashCases = map[string]crashCase{
	"append": {
		undone: true, entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		do: func(d disk.FS, name string) error { return appendN(d, name, 4, 4) },
	},
	"first append": {
		undone: true, entries: 0, kept: 0, most: 2, acked: 2, reopen: true,
		do: func(d disk.FS, name string) error { return appendN(d, name, 1, 2) },
	},
	"append with rotation and seal": {
		undone: true, entries: 3, kept: 3, most: 8, acked: 8, reopen: true,
		do: func(d disk.FS, name string) error { return appendN(d, name, 4, 8) },
	},
	"second append": {
		undone: true, entries: 3, kept: 4, most: 5, acked: 5, reopen: true,
		prepare: func(t *testing.T, name string) { must.Do(t, appendN(fastDisk{}, name, 4, 4)) },
		do:      func(d disk.FS, name string) error { return appendN(d, name, 5, 5) },
	},
	"mending frames without rows": {
		entries: 3, kept: 5, most: 6, acked: 6, reopen: true,
		prepare: func(t *testing.T, name string) {
			must.Do(t, appendN(fastDisk{}, name, 4, 5))
			cutIndex(t, name, 2)
		},
		do: func(d disk.FS, name string) error { return appendN(d, name, 6, 6) },
	},
	"mending a torn frame": {
		entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		prepare: func(t *testing.T, name string) { addTo(t, lastSegment(t, name), `{"schema":"pi.session_store_v2.segm`) },
		do:      func(d disk.FS, name string) error { return appendN(d, name, 4, 4) },
	},
	"mending a torn row": {
		entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		prepare: func(t *testing.T, name string) { addTo(t, filepath.Join(Dir(name), indexFile), `{"schema":"pi`) },
		do:      func(d disk.FS, name string) error { return appendN(d, name, 4, 4) },
	},
	"checkpoint": {entries: 3, kept: 3, most: 3, acked: 3, reopen: true, do: mark},
	"rollback to a checkpoint": {
		entries: 2, kept: 2, most: 7, acked: 2, reopen: true,
		prepare: func(t *testing.T, name string) {
			must.Do(t, mark(fastDisk{}, name))
			must.Do(t, appendN(fastDisk{}, name, 3, 7))
		},
		do: func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error { return s.RollbackTo(background, 1) })
		},
	},
	"rebuild": {
		entries: 5, kept: 5, most: 5, acked: 5, reopen: true,
		do: func(d disk.FS, name string) error {
			return withStore(d, name, func(s *Store) error { _, err := s.Rebuild(background); return err })
		},
	},
	"migrate and cutover": {
		entries: 5, before: true, kept: 5, most: 5, acked: 5,
		do: func(d disk.FS, name string) error { _, err := migrate(background, d, name, fastOptions()); return err },
	},
	"migrate and exchange": {
		entries: 3, kept: 3, most: 4, acked: 4,
		prepare: func(t *testing.T, name string) { addTo(t, name, entryLine(4)+"\n") },
		do:      func(d disk.FS, name string) error { _, err := migrate(background, d, name, fastOptions()); return err },
	},
	"migrate and replace": {
		entries: 3, kept: 3, most: 4, acked: 4, noSwap: true,
		prepare: func(t *testing.T, name string) { addTo(t, name, entryLine(4)+"\n") },
		do:      func(d disk.FS, name string) error { _, err := migrate(background, d, name, fastOptions()); return err },
	},
	"rollback": {
		entries: 3, kept: 3, most: 3, acked: 3,
		do: func(d disk.FS, name string) error {
			_, err := rollback(background, d, name, "test", fastOptions())
			return err
		},
	},
	"rollback with entries of its own": {
		entries: 3, kept: 5, most: 5, acked: 5,
		prepare: func(t *testing.T, name string) { must.Do(t, appendN(fastDisk{}, name, 4, 5)) },
		do: func(d disk.FS, name string) error {
			_, err := rollback(background, d, name, "test", fastOptions())
			return err
		},
	},
	"migrate into a store with entries of its own": {
		entries: 3, kept: 4, most: 5, acked: 5,
		prepare: func(t *testing.T, name string) {
			must.Do(t, appendN(fastDisk{}, name, 4, 4))
			addTo(t, name, entryLine(5)+"\n")
		},
		do: func(d disk.FS, name string) error { _, err := migrate(background, d, name, fastOptions()); return err },
	},
	"recovery from the file": {
		entries: 5, kept: 5, most: 5, acked: 5,
		prepare: func(t *testing.T, name string) {
			file := lastSegment(t, name)
			must.Do(t, os.Truncate(file, int64(len(readText(t, file))-40)))
		},
		do: func(d disk.FS, name string) error {
			_, err := recoverStore(background, d, name, fastOptions())
			return err
		},
	},
	"recovery of documents": {
		entries: 3, kept: 5, most: 5, acked: 5,
		prepare: func(t *testing.T, name string) {
			must.Do(t, appendN(fastDisk{}, name, 4, 5))
			must.Do(t, mark(fastDisk{}, name))
			for _, file := range []string{markerFile, ledgerFile, checkpointName(1)} {
				file = filepath.Join(Dir(name), file)
				must.Do(t, os.Truncate(file, int64(len(readText(t, file))-30)))
			}
		},
		do: func(d disk.FS, name string) error {
			_, err := recoverStore(background, d, name, fastOptions())
			return err
		},
	},
	"recovery with loss": {
		entries: 3, kept: 4, most: 4, acked: 4,
		prepare: func(t *testing.T, name string) {
			must.Do(t, appendN(fastDisk{}, name, 4, 5))
			file := lastSegment(t, name)
			must.Do(t, os.Truncate(file, int64(len(readText(t, file))-40)))
		},
		do: func(d disk.FS, name string) error {
			_, err := recoverStore(background, d, name, fastOptions())
			return err
		},
	},
}

func addTo(t *testing.T, name, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(readText(t, name)+text), 0o600))
}

func lastSegment(t *testing.T, name string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Dir(name), "segments", "*.seg"))
	must.Do(t, err)
	return all[len(all)-1]
}

// cutIndex takes the last n rows away.
func cutIndex(t *testing.T, name string, n int) {
	t.Helper()
	file := filepath.Join(Dir(name), indexFile)
	rows := strings.SplitAfter(readText(t, file), "\n")
	must.Do(t, os.WriteFile(file, []byte(strings.Join(rows[:len(rows)-1-n], "")), 0o600))
}
