package usage_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// fixtures are all sessions of testdata, by their paths.
func fixtures(t *testing.T) map[string]*session.Session {
	t.Helper()
	out := map[string]*session.Session{}
	for _, path := range slices.Concat(corpus.Sessions(t, "pi"), corpus.Sessions(t, "omp"), corpus.Sessions(t, "v2")) {
		if s, err := session.Read(bytes.NewReader(corpus.Session(t, path))); err == nil {
			out[path] = s
		}
	}
	if len(out) < 100 {
		t.Fatalf("%d sessions", len(out))
	}
	return out
}

// TestHard20LedgerOfAnyPath holds the parts of a context to what sess-path says of it, for
// paths to entries of every fixture, torn and gapped ones among them.
func TestHard20LedgerOfAnyPath(t *testing.T) {
	t.Parallel()
	paths, gapped := 0, 0
	for name, s := range fixtures(t) {
		for i := 0; i < len(s.Entries); i += 1 + len(s.Entries)/60 {
			path, gaps := s.Path(i)
			projection := convo.Project(path)
			messages := convo.MessagesOf(projection)
			want := convo.MeasureProjection(projection, path, convo.Estimate).Tokens
			c := usage.ContextOf(path)
			var tokens, estimates int64
			for _, p := range c.Parts {
				tokens, estimates = tokens+p.Tokens, estimates+p.Estimate
				if p.Tokens < 0 || p.Estimate < 0 {
					t.Errorf("%s, entry %d: %+v", name, i, p)
				}
			}
			if tokens != want || c.Tokens != want {
				t.Errorf("%s, entry %d: the parts have %d tokens, the context %d, want %d", name, i, tokens, c.Tokens, want)
			}
			if all := convo.EstimateContext(messages, convo.Estimate); estimates != all || c.Estimates != all {
				t.Errorf("%s, entry %d: the parts are estimated at %d, want %d", name, i, estimates, all)
			}
			paths++
			if len(gaps) > 0 || s.Torn {
				gapped++
			}
		}
	}
	if paths < 1000 || gapped < 20 {
		t.Errorf("only %d paths, %d of them with gaps", paths, gapped)
	}
}

// TestHard21Images counts an image by the provider's rule, and not by its base64.
func TestHard21Images(t *testing.T) {
	t.Parallel()
	s := corpus.Parse(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":[{"type":"text","text":"what is it?"},{"type":"image","mimeType":"image/png","data":"`+strings.Repeat("AAAA", 500_000)+`"}]}}`)
	c := usage.ContextOf(s.Entries)
	if len(c.Parts) != 2 || c.Parts[1].Kind != usage.KindImage || c.Parts[1].Tokens < 1100 || c.Parts[1].Tokens > 1300 || c.Parts[1].Bytes < 2_000_000 || c.Parts[0].Tokens > 4 {
		t.Errorf("%+v", c.Parts)
	}
}

func TestPartsOfACall(t *testing.T) {
	t.Parallel()
	s := corpus.Parse(t, `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}`,
		`{"type":"message","id":"a0000001","parentId":null,"message":{"role":"user","content":"read it"}}`,
		`{"type":"message","id":"a0000002","parentId":"a0000001","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"},{"type":"toolCall","id":"c1","name":"read","arguments":{"file_path":"a.go"}}],"usage":{"input":900,"output":100,"cacheRead":0,"cacheWrite":0,"totalTokens":1000},"stopReason":"toolUse"}}`,
		`{"type":"message","id":"a0000003","parentId":"a0000002","message":{"role":"toolResult","toolCallId":"c1","toolName":"other","content":[{"type":"text","text":"package a"}]}}`)
	c := usage.ContextOf(s.Entries)
	var got []string
	for _, p := range c.Parts {
		got = append(got, strings.Join([]string{p.Role, p.Kind, p.Tool, p.File, p.Entry}, " "))
	}
	want := []string{"user text   a0000001", "assistant thinking   a0000002", "assistant text   a0000002", "assistant call read a.go a0000002", "toolResult result read a.go a0000003", "outside outside   "}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if c.Tokens != 1000+3 || c.Parts[4].Tokens != 3 || !c.Calibrated || c.Reported != 1000 || c.Factor != 1 || c.Parts[0].Tokens != 2 || c.Parts[5].Tokens != 1000-c.Estimated {
		t.Errorf("%+v", c)
	}
}

// TestCalibration says how well the usage of a reply foretells that of the next, with what
// the estimator says of both: in the median of the genuine sessions, within a tenth.
func TestCalibration(t *testing.T) {
	t.Parallel()
	var errs []float64
	for name, s := range fixtures(t) {
		if !strings.Contains(name, "genuine") {
			continue
		}
		leaf, ok := s.Leaf()
		if !ok {
			continue
		}
		path, _ := s.Path(leaf)
		last := usage.Context{}
		for i, e := range path {
			if m, ok := e.Message(); !ok || m.Role() != session.RoleAssistant {
				continue
			}
			now := usage.ContextOf(path[:i+1])
			if last.Estimated > 0 && now.Reported > 0 && now.Estimated > last.Estimated {
				grown := float64(last.Reported) + last.Factor*float64(now.Estimated-last.Estimated)
				errs = append(errs, math.Abs(grown/float64(now.Reported)-1))
			}
			last = now
		}
	}
	if len(errs) < 10 {
		t.Fatalf("%d replies", len(errs))
	}
	slices.Sort(errs)
	median := errs[len(errs)/2]
	t.Logf("median %.2f %%, nine tenths below %.2f %%, of %d replies", 100*median, 100*errs[len(errs)*9/10], len(errs))
	if median > 0.10 {
		t.Errorf("median %.1f %%", 100*median)
	}
}
