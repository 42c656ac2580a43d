package usage_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/session"
)

// imported adds the sessions of files to a ledger as they are imported.
func imported(t *testing.T, f formats.Format, paths ...string) *usage.Ledger {
	t.Helper()
	l := &usage.Ledger{}
	for _, path := range paths {
		for _, r := range formatstest.Import(t, f, &formats.Source{Path: path}, true) {
			add(t, l, path, f.About().Name, r.Text())
		}
	}
	return l
}

// grouped settles a ledger, and adds it up.
func grouped(l *usage.Ledger, by ...string) usage.Table {
	l.Settle()
	return usage.Grouping{By: by, Zone: time.UTC, Costing: &usage.Costing{Mode: usage.Stored}}.Group(l)
}

func matching(t *testing.T, patterns ...string) (paths []string) {
	t.Helper()
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v", p, err)
		}
		paths = append(paths, found...)
	}
	return paths
}

// A fork in opencode has other ids and does not say what it is a fork of: three sessions
// of 3, 3 and 4 replies have made 5.
func TestHard05ForksOfOpencode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := corpus.Unpack("../../../testdata/opencode", dir); err != nil {
		t.Fatal(err)
	}
	l := imported(t, opencode.Format, matching(t, dir+"/exports-1.18/genuine-04-forked-*.json")...)
	table := grouped(l, "session")
	if got := table.Total; got.Calls != 5 || got.Copies != 5 || got.Tokens.Input != 2444+2467+2491+2519+2494 {
		t.Errorf("%+v", got)
	}
	for i, want := range []int64{1, 1, 3} { // by their ids the forks come first
		if len(table.Rows) != 3 || table.Rows[i].Calls != want {
			t.Fatalf("%+v", table.Rows)
		}
	}
}

// A summary of opencode has cost what its message says.
func TestSummaryOfOpencode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := corpus.Unpack("../../../testdata/opencode", dir); err != nil {
		t.Fatal(err)
	}
	table := grouped(imported(t, opencode.Format, matching(t, dir+"/exports-1.18/genuine-05-compacted-auto-*.json")...), "purpose")
	if got := table.Total; got.Calls != 9 || got.Tokens.Input != 43470 || got.Cost.Decimal(6) != "0.045130" || table.Rows[0].Key[0] != usage.Compaction || table.Rows[0].Tokens.Input != 953 {
		t.Errorf("%+v", table)
	}
}

// A fork in codex repeats the rollout of its parent, with its own times. The second one
// was forked from a session that is not there: nothing of it is a copy.
func TestForksOfCodex(t *testing.T) {
	t.Parallel()
	l := imported(t, codex.Format, matching(t, "../../../testdata/codex/home/sessions/*/*/*/*.zst")...)
	got := grouped(l, "session")
	want := map[string][3]int64{ // as ccusage has them, but for the fork without its parent
		"codex:01a1fc0e-91f6-7160-bf5c-f00cf0fdb18c": {4, 3600, 210},
		"codex:01a1fc0e-98e3-7780-b1a7-4b2fa974ede1": {3, 20979, 60},
		"codex:01a1fc0e-9a31-7c93-8a74-65f09128f2cb": {1, 7066, 20},
		"codex:01a1fc0e-ad66-7e63-80cf-8be8b3cfd61d": {8, 33108, 290},
		"codex:01a1fc10-792f-7b51-b359-835181d92004": {1, 6920, 20},
	}
	for _, r := range got.Rows {
		if sum := [3]int64{r.Calls, r.Tokens.Input, r.Tokens.Output}; sum != want[r.Key[0]] {
			t.Errorf("%s: %v, want %v", r.Key[0], sum, want[r.Key[0]])
		}
	}
	if got.Total.Copies != 2 || len(got.Rows) != len(want) || got.Total.Tokens.Reasoning != 40 {
		t.Errorf("%+v", got.Total)
	}
}

