package usage_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/session"
)

// A spending is what a call used.
type spending struct {
	model                                string
	input, output, read, write, thoughts int64
	cost                                 float64 // in dollars, a sum of 64ths, so that sums are exact
}

func (s spending) tokens() [4]int64 { return [4]int64{s.input, s.output, s.read, s.write} }

// sums adds up by model. Calls that used nothing are left out: agents store them for replies that failed.
func sums(of []spending) map[string]spending {
	all := map[string]spending{}
	for _, s := range of {
		if n := all[s.model]; s.tokens() != [4]int64{} || s.cost != 0 {
			all[s.model] = spending{s.model, n.input + s.input, n.output + s.output, n.read + s.read, n.write + s.write, n.thoughts + s.thoughts, n.cost + s.cost}
		}
	}
	return all
}

// total adds up all models.
func total(of []spending) (sum spending) {
	for _, s := range sums(of) {
		s.model = ""
		for _, n := range sums([]spending{sum, s}) {
			sum = n
		}
	}
	return sum
}

// A drawnHome is the home of an agent with drawn sessions, and what they really used.
type drawnHome struct {
	*rand.Rand
	files       map[string]string     // by their paths below the home
	calls       []spending            // that were made, each once
	holds       map[string][]spending // by the id of a session: what its file has, with what was copied into it
	tells       bool                  // the home says whether something contradicts a total
	contradicts bool                  // something does
	exact       bool                  // each call is told apart; else of some the sum alone is known
	n           int                   // for ids
}

// next returns a number that no other has.
func (h *drawnHome) next() int { h.n++; return h.n }

// chance is true once in n times.
func (h *drawnHome) chance(n int) bool { return h.IntN(n) == 0 }

// uuid returns an id.
func (h *drawnHome) uuid() string { return fmt.Sprintf("01a2b3c4-0000-7000-8000-%012x", h.next()) }

// time returns the time of the next line, each a second after the one before.
func (h *drawnHome) time() string {
	return time.UnixMilli(1_772_600_000_000 + int64(h.next())*1000).UTC().Format("2006-01-02T15:04:05.000Z")
}

// spends draws what a call uses. Numbers are of a few digits, so that calls with equal counters come, too.
func (h *drawnHome) spends() spending {
	s := spending{model: []string{"m-large", "m-small"}[h.IntN(2)], input: int64(1 + h.IntN(4)*100), output: int64(1 + h.IntN(3)*10)}
	if h.chance(2) {
		s.read = int64(h.IntN(3) * 1000)
	}
	if s.thoughts = int64(h.IntN(3)); s.thoughts > s.output {
		s.thoughts = 0
	}
	return s
}

// makes adds a call that a session made.
func (h *drawnHome) makes(id string, s spending) {
	h.calls = append(h.calls, s)
	h.holds[id] = append(h.holds[id], s)
}

// write adds lines to a file.
func (h *drawnHome) write(path string, lines ...string) {
	h.files[path] += strings.Join(lines, "\n") + "\n"
}

// homes draw the homes of agents, by the name of their format.
var homes = map[string]func(h *drawnHome){
	"pi": drawPi, "claude": drawClaude, "codex": drawCodex, "opencode": drawOpencode,
	"gemini": drawGemini, "copilot": drawCopilot, "kimi": drawKimi, "qwen": drawQwen, "grok": drawGrok,
}

