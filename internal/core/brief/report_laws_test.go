package brief_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// The laws of reports, for any path:
//
//  1. ReportOn says that what left a context is the context before less that
//     after, entry by entry, but for a system message that says the same.
//  2. It knows each compaction and context_edit of the path.
//  3. What is before it on the path stays out of the report.
//  4. The tokens are those of the two contexts, and their sum is right.
func checkReports(t tb, path []session.Entry) {
	t.Helper()
	for i, e := range path {
		r, err := brief.ReportOn(path, e.ID(), "/w")
		if e.Type() != session.TypeCompaction && e.Type() != session.TypeContextEdit {
			if !errors.Is(err, brief.ErrNoReport) {
				t.Fatalf("a report on a %s: %+v, %v", e.Type(), r, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkTokens(t, r, path[:i], path[:i+1])
		before, after := held(path[:i]), held(path[:i+1])
		if system(path[:i]) != system(path[:i+1]) {
			before, after = heldWithSystem(path[:i]), heldWithSystem(path[:i+1])
		}
		var want, got []string
		for _, e := range path[:i] {
			if was := before[e.ID()]; len(was) > 0 && !slices.Equal(was, after[e.ID()]) {
				want = append(want, e.ID())
			}
		}
		for _, e := range r.Entries {
			got = append(got, e.ID)
			if e.Partly != (len(after[e.ID]) > 0) {
				t.Fatalf("entry %s: partly %v, stays %q", e.ID, e.Partly, after[e.ID])
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("entries that left with %s (-want +got):\n%s", e.ID(), diff)
		}
	}
}

func checkTokens(t tb, r *brief.Report, before, after []session.Entry) {
	t.Helper()
	size := func(path []session.Entry) int64 {
		return convo.EstimateContext(convo.MessagesOf(convo.Project(path)), convo.Estimate)
	}
	if r.TokensBefore != size(before) || r.TokensAfter != size(after) {
		t.Fatalf("%d tokens before, %d after: the report says %d and %d", size(before), size(after), r.TokensBefore, r.TokensAfter)
	}
	var out int64
	for _, e := range r.Entries {
		out += e.Tokens
	}
	if out != r.TokensOut {
		t.Fatalf("%d tokens of entries, %d in all", out, r.TokensOut)
	}
}

func system(path []session.Entry) string {
	m, _ := convo.FoldSystem(convo.MessagesOf(convo.Project(path)))
	return m.Raw()
}

// held returns what each entry puts into the context of a path, by id.
func held(path []session.Entry) map[string][]string {
	out := heldWithSystem(path)
	for id, raws := range out {
		out[id] = slices.DeleteFunc(raws, func(raw string) bool { return session.NewMessage(raw).Role() == session.RoleSystem })
	}
	return out
}

func heldWithSystem(path []session.Entry) map[string][]string {
	out := map[string][]string{}
	for _, p := range convo.Project(path) {
		for _, m := range p.Messages {
			out[p.Entry.ID()] = append(out[p.Entry.ID()], m.Raw())
		}
	}
	return out
}

// checkPlanReport checks that a plan's report is that on the compaction it
// leads to, and that what leaves and what is new make up the difference of the
// contexts, message by message.
func checkPlanReport(t tb, path []session.Entry, o compact.Options) {
	t.Helper()
	plan, err := compact.New(path, o)
	if errors.Is(err, compact.ErrNothing) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(path, func(e session.Entry) bool { return e.ID() == id })
	}
	batch := &session.Batch{Leaf: plan.Leaf, Known: taken, NewID: func(known func(string) bool) (string, error) {
		id := "c"
		for known(id) {
			id += "c"
		}
		return id, nil
	}}
	e, err := plan.AddTo(batch, compact.Summary{History: "## Goal\n- work", TurnPrefix: "## Original Request\n- it"})
	if err != nil {
		t.Fatal(err)
	}
	after := plan.After(batch.Entries...)
	would := brief.Planned(plan, "/w")
	did, err := brief.ReportOn(after, e.ID(), "/w")
	if err != nil {
		t.Fatal(err)
	}
	checkTokens(t, did, path, after)
	if did.TokensAfter != did.TokensBefore-did.TokensOut+did.SummaryTokens {
		t.Fatalf("%d tokens, %d out, %d summary: %d", did.TokensBefore, did.TokensOut, did.SummaryTokens, did.TokensAfter)
	}
	checkDifference(t, path, after, e.ID(), did)
	did.TokensAfter, did.SummaryTokens, did.ID = did.TokensAfter-did.SummaryTokens, 0, ""
	if o.Strategy == compact.KeepUser {
		did.Kept = ""
	}
	if diff := cmp.Diff(would, did); diff != "" {
		t.Fatalf("the report of the plan and that on the compaction (-plan +compaction):\n%s", diff)
	}
}

// checkDifference checks the messages of a context before against those of the
// entries that left wholly and those of the context after.
func checkDifference(t tb, path, after []session.Entry, compaction string, r *brief.Report) {
	t.Helper()
	was, partly := held(path), 0
	var there []string
	for _, raws := range was {
		there = append(there, raws...)
	}
	var sum []string
	for id, raws := range held(after) {
		if id != compaction {
			sum = append(sum, raws...)
		}
	}
	for _, e := range r.Entries {
		if e.Partly {
			partly++
			there = slices.DeleteFunc(there, func(raw string) bool { return raw == was[e.ID][0] })
			continue
		}
		sum = append(sum, was[e.ID]...)
	}
	if partly > 0 { // what was cut out of a copy is compared in TestReportCopies
		return
	}
	slices.Sort(there)
	slices.Sort(sum)
	if diff := cmp.Diff(there, sum); diff != "" {
		t.Fatalf("the context, and what left and stayed (-context +sum):\n%s", diff)
	}
}

func TestReportLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		path := fromBytes(r, rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(r, "operations"))
		checkReports(r, path)
		checkPlanReport(r, path, compact.Options{
			Keep:     rapid.Int64Range(1, 400).Draw(r, "keep"),
			Strategy: rapid.SampledFrom([]compact.Strategy{compact.KeepRecent, compact.KeepUser, compact.LastTurn}).Draw(r, "strategy"),
		})
	})
}

