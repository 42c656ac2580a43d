package usage

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"

	"github.com/sess-tools/sess/internal/test/corpus"
)

const compactionsHeader = `{"type":"session","version":3,"id":"01a3f000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}` + "\n"

// readLines reads a session of entries.
func readLines(t *testing.T, lines []string) *session.Session {
	t.Helper()
	s := corpus.ParseText(t, compactionsHeader+strings.Join(lines, "\n")+"\n")
	return s
}

// anyEntry returns an entry of some kind whose parent and references are any others.
func anyEntry(r *rand.Rand, i, n int) string {
	some := func() string { return fmt.Sprintf("e%d", r.IntN(n+2)) }
	parent := fmt.Sprintf(`"e%d"`, i-1)
	switch r.IntN(8) {
	case 0:
		parent = `"` + some() + `"`
	case 1:
		if i%7 == 0 {
			parent = "null"
		}
	}
	head := fmt.Sprintf(`"id":"e%d","parentId":%s,"timestamp":"2026-01-02T03:05:00.000Z"`, i, parent)
	switch r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf(`{"type":"compaction",%s,"summary":"what was","firstKeptEntryId":"%s","tokensBefore":7}`, head, some())
	case 2:
		return fmt.Sprintf(`{"type":"reset_boundary",%s}`, head)
	case 3:
		return fmt.Sprintf(`{"type":"context_edit",%s,"targetId":"%s","replacement":"less"}`, head, some())
	}
	return fmt.Sprintf(`{"type":"message",%s,"message":{"role":"user","content":"%s"}}`, head, strings.Repeat("word ", 1+r.IntN(30)))
}

// What is found is what the whole paths give, whatever the tree is.
func TestCompactionsLaw(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(25)
		var lines []string
		for i := range n {
			lines = append(lines, anyEntry(r, i, n))
		}
		s := readLines(t, lines)
		var want []Compacted
		for i, e := range s.Entries {
			if e.Type() != session.TypeCompaction {
				continue
			}
			path, _ := s.Path(i)
			c := Compacted{Entry: e.ID(), Time: e.Str("timestamp"), Reported: 7}
			before, after := convo.Project(path[:len(path)-1]), convo.Project(path)
			c.Before = convo.EstimateContext(convo.MessagesOf(before), convo.Estimate)
			c.After = convo.EstimateContext(convo.MessagesOf(after), convo.Estimate)
			c.left(before, after)
			want = append(want, c)
		}
		if got := Compactions(s); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %+v\nwant %+v\n%s", seed, got, want, strings.Join(lines, "\n"))
		}
	}
}

// Four times as many compactions take some four times the memory, not sixteen times. It runs alone, as
// it counts what the process allocates.
func TestCompactionsAreLinear(t *testing.T) { //nolint:paralleltest // see above
	bytes := func(n int) uint64 {
		var lines []string
		for i := range n {
			lines = append(lines, fmt.Sprintf(`{"type":"compaction","id":"e%d","parentId":"e%d","timestamp":"2026-01-02T03:05:00.000Z","summary":"x","firstKeptEntryId":"e%d"}`, i, i-1, i-1))
		}
		s := readLines(t, lines)
		var from, to runtime.MemStats
		runtime.ReadMemStats(&from)
		if got := len(Compactions(s)); got != n {
			t.Fatalf("%d of %d", got, n)
		}
		runtime.ReadMemStats(&to)
		return to.TotalAlloc - from.TotalAlloc
	}
	small, large := bytes(500), bytes(2000)
	if large > 7*small {
		t.Errorf("%d bytes for 500, %d for 2000", small, large)
	}
}