// spent returns the calls of sessions, as a ledger charges them, with what is missing in a listing of each of them or
// in [session.SpentOn].
func (h *drawnHome) spent(t formatstest.T, how, agent string, results []formatstest.Result) (calls []spending) {
	t.Helper()
	l := &usage.Ledger{}
	for _, r := range results {
		text := r.Text()
		add(t, l, r.Info.Path, strings.TrimPrefix(agent, "pi"), text) // pi's sessions are as ours
		info, err := session.ScanInfo(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		want := total(h.holds[info.ID])
		for name, got := range map[string]session.Spent{"a listing": info.Spent, "the session": session.SpentOn(r.Session(t).Entries)} {
			if is := (spending{"", got.Input, got.Output, got.CacheRead, got.CacheWrite, want.thoughts, got.Cost}); is != want {
				t.Errorf("%s: %s of %s has %+v, want %+v", how, name, info.ID, is, want)
			}
		}
	}
	l.Settle()
	if differs := grouped(l, "session").Total.Parts > 0; h.tells && differs != h.contradicts {
		t.Errorf("%s: totals differ: %t, want %t", how, differs, h.contradicts)
	}
	l.All(func(c usage.Call, _ *usage.Session, _ int) {
		tokens := c.Tokens
		calls = append(calls, spending{c.Model, tokens.Input, tokens.Output, tokens.CacheRead, tokens.CacheWrite, tokens.Reasoning, float64(c.Stored) / 1e12})
	})
	return calls
}

// compare holds calls to those that were made.
func (h *drawnHome) compare(t formatstest.T, how string, got []spending) {
	t.Helper()
	if a, b := sums(got), sums(h.calls); !maps.Equal(a, b) {
		t.Errorf("%s: calls have %+v, want %+v", how, a, b)
	}
	idle := func(s spending) bool { return s.tokens() == [4]int64{} && s.cost == 0 }
	if n := len(slices.DeleteFunc(slices.Clone(got), idle)); h.exact && n != len(h.calls) {
		t.Errorf("%s: %d calls, want %d", how, n, len(h.calls))
	}
}

// sources returns the files of a home that are sessions, each as a source of its own.
func sources(results []formatstest.Result) (out []string) {
	for _, r := range results {
		if path := r.Info.Path; path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// TestOneSum: what the sessions of an agent used is the same wherever one asks, and is what they used: read from the home, from
// each file alone, and from an export that is read again; by the ledger, a listing and [session.SpentOn].
func TestOneSum(t *testing.T) {
	t.Parallel()
	known := map[string]formats.Format{}
	for _, f := range all.Formats() {
		known[f.About().Name] = f
	}
	agents := slices.Sorted(maps.Keys(homes))
	for n, r := range drawn.Cases(t, 1000*len(agents)) {
		agent := agents[n%len(agents)]
		if !t.Run(agent, func(t *testing.T) {
			h := &drawnHome{Rand: r, files: map[string]string{}, holds: map[string][]spending{}, exact: true, tells: agent == "claude" || agent == "opencode"}
			homes[agent](h)
			if h.oneSum(t, known[agent]); t.Failed() {
				for _, path := range slices.Sorted(maps.Keys(h.files)) {
					t.Logf("%s\n%s", path, h.files[path])
				}
			}
		}) {
			t.Fatalf("case %d", n)
		}
	}
}

// oneSum holds the sessions of a home to what they used.
func (h *drawnHome) oneSum(t *testing.T, f formats.Format) {
	agent, dir := f.About().Name, t.TempDir()
	for path, text := range h.files {
		formatstest.Put(t, filepath.Join(dir, filepath.FromSlash(path)), text)
	}
	env := formats.Env{Getenv: func(string) string { return "" }}
	read := func(path string) []formatstest.Result {
		results, err := formatstest.TryAll(t.Context(), f, &formats.Source{Path: path, Env: env})
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	results := read(dir)
	if len(results) != len(h.holds) {
		t.Errorf("%d sessions, want %d", len(results), len(h.holds))
	}
	h.compare(t, "the home", h.spent(t, "the home", agent, results))
	var each, back []formatstest.Result
	for _, path := range sources(results) {
		each = append(each, read(path)...)
	}
	h.compare(t, "each file", h.spent(t, "each file", agent, each))
	if f.About().ReadOnly {
		return
	}
	for i, r := range results {
		text, _ := formatstest.Export(t, f, r.Session(t), "")
		path := filepath.Join(dir, "back", fmt.Sprint(i), filepath.Base(r.Info.Path))
		if below, err := filepath.Rel(dir, r.Info.Path); err == nil && agent == "pi" { // where a session is says what it is a part of
			path = filepath.Join(dir, "back", below)
		}
		formatstest.Put(t, path, text)
		back = append(back, read(path)...)
	}
	h.compare(t, "an export", h.spent(t, "an export", agent, back))
}
