package convo_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// These tests compare with what the real programs answered for the same files
// (testdata/README.md). A file the real program refuses or answers otherwise on
// purpose has a line in differs, and one in docs/formats.

func decode(t testing.TB, raw string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
	return v
}

type piContext struct {
	Leaf          *string
	PathIDs       []string
	Context       any
	LLM           any
	ContextTokens struct {
		Tokens, UsageTokens, TrailingTokens int64
		LastUsageIndex                      *int
	}
}

// noSession are the files that are no session to us; pi starts a new one there
// or refuses as well.
var noSession = map[string]bool{"empty": true, "not-a-session": true}

// goldenFiles calls test for each session with a golden answer of a kind by pi 1.5. Contexts are not there for all.
func goldenFiles[G any](t *testing.T, kind string, test func(t *testing.T, name string, s *session.Session, g G)) {
	t.Helper()
	golden := corpus.Golden(t, "pi/golden/1.5")
	for _, path := range corpus.PiSessions(t) {
		name := corpus.PiName(path)
		answer, ok := golden[name+"."+kind+".json"]
		if !ok && kind == "context" || noSession[name] {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g G
			if err := json.Unmarshal(answer, &g); err != nil {
				t.Fatal(err)
			}
			s, err := read(t, path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, name, s, g)
		})
	}
}

func leafPath(s *session.Session) (leaf int, path []session.Entry) {
	leaf, _ = s.Leaf()
	path, _ = s.Path(leaf)
	return leaf, path
}

func TestPiContext(t *testing.T) {
	t.Parallel()
	goldenFiles(t, "context", comparePiContext)
}

func comparePiContext(t *testing.T, _ string, s *session.Session, g piContext) {
	t.Helper()
	_, entries := leafPath(s)
	if diff := cmp.Diff(g.PathIDs, ids(entries)); diff != "" {
		t.Errorf("path (-pi +sess):\n%s", diff)
	}
	c := convo.ContextOf(convo.Project(entries), entries)
	if diff := cmp.Diff(g.Context, decode(t, whole(c))); diff != "" {
		t.Errorf("context (-pi +sess):\n%s", diff)
	}
	if diff := cmp.Diff(g.LLM, decode(t, array(convo.ToLLM(c.Messages)))); diff != "" {
		t.Errorf("messages (-pi +sess):\n%s", diff)
	}
	size := convo.Measure(c.Messages)
	last := -1
	if g.ContextTokens.LastUsageIndex != nil {
		last = *g.ContextTokens.LastUsageIndex
	}
	want := convo.ContextSize{
		Tokens: g.ContextTokens.Tokens, Usage: g.ContextTokens.UsageTokens,
		Trailing: g.ContextTokens.TrailingTokens, LastUsage: last,
	}
	if size != want {
		t.Errorf("size %+v, pi says %+v", size, want)
	}
}

func ids(entries []session.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, e.ID())
	}
	return out
}

func TestPiOpen(t *testing.T) {
	t.Parallel()
	type opened struct {
		EntryCount    int
		Leaf          string
		Name          string
		BranchIDs     []string
		Leaves, Roots []string
		Labels        map[string]string
	}
	goldenFiles(t, "open", func(t *testing.T, name string, s *session.Session, g opened) {
		t.Helper()
		leaf, entries := leafPath(s)
		labels := map[string]string{}
		for _, l := range s.Labels() {
			labels[l.Target] = l.Name
		}
		heads := []string{}
		for _, h := range s.Heads() {
			heads = append(heads, s.Entries[h].ID())
		}
		leafID := ""
		if leaf >= 0 {
			leafID = s.Entries[leaf].ID()
		}
		wantHeads := g.Leaves
		if name == "messy" { // pi lists both entries of a duplicate id as leaves if neither has a child
			wantHeads = unique(wantHeads)
		}
		wantCount := g.EntryCount
		if name == "scalars" {
			wantCount -= scalarLines // lines like 123 are no entries to us
		}
		for _, c := range []struct {
			what     string
			pi, ours any
		}{
			{"entries", wantCount, len(s.Entries)},
			{"leaf", g.Leaf, leafID},
			{"name", g.Name, s.Name},
			{"path", g.BranchIDs, ids(entries)},
			{"leaves", wantHeads, heads},
			{"labels", g.Labels, labels},
		} {
			if diff := cmp.Diff(c.pi, c.ours); diff != "" {
				t.Errorf("%s (-pi +sess):\n%s", c.what, diff)
			}
		}
	})
}

const scalarLines = 3

