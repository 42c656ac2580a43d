package usage_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

const head = `{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}` + "\n"

// FuzzRead: whatever a session is, reading it strictly finds at least the damage, and where
// it finds none both ways have the same calls: one for each line with a usage in its place.
func FuzzRead(f *testing.F) {
	f.Add(`{"type":"message","id":"a","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","usage":{"input":1}}}`)
	f.Add(`{"type":"message","message":{"usage":{"input":1}},"message":7}`)
	f.Add(`{"type":"message","message":7,"message":{"usage":{"input":1}}}`)
	f.Add(`{"type":"message","message":{"\u0075sage":{"input":1},"\u0075sage":{"input":2}}}`)
	f.Add(`{"type":"usage","usage":{"input":1}} {"type":"usage"}`)
	f.Add(`{"type":"usage","usage":{"input":1}}` + "\n" + `{"usage":{"input":1`)
	f.Add(`{"type":"usage","usage":{"input":01}}`)
	f.Add("\xef\xbb\xbf \t\r\n[\"usage\"]\n\"usage\"\n")
	for _, path := range corpus.Sessions(f, "omp/edge") {
		f.Add(string(corpus.Session(f, path)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain, err := usage.Read(strings.NewReader(head+text), usage.Options{})
		strict, serr := usage.Read(strings.NewReader(head+text), usage.Options{Strict: true})
		if (err == nil) != (serr == nil) {
			t.Fatalf("%v, %v", err, serr)
		}
		if strict.Damaged < plain.Damaged || len(strict.Damage) > strict.Damaged {
			t.Fatalf("%v, and strictly %v", plain.Damage, strict.Damage)
		}
		if strict.Damaged == 0 && fmt.Sprint(plain.Calls) != fmt.Sprint(strict.Calls) {
			t.Fatalf("%v\n%v", plain.Calls, strict.Calls)
		}
		want := 0
		for line := range strings.SplitSeq(text, "\n") {
			if e, err := session.ParseEntry(line); err == nil && isCall(e) {
				want++
			}
		}
		if len(strict.Calls) != want {
			t.Fatalf("%d calls, want %d", len(strict.Calls), want)
		}
	})
}

// isCall reports whether an entry has a usage where it counts.
func isCall(e session.Entry) bool {
	switch e.Type() {
	case session.TypeSession, session.TypeTitle, session.TypeCustom, session.TypeCustomMessage:
		return false
	case session.TypeMessage:
		m := js.Value(e.Get("message"))
		used := m.Get("usage")
		nothing := m.Get("stopReason").Str() == "error" && used.Get("totalTokens").Int() == 0 // a request that failed
		return used.IsObject() && !nothing
	}
	return js.Value(e.Get("usage")).IsObject()
}

// Every fixture has the calls that its entries have.
func TestReadFixtures(t *testing.T) {
	t.Parallel()
	calls := 0
	for name, s := range fixtures(t) {
		if s.Header.Version < session.Version {
			continue // its entries are not its lines
		}
		got, err := usage.Read(bytes.NewReader(corpus.Session(t, name)), usage.Options{Branches: true})
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, e := range s.Entries {
			if isCall(e) {
				want++
			}
		}
		if len(got.Calls) != want {
			t.Errorf("%s: %d calls, want %d", name, len(got.Calls), want)
		}
		calls += want
	}
	if calls < 100 {
		t.Errorf("%d calls", calls)
	}
}

// A ledger takes what its package says: 250 bytes for a call, and 8 for a copy.
func TestMemory(t *testing.T) {
	const calls = 200_000
	list := make([]usage.Call, 0, calls)
	for i := range calls {
		list = append(list, usage.Call{ID: fmt.Sprintf("a%07x", i), Time: int64(i), Timed: true, Provider: "anthropic", Model: "claude", Purpose: usage.Reply, Stop: "stop"})
	}
	l := &usage.Ledger{}
	before := heap()
	l.Add(usage.Session{ID: "s"}, list)
	distinct := heap()
	const forks = 10
	for i := range forks {
		l.Add(usage.Session{ID: fmt.Sprint("f", i), Parent: "s"}, list)
	}
	copies := heap()
	if each := (distinct - before) / calls; each < 50 || each > 250 {
		t.Errorf("%d bytes for a call", each)
	}
	// A slice that grows has room for a quarter more.
	if each := float64(copies-distinct) / (calls * forks); each < 4 || each > 8*1.25+1 {
		t.Errorf("%.1f bytes for a copy", each)
	}
	runtime.KeepAlive(list)
	runtime.KeepAlive(l)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A reply of Copilot says its output alone: what it read is told when its run is shut down, or is not known.
func TestUntoldInput(t *testing.T) {
	t.Parallel()
	reply := func(provider, model, usage string) string {
		return `{"type":"message","message":{"role":"assistant","provider":"` + provider + `","model":"` + model + `","usage":` + usage + `}}`
	}
	rest := `{"type":"usage","kind":"rest","provider":"github-copilot","model":"a","usage":{"input":70}}`
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"not told":              {[]string{reply("github-copilot", "a", `{"output":5}`)}, "inputTokens"},
		"told":                  {[]string{reply("github-copilot", "a", `{"output":5}`), rest}, ""},
		"told of another model": {[]string{reply("github-copilot", "b", `{"output":5}`), rest}, "inputTokens|"},
		"told of a run before":  {[]string{rest, reply("github-copilot", "a", `{"output":5}`)}, "|inputTokens"},
		"from a cache alone":    {[]string{reply("github-copilot", "a", `{"output":5,"cacheRead":9}`)}, ""},
		"nothing said":          {[]string{reply("github-copilot", "a", `{"output":0}`)}, ""},
		"of another provider":   {[]string{reply("openai", "a", `{"output":5}`)}, ""},
	} {
		got, err := usage.Read(strings.NewReader(corpus.Join(append([]string{corpus.Head}, tt.lines...)...)), usage.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var unknown []string
		for _, c := range got.Calls {
			unknown = append(unknown, c.Price.Unknown)
		}
		if all := strings.Join(unknown, "|"); all != tt.want && !(tt.want == "" && strings.Trim(all, "|") == "") {
			t.Errorf("%s: %q, want %q", name, all, tt.want)
		}
	}
}

// The cost that a total tells of a model pays for its replies, which have none, and for no others.
func TestTotalPays(t *testing.T) {
	t.Parallel()
	call := func(model, usage string) string {
		return `{"type":"message","message":{"role":"assistant","provider":"p","model":"` + model + `","usage":` + usage + `}}`
	}
	rest := `{"type":"usage","kind":"rest","provider":"p","model":"a","usage":{"input":7,"cost":{"total":0.5}}}`
	got, err := usage.Read(strings.NewReader(corpus.Join(corpus.Head, call("a", `{"input":1}`), call("b", `{"input":1}`),
		call("a", `{"input":1,"cost":{"total":0.25}}`), rest, call("a", `{"input":1}`))), usage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var by []usage.By
	cost := prices.Money(0)
	costing := usage.Costing{Mode: usage.Auto, Table: &prices.Table{}}
	for i := range got.Calls {
		is := costing.Of(&got.Calls[i])
		by, cost = append(by, is.By), cost.Add(is.Cost)
	}
	if want := []usage.By{usage.ByStored, usage.Unpriced, usage.ByStored, usage.ByStored, usage.Unpriced}; !slices.Equal(by, want) || cost != prices.USD*3/4 {
		t.Errorf("%v of %v, want %v", by, cost, want)
	}
}

// A total alone is that many tokens, of which nobody knows the kind: no limit passes it, and no price is made of it.
func TestTotalAlone(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]prices.Tokens{
		`{"totalTokens":90}`: {Unsplit: 90},
		`{"input":0,"output":0,"totalTokens":90,"cost":{"total":0}}`: {Unsplit: 90},
		`{"total_tokens":90}`:                 {Unsplit: 90},
		`{"totalTokenCount":90}`:              {Unsplit: 90},
		`{"input":7,"totalTokens":90}`:        {Input: 7},
		`{"totalTokens":0}`:                   {},
		`{"input_tokens":7,"total_tokens":7}`: {Input: 7},
	} {
		got, err := usage.Read(strings.NewReader(corpus.Join(corpus.Head,
			`{"type":"message","message":{"role":"assistant","provider":"p","model":"a","usage":`+raw+`}}`)), usage.Options{})
		if err != nil || len(got.Calls) != 1 {
			t.Fatal(raw, err, got.Calls)
		}
		c := &got.Calls[0]
		if c.Tokens != want || c.Tokens.Total() != want.Total() {
			t.Errorf("%s: %+v, want %+v", raw, c.Tokens, want)
		}
		table, err := prices.Parse([]byte(`{"source":"s","date":"2026-01-01","providers":{"p":{"a":{"prices":[{"input":1,"output":1}]}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		costing := usage.Costing{Mode: usage.Auto, Table: table}
		if is := costing.Of(c); (is.By == usage.Unpriced) != (want.Unsplit > 0) {
			t.Errorf("%s: %+v", raw, is)
		}
		spent, err := session.ScanInfo(strings.NewReader(corpus.Join(corpus.Head,
			`{"type":"message","message":{"role":"assistant","provider":"p","model":"a","usage":`+raw+`}}`)))
		if err != nil || strings.HasPrefix(raw, `{"totalTokens`) && spent.Spent.Total() != want.Total() {
			t.Errorf("%s: a listing has %d tokens, %v", raw, spent.Spent.Total(), err)
		}
	}
}

// TestManyAlike: calls that have one identity, and calls of which each says something else of its price, are all counted.
// What is quadratic in their number takes minutes.
func TestManyAlike(t *testing.T) {
	const many = 300_000
	for _, c := range []struct {
		name string
		call func(i int) usage.Call
	}{
		{"positions", func(i int) usage.Call { return usage.Call{ID: fmt.Sprintf("%08x", i%(1<<20))} }},
		{"prices", func(i int) usage.Call {
			return usage.Call{ID: fmt.Sprint("call ", i), Price: metering.Price{Unknown: fmt.Sprint(i)}}
		}},
	} {
		calls := make([]usage.Call, many)
		for i := range calls {
			calls[i] = c.call(i)
			calls[i].Time, calls[i].Timed, calls[i].Tokens.Input = 1, true, 1
		}
		l := &usage.Ledger{}
		l.Add(usage.Session{ID: "a", Time: 1, Timed: true}, calls)
		l.Add(usage.Session{ID: "b", Time: 2, Timed: true, Parent: "a"}, calls)
		l.Settle()
		n, copies := 0, 0
		l.All(func(_ usage.Call, _ *usage.Session, of int) { n, copies = n+1, copies+of })
		if n != many || copies != many {
			t.Errorf("%s: %d calls with %d copies, want %d with as many", c.name, n, copies, many)
		}
	}
}
