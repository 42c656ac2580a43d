package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/must"
)

// The cases that counters of usage get wrong, by the numbers of docs/accounting.md. Cases
// 5, 6 and 7 are those of other agents: TestHard05 to TestHard07 of internal/readers/usage.

// sessionOf returns a session: its header, and lines.
func sessionOf(id, at, parent string, lines ...string) string {
	if parent != "" {
		parent = `,"parentSession":"` + parent + `"`
	}
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"` + at + `","cwd":"/w"` + parent + "}\n" + strings.Join(lines, "")
}

// reply returns the line of a reply; usage is what stands between the braces.
func reply(id, at, usage string, more ...string) string {
	return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"` + at + `","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"provider":"anthropic","model":"claude-sonnet-4-5","stopReason":"stop"` +
		strings.Join(more, "") + `,"usage":{` + usage + "}}}\n"
}

const day = "2026-11-01T10:00:00.000Z"

func TestHard01ForkOfAnotherBranch(t *testing.T) {
	t.Parallel()
	root := []string{reply("a1", day, `"input":10`), reply("a2", day, `"input":20`), reply("a3", day, `"input":40`)}
	dir := t.TempDir()
	must.Write(t, dir, "r.jsonl", sessionOf("r", day, "", root...))
	must.Write(t, dir, "f.jsonl", sessionOf("f", "2026-11-02T10:00:00.000Z", "r.jsonl", root[0], root[1], reply("b1", "2026-11-02T10:01:00.000Z", `"input":80`)))
	if _, total := rows(t, "", dir); total.Tokens.Input != 150 || total.Copies != 2 || total.CopiedTokens != 30 {
		t.Errorf("%+v", total)
	}
}

func TestHard02ForkOfAWholeFile(t *testing.T) {
	t.Parallel()
	_, total := rows(t, "", "-a", "--cost", "stored", stock(t, t.TempDir()))
	if total.Calls != 11 || total.Copies != 10 {
		t.Errorf("%+v", total)
	}
}

// TestHard03 is in TestTruth as well: a store behind a link, and moved since.
func TestHard03StoreThatMoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stock(t, filepath.Join(dir, "now"))
	symlink(t, filepath.Join(dir, "now"), filepath.Join(dir, "then"))
	for _, args := range [][]string{{dir + "/now"}, {dir + "/then"}, {dir + "/then", dir + "/now"}} {
		if _, total := rows(t, "", append([]string{"-a", "--cost", "stored"}, args...)...); total.Cost != "0.1001" {
			t.Errorf("%v: %s", args, total.Cost)
		}
	}
}

func TestHard04ManyForksOfALongParent(t *testing.T) {
	t.Parallel()
	const calls, forks = 439, 36
	var lines []string
	for i := range calls {
		lines = append(lines, reply(fmt.Sprintf("%08x", 0x20000000+i), fmt.Sprintf("2026-11-01T10:%02d:%02d.000Z", i/60, i%60), `"input":1000,"cost":{"total":0.0137}`))
	}
	dir := t.TempDir()
	must.Write(t, dir, "p.jsonl", sessionOf("p", day, "", lines...))
	for f := range forks {
		own := reply(fmt.Sprintf("%08x", 0x30000000+f), fmt.Sprintf("2026-11-02T11:%02d:00.000Z", f), `"input":1,"cost":{"total":0.0001}`)
		must.Write(t, dir, fmt.Sprintf("f%02d.jsonl", f), sessionOf(fmt.Sprintf("f%02d", f), fmt.Sprintf("2026-11-02T10:%02d:00.000Z", f), "/gone/p.jsonl", append(slices.Clone(lines), own)...))
	}
	list, total := rows(t, "", "--by", "session", dir)
	if total.Calls != calls+forks || total.Cost != "6.0179" || total.Copies != calls*forks {
		t.Errorf("%+v", total)
	}
	for _, r := range list {
		if want := map[bool]int64{true: calls, false: 1}[r.Key["session"] == "p"]; r.Calls != want {
			t.Errorf("%v: %d calls, want %d", r.Key, r.Calls, want)
		}
	}
}

func TestHard08UnrelatedSessionsWithEqualNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 { // of the same millisecond, too
		must.Write(t, dir, fmt.Sprintf("%d.jsonl", i), sessionOf(fmt.Sprint("s", i), day, "", reply(fmt.Sprintf("a000000%d", i), day, `"input":7,"output":7`)))
	}
	if _, total := rows(t, "", dir); total.Calls != 5 || total.Copies != 0 {
		t.Errorf("%+v", total)
	}
	// Ids of eight digits meet by chance: times and counters tell them apart.
	must.Write(t, dir, "other/x.jsonl", sessionOf("x", day, "", reply("a0000001", "2026-11-01T10:00:00.001Z", `"input":7,"output":7`)))
	must.Write(t, dir, "other/y.jsonl", sessionOf("y", day, "", reply("a0000001", day, `"input":7,"output":8`)))
	if _, total := rows(t, "", "-a", dir); total.Calls != 7 || total.Copies != 0 {
		t.Errorf("%+v", total)
	}
}

func TestHard09InputWithAndWithoutTheCache(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string][3]int64{
		`"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_tokens_details":{"cached_tokens":60}`:    {40, 60, 105},
		`"input_tokens":100,"output_tokens":5,"cache_read_input_tokens":60`:                                            {100, 60, 165},
		`"input":40,"cacheRead":60,"output":5,"totalTokens":105`:                                                       {40, 60, 105},
		`"promptTokenCount":100,"candidatesTokenCount":3,"thoughtsTokenCount":2,"cachedContentTokenCount":60`:          {40, 60, 105},
		`"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":5,"total_tokens":105`:          {40, 60, 105},
		`"input":40,"cacheRead":60,"output":5,"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60}`:        {40, 60, 105},
		`"input_tokens":100,"cached_input_tokens":60,"output_tokens":5,"reasoning_output_tokens":2,"total_tokens":105`: {40, 60, 105},
		`"prompt_tokens":100,"completion_tokens":5,"prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40`:         {40, 60, 105},
	} {
		list, _ := rows(t, sessionOf("s", day, "", reply("a", day, usage)), "--usage")
		r := list[0]
		if got := [3]int64{r.Tokens.Input, r.Tokens.CacheRead, r.Tokens.Input + r.Tokens.Output + r.Tokens.CacheRead + r.Tokens.CacheWrite}; got != want {
			t.Errorf("%s: %v, want %v", usage, got, want)
		}
	}
}

func TestHard10ReasoningIsAPartOfOutput(t *testing.T) {
	t.Parallel()
	list, total := rows(t, sessionOf("s", day, "", reply("a", day, `"input":10,"output":100,"reasoning":90,"totalTokens":110`), reply("b", day, `"output":5,"reasoning":50`)), "--usage")
	if total.Tokens.Output != 105 || total.Tokens.Reasoning != 95 || list[0].Tokens.Total != 115 {
		t.Errorf("%+v", total)
	}
	if total.Cost != "0.001605" { // 10 at 3 and 105 at 15 USD a million
		t.Errorf("cost %s", total.Cost)
	}
}

func TestHard11TierByTheWholePrompt(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]string{
		`"input":250000,"output":1000`:                                      "1.5225",
		`"input":10,"cacheRead":249990,"output":1000`:                       "0.172554",
		`"input":10,"cacheRead":100000,"cacheWrite":99990,"output":1000`:    "0.4199925", // 200,000 are not above the tier
		`"input":11,"cacheRead":100000,"cacheWrite":99990,"output":1000`:    "0.832491",
		`"input":250000,"output":1000,"cost":{"input":0.1,"total":0.765}`:   "0.765",
		`"input":250000,"output":1000,"cost":{"input":0.5,"output":0.0625}`: "0.5625",
	} {
		if _, total := rows(t, sessionOf("s", day, "", reply("a", day, usage)), "--usage"); total.Cost.String() != want {
			t.Errorf("%s: %s, want %s", usage, total.Cost, want)
		}
	}
}

