package storev2

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// smallTable makes a table of ids for a few rows already.
func smallTable() Options {
	o := fastOptions()
	o.MaxSegment, o.idsTail = 1<<20, 700
	return o
}

// covered returns how much of the index the table of ids covers.
func covered(t testing.TB, s *Store) (table, index int64) {
	t.Helper()
	v, err := s.snapshot()
	must(t, err)
	defer v.close()
	x := v.table()
	defer x.close()
	return x.covered(), v.size
}

// An id is found, whether the table covers it or not, and whatever becomes of the
// table: damaged, gone, or that of another index.
func TestIDs(t *testing.T) {
	t.Parallel()
	name := newSession(t, 3)
	o := smallTable()
	_, err := migrate(background, fastDisk{}, name, o)
	must(t, err)
	s, err := openStore(fastDisk{}, Dir(name), o)
	must(t, err)
	file := filepath.Join(s.dir, idsFile)
	have := 3
	check := func(what string) {
		t.Helper()
		for n := 1; n <= have; n++ {
			if e, err := s.Get(fmt.Sprintf("e%07d", n)); err != nil || e.Seq != int64(n) {
				t.Fatalf("%s: entry %d: %+v, %v", what, n, e, err)
			}
		}
		if _, err := s.Get("e9999999"); !errors.Is(err, ErrNotFound) {
			t.Fatalf("%s: %v", what, err)
		}
		if err := s.Append(background, []byte(entryLine(have/2))); !errors.Is(err, ErrDuplicate) {
			t.Fatalf("%s: an id twice: %v", what, err)
		}
	}
	grow := func(to int) {
		t.Helper()
		for ; have < to; have++ {
			must(t, s.Append(background, []byte(entryLine(have+1))))
		}
	}
	grow(100)
	first, err := os.ReadFile(file)
	must(t, err)
	if table, index := covered(t, s); table == 0 || index-table >= 1000 {
		t.Errorf("%d bytes of %d are covered", table, index)
	}
	check("grown")
	wantSound(t, s)
	grow(400)
	check("grown further")

	must(t, os.WriteFile(file, first, 0o600)) // an older one is as good
	check("older")
	spoilt := append([]byte{}, first...)
	for i := idsBlock; i < len(spoilt); i += idsBlock {
		spoilt[i] ^= 1
	}
	must(t, os.WriteFile(file, spoilt, 0o600))
	check("damaged")
	rep, err := s.Verify(background)
	must(t, err)
	if len(rep.Problems) != 1 || rep.Problems[0].Kind != "ids" {
		t.Errorf("damaged: %+v", rep.Problems)
	}
	must(t, os.WriteFile(file, first[:300], 0o600))
	check("cut")
	grow(have + 20) // makes a new one
	wantSound(t, s)
	check("new")
	must(t, os.Remove(file))
	check("gone")
	grow(have + 1)
	must(t, mark(fastDisk{}, name))
	grow(have + 50)
	must(t, s.RollbackTo(background, 1))
	have -= 50
	check("rolled back")
	wantSound(t, s)
}

// A table says of its ids where they are, and of no other one.
func TestIDTable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 2000).Draw(t, "ids")
		m := newIDs(uint64(rapid.IntRange(0, 100).Draw(t, "room")))
		for i := range n {
			m.add(fmt.Sprint("id", i), int64(i)*200)
		}
		dir, err := fastTemp()
		must2(t, err)
		defer os.RemoveAll(dir)
		must2(t, os.Mkdir(filepath.Join(dir, "tmp"), 0o700))
		s := newStore(fastDisk{}, dir, Options{})
		must2(t, m.write(s))
		f, err := openFile(s.d, filepath.Join(dir, idsFile), os.O_RDONLY)
		must2(t, err)
		x := &idTable{f: f, h: m.h}
		defer x.close()
		for i := range n + 10 {
			var at []int64
			must2(t, x.rows(fmt.Sprint("id", i), func(a int64) bool { at = append(at, a); return false }))
			if i < n && (len(at) != 1 || at[0] != int64(i)*200) || i >= n && len(at) > 0 {
				t.Fatalf("id%d of %d is at %v", i, n, at)
			}
		}
	})
}

func must2(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
