package storev2

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/must"
)

// A damage is what happens to one file of a store. nil is a file that is gone.
type damage struct {
	what string
	do   func(old string) (string, bool) // false if it would change nothing
}

// damages are all ways to damage a file. Bytes are flipped at so many places.
func damages(text string, flips int) []damage {
	cut := func(n int) func(string) (string, bool) {
		return func(old string) (string, bool) { return old[:max(0, len(old)-n)], len(old) > 0 }
	}
	out := []damage{
		{"torn by one byte", cut(1)},
		{"torn by twenty", cut(20)},
		{"torn in half", cut(len(text) / 2)},
		{"empty", cut(len(text))},
		{"missing", nil},
		{"longer", func(old string) (string, bool) { return old + "x", true }},
	}
	lines := strings.SplitAfter(text, "\n")
	for i := range min(len(lines)-1, 12) {
		out = append(out, damage{fmt.Sprintf("rows %d and %d swapped", i+1, i+2), func(old string) (string, bool) {
			l := append([]string{}, lines...)
			l[i], l[i+1] = l[i+1], l[i]
			now := strings.Join(l, "")
			return now, now != old
		}})
	}
	for k := range min(flips, len(text)) {
		at := (len(text) - 1) * k / max(1, flips-1)
		for _, bit := range []byte{0x01, 0x20} { // another digit or letter, and another case
			out = append(out, damage{fmt.Sprintf("flipped by %#x at %d", bit, at), func(old string) (string, bool) {
				b := []byte(old)
				b[at] ^= bit
				return string(b), true
			}})
		}
	}
	return out
}

// A damagedStore is a store with one of everything: entries that were migrated, some
// that were appended, a checkpoint between them.
type damagedStore struct {
	dir   string // of the session
	text  string // all of it
	names []string
}

func newDamagedStore(t *testing.T) damagedStore {
	t.Helper()
	_, name := newTestStore(t, 3)
	must.Do(t, appendN(fastDisk{}, name, 4, 5))
	must.Do(t, mark(fastDisk{}, name))
	must.Do(t, appendN(fastDisk{}, name, 6, 6))
	must.Do(t, appendN(fastDisk{}, name, 7, 7))
	s := mustOpen(t, Dir(name), fastOptions())
	wantSound(t, s)
	d := damagedStore{dir: filepath.Dir(name), text: catText(t, s)}
	for file := range tree(t, s.dir) {
		d.names = append(d.names, file)
	}
	if len(d.names) < 10 {
		t.Fatalf("only %v", d.names)
	}
	return d
}

var (
	blanks = regexp.MustCompile(`\s`)
	times  = regexp.MustCompile(`"at":"[^"]*"`)
)

// meaningless reports whether a change is one of those that docs/formats/store-v2.md
// says have no meaning.
func meaningless(file, old, now string, gone bool) bool {
	switch {
	case file == mutationLock, strings.HasPrefix(file, "tmp/"):
		return true // has no content
	case strings.HasPrefix(file, "checkpoints/") && gone:
		return true // a point less to roll back to
	case gone:
		return false
	case file == manifestFile, file == markerFile, strings.HasPrefix(file, "checkpoints/"), file == ledgerFile, file == sourceFile:
		// White space between members, their order in a document, and times.
		plain := func(s string) string {
			return times.ReplaceAllString(strings.NewReplacer("\n", "", "  ", "", `": `, `":`, `": `, `":`).Replace(s), "")
		}
		a, b := plain(old), plain(now)
		return a == b || file != ledgerFile && sorted(old) == sorted(now) || blanks.ReplaceAllString(a, "") == blanks.ReplaceAllString(b, "")
	}
	return false
}

func sorted(s string) string {
	n := [256]int{}
	for _, c := range []byte(s) {
		n[c]++
	}
	return fmt.Sprint(n)
}

// Whatever happens to one file of a store: readers print the session, or a beginning
// of it and an error; verify finds it; one round of recover puts the store in order,
// or says that it cannot and leaves it alone. With the JSONL file there, and without.
func TestDamageTable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a damage at a time: not with -short")
	}
	const flips = 16
	template := newDamagedStore(t)
	for _, file := range drawn.Third(t, template.names) {
		for _, alone := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/alone=%v", strings.ReplaceAll(file, "/", ":"), alone), func(t *testing.T) {
				t.Parallel()
				old := readText(t, filepath.Join(template.dir, "s.v2", file))
				for _, d := range damages(old, flips) {
					template.try(t, file, old, d, alone)
				}
			})
		}
	}
}