func TestHard12WritesForAnHour(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]string{
		`"cacheWrite":100000`:                        "0.375",
		`"cacheWrite":100000,"cacheWrite1h":100000`:  "0.6",
		`"cacheWrite":100000,"cacheWrite1h":40000`:   "0.465",
		`"cacheWrite":100000,"cacheWrite1h":9999999`: "0.6", // a part is not more than all
		`"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":100000,"cache_creation":{"ephemeral_1h_input_tokens":40000,"ephemeral_5m_input_tokens":60000}`: "0.465",
	} {
		if _, total := rows(t, sessionOf("s", day, "", reply("a", day, usage)), "--usage"); total.Cost.String() != want || total.Tokens.CacheWrite != 100000 {
			t.Errorf("%s: %+v, want %s", usage, total, want)
		}
	}
}

func TestHard13StoredCostOfNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ usage, how, want, by string }{
		{`"input":1000,"cost":{"total":0}`, "auto", "0.003", "computed"}, // a subscription
		{`"input":1000,"cost":{"total":0}`, "stored", "0", "stored"},
		{`"input":1000,"cost":{"total":0,"totalFromProvider":true}`, "auto", "0", "stored"},
		{`"input":1000,"cost":{"total":0.5,"totalFromProvider":true}`, "auto", "0.5", "stored"},
		{`"input":1000,"cost":{"total":0.5}`, "auto", "0.5", "stored"},
		{`"input":1000,"cost":{"total":0.5}`, "computed", "0.003", "computed"},
		{`"input":1000,"cost":0.5`, "auto", "0.5", "stored"},
		{`"input":1000,"serviceTier":"priority"`, "auto", "", "unpriced"},
		{`"input":1000,"serviceTier":"priority","cost":{"total":0.25}`, "auto", "0.25", "stored"},
	} {
		if _, total := rows(t, sessionOf("s", day, "", reply("a", day, tt.usage)), "--usage", "-q", "--cost", tt.how); total.Cost.String() != tt.want || total.PricedBy != tt.by {
			t.Errorf("%s %s: %s %s", tt.how, tt.usage, total.Cost, total.PricedBy)
		} else if tt.by == "computed" && (total.Prices.Source == "" || total.Prices.Date == "") {
			t.Errorf("%s: no source of the price", tt.usage)
		}
	}
}

