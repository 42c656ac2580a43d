package storev2

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
)

// A crashCase is one operation that is struck at each of its system calls.
type crashCase struct {
	entries int                                // of the store before
	prepare func(t *testing.T, name string)    // what else there is before
	do      func(d disk.FS, name string) error // the operation
	kept    int                                // entries that nothing may take away
	most    int                                // entries that may be there
	// acked is how many entries are there for sure after do returned nil.
	acked  int
	undone bool // after one failing call that is reported, all is as before
	reopen bool // the next append has to get along without Recover
	before bool // there is no store before
	noSwap bool // no exchange of directories
}

// Whichever system call is the last of a process, or fails: what was acknowledged
// is there, the store can be put in order, and can be written again. It is every third call, with
// SESS_DRAW=full each, and with -short every twelfth.
func TestCrash(t *testing.T) {
	t.Parallel()
	starts, step := drawn.Third(t, []int{1, 2, 3}), 3
	if testing.Short() {
		starts, step = []int{1}, 12
	}
	for name, tt := range crashCases {
		for _, f := range []fault{kill, powerLoss, failing} {
			t.Run(name+"/"+string(f), func(t *testing.T) {
				t.Parallel()
				template := tt.template(t)
				var n int
				for _, start := range starts {
					for n = start; ; n += step {
						if ended := tt.strikeAt(t, template, f, n); ended || t.Failed() {
							break
						}
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
func fastDir(t testing.TB) string {
	t.Helper()
	dir, err := fastTemp()
	must.Do(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func fastTemp() (string, error) {
	dir, err := os.MkdirTemp("/dev/shm", "seg")
	if err != nil {
		dir, err = os.MkdirTemp("", "seg")
	}
	return dir, err
}

// template returns a directory with what there is before the operation.
func (tt *crashCase) template(t *testing.T) string {
	t.Helper()
	name := newSession(t, tt.entries)
	if !tt.before {
		_, err := migrate(background, fastDisk{}, name, fastOptions())
		must.Do(t, err)
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
	ended, err := strike(t, d, func(d disk.FS) error { return tt.do(d, name) })
	if ended && err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	if f == failing && err != nil && errors.Is(err, ErrCorrupt) {
		t.Errorf("call %d, %s: taken for damage: %v", n, d.struck, err)
	}
	if tt.undone && f == failing && err != nil {
		for _, file := range []string{indexFile, "segments/0000000000000001.seg", "segments/0000000000000002.seg", "segments/0000000000000003.seg"} {
			was, _ := os.ReadFile(filepath.Join(template, "s.v2", file))
			is, _ := os.ReadFile(filepath.Join(dir, "s.v2", file))
			if !bytes.Equal(was, is) {
				t.Errorf("call %d, %s: %s was not taken back", n, d.struck, file)
			}
		}
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
