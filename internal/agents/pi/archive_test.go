package pi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/pi"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// The sessions of sub-agents are in the directory of the session that started them, with other files.
func TestSubagents(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	header := func(id string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n" +
			`{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"go","timestamp":1}}` + "\n"
	}
	for name, text := range map[string]string{
		"1_main.jsonl": header("main"), "1_main/0-Look.jsonl": header("look"), "1_main/0-Look/0-More.jsonl": header("more"),
		"1_main/r/run-0/session.jsonl": header("run"), "1_main/subagent-artifacts/t.jsonl": "{}\n",
		"other/deep/x.jsonl": header("elsewhere"),
	} {
		formatstest.Put(t, filepath.Join(home, "--p--", filepath.FromSlash(name)), text)
	}
	main := filepath.Join(home, "--p--", "1_main.jsonl")
	want := map[string]string{"main": "", "look": main, "more": main, "run": main}
	for _, f := range []formats.Format{pi.Pi, pi.Omp} {
		for _, place := range []string{home, filepath.Join(home, "--p--")} {
			for _, details := range []bool{false, true} {
				a, got := formatstest.Open(t, f, &formats.Source{Path: place}), map[string]string{}
				for info, err := range a.List(t.Context(), formats.Query{Details: details}) {
					if err != nil {
						t.Error(err)
						continue
					}
					got[info.ID] = info.ParentSession
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, details %v:\n%s", place, details, diff)
				}
			}
		}
	}
	if err := os.Remove(main); err != nil {
		t.Fatal(err)
	}
	for info, err := range formatstest.Open(t, pi.Omp, &formats.Source{Path: home}).List(t.Context(), formats.Query{}) {
		if err == nil && info.ParentSession != "" {
			t.Errorf("%s has the parent %s, which is gone", info.ID, info.ParentSession)
		}
	}
}