func TestHard14CallsThatAreNoReplies(t *testing.T) {
	t.Parallel()
	entry := func(typ, id, more string) string {
		return `{"type":"` + typ + `","id":"` + id + `","parentId":null,"timestamp":"` + day + `"` + more + `,"usage":{"input":1}}` + "\n"
	}
	text := sessionOf("s", day, "", reply("a", day, `"input":1`), entry("compaction", "b", `,"summary":"s"`), entry("branch_summary", "c", `,"summary":"s"`), entry("usage", "d", `,"model":"m"`),
		entry("usage", "e", `,"kind":"cache_warm"`), entry("model_usage", "f", `,"purpose":"title"`), entry("custom", "g", `,"data":{}`), entry("something", "h", ""))
	list, _ := rows(t, text, "--by", "purpose", "-q")
	got := map[string]int64{}
	for _, r := range list {
		got[r.Key["purpose"]] = r.Calls
	}
	want := map[string]int64{"reply": 1, "compaction": 1, "branch-summary": 1, "side": 2, "side:cache_warm": 1, "side:title": 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	if list, _ := rows(t, text, "--by", "purpose,model", "-q"); list[1].Key["model"] != "claude-sonnet-4-5" {
		t.Errorf("the summary is of model %q", list[1].Key["model"])
	}
}

func TestHard15AbortedFailedAndRepeatedReplies(t *testing.T) {
	t.Parallel()
	text := sessionOf("s", day, "",
		reply("a", day, `"input":10`, `,"stopReason":"aborted"`), reply("b", day, `"input":10`, `,"stopReason":"error"`),
		reply("c", day, `"input":10`), // and those that are no calls
		reply("d", day, `"input":0,"output":0`, `,"stopReason":"aborted"`), reply("e", day, `"input":0,"output":0,"cost":{"total":0}`, `,"stopReason":"error"`))
	list, total := rows(t, text, "--by", "stop-reason")
	if total.Calls != 3 || total.Tokens.Input != 30 || len(list) != 3 || list[0].Key["stop-reason"] != "aborted" || list[0].Calls != 1 {
		t.Errorf("%+v %+v", list, total)
	}
}

func TestHard16BordersOfDays(t *testing.T) {
	t.Parallel()
	var lines []string
	for i, at := range []string{
		"2026-10-24T21:59:59.999Z", "2026-10-24T22:00:00.000Z", // midnight in Rome
		"2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z", // half past two, twice
		"2026-10-25T22:59:59.999Z", "2026-10-25T23:00:00.000Z", // a day of 25 hours
		"2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z", "2026-03-29T22:00:00.000Z", // and one of 23
	} {
		lines = append(lines, reply(fmt.Sprintf("%08d", 10000001+i), at, `"input":1`))
	}
	text := sessionOf("s", day, "", lines...)
	for _, tt := range []struct {
		by, tz string
		want   string
	}{
		{"day", "Europe/Rome", "2026-03-29:2 2026-03-30:1 2026-10-24:1 2026-10-25:4 2026-10-26:1"},
		{"day", "UTC", "2026-03-28:1 2026-03-29:2 2026-10-24:2 2026-10-25:4"},
		{"month", "Europe/Rome", "2026-03:3 2026-10:6"},
		{"week", "Europe/Rome", "2026-W13:2 2026-W14:1 2026-W43:5 2026-W44:1"},
		{"hour", "Europe/Rome", "2026-03-29T00+01:00:1 2026-03-29T23+02:00:1 2026-03-30T00+02:00:1 2026-10-24T23+02:00:1 2026-10-25T00+02:00:1 " +
			"2026-10-25T02+02:00:1 2026-10-25T02+01:00:1 2026-10-25T23+01:00:1 2026-10-26T00+01:00:1"},
	} {
		list, _ := rows(t, text, "--by", tt.by, "--tz", tt.tz)
		var got []string
		for _, r := range list {
			got = append(got, fmt.Sprintf("%s:%d", r.Key[tt.by], r.Calls))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s in %s:\n%s, want\n%s", tt.by, tt.tz, strings.Join(got, " "), tt.want)
		}
	}
	if _, total := rows(t, text, "--by", "day", "--tz", "Europe/Rome", "--since", "2026-10-25", "--until", "2026-10-26"); total.Calls != 4 {
		t.Errorf("a day has %d calls", total.Calls)
	}
}

func TestHard17TimesOutOfOrderAndInTheFuture(t *testing.T) {
	t.Parallel()
	text := sessionOf("s", day, "", reply("a", "2199-01-01T00:00:00.000Z", `"input":1`), reply("b", "1999-01-01T00:00:00.000Z", `"input":2`),
		reply("c", "soon", `"input":4`), strings.Replace(reply("d", "x", `"input":8`), `"timestamp":"x",`, "", 1),
		strings.Replace(reply("e", "x", `"input":16`, `,"timestamp":1793527200000`), `"timestamp":"x",`, "", 1))
	list, total := rows(t, text, "--by", "month", "--tz", "UTC")
	var got []string
	for _, r := range list {
		got = append(got, fmt.Sprintf("%s:%d", r.Key["month"], r.Tokens.Input))
	}
	if total.Tokens.Input != 31 || strings.Join(got, " ") != "1999-01:2 2026-11:28 2199-01:1" {
		t.Errorf("%v", got)
	}
	// A line over two centuries is refused, and not drawn for an hour.
	if _, stderr, status := run(t, text, "--plot", "line", "--by", "hour"); status != 2 || !strings.Contains(stderr, "too many units") {
		t.Errorf("%d %s", status, stderr)
	}
}

func TestHard18CountersThatAreNoCounts(t *testing.T) {
	t.Parallel()
	for _, usage := range []string{
		`"input":"12","output":1`, `"input":1.5,"output":1`, `"input":-3,"output":1`, `"input":1e300,"output":1`, `"input":1e999,"output":1`,
		`"input":[],"output":1`, `"input":true,"output":1`, `"output":1,"cost":{"total":-1}`, `"output":1,"cost":{"total":"1"}`, `"output":1,"cost":{"total":1e999}`,
		`"output":1,"cost":"free"`, `"words":7`,
	} {
		text := sessionOf("s", day, "", reply("a", day, usage))
		stdout, stderr, status := run(t, text, "--usage", "--json", "--max-cost", "100", "--allow-unpriced")
		if status != 0 || !strings.Contains(stderr, "counters that are no counts") || !strings.Contains(stdout, `"bad":1`) || !strings.Contains(stdout, `"unpriced":1`) || !strings.Contains(stdout, `"cost":null`) {
			t.Errorf("%s: status %d: %s%s", usage, status, stdout, stderr)
		}
		for _, never := range []string{"NaN", "Inf", `":-`, "e+"} {
			if strings.Contains(stdout, never) {
				t.Errorf("%s: %s in %s", usage, never, stdout)
			}
		}
		if _, _, status := run(t, text, "--usage", "--max-cost", "100"); status != 1 {
			t.Errorf("%s: status %d", usage, status)
		}
		if _, _, status := run(t, text, "--usage", "--max-cost", "100", "--strict-prices"); status != 1 {
			t.Errorf("%s: --strict-prices: status %d", usage, status)
		}
		if _, _, status := run(t, text, "--usage", "--max-cost", "100", "--strict"); status != 3 {
			t.Errorf("%s: --strict: status %d", usage, status)
		}
	}
	// What is absent or null is nothing; the largest counts add up to no more than there is room.
	_, total := rows(t, sessionOf("s", day, "", reply("a", day, `"input":null,"output":4`), reply("b", day, `"output":3.0`)), "--usage")
	if total.Tokens.Output != 7 || total.Unpriced != 0 {
		t.Errorf("%+v", total)
	}
	var lines []string
	for i := range 50_000 {
		lines = append(lines, reply(fmt.Sprintf("%08x", 0x40000000+i), day, `"input":281474976710656,"cost":{"total":9000000}`))
	}
	if _, total = rows(t, sessionOf("s", day, "", lines...), "--usage"); total.Tokens.Input != 1<<63-1 || !strings.HasPrefix(total.Cost.String(), "9223372.03685") {
		t.Errorf("%+v", total)
	}
}

func TestHard19SubAgentsBelowTheirParents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must.Write(t, dir, "z.jsonl", sessionOf("zz", day, "", reply("a", day, `"input":1`)))
	must.Write(t, dir, "b.jsonl", sessionOf("bb", day, "zz", reply("b", day, `"input":2`)))
	must.Write(t, dir, "c.jsonl", sessionOf("cc", day, "/gone/2026_bb.jsonl", reply("c", day, `"input":4`)))
	must.Write(t, dir, "a.jsonl", sessionOf("aa", day, "", reply("d", day, `"input":8`)))
	must.Write(t, dir, "p.jsonl", sessionOf("pp", day, "qq", reply("e", day, `"input":16`))) // each other's parents
	must.Write(t, dir, "q.jsonl", sessionOf("qq", day, "pp", reply("f", day, `"input":32`)))
	stdout, _, _ := run(t, "", "--by", "session", "--tree", "--json", dir)
	var got []string
	for line := range strings.Lines(stdout) {
		if _, rest, ok := strings.Cut(line, `"session":"`); ok {
			_, depth, _ := strings.Cut(line, `"depth":`)
			got = append(got, rest[:2]+depth[:1])
		}
	}
	if strings.Join(got, " ") != "aa0 zz0 bb1 cc2 pp0 qq1" {
		t.Error(got)
	}
	if _, total := rows(t, "", dir); total.Tokens.Input != 63 {
		t.Errorf("%+v", total)
	}
}

func TestHard22PriceThatChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	table := must.Write(t, dir, "prices.json", `{"source":"mine","date":"2026-11-20","providers":{"anthropic":{"claude-sonnet-4-5":{"prices":[{"input":1},{"since":"2026-11-02","input":2}]}}}}`)
	s := must.Write(t, dir, "s.jsonl", sessionOf("s", day, "", reply("a", "2026-11-01T23:59:59.999Z", `"input":1000000`), reply("b", "2026-11-02T00:00:00.000Z", `"input":1000000`)))
	list, total := rows(t, "", "--by", "day", "--tz", "UTC", "--prices", table, s)
	if len(list) != 2 || list[0].Cost != "1" || list[1].Cost != "2" || total.Prices.Source != "mine" || total.Prices.Date != "2026-11-20" {
		t.Errorf("%+v %+v", list, total)
	}
}
