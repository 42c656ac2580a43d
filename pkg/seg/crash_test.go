package seg

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A crashCase is one operation that is struck at each of its system calls.
type crashCase struct {
	entries int                             // of the store before
	prepare func(t *testing.T, name string) // what else there is before
	do      func(d disk, name string) error // the operation
	kept    int                             // entries that nothing may take away
	most    int                             // entries that may be there
	// acked is how many entries are there for sure after do returned nil.
	acked  int
	reopen bool // the next append has to get along without Recover
	before bool // there is no store before
	noSwap bool // no exchange of directories
}

func fastOptions() Options {
	o := testOptions
	o.MaxSegment = 1200
	return o
}

func appendN(d disk, name string, from, to int) error {
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

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func withStore(d disk, name string, do func(s *Store) error) error {
	s, err := openStore(d, Dir(name), fastOptions())
	if err != nil {
		return err
	}
	return do(s)
}

func mark(d disk, name string) error {
	return withStore(d, name, func(s *Store) error { _, err := s.Checkpoint(background, "manual"); return err })
}

var crashCases = map[string]crashCase{
	"append": {entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		do: func(d disk, name string) error { return appendN(d, name, 4, 4) }},
	"first append": {entries: 0, kept: 0, most: 2, acked: 2, reopen: true,
		do: func(d disk, name string) error { return appendN(d, name, 1, 2) }},
	"append with rotation and seal": {entries: 3, kept: 3, most: 8, acked: 8, reopen: true,
		do: func(d disk, name string) error { return appendN(d, name, 4, 8) }},
	"second append": {entries: 3, kept: 4, most: 5, acked: 5, reopen: true,
		prepare: func(t *testing.T, name string) { must(t, appendN(fastDisk{}, name, 4, 4)) },
		do:      func(d disk, name string) error { return appendN(d, name, 5, 5) }},
	"mending frames without rows": {entries: 3, kept: 5, most: 6, acked: 6, reopen: true,
		prepare: func(t *testing.T, name string) {
			must(t, appendN(fastDisk{}, name, 4, 5))
			cutIndex(t, name, 2)
		},
		do: func(d disk, name string) error { return appendN(d, name, 6, 6) }},
	"mending a torn frame": {entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		prepare: func(t *testing.T, name string) { addTo(t, lastSegment(t, name), `{"schema":"pi.session_store_v2.segm`) },
		do:      func(d disk, name string) error { return appendN(d, name, 4, 4) }},
	"mending a torn row": {entries: 3, kept: 3, most: 4, acked: 4, reopen: true,
		prepare: func(t *testing.T, name string) { addTo(t, filepath.Join(Dir(name), indexFile), `{"schema":"pi`) },
		do:      func(d disk, name string) error { return appendN(d, name, 4, 4) }},
	"checkpoint": {entries: 3, kept: 3, most: 3, acked: 3, reopen: true, do: mark},
	"rollback to a checkpoint": {entries: 2, kept: 2, most: 7, acked: 2, reopen: true,
		prepare: func(t *testing.T, name string) {
			must(t, mark(fastDisk{}, name))
			must(t, appendN(fastDisk{}, name, 3, 7))
		},
		do: func(d disk, name string) error {
			return withStore(d, name, func(s *Store) error { return s.RollbackTo(background, 1) })
		}},
	"rebuild": {entries: 5, kept: 5, most: 5, acked: 5, reopen: true,
		do: func(d disk, name string) error {
			return withStore(d, name, func(s *Store) error { _, err := s.Rebuild(background); return err })
		}},
	"migrate and cutover": {entries: 5, before: true, kept: 5, most: 5, acked: 5,
		do: func(d disk, name string) error { _, err := migrate(background, d, name, fastOptions()); return err }},
	"migrate and exchange": {entries: 3, kept: 3, most: 4, acked: 4,
		prepare: func(t *testing.T, name string) { addTo(t, name, entryLine(4)+"\n") },
		do:      func(d disk, name string) error { _, err := migrate(background, d, name, fastOptions()); return err }},
	"migrate and replace": {entries: 3, kept: 3, most: 4, acked: 4, noSwap: true,
		prepare: func(t *testing.T, name string) { addTo(t, name, entryLine(4)+"\n") },
		do:      func(d disk, name string) error { _, err := migrate(background, d, name, fastOptions()); return err }},
	"rollback": {entries: 3, kept: 3, most: 3, acked: 3,
		do: func(d disk, name string) error {
			_, err := rollback(background, d, name, "test", fastOptions())
			return err
		}},
	"recovery with loss": {entries: 5, kept: 4, most: 4, acked: 4,
		prepare: func(t *testing.T, name string) {
			file := lastSegment(t, name)
			must(t, os.Truncate(file, int64(len(readText(t, file))-40)))
		},
		do: func(d disk, name string) error {
			_, err := recoverStore(background, d, name, fastOptions())
			return err
		}},
}

func addTo(t *testing.T, name, text string) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(readText(t, name)+text), 0o600))
}