// rollout is a rollout of codex with the answers given, all of one second if at is set, as
// a fork has them.
func rollout(id, parent, at string, cumulative bool, answers ...string) string {
	var b strings.Builder
	line := func(n int, typ, payload string) {
		when := at
		if when == "" {
			when = time.UnixMilli(1_790_000_000_000 + int64(n)*1000).UTC().Format("2006-01-02T15:04:05.000Z")
		}
		b.WriteString(`{"timestamp":"` + when + `","type":"` + typ + `","payload":` + payload + "}\n")
	}
	meta := `{"id":"` + id + `","timestamp":"2026-09-21T10:00:00.000Z","cwd":"/w","originator":"codex_exec","cli_version":"0.169.0","source":"exec","model_provider":"openai"`
	if parent != "" {
		meta += `,"forked_from_id":"` + parent + `"`
	}
	line(0, "session_meta", meta+"}")
	line(1, "turn_context", `{"cwd":"/w","model":"gpt-5"}`)
	for i, a := range answers {
		line(2+3*i, "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}`)
		line(3+3*i, "response_item", `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"`+a+`"}]}`)
		usage := `{"input_tokens":100,"cached_input_tokens":40,"output_tokens":10,"reasoning_output_tokens":4,"total_tokens":110}`
		total := usage
		if cumulative && i == 1 { // a compaction sets it back behind this
			total = `{"input_tokens":200,"cached_input_tokens":80,"output_tokens":20,"reasoning_output_tokens":8,"total_tokens":220}`
		}
		line(4+3*i, "event_msg", `{"type":"token_count","info":{"total_token_usage":`+total+`,"last_token_usage":`+usage+`}}`)
		line(4+3*i, "event_msg", `{"type":"token_count","info":{"total_token_usage":`+total+`,"last_token_usage":`+usage+`}}`) // again, as codex does
	}
	return b.String()
}

// Codex: 98 files share the beginning of one; each has an answer of its own. The counters
// are those of each response, not the cumulative ones, which a compaction sets back.
func TestHard06ReplaysOfCodex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	parent := "01a1fc0e-0000-7000-8000-000000000000"
	put := func(id, text string) {
		formatstest.Put(t, filepath.Join(dir, "rollout-2026-09-21T10-00-00-"+id+".jsonl"), text)
	}
	put(parent, rollout(parent, "", "", true, "one", "two", "three"))
	for i := range 9 {
		id := strings.Replace(parent, "000000000000", "00000000000"+string(rune('1'+i)), 1)
		put(id, rollout(id, parent, "2026-09-21T12:00:00.000Z", true, "one", "two", "mine "+id))
	}
	got := grouped(imported(t, codex.Format, matching(t, dir+"/*.jsonl")...), "session").Total
	if got.Calls != 12 || got.Copies != 18 || got.Tokens.Input != 12*60 || got.Tokens.CacheRead != 12*40 || got.Tokens.Output != 12*10 || got.Tokens.Reasoning != 12*4 {
		t.Errorf("%+v", got)
	}
}

var (
	replyOf = regexp.MustCompile(`"type":"assistant".*`)
	apiID   = regexp.MustCompile(`"message":\{[^}]*?"id":"(msg_\w+)"|"id":"(msg_\w+)","type":"message"`)
)

// Claude Code writes a reply once for each of its blocks, and again into forks: the ids of
// the API say how many there were. The file of a sub-agent is read once.
func TestHard07RepliesOfClaude(t *testing.T) {
	t.Parallel()
	paths := matching(t, "../../../testdata/claude/genuine/*.jsonl")
	ids := map[string]bool{}
	lines := 0
	for _, path := range paths {
		for line := range strings.Lines(must.Read(t, path)) {
			if m := apiID.FindStringSubmatch(line); m != nil && replyOf.MatchString(line) && strings.Contains(line, `"usage"`) {
				ids[m[1]+m[2]] = true
				lines++
			}
		}
	}
	l := imported(t, claude.Claude, paths...)
	replies := int64(0)
	for _, r := range grouped(l, "model").Rows {
		if r.Key[0] != "<synthetic>" {
			replies += r.Calls
		}
	}
	if len(ids) < 10 || lines < 2*len(ids) || replies != int64(len(ids)) {
		t.Errorf("%d calls, want %d, in %d lines", replies, len(ids), lines)
	}
}

