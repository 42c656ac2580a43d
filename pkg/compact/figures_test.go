package compact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// Pi decides by the size it gives for a plan.
func TestPiFigures(t *testing.T) {
	t.Parallel()
	goldenFiles(t, func(t *testing.T, path []session.Entry, golden func(string) []byte) {
		t.Helper()
		var plan piPlan
		if err := json.Unmarshal(golden("cut500"), &plan); err != nil {
			t.Fatal(err)
		}
		if f := compact.Measure(path, compact.Trigger{}); !plan.nothing() && f.Tokens != plan.TokensBefore {
			t.Errorf("%d tokens, pi says %d", f.Tokens, plan.TokensBefore)
		}
	})
}

// ownerOf returns the id of the entry of the context's i-th message.
func ownerOf(path []session.Entry, i int) string {
	var owners []string
	for _, p := range convo.Project(path) {
		for range p.Messages {
			owners = append(owners, p.Entry.ID())
		}
	}
	return owners[i]
}

// corpusPaths calls test for the path of every session among the samples.
func corpusPaths(t *testing.T, test func(t *testing.T, path []session.Entry)) {
	t.Helper()
	read := 0
	for _, file := range append(corpus.Sessions(t, "pi"), corpus.Sessions(t, "omp")...) {
		s, err := session.Read(bytes.NewReader(corpus.Session(t, file)))
		if err != nil {
			continue // damaged on purpose
		}
		read++
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			test(t, path)
		})
	}
	if read < 20 {
		t.Errorf("only %d sessions", read)
	}
}

func TestMeasureDefault(t *testing.T) {
	t.Parallel()
	corpusPaths(t, func(t *testing.T, path []session.Entry) {
		t.Helper()
		projection := convo.Project(path)
		size := convo.MeasureProjection(projection, path, convo.Estimate)
		for _, window := range []int64{0, 1000, size.Tokens + 10, size.Tokens + 9} {
			want := compact.Figures{
				Tokens: size.Tokens, UsageTokens: size.Usage, TrailingTokens: size.Trailing,
				Window: window, Reserve: 10, Estimator: "chars4", Factor: 1,
			}
			if window > 0 {
				want.Limit, want.Free = window-10, window-size.Tokens
				want.Percent = float64(size.Tokens) * 100 / float64(window)
				want.Needed = compact.ShouldCompact(size.Tokens, window, 10)
			}
			if size.LastUsage >= 0 {
				want.LastUsageID = ownerOf(path, size.LastUsage)
			}
			got := compact.Measure(path, compact.Trigger{Window: window, Reserve: 10})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("window %d (-want +got):\n%s", window, diff)
			}
		}
	})
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	asked := func(b *builder) { b.user("漢字漢字xxxx") } // 2 tokens, 4 by bytes, 5 with wide characters
	replied := func(b *builder) {
		b.message(`{"role":"assistant","content":[{"type":"text","text":"xxxx"}],"stopReason":"stop","usage":{"totalTokens":100}}`)
	}
	cjk, _ := compact.EstimatorFor("cjk")
	for _, c := range []struct {
		name    string
		build   []func(b *builder)
		trigger compact.Trigger
		want    compact.Figures
	}{
		{"nothing", nil, compact.Trigger{}, compact.Figures{Estimator: "chars4", Factor: 1}},
		{"nothing in a window", nil, compact.Trigger{Window: 100, Reserve: 30}, compact.Figures{Window: 100, Reserve: 30, Limit: 70, Free: 100, Estimator: "chars4", Factor: 1}},
		{
			"not yet",
			[]func(*builder){asked, replied, asked},
			compact.Trigger{Window: 204, Reserve: 102},
			compact.Figures{Tokens: 102, UsageTokens: 100, TrailingTokens: 2, LastUsageID: "00000002", Window: 204, Reserve: 102, Limit: 102, Free: 102, Percent: 50, Estimator: "chars4", Factor: 1},
		},
		{
			"needed",
			[]func(*builder){asked, replied, asked},
			compact.Trigger{Window: 200, Reserve: 99},
			compact.Figures{Tokens: 102, UsageTokens: 100, TrailingTokens: 2, LastUsageID: "00000002", Window: 200, Reserve: 99, Limit: 101, Free: 98, Percent: 51, Estimator: "chars4", Factor: 1, Needed: true},
		},
		{
			"over the window",
			[]func(*builder){asked, replied},
			compact.Trigger{Window: 40},
			compact.Figures{Tokens: 100, UsageTokens: 100, LastUsageID: "00000002", Window: 40, Limit: 40, Free: -60, Percent: 250, Estimator: "chars4", Factor: 1, Needed: true},
		},
		{
			"no window, no need",
			[]func(*builder){asked, replied},
			compact.Trigger{Window: -1, Reserve: 10},
			compact.Figures{Tokens: 100, UsageTokens: 100, LastUsageID: "00000002", Reserve: 10, Estimator: "chars4", Factor: 1},
		},
		{
			"another estimator",
			[]func(*builder){asked, replied, asked},
			compact.Trigger{Estimate: cjk, Estimator: "cjk"},
			compact.Figures{Tokens: 105, UsageTokens: 100, TrailingTokens: 5, LastUsageID: "00000002", Estimator: "cjk", Factor: 1},
		},
		{
			"calibrated without samples",
			[]func(*builder){asked, replied, asked},
			compact.Trigger{Calibrate: true},
			compact.Figures{Tokens: 102, UsageTokens: 100, TrailingTokens: 2, LastUsageID: "00000002", Estimator: "chars4", Factor: 1},
		},
	} {
		b := &builder{t: t}
		for _, add := range c.build {
			add(b)
		}
		if diff := cmp.Diff(c.want, compact.Measure(b.path, c.trigger)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// The calibrated estimate is rounded up, in thousandths: what the figures print
// can be checked by hand.
func TestMeasureCalibrated(t *testing.T) {
	t.Parallel()
	used := func(b *builder, tokens int) {
		b.message(fmt.Sprintf(`{"role":"assistant","content":[],"stopReason":"stop","usage":{"totalTokens":%d}}`, tokens))
	}
	b := &builder{t: t}
	b.user("hello")
	used(b, 3000)
	b.user(strings.Repeat("x", 40))
	used(b, 3011)                   // 11 for an estimate of 10
	b.user(strings.Repeat("x", 40)) // 10, times 1.1 is 11, not 12
	f := compact.Measure(b.path, compact.Trigger{Window: 4000, Calibrate: true})
	want := compact.Figures{
		Tokens: 3022, UsageTokens: 3011, TrailingTokens: 11, LastUsageID: "00000004", Window: 4000, Limit: 4000, Free: 978, Percent: 75.55,
		Estimator: "chars4", Factor: 1.1, Samples: 1,
	}
	if f != want {
		t.Errorf("got\n%+v\nwant\n%+v", f, want)
	}
	b.user("xxxx")
	if f := compact.Measure(b.path, compact.Trigger{Calibrate: true}); f.TrailingTokens != 13 { // 12.1
		t.Errorf("%d trailing tokens", f.TrailingTokens)
	}
	// After a compaction all is estimated, and the factor of before holds.
	b.add(session.TypeCompaction, `"summary":"`+strings.Repeat("x", 80)+`","firstKeptEntryId":"00000006","tokensBefore":1`)
	f = compact.Measure(b.path, compact.Trigger{Calibrate: true})
	want = compact.Figures{Tokens: 24, TrailingTokens: 24, Estimator: "chars4", Factor: 1.1, Samples: 1} // 23.1
	if f != want {
		t.Errorf("got\n%+v\nwant\n%+v", f, want)
	}
}