func lastSegment(t *testing.T, name string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Dir(name), "segments", "*.seg"))
	must(t, err)
	return all[len(all)-1]
}

// cutIndex takes the last n rows away.
func cutIndex(t *testing.T, name string, n int) {
	t.Helper()
	file := filepath.Join(Dir(name), indexFile)
	rows := strings.SplitAfter(readText(t, file), "\n")
	must(t, os.WriteFile(file, []byte(strings.Join(rows[:len(rows)-1-n], "")), 0o600))
}

// Whichever system call is the last of a process, or fails: what was acknowledged
// is there, the store can be put in order, and can be written again.
func TestCrash(t *testing.T) {
	t.Parallel()
	for name, tt := range crashCases {
		for _, f := range []fault{kill, powerLoss, failing} {
			t.Run(name+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				template := tt.template(t)
				n := 1
				for ; ; n++ {
					if ended := tt.strikeAt(t, template, f, n); ended || t.Failed() {
						break
					}
				}
				if n < 5 {
					t.Errorf("only %d system calls", n-1)
				}
			})
		}
	}
}

// fastDir returns a directory in memory, if there is such a thing: hundreds of
// stores are made here.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "seg")
	if err != nil {
		dir, err = os.MkdirTemp("", "seg")
	}
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// template returns a directory with what there is before the operation.
func (tt *crashCase) template(t *testing.T) string {
	t.Helper()
	name := newSession(t, tt.entries)
	if !tt.before {
		_, err := migrate(background, fastDisk{}, name, fastOptions())
		must(t, err)
	}
	if tt.prepare != nil {
		tt.prepare(t, name)
	}
	return filepath.Dir(name)
}

func (tt *crashCase) strikeAt(t *testing.T, template string, f fault, n int) (ended bool) {
	dir := filepath.Join(fastDir(t), "w")
	copyTree(t, template, dir)
	defer os.RemoveAll(filepath.Dir(dir))
	name := filepath.Join(dir, "s.jsonl")
	d := newFaultyDisk(f, n)
	d.swaps = !tt.noSwap
	err, ended := strike(t, d, func(d disk) error { return tt.do(d, name) })
	if ended && err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	if f == failing && err != nil && errors.Is(err, ErrCorrupt) {
		t.Errorf("call %d, %s: taken for damage: %v", n, d.struck, err)
	}
	least := tt.kept
	if err == nil {
		least = tt.acked
	}
	tt.check(t, name, least, func(format string, args ...any) {
		t.Helper()
		t.Fatalf("call %d, "+d.struck+": "+format, append([]any{n}, args...)...)
	})
	return ended
}

// check puts the session in order, looks at its entries and goes on writing.
func (tt *crashCase) check(t *testing.T, name string, least int, fatal func(string, ...any)) {
	t.Helper()
	if tt.reopen {
		if err := withStore(fastDisk{}, name, func(s *Store) error { return s.change(background, func(*writer) error { return nil }) }); err != nil {
			fatal("reopening: %v", err)
		}
	}
	if _, err := recoverStore(background, fastDisk{}, name, fastOptions()); err != nil {
		fatal("recovering: %v", err)
	}
	if left, _ := filepath.Glob(Dir(name) + ".[bs]*"); len(left) > 0 {
		fatal("left behind: %v", left)
	}
	if _, err := os.Lstat(Dir(name)); err != nil { // the file is the session
		if _, err := migrate(background, fastDisk{}, name, fastOptions()); err != nil {
			fatal("migrating again: %v", err)
		}
	}
	s, err := openStore(fastDisk{}, Dir(name), fastOptions())
	if err != nil {
		fatal("opening: %v", err)
	}
	verified := func() {
		rep, err := s.Verify(background)
		if err != nil || !rep.OK() {
			fatal("verifying: %v, %v", err, rep)
		}
	}
	got := ids(t, s) // Recover has verified it

	if len(got) < least || len(got) > tt.most {
		fatal("%d entries, want %d to %d: %v", len(got), least, tt.most, got)
	}
	for i, id := range got {
		if !strings.Contains(entryLine(i+1), `"id":"`+id+`"`) {
			fatal("entry %d is %s", i+1, id)
		}
	}
	if err := appendN(fastDisk{}, name, len(got)+1, len(got)+1); err != nil {
		fatal("writing on: %v", err)
	}
	verified()
	if !slices.Equal(ids(t, s)[:len(got)], got) {
		fatal("entries changed")
	}
	var b bytes.Buffer
	if _, err := s.WriteTo(&b); err != nil || !strings.HasPrefix(b.String(), testHeader+"\n") {
		fatal("writing the session: %v, %.80q", err, b.String())
	}
}
