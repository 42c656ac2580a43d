package storev2

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/must"
)

// A verdict is what pi's code of the last generation makes of a damaged store.
type verdict struct {
	Validate string            `json:"validate"`
	OpenOK   bool              `json:"open_ok"`
	Changed  map[string][2]any `json:"changed"`
	Entries  int64             `json:"entryCount"`
	Chain    string            `json:"chainHash"`
}

// kindOf maps the beginnings of pi's messages to our kinds.
var kindOf = []struct{ prefix, kind string }{
	{"ok", ""},
	{"Session error: index out of bounds", "bounds"},
	{"Session error: segment byte coverage mismatch", "coverage"},
	{"Session error: unterminated JSONL line", "unended"},
	{"Session error: index/frame mismatch", "mismatch"},
	{"Session error: checksum mismatch", "checksum"},
	{"Session error: failed to open segment", "missing"},
	{"JSON error", "malformed"},
}

func verdicts(t *testing.T) map[string]verdict {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(corpus.Dir(), "v2", "tamper-expected.json"))
	must.Do(t, err)
	var all map[string]struct{ Era3 verdict }
	must.Do(t, json.Unmarshal(b, &all))
	out := map[string]verdict{}
	for name, v := range all {
		out[name] = v.Era3
	}
	if len(out) != 21 {
		t.Fatalf("%d stores, want 21", len(out))
	}
	return out
}

// The verdict on a store as it stands: what is wrong with it, if anything.
func TestVerifyDamagedAsPi(t *testing.T) {
	t.Parallel()
	dir := vectors(t, "tamper/")
	for name, v := range verdicts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := "?"
			for _, k := range kindOf {
				if strings.HasPrefix(v.Validate, k.prefix) {
					want = k.kind
					break
				}
			}
			s := mustOpen(t, filepath.Join(dir, "tamper", name+".v2"), testOptions)
			before := tree(t, s.dir)
			rep, err := s.Verify(t.Context())
			must.Do(t, err)
			got := "" // the first problem that is not one of the manifest, at which pi's validate does not look
			for _, p := range rep.Problems {
				if p.Kind != "manifest" && p.Kind != "checkpoint" {
					got = p.Kind
					break
				}
			}
			if got != want {
				t.Errorf("found %q, pi says %q: %v", got, v.Validate, rep.Problems)
			}
			if wantOK := name == "clean"; rep.OK() != wantOK {
				t.Errorf("OK is %v: %v", rep.OK(), rep.Problems)
			}
			if !sameTree(before, tree(t, s.dir)) {
				t.Error("verifying changed the store")
			}
		})
	}
}

// The verdict of an opening that repairs: whether it succeeds, and with which
// entries and chain.
func TestRebuildDamagedAsPi(t *testing.T) {
	t.Parallel()
	// Whole frames without rows: pi's opening drops or refuses them, although its
	// own design says that rows are rebuilt from the segments. They are.
	better := map[string]bool{"whole_frame_not_indexed": true, "whole_frame_not_indexed_same_segment": true}
	dir := vectors(t, "tamper/")
	for name, v := range verdicts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mustOpen(t, filepath.Join(dir, "tamper", name+".v2"), testOptions)
			before := tree(t, s.dir)
			got, err := s.Rebuild(t.Context())
			after := tree(t, s.dir)
			if better[name] {
				if err != nil || got.Entries != 12 || got.Chain != vectorChain || !got.Matches || v.OpenOK {
					t.Errorf("%+v, %v; pi: %v", got, err, v.OpenOK)
				}
				wantSound(t, s)
				return
			}
			if (err == nil) != v.OpenOK {
				t.Fatalf("%v, pi opens it: %v", err, v.OpenOK)
			}
			if err != nil {
				for n, text := range before {
					if after[n] != text && !strings.HasPrefix(n, "index/") {
						t.Errorf("refused, but %s was changed", n)
					}
				}
				return
			}
			if got.Entries != v.Entries || got.Chain != v.Chain {
				t.Errorf("%d entries, chain %s, want %d, %s", got.Entries, got.Chain, v.Entries, v.Chain)
			}
			if intact := v.Chain == vectorChain && name != "manifest_tampered"; got.Matches != intact {
				t.Errorf("matches the manifest: %v, want %v", got.Matches, intact)
			}
			for n, sizes := range v.Changed {
				if want, _ := sizes[1].(float64); len(after[n]) != int(want) {
					t.Errorf("%s has %d bytes, pi leaves %v", n, len(after[n]), sizes[1])
				}
			}
		})
	}
}

// What recovery makes of the same stores. There is no JSONL file beside them.
func TestRecoverDamaged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		action  string // empty if refused
		entries int64
		lost    int64
	}{
		"clean":                                {"none", 12, 0},
		"tail_cut_midframe":                    {"rebuilt", 11, 1},
		"torn_append":                          {"mended", 12, 0},
		"whole_frame_not_indexed":              {"mended", 12, 0},
		"whole_frame_not_indexed_same_segment": {"mended", 12, 0},
		"index_missing":                        {"mended", 12, 0},
		"index_empty":                          {"mended", 12, 0},
		"index_torn_last_line":                 {"mended", 12, 0},
		"index_no_final_newline":               {"mended", 12, 0},
		"index_bytelength_wrong":               {"rebuilt", 12, 0},
		"index_entryid_wrong":                  {"rebuilt", 12, 0},
		"index_garbage_line":                   {"rebuilt", 12, 0},
		"payload_flip":                         {"", 0, 0},
		"payload_rehash":                       {"", 0, 0}, // pi takes it
		"invalid_json_middle":                  {"", 0, 0},
		"segment_missing_middle":               {"", 0, 0},
		"segment_missing_last":                 {"rebuilt", 11, 1},
		"extra_segment":                        {"", 0, 0},
		"last_frame_no_newline_no_index":       {"mended", 12, 0},
		"manifest_tampered":                    {"", 0, 0},
		"frame_unknown_member":                 {"", 0, 0},
	}
	dir := vectors(t, "tamper/")
	for name := range verdicts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt, ok := tests[name]
			if !ok {
				t.Fatal("no expectation")
			}
			root := filepath.Join(dir, "tamper", name+".v2")
			got, err := Recover(t.Context(), root, testOptions)
			t.Logf("%+v %v", got, err)
			if (err == nil) != (tt.action != "") {
				t.Fatal(err)
			}
			if err != nil {
				return
			}
			s := mustOpen(t, root, testOptions)
			rep := wantSound(t, s)
			if got.Action != tt.action || got.Lost != tt.lost || rep.Entries != tt.entries {
				t.Errorf("%+v with %d entries, want %+v", got, rep.Entries, tt)
			}
		})
	}
}
