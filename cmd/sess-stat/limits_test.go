package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
)

// A gate that did not read everything does not pass, or says so.
func TestGates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	call := reply("a", day, `"input":1000`)
	good := must.Write(t, dir, "good.jsonl", sessionOf("g", day, "", call))
	unknown := must.Write(t, dir, "unknown.jsonl", sessionOf("u", day, "", strings.ReplaceAll(call, "claude-sonnet-4-5", "nobody-knows")))
	warp := must.Write(t, dir, "warp.jsonl", sessionOf("x", day, "", reply("a", day, `"input":1000,"output":0,"totalTokens":1000,"warp":9`)))
	quick := must.Write(t, dir, "quick.jsonl", sessionOf("y", day, "", reply("a", day, `"input":1000,"output":0,"totalTokens":1000,"speed":"fast"`)))
	torn := must.Write(t, dir, "torn.jsonl", sessionOf("t", day, "", call)+strings.TrimSuffix(call, `}}}`+"\n"))
	past := must.Write(t, dir, "past.jsonl", sessionOf("t", day, "", call)+strings.TrimSuffix(call, `}}}`+"\n"))
	if err := os.Chtimes(past, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	cut := must.Write(t, dir, "cut.jsonl", sessionOf("c", day, "", call, call[:60]+"\n", call))
	worse := must.Write(t, dir, "worse.jsonl", sessionOf("w", day, "", call, `{"type":"message","usage":`+"\n", call))
	none := must.Write(t, dir, "none.jsonl", "")
	nobody := must.Write(t, dir, "nobody.jsonl", `{"role":"user"}`+"\n")
	silent := must.Write(t, dir, "silent.jsonl", sessionOf("s", day, ""))
	uncounted := must.Write(t, dir, "uncounted.jsonl", sessionOf("n", day, "", reply("a", day, `"input":0,"output":0,"totalTokens":0,"cost":{"total":0}`)))
	free := must.Write(t, dir, "free.jsonl", sessionOf("f", day, "", reply("a", day, `"input":0,"output":0,"totalTokens":0,"cost":{"total":0,"totalFromProvider":true}`)))
	failed := must.Write(t, dir, "failed.jsonl", sessionOf("e", day, "", call, strings.Replace(reply("b", day, `"input":0,"output":0,"totalTokens":0,"cost":{"total":0}`), `"stopReason":"stop"`, `"stopReason":"error"`, 1)))
	old := must.Write(t, dir, "prices.json", `{"source":"x","date":"2026-01-01","providers":{"p":{"m":{"prices":[{"input":1}]}}}}`)
	for _, tt := range []struct {
		name               string
		args               []string
		usual, strictPrice int
		strict             int
	}{
		{"good", []string{good}, 0, 0, 0},
		{"unpriced", []string{unknown}, 1, 1, 1},
		{"unpriced, and let pass", []string{"--allow-unpriced", unknown}, 0, 1, 0},
		{"neither tokens nor a cost", []string{uncounted}, 1, 1, 1},
		{"neither of them, and let pass", []string{"--allow-unpriced", uncounted}, 0, 1, 0},
		{"one of two without them", []string{good, uncounted}, 0, 1, 0},
		{"an answer that failed", []string{failed}, 0, 0, 0},
		{"an answer that cost nothing", []string{free}, 0, 0, 0},
		{"one of two unpriced", []string{good, unknown}, 1, 1, 1},
		{"a member that nobody knows", []string{warp}, 1, 1, 1},
		{"a member that is said to cost nothing", []string{"--known-usage", "warp", warp}, 0, 0, 0},
		{"a speed without a price", []string{quick}, 1, 1, 1},
		{"a speed that is said to cost nothing", []string{"--known-usage", "speed", quick}, 0, 0, 0},
		{"one of two that are", []string{"--known-usage", "speed", "--known-usage", "wrap", warp}, 1, 1, 1},
		{"a table without the model", []string{"--prices", old, good}, 1, 1, 1},
		{"a table that is none", []string{"--prices", good, good}, 2, 2, 2},
		{"torn, and just written", []string{torn}, 0, 2, 2},
		{"torn, long ago", []string{past}, 2, 3, 3},
		{"a damaged line without a usage", []string{cut}, 2, 3, 3},
		{"a damaged line with one", []string{worse}, 2, 3, 3},
		{"damage that is let pass", []string{"--damaged-ok", worse}, 0, 3, 3},
		{"empty", []string{none}, 3, 3, 3},
		{"no session", []string{nobody}, 3, 3, 3},
		{"no calls", []string{silent}, 1, 1, 1},
		{"not there", []string{filepath.Join(dir, "x.jsonl")}, 2, 2, 2},
		{"one of two not there", []string{good, filepath.Join(dir, "x.jsonl")}, 2, 2, 2},
		{"one of two no session", []string{good, nobody}, 3, 3, 3},
		{"no store", []string{"-a", filepath.Join(dir, "x")}, 2, 2, 2},
		{"an agent that cannot be read", []string{"codex:0199"}, 2, 2, 2},
	} {
		args := append([]string{"--usage", "--max-cost", "100", "--max-tokens", "1M"}, tt.args...)
		for _, more := range []struct {
			flag string
			want int
		}{{"-v", tt.usual}, {"--strict-prices", tt.strictPrice}, {"--strict", tt.strict}} {
			_, stderr, status := run(t, "", append([]string{more.flag}, args...)...)
			if status != more.want {
				t.Errorf("%s %s: status %d, want %d: %s", tt.name, more.flag, status, more.want, stderr)
			}
			if stderr == "" && tt.usual+tt.strictPrice > 0 && more.flag != "--strict" {
				t.Errorf("%s %s: nothing is said", tt.name, more.flag)
			}
		}
	}
}