func TestReportCorpusLaws(t *testing.T) {
	t.Parallel()
	for _, file := range append(corpus.Sessions(t, "pi/sessions"), corpus.Sessions(t, "omp/18")...) {
		s, err := session.Read(bytes.NewReader(corpus.Session(t, file)))
		if err != nil {
			continue // damaged on purpose
		}
		leaf, _ := s.Leaf()
		path, _ := s.Path(leaf)
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if len(path) < 500 { // each report reads the whole path
				checkReports(t, path)
			}
			for _, o := range []compact.Options{{Keep: 50}, {Keep: 2000}, {Keep: 100, Strategy: compact.KeepUser}, {Strategy: compact.LastTurn}} {
				checkPlanReport(t, path, o)
			}
		})
	}
}

// FuzzReport checks the laws of checkReports and checkPlanReport.
func FuzzReport(f *testing.F) {
	f.Add([]byte{0, 2, 0x13, 0x15, 0x20, 0x22, 0x30}, int64(20), uint8(0))
	f.Add([]byte{0xd, 0, 2, 0xf0, 0xf2, 0x1e, 0x2e, 0x3f, 0xf0, 0xf2, 0xf5}, int64(50), uint8(1))
	f.Add([]byte{0xd, 0, 2, 0xd, 0xf0, 0xf2, 0x5f, 0x4e, 0xf0, 0x2a}, int64(9), uint8(3))
	f.Fuzz(func(t *testing.T, ops []byte, keep int64, how uint8) {
		path := fromBytes(t, ops[:min(len(ops), 120)])
		checkReports(t, path)
		checkPlanReport(t, path, compact.Options{Keep: keep, Strategy: compact.Strategy(how / 2 % 3)})
	})
}