func (ds *damagedStore) try(t *testing.T, file, old string, d damage, alone bool) {
	t.Helper()
	dir := filepath.Join(fastDir(t), "w")
	copyTree(t, ds.dir, dir)
	defer os.RemoveAll(filepath.Dir(dir))
	name := filepath.Join(dir, "s.jsonl")
	if alone {
		must.Do(t, os.Remove(name))
	}
	now, gone := "", d.do == nil
	if gone {
		must.Do(t, os.Remove(filepath.Join(dir, "s.v2", file)))
	} else {
		changed := false
		if now, changed = d.do(old); !changed {
			return
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, "s.v2", file), []byte(now), 0o600))
	}
	bad := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s, alone=%v: %s", file, d.what, alone, fmt.Sprintf(format, args...))
	}
	s, err := openStore(fastDisk{}, Dir(name), fastOptions())
	if err != nil {
		bad("opening: %v", err)
		return
	}
	ds.read(s, bad)
	rep, err := s.Verify(background)
	if err != nil {
		bad("verifying: %v", err)
		return
	}
	if rep.OK() {
		if !meaningless(file, old, now, gone) {
			bad("not found")
		}
		return
	}
	ds.recovered(t, name, bad)
}

// read wants the session, or a beginning of it and an error that says damage.
func (ds *damagedStore) read(s *Store, bad func(string, ...any)) {
	var b bytes.Buffer
	_, err := s.WriteTo(&b)
	if err == nil && b.String() != ds.text || !strings.HasPrefix(ds.text, b.String()) {
		bad("reading: %v, %d bytes of %d", err, b.Len(), len(ds.text))
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		bad("reading: %v", err)
	}
	tail, err := s.Tail(3)
	if err == nil && (len(tail) != 3 || !strings.HasSuffix(ds.text, tail[0].Line+"\n"+tail[1].Line+"\n"+tail[2].Line+"\n")) {
		bad("the tail is %v", tail)
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		bad("tail: %v", err)
	}
}

// recovered wants one round of recover to be enough, or nothing to be done.
func (ds *damagedStore) recovered(t *testing.T, name string, bad func(string, ...any)) {
	t.Helper()
	before := tree(t, Dir(name))
	got, err := recoverStore(background, fastDisk{}, name, fastOptions())
	if err != nil {
		if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrNoTarget) {
			bad("recovering: %v", err)
		}
		for file, text := range tree(t, Dir(name)) {
			if file != stateFile && !strings.HasPrefix(file, "tmp/") && file != mutationLock && before[file] != text {
				bad("refused (%v), and %s was changed", err, file)
			}
		}
		return
	}
	if got.Action == "rolledback" {
		if text := readText(t, name); text != ds.text && got.Lost == 0 {
			bad("rolled back to %d bytes of %d", len(text), len(ds.text))
		}
		return
	}
	s, err := openStore(fastDisk{}, Dir(name), fastOptions())
	if err != nil {
		bad("opening again: %v", err)
		return
	}
	if rep, err := s.Verify(background); err != nil || !rep.OK() {
		bad("%+v, and still %v, %+v", got, err, rep)
	}
	text := catText(t, s)
	if missing := strings.Count(ds.text, "\n") - strings.Count(text, "\n"); !strings.HasPrefix(ds.text, text) || int64(missing) != got.Lost {
		bad("%+v, and %d entries are missing", got, missing)
	}
	if again, err := recoverStore(background, fastDisk{}, name, fastOptions()); err != nil || again.Action != "none" {
		bad("a second round: %+v, %v", again, err)
	}
	if err := appendN(fastDisk{}, name, 10, 10); err == nil {
		bad("an entry without its parent was taken")
	} else if !errors.Is(err, ErrContract) {
		bad("appending: %v", err)
	}
}

// A writer does not go on behind rows that changed places at the end.
func TestAppendBehindSwappedRows(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 4)
	file := filepath.Join(s.dir, indexFile)
	rows := strings.SplitAfter(readText(t, file), "\n")
	rows[2], rows[3] = rows[3], rows[2]
	must.Do(t, os.WriteFile(file, []byte(strings.Join(rows, "")), 0o600))
	before := readText(t, file)
	if err := appendN(fastDisk{}, name, 5, 5); !errors.Is(err, ErrCorrupt) || readText(t, file) != before {
		t.Errorf("got %v", err)
	}
}

// A marker of the first release has no hashes. It is read, with a note, and its header
// is compared with the file and the manifest.
func TestMarkerWithoutHashes(t *testing.T) {
	t.Parallel()
	s, name := newTestStore(t, 3)
	text := catText(t, s)
	m, err := readMarker(s.d, s.dir)
	must.Do(t, err)
	file := filepath.Join(s.dir, markerFile)
	plain := func(from, to string) {
		m := m
		m.PrefaceSHA, m.Self, m.Preface = "", "", strings.Replace(m.Preface, from, to, 1)
		must.Do(t, os.WriteFile(file, pretty(&m), 0o600))
	}
	plain("", "")
	if rep := wantSound(t, s); len(rep.Notes) != 1 || catText(t, s) != text {
		t.Errorf("notes: %v", rep.Notes)
	}
	plain(`"/w"`, `"/x"`)
	if rep, err := s.Verify(t.Context()); err != nil || rep.OK() {
		t.Errorf("another header than the file's: %+v, %v", rep, err)
	}
	plain("f4c0", "f4c1")
	must.Do(t, os.Remove(name))
	if rep, err := s.Verify(t.Context()); err != nil || rep.OK() {
		t.Errorf("another id than the manifest's: %+v, %v", rep, err)
	}
	if _, err := s.Preface(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("reading: %v", err)
	}
}