// For GitHub a breach is an annotation as well, behind the rows; what holds is none, and no text of a session begins a line.
func TestGitHubAnnotations(t *testing.T) {
	t.Parallel()
	text := sessionOf("s", day, "", reply("a", day, `"input":1000,"cost":{"total":2.5}`))
	stdout, stderr, status := run(t, text, "--usage", "--github", "--max-cost", "2", "--max-tokens", "2000")
	if status != 1 || stderr != "sess-stat: cost $2.50, limit $2.00 (--max-cost)\n" || !strings.HasSuffix(stdout, "\n::error file=(standard input),line=1,title=max-cost::cost $2.50, limit $2.00 (--max-cost)\n") {
		t.Errorf("status %d: %q, %q", status, stdout, stderr)
	}
	if stdout, _, status := run(t, text, "--usage", "--github", "--max-cost", "3"); status != 0 || strings.Contains(stdout, "::") {
		t.Errorf("status %d: %q", status, stdout)
	}
}

// TestNoCalls: nothing to compare with a limit is told apart from too much.
func TestNoCalls(t *testing.T) {
	t.Parallel()
	_, stderr, status := run(t, sessionOf("s", day, ""), "--usage", "--max-cost", "1")
	if status != 1 || stderr != "sess-stat: no call of a model in (standard input): the limit was not tested (--max-cost)\n" {
		t.Errorf("status %d: %s", status, stderr)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	text := sessionOf("s", day, "", reply("a", "2026-11-20T10:00:00.000Z", `"input":100,"cost":{"total":10}`), reply("b", "2026-11-21T10:00:00.000Z", `"input":200,"cost":{"total":12.4}`))
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"--max-cost 22.4", 0, ""},
		{"--max-cost 22.39", 1, "sess-stat: cost $22.40, limit $22.39 (--max-cost)\n"},
		{"--max-cost $22.40", 0, ""},
		{"--max-cost 10.00 --by day --tz UTC", 1, "sess-stat: cost $12.40 of day 2026-11-21, limit $10.00 (--max-cost)\n"},
		{"--max-cost 9 --by day,model --tz UTC", 1, "sess-stat: cost $10.00 of day 2026-11-20, model claude-sonnet-4-5, limit $9.00 (--max-cost)\nsess-stat: cost $12.40 of day 2026-11-21, model claude-sonnet-4-5, limit $9.00 (--max-cost)\n"},
		{"--max-cost 9 --by day --tz UTC --limit 1 --sort key --until 2026-11-21", 1, "sess-stat: cost $10.00 of day 2026-11-20, limit $9.00 (--max-cost)\n"},
		{"--max-cost 10 --by day --tz UTC --limit 1", 1, "sess-stat: cost $12.40 of day 2026-11-21, limit $10.00 (--max-cost)\n"},
		{"--max-tokens 300", 0, ""},
		{"--max-tokens 299", 1, "sess-stat: 300 tokens, limit 299 (--max-tokens)\n"},
		{"--max-tokens 0 --max-cost 0", 1, "sess-stat: cost $22.40, limit $0.00 (--max-cost)\nsess-stat: 300 tokens, limit 0 (--max-tokens)\n"},
		{"--max-context 201", 0, ""},
		{"--max-context 199", 1, "sess-stat: context of 200 tokens of session s, limit 199 (--max-context)\n"},
		{"--max-context 0.05%", 1, "sess-stat: context of 200 tokens of session s, limit 100, 0.05% of 200000 (--max-context)\n"},
		{"--max-context 90%", 0, ""},
	} {
		_, stderr, status := run(t, text, strings.Fields(tt.args)...)
		if status != tt.status || stderr != tt.want {
			t.Errorf("%s: status %d, %q, want %q", tt.args, status, stderr, tt.want)
		}
	}
	// With a limit on costs, too, the session is read twice.
	both := []string{"--max-cost", "1", "--max-context", "1"}
	if _, stderr, status := run(t, text, both...); status != 2 || !strings.Contains(stderr, "reads a session twice") {
		t.Errorf("%d %s", status, stderr)
	}
	file := must.Write(t, t.TempDir(), "s.jsonl", text)
	if _, stderr, status := run(t, "", append(both, file)...); status != 1 || strings.Count(stderr, ", limit ") != 2 {
		t.Errorf("%d %s", status, stderr)
	}
	unknown := strings.ReplaceAll(text, "claude-sonnet-4-5", "nobody-knows")
	if _, stderr, status := run(t, unknown, "--max-context", "80%"); status != 2 || !strings.Contains(stderr, "window") {
		t.Errorf("%d %s", status, stderr)
	}
	// The word of the agent comes before the table, as long as the model is the same.
	told := strings.ReplaceAll(text, `"model":`, `"contextWindow":400,"model":`)
	atEnd := strings.ReplaceAll(text, `"model":`, `"details":{"modelUsage":{"claude-sonnet-4-5":{"contextWindow":400}}},"model":`)
	changed := told + `{"type":"model_change","id":"c","parentId":"b","timestamp":"2026-11-21T10:00:01.000Z","provider":"anthropic","modelId":"claude-opus-4-6"}` + "\n"
	for name, tt := range map[string]struct {
		text, want string
	}{
		"told":                {told, "sess-stat: context of 200 tokens of session s, limit 160, 40% of 400 (--max-context)\n"},
		"told at the end":     {atEnd, "sess-stat: context of 200 tokens of session s, limit 160, 40% of 400 (--max-context)\n"},
		"of a model unknown":  {strings.ReplaceAll(told, "claude-sonnet-4-5", "nobody-knows"), "sess-stat: context of 200 tokens of session s, limit 160, 40% of 400 (--max-context)\n"},
		"of the model before": {changed, ""},
	} {
		if _, stderr, _ := run(t, tt.text, "--max-context", "40%"); stderr != tt.want {
			t.Errorf("%s: %q, want %q", name, stderr, tt.want)
		}
	}
	for _, args := range []string{
		"--max-cost x", "--max-cost -1", "--max-cost nan", "--max-context x", "--max-context -1", "--max-context 1e9%", "--max-growth 1%", "--baseline f", "--by x", "--by day,day", "--by role,day", "--context --by day",
		"--json --csv", "--plot circles", "--plot line", "--plot line --by model", "--plot line --by day --limit 1", "--tree", "--tz Mars/Base", "--since soon", "--compactions --by day", "--max-growth x% --baseline f", "--by role,tool,file", "--svg - --json",
		"--context --max-cost 1", "--context --max-tokens 1", "--context --since 1d", "--by role --max-cost 1", "--compactions --max-context 1", "--compactions --plot bars", "--compactions --max-cost 1",
	} {
		if stdout, _, status := run(t, text, strings.Fields(args)...); status != 2 || stdout != "" {
			t.Errorf("%s: status %d: %s", args, status, stdout)
		}
	}
}

