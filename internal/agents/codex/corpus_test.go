package codex_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	sources := map[string]string{}
	for name, data := range corpus.Golden(t, "codex/rollouts/0.169") {
		base := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		if base+".jsonl" == filepath.Base(name) && strings.HasPrefix(base, "v") && base != "v16-no-session-meta" {
			sources[base] = string(data)
		}
		if strings.HasPrefix(base, "rollout-") && base+".jsonl" == filepath.Base(name) {
			sources[strings.ReplaceAll(strings.TrimSuffix(name, ".jsonl"), "/", " ")] = string(data)
		}
	}
	for _, path := range corpus.Sessions(t, "codex/home") {
		sources[filepath.Base(path)] = string(corpus.Session(t, path))
	}
	maps.DeleteFunc(sources, func(_, text string) bool { return strings.Contains(text, `"history_base":{`) }) // these need others
	formatstest.Laws(t, codex.Format, formatstest.Corpus{
		Sources: sources, File: "rollout.jsonl", Lines: true, Usage: usage, Same: same,
		Faults: map[string]string{
			"one text edited/v09-compacted-no-replacement": "a compaction that was edited is written anew, and what stands beside it",
		},
		IDs: []*regexp.Regexp{regexp.MustCompile(`"call_id":"([^"]+)"`)},
	})
}

// usage returns what the requests of a rollout took: its last total. No sample has one that falls.
func usage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		p := js.Value(strings.TrimSpace(line)).Get("payload")
		if total := p.Get("info", "total_token_usage"); p.Get("type").Str() == "token_count" && total.IsObject() {
			input = total.Get("input_tokens").Int() - total.Get("cached_input_tokens").Int()
			output = total.Get("output_tokens").Int()
		}
	}
	return input, output
}

// same returns the lines that are JSON, as codex writes them.
func same(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); js.Valid([]byte(line)) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// BenchmarkImport reads a rollout of about 50 kB as an import of many does: found in a
// listing, and read.
func BenchmarkImport(b *testing.B) {
	dir := b.TempDir()
	name := "rollout-2026-11-21T03-02-55-01a1fc0e-91f6-7160-bf5c-f00cf0fdb18c.jsonl"
	data := corpus.Session(b, "codex/home/sessions/2026/11/21/"+name)
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	a, err := codex.Format.Open(b.Context(), &formats.Source{Path: dir})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for info, err := range a.List(b.Context(), formats.Query{}) {
			if err != nil {
				b.Fatal(err)
			}
			builder := formats.NewBuilder("codex", func(string) error { return nil }, func(formats.Loss) {})
			if err := a.Read(b.Context(), info, builder); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func FuzzImport(f *testing.F) {
	for name, data := range corpus.Golden(f, "codex/rollouts/0.169") {
		if strings.HasPrefix(name, "variants/") && len(data) < 10_000 {
			f.Add(data)
		}
	}
	// Laws: nothing panics; what comes out is a session, twice the same, of which no
	// line is skipped; it can be written, and what is written be read.
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := formatstest.Twice(t, codex.Format, &formats.Source{Stdin: bytes.NewReader(data)})
		if err != nil || len(rs) == 0 {
			return
		}
		s := rs[0].Session(t)
		for _, p := range s.Problems {
			t.Errorf("line %d: %s\n%s", p.Line, p.Text, rs[0].Text())
		}
		out, _ := formatstest.Export(t, codex.Format, s, "")
		if _, err := only(t, &formats.Source{Stdin: strings.NewReader(out)}); err != nil {
			t.Errorf("what is written is refused: %v\n%s", err, out)
		}
	})
}

// Two rollouts of one id are two conversations: the one that was written to last is read,
// and the other is named.
func TestTwoRolloutsOfOneID(t *testing.T) {
	t.Parallel()
	const id = "019b7ca9-8f2e-7063-834b-74487a82aa03"
	home := t.TempDir()
	rollout := func(clock, said string, written time.Time) {
		path := filepath.Join(home, "sessions", "2026", "01", "02", "rollout-2026-01-02T"+clock+"-"+id+".jsonl")
		text := `{"timestamp":"2026-01-02T03:04:05.000Z","type":"session_meta","payload":{"session_id":"` + id + `","id":"` + id + `","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","originator":"codex","cli_version":"0.169.0","source":"cli"}}
{"timestamp":"2026-01-02T03:04:06.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + said + `"}]}}
`
		formatstest.Put(t, path, text)
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	rollout("20-13-35", "newer", now)
	rollout("20-13-37", "older", now.Add(-time.Hour))
	results := formatstest.Import(t, codex.Format, &formats.Source{Path: home}, false)
	if len(results) != 1 || strings.Contains(results[0].Text(), "older") || !strings.Contains(results[0].Text(), "newer") {
		t.Fatalf("%d sessions: %s", len(results), results[0].Text())
	}
	if l := results[0].Losses; len(l) != 1 || !strings.Contains(l[0].Where, "20-13-37") || l[0].Kind != formats.KindReference {
		t.Errorf("losses %v", l)
	}
}