func unique(list []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func TestPiTokens(t *testing.T) {
	t.Parallel()
	type sizes struct {
		Entries []struct {
			ID     string
			Tokens int64
		}
	}
	goldenFiles(t, "tokens", func(t *testing.T, _ string, s *session.Session, g sizes) {
		t.Helper()
		_, entries := leafPath(s)
		if len(entries) != len(g.Entries) {
			t.Fatalf("%d entries, pi has %d", len(entries), len(g.Entries))
		}
		for i, e := range entries {
			var got int64
			for _, m := range own(e) {
				got += convo.Estimate(m)
			}
			if got != g.Entries[i].Tokens {
				t.Errorf("entry %s: %d tokens, pi says %d", e.ID(), got, g.Entries[i].Tokens)
			}
		}
	})
}

// own returns an entry's messages without the system message of a compaction,
// which pi's figures for single entries leave out.
func own(e session.Entry) []session.Message {
	m := convo.EntryMessages(e)
	if e.Type() == session.TypeCompaction {
		m = m[len(m)-1:]
	}
	return m
}

// ompDiffers are the files where we answer otherwise on purpose, by
// version/name; docs/formats/omp.md has the same list. A file that begins to
// agree has to leave the list.
var ompDiffers = map[string]string{
	"*/edge_custommsg":             "pi shows a custom_message without content as empty, omp 18 hides it",
	"*/edge_msg_entry_no_message":  "omp cannot open the file",
	"*/edge_ttsr_bad":              "omp cannot open the file",
	"*/edge_noid":                  "omp shows nothing if the last entry has no id; the leaf here is the last entry with one",
	"*/edge_remote_compaction":     "what a compaction keeps is shown even if a provider has its own copy of it",
	"*/damaged_trailing-garbage":   "a line with anything behind its JSON is skipped, as in pi",
	"*/edge_v1":                    "pi's model_change names the model too",
	"18/edge_dangling":             "unanswered tool calls stay in the context; the API views repair them",
	"18/edge_dangling_only":        "unanswered tool calls stay in the context; the API views repair them",
	"18/edge_errored":              "failed replies stay in the context; the API views drop them",
	"18/legacy_before-compaction":  "unanswered tool calls and failed replies stay in the context",
	"18/legacy_large-session":      "unanswered tool calls and failed replies stay in the context",
	"13/edge_cycle":                "omp 13 hangs",
	"13/edge_selfparent":           "omp 13 hangs",
	"13/edge_models":               "an explicit model wins, as in omp 18",
	"13/edge_models_explicit_late": "an explicit model wins, as in omp 18",
	"13/edge_reset_boundary":       "omp 13 does not know reset_boundary",
}

// ompRefuses are the files that are no session to us.
var ompRefuses = map[string]string{
	"damaged_header-torn":   "no header: omp 13 overwrites it",
	"damaged_empty":         "no header",
	"damaged_header-second": "no header: omp 13 overwrites it",
	"edge_v4":               "version 4 is refused",
	"damaged_whitespace":    "no header",
	"damaged_pretty":        "an entry is one line; omp reads values across lines",
}

func TestOmpContext(t *testing.T) {
	t.Parallel()
	files := ompNames(t)
	for _, version := range []string{"18", "13"} {
		golden := corpus.Golden(t, "omp/golden/"+version)
		for name, path := range files {
			want, ok := golden[name+".context.json"]
			if !ok || version == "13" && strings.Contains(name, "18_") || strings.HasPrefix(name, "genuine_out18-c") && version == "13" {
				continue // omp 13 cannot read a title slot
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s, err := read(t, path)
				if reason, refused := ompRefuses[name]; refused {
					if err == nil {
						t.Errorf("read, though %s", reason)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				diff := compareOmp(t, s, want)
				reason := ompDiffers["*/"+name] + ompDiffers[version+"/"+name]
				switch {
				case diff != "" && reason == "":
					t.Errorf("(-omp +sess):\n%s", diff)
				case diff == "" && reason != "":
					t.Errorf("agrees, though %s", reason)
				}
			})
		}
	}
}

// ompNames maps the names of oh-my-pi's golden answers to files.
func ompNames(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	index := strings.Fields(string(corpus.Session(t, "omp/golden/index.txt")))
	for i := 0; i+1 < len(index); i += 2 {
		out[index[i+1]] = "omp/" + filepath.ToSlash(index[i])
	}
	return out
}

func compareOmp(t *testing.T, s *session.Session, want []byte) string {
	t.Helper()
	var g struct {
		Messages          any
		ThinkingLevel     any
		Models            map[string]string
		Mode              string
		InjectedTtsrRules []string
	}
	if err := json.Unmarshal(want, &g); err != nil {
		t.Fatal(err)
	}
	leaf, _ := s.Leaf()
	entries, _ := s.Path(leaf)
	state := convo.StateOf(entries)
	return cmp.Diff(g.Messages, decode(t, array(convo.MessagesOf(convo.Project(entries))))) +
		cmp.Diff(g.Models, state.Models) +
		cmp.Diff(g.ThinkingLevel, decode(t, state.ThinkingLevel)) +
		cmp.Diff(g.Mode, state.Mode) +
		cmp.Diff(append([]string{}, g.InjectedTtsrRules...), append([]string{}, state.InjectedRules...))
}