func TestBaseline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := func(input, cost string) string {
		return sessionOf("s", day, "", reply("a", day, `"input":`+input+`,"cost":{"total":`+cost+`}`), reply("b", "2026-11-02T10:00:00.000Z", `"input":1000,"cost":{"total":1}`))
	}
	stdout, _, _ := run(t, one("1000", "0.333333333333"), "--by", "day", "--tz", "UTC", "--json")
	base := must.Write(t, dir, "base.json", stdout)
	ledger, _, _ := run(t, one("1000", "0"), "--context", "--json")
	context := must.Write(t, dir, "context.json", ledger)
	for _, tt := range []struct {
		text, growth string
		status       int
	}{
		{one("1000", "0.333333333333"), "0%", 0},
		{one("1001", "0.333333333333"), "0%", 1},
		{one("1100", "0.333333333333"), "10%", 0},
		{one("1101", "0.333333333333"), "10%", 1},
		{one("1000", "0.36"), "10%", 0},
		{one("1000", "0.37"), "10", 1},
		{one("10", "0.01"), "0", 0},
		{one("1000", "0.33") + reply("c", "2026-11-03T10:00:00.000Z", `"input":1`), "0%", 1}, // a new row is a part of the total
	} {
		if _, stderr, status := run(t, tt.text, "--by", "day", "--tz", "UTC", "--baseline", base, "--max-growth", tt.growth); status != tt.status {
			t.Errorf("%s: status %d, want %d: %s", tt.growth, status, tt.status, stderr)
		}
	}
	if _, stderr, status := run(t, one("1000", "0"), "--context", "--baseline", context, "--max-growth", "0%"); status != 0 {
		t.Errorf("%d %s", status, stderr)
	}
	more := one("1000", "0") + `{"type":"message","id":"c","parentId":"b","timestamp":"` + day + `","message":{"role":"user","content":"more"}}` + "\n"
	if _, stderr, status := run(t, more, "--context", "--baseline", context, "--max-growth", "0%"); status != 1 || !strings.Contains(stderr, "limit 1000 + 0% (--max-growth)") {
		t.Errorf("%d %s", status, stderr)
	}
	for _, other := range [][]string{{"--usage", "--baseline", context}, {"--context", "--baseline", base}} {
		if _, stderr, status := run(t, one("1", "0"), append(other, "--max-growth", "1000%")...); status != 2 || !strings.Contains(stderr, "no baseline") {
			t.Errorf("%v: %d %s", other, status, stderr)
		}
	}
	old := must.Write(t, dir, "old.json", `{"key":{"day":"2026-11-01"},"calls":1,"total":1000,"cost":"1.000000000"}`+"\n"+`{"total":{"calls":1,"total":1000,"cost":"1.000000000"}}`+"\n")
	if _, stderr, status := run(t, one("1", "0"), "--by", "day", "--baseline", old, "--max-growth", "0%"); status != 2 || !strings.Contains(stderr, "line 1: no baseline of --json: a row has no kind") {
		t.Errorf("an older baseline: status %d: %s", status, stderr)
	}
	for _, text := range []string{"", "{}", "7", `{"total":{"total":1}`, `{"key":{"day":"x"},"total":1}`, stdout[:40]} {
		bad := must.Write(t, dir, "bad.json", text)
		if _, _, status := run(t, one("1", "0"), "--usage", "--baseline", bad, "--max-growth", "1000%"); status != 2 {
			t.Errorf("%q: status %d", text, status)
		}
	}
}

