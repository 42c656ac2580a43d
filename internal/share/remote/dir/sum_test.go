package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// A part that was changed is found by everybody, however it was changed.
func TestChangedPart(t *testing.T) {
	t.Parallel()
	for how, change := range map[string]func(part string) error{
		"in place": func(part string) error { return os.WriteFile(part, []byte("{\"n\":9}\n"), 0o600) },
		"replaced": func(part string) error {
			return errors.Join(os.WriteFile(part+"~", []byte("{\"n\":9}\n"), 0o600), os.Rename(part+"~", part))
		},
		"without a sum": func(part string) error {
			dir, base := filepath.Split(part)
			sums, err := filepath.Glob(dir + "." + base + ".*")
			if len(sums) != 1 {
				return errors.Join(err, errors.New("no sum"))
			}
			return os.Remove(sums[0])
		},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			name, r := place(t, disk.Claim)
			l := r.Open(t)
			r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
			for n := range uint64(3) {
				if _, err := l.Append(t.Context(), "k", remote.Pos(n), n+1, []byte("{\"n\":1}\n")); err != nil {
					t.Fatal(err)
				}
			}
			must.Do(t, change(filepath.Join(name, "v1", "s", remote.Shard("k"), "k", "000000000002")))
			list, err := remotetest.Parts(t.Context(), r.Open(t), "k", 0)
			if !errors.Is(err, remote.ErrDamaged) || len(list) != 1 {
				t.Errorf("%d parts, %v", len(list), err)
			}
		})
	}
}

// Of writers of one part each leaves a sum that matches, or none; and who makes the same part
// again does not take its sum away.
func TestSumsOfLosers(t *testing.T) {
	t.Parallel()
	name, r := place(t, disk.Claim)
	r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
	var wg sync.WaitGroup
	for w := range 8 {
		l := r.Open(t)
		wg.Go(func() {
			_, err := l.Append(t.Context(), "k", 0, 1, []byte{'{', "01"[w%2], '}', '\n'})
			if err != nil && !errors.Is(err, remote.ErrMoved) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if list, err := remotetest.Parts(t.Context(), r.Open(t), "k", 0); err != nil || len(list) != 1 {
		t.Errorf("%d parts, %v", len(list), err)
	}
	files, err := os.ReadDir(filepath.Join(name, "v1", "s", remote.Shard("k"), "k"))
	if err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
}

// What a killed writer has left is named, and nobody takes it for a part.
func TestLitter(t *testing.T) {
	t.Parallel()
	_, r := place(t, disk.Claim)
	r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
	r.Plant(t, "v1/s/aa/k/.tmp-XYZ", "{}")
	r.Plant(t, "v1/i/2026-01/.tmp-ABC", "{}")
	var got []string
	for name, err := range r.Open(t).Litter(t.Context()) {
		must.Do(t, err)
		got = append(got, name)
	}
	if strings.Join(got, " ") != "v1/i/2026-01/.tmp-ABC v1/s/aa/k/.tmp-XYZ" {
		t.Errorf("%q", got)
	}
}

// A file that is nothing but a hole costs nothing, and is not read into memory.
func TestSparsePart(t *testing.T) {
	t.Parallel()
	name, r := place(t, disk.Claim)
	r.Plant(t, "v1/remote.json", string(remote.Marker(testTime)))
	data := "{}" + strings.Repeat(" ", 4<<20) + "\n"
	part := "v1/s/" + remote.Shard("k") + "/k/000000000001"
	r.Plant(t, part, "")
	must.Do(t, os.Truncate(filepath.Join(name, part), int64(len(data))))
	f, err := os.OpenFile(filepath.Join(name, part), os.O_RDWR, 0)
	must.Do(t, err)
	defer f.Close()
	if disk.Dense(f, int64(len(data))) == nil {
		t.Skip("holes are not told here")
	}
	b, err := opened(name)
	must.Do(t, err)
	defer b.Close()
	if _, err := b.Get(t.Context(), part, 1<<30, nil); !errors.Is(err, remote.ErrDamaged) || !strings.Contains(err.Error(), "holes") {
		t.Errorf("%v", err)
	}
	r.Plant(t, part, data)
	if got, err := b.Get(t.Context(), part, 1<<30, nil); err != nil || string(got) != data {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// What is in the place of the marker decides, and nothing is done before it is known.
func TestMarker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		string(remote.Marker(testTime)):              nil,
		`{"format":"sess-remote","version":2}`:       remote.ErrVersion,
		`{"format":"sess-remote"}`:                   remote.ErrNoRemote,
		`{"format":"other","version":1}`:             remote.ErrNoRemote,
		"<html>log in</html>":                        remote.ErrNoRemote,
		"":                                           remote.ErrNoRemote,
		`{"format":"sess-remote","version":"1"}`:     remote.ErrNoRemote,
		strings.Repeat(" ", 1<<20) + `{"version":1}`: remote.ErrNoRemote,
	} {
		_, r := place(t, disk.Claim)
		l := r.Open(t)
		if _, err := l.Append(t.Context(), "k", 0, 1, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
		r.Plant(t, "v1/remote.json", text)
		_, has := l.Has(t.Context(), "k")
		_, err := remotetest.Parts(t.Context(), l, "k", 0)
		for _, kerr := range l.Heads(t.Context()) {
			err = errors.Join(err, kerr)
		}
		if !errors.Is(err, want) || !errors.Is(has, want) || want == nil && err != nil {
			t.Errorf("%.40q: %v, %v; want %v", text, err, has, want)
		}
		if want == remote.ErrVersion {
			if err := l.Init(t.Context()); !errors.Is(err, want) {
				t.Errorf("init: %v", err)
			}
		}
	}
}
