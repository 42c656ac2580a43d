package storev2

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
)

const (
	vectorChain   = "43325d7bdc54b900078d31b31c795463f2ae13721d9ae8623e1b4f8eb27bcdb1"
	preserveChain = "b0936ef8acb58bfd5feded65460c6ecce417076da869dba8596bc1e4cc20bef5"
	rolledChain   = "62fb2e6c0af45b9db30b91f0c1db958a76fb819402893c3a2087c1794b5dab97"
)

// The worked example gives every value of two frames, computed by somebody else.
func TestWorkedExample(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(filepath.Join(corpus.Dir(), "v2", "WORKED.txt"))
	must.Do(t, err)
	text := string(b)
	get := func(pattern string, at int) string {
		t.Helper()
		all := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
		if len(all) <= at {
			t.Fatalf("no %d. %s in the worked example", at+1, pattern)
		}
		return all[at][1]
	}
	root := filepath.Join(vectors(t, "era3.v2/"), "era3.v2")
	lines := strings.SplitAfter(readText(t, filepath.Join(root, "segments", "0000000000000001.seg")), "\n")
	chain := genesis
	for i := range 2 {
		payload := get(`(?m)as in the file\):\n  (\{.*\})$`, i)
		if got, want := hexSum(payload), get(`payloadSha256=([0-9a-f]{64})`, i); got != want {
			t.Errorf("frame %d: payload hash %s, want %s", i+1, got, want)
		}
		if got, want := checksum([]byte(lines[i])), get(`over those \d+ bytes = ([0-9A-F]{8})`, i); got != want {
			t.Errorf("frame %d: CRC %s, want %s", i+1, got, want)
		}
		f, err := parseFrame(strings.TrimSuffix(lines[i], "\n"))
		must.Do(t, err)
		if f.payload != payload || f.checkPayload() != nil {
			t.Errorf("frame %d: payload %q, want %q", i+1, f.payload, payload)
		}
		if got := string(f.encode()); got != lines[i] {
			t.Errorf("frame %d is written as\n%s, want\n%s", i+1, got, lines[i])
		}
		chain = link(chain, f.sha)
		if want := get(`= sha256\(input\) = ([0-9a-f]{64})`, i); chain != want {
			t.Errorf("frame %d: chain %s, want %s", i+1, chain, want)
		}
	}
	m, err := readManifest(disk.OS{}, root)
	must.Do(t, err)
	m.Integrity.Self = ""
	if got, want := string(compact(&m)), get(`(?m)^  (\{"schema":"pi.session_store_v2.manifest.*\})$`, 0); got != want {
		t.Errorf("manifest is hashed as\n%s, want\n%s", got, want)
	}
	if got, want := m.selfHash(), get(`sha256 = ([0-9a-f]{64}) file says`, 0); got != want {
		t.Errorf("manifest hash %s, want %s", got, want)
	}
	if got := checksum([]byte("123456789")); got != "E3069283" {
		t.Errorf("CRC-32C of 123456789 is %s", got)
	}
}

// Stores of pi's code, of two generations, before and after its own rollback.
func TestStoresOfPi(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		entries int64
		chain   string
		kinds   []string // of problems
		noted   bool     // as of the first generation
	}{
		"era2":               {12, vectorChain, nil, true},
		"era3":               {12, vectorChain, nil, false},
		"session":            {12, vectorChain, nil, false},
		"preserve":           {12, preserveChain, nil, false},
		"rollback_e2_before": {12, vectorChain, nil, true},
		"rollback_e3_before": {12, vectorChain, nil, false},
		"rollback_e3_after":  {8, rolledChain, nil, false},
		// The first generation left its manifest and a checkpoint behind.
		"rollback_e2_after": {8, rolledChain, []string{"checkpoint", "manifest"}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(vectors(t, name+".v2/"), name+".v2")
			before := tree(t, root)
			s := mustOpen(t, root, testOptions)
			rep, err := s.Verify(t.Context())
			must.Do(t, err)
			var kinds []string
			for _, p := range rep.Problems {
				kinds = append(kinds, p.Kind)
			}
			slices.Sort(kinds)
			if kinds = slices.Compact(kinds); !slices.Equal(kinds, tt.kinds) {
				t.Errorf("problems %v, want %v: %v", kinds, tt.kinds, rep.Problems)
			}
			if rep.Entries != tt.entries || rep.Chain != tt.chain {
				t.Errorf("%d entries with chain %s, want %d and %s", rep.Entries, rep.Chain, tt.entries, tt.chain)
			}
			if noted := len(rep.Notes) > 0; noted != tt.noted {
				t.Errorf("notes %q, want some: %v", rep.Notes, tt.noted)
			}
			if got := ids(t, s); int64(len(got)) != tt.entries || got[0] != "a1b2c3d0" {
				t.Errorf("entries %v", got)
			}
			if after := tree(t, root); !sameTree(before, after) {
				t.Error("reading changed the store")
			}
		})
	}
}