func TestAgeOfPrices(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 23, 1, 0, 0, 0, time.UTC)
	if isOld("2026-09-25", now) || !isOld("2026-09-23", now) {
		t.Error("not 90 days")
	}
}

// A usage that says that the total of a file is less than its calls is no call: it is told, and a breach of limits of cost.
func TestTotalsDiffer(t *testing.T) {
	t.Parallel()
	text := sessionOf("aa", day, "", reply("a", day, `"input":60,"cost":{"total":0.5}`),
		`{"type":"usage","id":"b","parentId":"a","timestamp":"`+day+`","kind":"rest","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":0,"totals":{"parts":1234,"total":1000}}}`)
	_, total := rows(t, text, "--usage")
	if total.Calls != 1 {
		t.Errorf("%d calls", total.Calls)
	}
	const words = "totals differ: calls have 1,234 tokens, the agent's own total says 1,000 tokens"
	for _, tt := range []struct {
		args   string
		status int
	}{{"--usage", 0}, {"--usage --strict-prices", 1}, {"--usage --max-cost 9", 1}, {"--usage --max-cost 9 --allow-unpriced", 0}} {
		if _, stderr, status := run(t, text, strings.Fields(tt.args)...); status != tt.status || strings.Count(stderr, words) != 1 {
			t.Errorf("%s: status %d, want %d: %s", tt.args, status, tt.status, stderr)
		}
	}
	if stdout, _, _ := run(t, text, "--usage", "--json"); strings.Count(stdout, `"totals":"differ","callTokens":1234,"ownTotals":1000`) != 2 {
		t.Errorf("%s", stdout)
	}
}