// Of a reply that was written while it came in, the last counts.
func TestLastOfClaudeWins(t *testing.T) {
	t.Parallel()
	header := func(id string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-01-02T00:00:00.000Z","cwd":"/w"}` + "\n"
	}
	reply := func(id, at, output string) string {
		return `{"type":"message","id":"` + id + `","parentId":null,"timestamp":"2026-01-02T00:00:0` + at + `.000Z","message":{"role":"assistant","responseId":"msg_1","content":[],"usage":{"input":5,"output":` + output + `}}}` + "\n"
	}
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		texts := [2]string{header("a") + reply("x1", "1", "1"), header("b") + reply("x2", "1", "70")}
		l := &usage.Ledger{}
		add(t, l, "a", "claude", texts[order[0]])
		add(t, l, "b", "claude", texts[order[1]])
		if got := grouped(l, "session").Total; got.Calls != 1 || got.Tokens.Output != 70 {
			t.Errorf("%v: %+v", order, got)
		}
	}
}

// TestReplies: an API's id is a reply's identity with the model, the time and the prompt, and never alone.
func TestReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		lines  []string // of sessions: what a reply says beside its content, with its time in front
		calls  int64
		output int64
	}{
		{"short ids of a gateway, in three sessions", []string{`1 "responseId":"chatcmpl-373","usage":{"input":5,"output":1}`, `2 "responseId":"chatcmpl-373","usage":{"input":5,"output":2}`, `3 "responseId":"chatcmpl-373","usage":{"input":6,"output":3}`}, 3, 6},
		{"one id and time of two models", []string{`1 "responseId":"r","model":"a","usage":{"input":5,"output":1}`, `1 "responseId":"r","model":"b","usage":{"input":5,"output":1}`}, 2, 2},
		{"a copy in another session", []string{`1 "responseId":"r","usage":{"input":5,"output":1}`, `1 "responseId":"r","usage":{"input":5,"output":1}`}, 1, 1},
		{"a reply in two entries, with its usage in each", []string{`1 "responseId":"r","usage":{"input":5,"output":1}|2 "responseId":"r","usage":{"input":5,"output":1}`}, 1, 1},
		{"a reply in two entries, with its usage in the last", []string{`1 "responseId":"r","usage":{"input":0}|2 "responseId":"r","usage":{"input":5,"output":1}`}, 1, 1},
		{"two replies with one id in a session", []string{`1 "responseId":"r","usage":{"input":5,"output":1}|2 "responseId":"r","usage":{"input":6,"output":1}`}, 2, 2},
		{"an alias, and the model that answered", []string{`1 "responseId":"r","model":"latest","responseModel":"m-1","usage":{"input":5,"output":1}`, `1 "responseId":"r","model":"latest","responseModel":"m-2","usage":{"input":5,"output":1}`}, 2, 2},
		{"what failed or was aborted with nothing counted is no call, and no copy of one", []string{`1 "stopReason":"error","usage":{"input":0}|1 "stopReason":"aborted","usage":{"input":0,"cost":{"total":0}}|2 "stopReason":"error","usage":{"input":5,"output":1}`, `1 "stopReason":"error","usage":{"input":0}`}, 1, 1},
		{"what failed with a cost, or with something unknown, is a call", []string{`1 "stopReason":"error","usage":{"input":0,"cost":{"total":0.1}}|2 "stopReason":"aborted","usage":{"input":0,"warp":1}|3 "stopReason":"aborted","usage":{"input":0,"webSearchRequests":1}`}, 3, 0},
		{"an answer without a usage is a call", []string{`1 "responseId":"r","usage":{"input":0}|2 "responseId":"q","usage":{"input":5,"output":1}`}, 2, 1},
	} {
		l := &usage.Ledger{}
		var sums session.Spent
		for i, said := range tt.lines {
			text := fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","timestamp":"2026-01-02T00:00:00.000Z","cwd":"/w"}`, i) + "\n"
			for k, reply := range strings.Split(said, "|") {
				at, fields, _ := strings.Cut(reply, " ")
				text += fmt.Sprintf(`{"type":"message","id":"x%d%d","parentId":null,"timestamp":"2026-01-02T00:00:0%s.000Z","message":{"role":"assistant","content":[],%s}}`, i, k, at, fields) + "\n"
			}
			add(t, l, fmt.Sprint(i), "", text)
			info, err := session.ScanInfo(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			sums.Output += info.Spent.Output
		}
		if got := grouped(l, "session").Total; got.Calls != tt.calls || got.Tokens.Output != tt.output {
			t.Errorf("%s: %d calls with an output of %d, want %d and %d", tt.name, got.Calls, got.Tokens.Output, tt.calls, tt.output)
		}
		if len(tt.lines) == 1 && sums.Output != tt.output {
			t.Errorf("%s: a listing has an output of %d, want %d", tt.name, sums.Output, tt.output)
		}
	}
}

