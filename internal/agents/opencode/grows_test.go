package opencode

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// Growth is appending: what is read of the first turns of a session, whose facts move with each of them, is the beginning of
// what is read of more of them. The last turn is open.
func TestTurnsGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := corpus.Unpack("../../../testdata/opencode", dir); err != nil {
		t.Fatal(err)
	}
	exports, err := filepath.Glob(dir + "/exports-1.18/*.json")
	if err != nil || len(exports) < 10 {
		t.Fatalf("%d exports: %v", len(exports), err)
	}
	tried := 0
	for _, path := range exports {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Collect(js.Value(data).Get("messages").Elements())
		at := func(n int, g formats.Growth) []string {
			info := js.Value(data).Get("info").With("title", js.Value(js.Quote("title "+string(rune('a'+n%26))))).Without("revert")
			info = info.With("time", info.Get("time").With("updated", intValue(int64(n)))).With("cost", intValue(int64(n)))
			return readAs(t, filepath.Join(t.TempDir(), "s.json"), object(js.RawField("info", info), js.RawField("messages", list(all[:n]))), g)
		}
		whole := at(len(all), formats.Quiet)
		for n := range len(all) + 1 {
			closed, last := at(n, formats.Closed), len(all)
			for i := n - 1; i >= 0; i-- { // the last turn is that of the last message of the user
				if last = i; all[i].Get("info", "role").Str() == "user" {
					break
				}
			}
			if len(closed) > len(whole) || !slices.Equal(closed, whole[:len(closed)]) {
				t.Errorf("%s: what is closed of %d messages is not the beginning of all", filepath.Base(path), n)
			}
			if quiet := at(n, formats.Quiet); n > 0 && len(quiet) <= len(closed) {
				t.Errorf("%s: of %d messages as many are closed as there are", filepath.Base(path), n)
			}
			if n > 0 && last > 0 && len(closed) < 2 {
				t.Errorf("%s: nothing of %d messages is closed", filepath.Base(path), n)
			}
			tried++
		}
	}
	t.Logf("%d exports, %d beginnings", len(exports), tried)
}

// readAs reads the one session of an export.
func readAs(t *testing.T, path string, text js.Value, g formats.Growth) (lines []string) {
	t.Helper()
	formatstest.Put(t, path, string(text))
	a, err := Format.Open(t.Context(), &formats.Source{Path: path})
	if err != nil {
		return nil
	}
	defer a.Close()
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := formatstest.Grown(t.Context(), Format, a, info, g)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, r.Lines...)
	}
	return lines
}