func sameTree(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

// What we write into a store of pi's, pi would have written: the rollback of a
// fixture gives, byte for byte, the fixture that pi's code made of it.
func TestRollbackToAsPi(t *testing.T) {
	t.Parallel()
	dir := vectors(t, "rollback_e3_")
	root := filepath.Join(dir, "rollback_e3_after.v2")
	want := tree(t, root)
	must.Do(t, os.RemoveAll(root))
	must.Do(t, os.Rename(filepath.Join(dir, "rollback_e3_before.v2"), root))
	s := mustOpen(t, root, testOptions)
	err := s.change(t.Context(), func(w *writer) error {
		return w.rollbackTo(1, "00000000-0000-0000-0000-00000000000a", "rollback_20260215_204900")
	})
	must.Do(t, err)
	got := tree(t, root)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s holds\n%s\nwant\n%s", name, got[name], text)
		}
		delete(got, name)
	}
	var more []string
	for name := range got {
		more = append(more, name)
	}
	slices.Sort(more)
	// The cut end of segment 5, which pi drops, and what pi does not know.
	if !slices.Equal(more, []string{"segments/0000000000000005.seg.bak", stateFile, mutationLock}) {
		t.Errorf("further files %v", more)
	}
	wantSound(t, s)
}

// We migrate the session of the fixtures into a store that differs from pi's only
// in how payloads are written.
func TestMigrateVectorSession(t *testing.T) {
	t.Parallel()
	text := string(corpus.Session(t, "v2/session.jsonl"))
	name := writeSession(t, strings.Split(strings.TrimSuffix(text, "\n"), "\n")...)
	o := testOptions
	o.MaxSegment = 1200
	m, err := Migrate(t.Context(), name, o)
	must.Do(t, err)
	if m.Entries != 12 || !m.EntryCountMatch || !m.HashChainMatch || !m.IndexConsistent {
		t.Errorf("migration says %+v", m)
	}
	s := mustOpen(t, m.Dir, o)
	wantSound(t, s)
	if got := catText(t, s); got != text {
		t.Errorf("the store gives back\n%s, want\n%s", got, text)
	}
	pi := mustOpen(t, filepath.Join(vectors(t, "era3.v2/"), "era3.v2"), o)
	if got, want := ids(t, s), ids(t, pi); !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
	ours, err := readManifest(disk.OS{}, s.dir)
	must.Do(t, err)
	theirs, err := readManifest(disk.OS{}, pi.dir)
	must.Do(t, err)
	a, b := ours.Counters, theirs.Counters
	a.Bytes, b.Bytes = 0, 0
	if a != b || ours.SessionID != theirs.SessionID {
		t.Errorf("counters %+v, want %+v", a, b)
	}
	if got, want := tree(t, s.dir)[sourceFile], tree(t, pi.dir)[sourceFile]; got != want {
		t.Errorf("source state %s, want %s", got, want)
	}
	if stale, err := s.Stale(); stale || err != nil {
		t.Errorf("stale: %v, %v", stale, err)
	}
}