// TestEqualSteps: two steps of opencode with equal counters, in one message, are two calls, and so they are in a fork.
func TestEqualSteps(t *testing.T) {
	t.Parallel()
	text := func(session string) string {
		out := `{"type":"session","version":3,"id":"` + session + `","timestamp":"2026-01-02T00:00:00.000Z","cwd":"/w"}` + "\n"
		for _, step := range []string{"1", "2"} {
			out += `{"type":"usage","id":"` + session + step + `","timestamp":"2026-01-02T00:00:01.000Z","kind":"call","model":"m","usage":{"input":5,"output":1}}` + "\n"
		}
		return out
	}
	l := &usage.Ledger{}
	add(t, l, "a", "opencode", text("a"))
	add(t, l, "b", "opencode", text("b"))
	if got := grouped(l, "session").Total; got.Calls != 2 || got.Copies != 2 {
		t.Errorf("%d calls and %d copies, want 2 and 2", got.Calls, got.Copies)
	}
}

// TestRests: what a total says beside the replies is no link in the chain by which copies in forks of codex are known, since a fork
// that begins with the total of its parent does not know of it. Two in a row are two.
func TestRests(t *testing.T) {
	t.Parallel()
	text := func(session, parent, at string, calls ...string) string {
		out := `{"type":"session","version":3,"id":"` + session + `","timestamp":"2026-01-02T00:0` + at + `:00.000Z","cwd":"/w","parentSession":` + parent + "}\n"
		for i, c := range calls {
			place := fmt.Sprintf(`"id":"%s%d","timestamp":"2026-01-02T00:0%s:0%d.000Z"`, session, i, at, i+1)
			if counts := `"model":"m","usage":{"input":5,"output":1,"reasoning":3}`; c == "rest" {
				out += `{"type":"usage",` + place + `,"kind":"rest",` + counts + "}\n"
			} else {
				out += `{"type":"message",` + place + `,"message":{"role":"assistant","content":"` + c + `",` + counts + "}}\n"
			}
		}
		return out
	}
	l := &usage.Ledger{}
	add(t, l, "a", "codex", text("a", "null", "1", "one", "rest", "rest", "two", "rest"))
	add(t, l, "b", "codex", text("b", `"a"`, "2", "one", "two", "rest", "three"))
	if got := grouped(l, "session").Total; got.Calls != 6 || got.Copies != 3 {
		t.Errorf("%d calls and %d copies, want 6 and 3", got.Calls, got.Copies)
	} else if got.Tokens.Reasoning != 3*1+3*3 { // of replies, and of rests, whose output replies may have
		t.Errorf("%d tokens for reasoning", got.Tokens.Reasoning)
	}
}

// TestPositions: ids that may be positions tell entries of one session apart, and not those of two.
func TestPositions(t *testing.T) {
	t.Parallel()
	reply := func(id, model string) string {
		return `{"type":"message","id":"` + id + `","timestamp":"2026-01-02T00:00:01.000Z","message":{"role":"assistant","content":[],"model":"` + model + `","usage":{"input":5,"output":1}}}` + "\n"
	}
	header := `{"type":"session","version":3,"id":"a","timestamp":"2026-01-02T00:00:00.000Z","cwd":"/w"}` + "\n"
	l := &usage.Ledger{}
	add(t, l, "a", "", header+reply("0003f7a1", "m")+reply("00051b22", "m")+reply("000aa111", "n"))
	add(t, l, "b", "", strings.Replace(header, `"a"`, `"b"`, 1)+reply("00000004", "m")+reply("00000005", "m"))
	if got := grouped(l, "session").Total; got.Calls != 3 || got.Copies != 2 {
		t.Errorf("%d calls and %d copies, want 3 and 2", got.Calls, got.Copies)
	}
}