// The total of a call that is not the sum of its counters is told in the same way, be it more or less. A total of 0 says nothing.
func TestTotalOfACallDiffers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		usage, words, row string
	}{
		{`"input":60,"output":5,"totalTokens":90`, "totals differ: calls have 65 tokens, the agent's own total says 90 tokens", `"wrongTotals":1,"totals":"differ","callTokens":65,"ownTotals":90`},
		{`"input":60,"output":5,"totalTokens":64`, "totals differ: calls have 65 tokens, the agent's own total says 64 tokens", `"wrongTotals":1,"totals":"differ","callTokens":65,"ownTotals":64`},
		{`"input":60,"output":5,"totalTokens":65`, "", `"wrongTotals":0,"totals":null,"callTokens":0,"ownTotals":0`},
		{`"input":60,"output":5,"totalTokens":0`, "", `"wrongTotals":0,"totals":null,"callTokens":0,"ownTotals":0`},
	} {
		text := sessionOf("aa", day, "", reply("a", day, tt.usage+`,"cost":{"total":0.5}`))
		stdout, stderr, _ := run(t, text, "--usage", "--json")
		if strings.Count(stdout, tt.row) != 2 || strings.Contains(stderr, "totals differ") != (tt.words != "") || !strings.Contains(stderr, tt.words) {
			t.Errorf("%s: %s%s", tt.usage, stdout, stderr)
		}
		_, _, status := run(t, text, "--usage", "--max-cost", "9")
		if fails := tt.words != ""; (status == 1) != fails {
			t.Errorf("%s: status %d", tt.usage, status)
		}
	}
}
