package all_test

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/agents/written"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/agent"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	if n := len(agent.All()); n != len(all.Formats())-2 { // all but two APIs
		t.Errorf("%d agents", n)
	}
	empty := formatstest.Parse(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`)
	for _, f := range all.Formats() {
		about := f.About()
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(about.Name) || seen[about.Name] || about.Summary == "" {
			t.Errorf("%+v", about)
		}
		seen[about.Name] = true
		if _, ok := formats.Lookup(written.Formats(), about.Name); ok == about.ReadOnly {
			t.Errorf("%s: read only %t, and among those that are written: %t", about.Name, about.ReadOnly, ok)
		}
		_, isMap := jqmap.Of(f)
		if a, ok := agent.Named(about.Name); !ok || a.Summary != about.Summary || a.Written == about.ReadOnly || a.Grows != about.Grows || a.Map != isMap {
			t.Errorf("the table of agents has\n%+v\nthe format\n%+v", a, about)
		}
		if agent.Has(about.Name) != (about.Home != nil) {
			t.Errorf("%s: an agent is a format with a place for its sessions", about.Name)
		}
		target := formats.NewTarget(func(formats.Loss) {})
		target.Out = io.Discard
		err := f.Export(t.Context(), empty, target)
		if about.ReadOnly != errors.Is(err, formats.ErrReadOnly) {
			t.Errorf("%s: read only %t, exporting: %v", about.Name, about.ReadOnly, err)
		}
		if f.Detect("x", nil) || f.Detect("x", []byte("hello\n")) || f.Detect("x.jsonl", []byte("{\"a\":1}\n[[[[[[[")) {
			t.Errorf("%s takes anything", about.Name)
		}
	}
}

// Each file of the corpus has one format, whatever else would read it.
func TestDetect(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{"omp/18": "omp", "pi/genuine": "pi", "pi/sessions/unicode.jsonl": "pi"} {
		paths := corpus.Sessions(t, dir)
		for _, path := range paths {
			data := corpus.Session(t, path)
			f, ok := formats.Detect(all.Formats(), path, data[:min(len(data), formats.HeadSize)])
			if !ok || f.About().Name != want {
				t.Errorf("%s: %v", path, f)
			}
		}
		if len(paths) == 0 {
			t.Errorf("%s: nothing there", dir)
		}
	}
}

// Each sample of a map is of the map's agent, whatever else would read it.
func TestDetectMaps(t *testing.T) {
	t.Parallel()
	for _, a := range agent.All() {
		if !a.Map || a.Like != "" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(corpus.Dir(), "agents", a.Name, "*"))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s has no sample, %v", a.Name, err)
		}
		for _, path := range paths {
			data := must.Read(t, path)
			if filepath.Ext(path) == ".sql" {
				data = must.Read(t, formatstest.Database(t, data))
			}
			f, ok := formats.Detect(all.Formats(), path, []byte(data[:min(len(data), formats.HeadSize)]))
			if !ok || f.About().Name != a.Name {
				t.Errorf("%s: %v", path, f)
			}
		}
	}
}

// Lines of agents that are not read have members that formats look for, and are of none.
func TestDetectStrangers(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		`{"type":"session_start","id":"ses_1","version":"2","cwd":"/p"}`,
		`{"id":"a1","version":2,"messages":[]}`,
		`{"id":"a1","projectID":7}`,
		`{"version":1,"id":"a1","slug":null}`,
	} {
		if f, ok := formats.Detect(all.Formats(), "s.jsonl", []byte(head+"\n"+`{"type":"message","id":"m1","timestamp":"2026-03-04T05:06:07.000Z","message":{"role":"user","content":[{"type":"text","text":"hi"}]}}`+"\n")); ok {
			t.Errorf("%s is of %s", head, f.About().Name)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, text := range []string{`[{"role":"user","content":"x"}]`, `{"messages":[{"role":`, `{"type":"session","id":"x"}`, "[[[[", `{"role":"user","content":[{"type":"tool_result"`} {
		f.Add([]byte(text))
	}
	// Laws: no head of a file makes detection panic or hang; the answer for a file
	// does not depend on when it is asked.
	f.Fuzz(func(t *testing.T, head []byte) {
		a, aok := formats.Detect(all.Formats(), "x", head)
		b, bok := formats.Detect(all.Formats(), "x", head)
		if aok != bok || aok && a.About().Name != b.About().Name {
			t.Errorf("%v, then %v", a, b)
		}
	})
}

// Both spellings of encrypted thinking are one thing: an exporter that has one has the other.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for _, f := range all.Formats() {
		about := f.About()
		if about.ReadOnly {
			continue
		}
		var became []string
		for _, block := range []string{`{"type":"thinking","thinking":"","thinkingSignature":"TUFSSw==","redacted":true}`, `{"type":"redactedThinking","data":"TUFSSw=="}`} {
			out, losses := formatstest.Export(t, f, formatstest.Parse(t, `{"type":"session","version":3,"id":"019b7ca9-8f2e-7063-834b-74487a82aa03","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"user","content":"ask","timestamp":1767323046000}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"assistant","content":[{"type":"text","text":"answer"},`+block+`],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{"input":1,"output":1},"stopReason":"stop","timestamp":1767323047000}}
`), append(about.Versions, "")[0])
			kinds := fmt.Sprint(strings.Contains(out, "TUFSSw=="))
			for _, l := range losses {
				kinds += " " + l.Kind
			}
			became = append(became, kinds)
		}
		if became[0] != became[1] {
			t.Errorf("%s: there, and lost: %q", about.Name, became)
		}
	}
}
