package codex_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/test/drawn"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A tally is tokens as codex counts them: input with what was cached, output with what was thought.
type tally struct{ input, cached, output, reasoning int64 }

func (n tally) plus(m tally) tally {
	return tally{n.input + m.input, n.cached + m.cached, n.output + m.output, n.reasoning + m.reasoning}
}

func (n tally) String() string {
	return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}`,
		n.input, n.cached, n.output, n.reasoning, n.input+n.output)
}

// event is a line of an event with its members.
func event(kind, members string) string {
	return fmt.Sprintf(`{"timestamp":"2026-02-03T04:05:09.000Z","type":"event_msg","payload":{"type":%q%s}}`, kind, members) + "\n"
}

// told is a token_count with those of total and last that are not "".
func told(total, last any) string {
	var members []string
	for _, v := range []struct {
		name string
		of   any
	}{{"total_token_usage", total}, {"last_token_usage", last}} {
		if v.of != nil {
			members = append(members, fmt.Sprintf("%q:%s", v.name, v.of))
		}
	}
	return event("token_count", `,"info":{`+strings.Join(members, ",")+"}")
}

// item is a line of an item.
func item(payload string) string {
	return `{"timestamp":"2026-02-03T04:05:08.000Z","type":"response_item","payload":` + payload + "}\n"
}

func reply(text string) string {
	return item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + js.Quote(text) + `}]}`)
}

func calling(id, tool string) string {
	return item(`{"type":"function_call","name":"` + tool + `","arguments":"{}","call_id":"` + id + `"}`)
}

func output(id, text string) string {
	return item(`{"type":"function_call_output","call_id":"` + id + `","output":` + js.Quote(text) + `}`)
}

const thought = `{"type":"reasoning","summary":[]}`

// counted returns what each entry counted, as codex counts: "reply 100/40/7", or "rest" with a usage entry's.
func counted(s *session.Session) (each []string, sum tally) {
	for _, e := range s.Entries {
		name, usage := e.Type(), js.Value(e.Get("usage"))
		if m, ok := e.Message(); ok {
			name, usage = m.Str("stopReason"), js.Value(m.Get("usage"))
		}
		n := tally{cached: usage.Get("cacheRead").Int(), output: usage.Get("output").Int(), reasoning: usage.Get("reasoning").Int()}
		n.input = usage.Get("input").Int() + n.cached
		if n != (tally{}) {
			each = append(each, fmt.Sprintf("%s %d/%d/%d", name, n.input, n.cached, n.output))
		}
		if of := usage.Get("totals"); of != "" {
			each = append(each, fmt.Sprintf("differ %d of %d", of.Get("total").Int(), of.Get("parts").Int()))
		}
		sum = sum.plus(n)
	}
	return each, sum
}

func TestTotals(t *testing.T) {
	t.Parallel()
	a, b := tally{1000, 600, 50, 10}, tally{1500, 900, 30, 0}
	both, none := a.plus(b), `{"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":900}`
	child := strings.Replace(meta, `"cwd"`, `"forked_from_id":"019c0000-0000-7000-8000-000000000009","cwd"`, 1)
	record := func(thread, used any) string {
		return fmt.Sprintf(`{"timestamp":"2026-02-03T04:05:09.000Z","type":"token_usage_record","payload":{"usage":%s,"thread_token_usage":%s}}`, used, thread) + "\n"
	}
	named := func(id, of string, used, total any) string {
		more := ""
		if total != nil {
			more = fmt.Sprintf(`,"thread_token_usage":%s`, total)
		}
		return fmt.Sprintf(`{"timestamp":"2026-02-03T04:05:09.000Z","type":"token_usage_record","payload":{"response_id":%q,"thread_id":%q,"usage":%s%s}}`, id, of, used, more) + "\n"
	}
	compacted := `{"timestamp":"2026-02-03T04:05:09.000Z","type":"compacted","payload":{"message":"","replacement_history":[]}}` + "\n"
	const review = "019c0000-0000-7000-8000-00000000000f"
	large := tally{100_000, 0, 500, 0}
	tests := map[string]struct {
		text string
		want []string
	}{
		"a compaction that records alone have": {
			meta + asked + reply("one") + named("r1", thread, a, a) + told(a, a) + named("c", thread, b, both) + compacted + told(a, none) +
				asked + reply("two") + named("r2", thread, a, both.plus(a)) + told(a.plus(a), a),
			[]string{"stop 1000/600/50", "usage 1500/900/30", "stop 1000/600/50"},
		},
		"a record of a child": {
			meta + asked + reply("one") + named("r1", thread, a, a) + told(a, a) + named("x1", review, large, large.plus(large)) +
				asked + reply("two") + named("r2", thread, b, both) + told(both, b),
			[]string{"stop 1000/600/50", "usage 100000/0/500", "stop 1500/900/30"},
		},
		"records without a total, told twice": {
			meta + asked + reply("one") + named("r1", thread, a, nil) + named("r1", thread, a, nil) + told(a, a) + named("c", thread, large, nil) + compacted +
				asked + reply("two") + named("r2", thread, b, nil) + told(both, b),
			[]string{"stop 1000/600/50", "usage 100000/0/500", "stop 1500/900/30"},
		},
		"a record behind its event": {
			meta + asked + reply("one") + told(a, a) + named("r1", thread, a, a) + asked + reply("two") + told(both, b) + named("r2", thread, b, both),
			[]string{"stop 1000/600/50", "stop 1500/900/30"},
		},
		"a record for the second reply": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + named("r2", thread, b, both) + told(both, b) + asked + reply("three") + told(both.plus(a), a),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "stop 1000/600/50"},
		},
		"more in both totals than was recorded": {
			meta + asked + reply("one") + named("r1", thread, a, a) + told(a, a) + asked + reply("two") + named("r2", thread, b, both.plus(large)) + told(both.plus(large), b),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "usage 100000/0/500"},
		},
		"an old total": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both, b) + told(a, a) + asked + reply("three") + told(both.plus(b), b),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "stop 1500/900/30"},
		},
		"an old total in front of the right one": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both, b) + asked + reply("three") + told(a, a) + told(both.plus(b), b),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "stop 1500/900/30"},
		},
		"a total that falls to an old one, and grows from it": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both, b) + asked + reply("three") + told(a, a) + asked + reply("four") + told(large.plus(a), large),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "stop 1000/600/50", "stop 100000/0/500"},
		},
		"a fork that begins with its parent's total":  {child + told(both, b) + asked + reply("one") + told(both.plus(a), a), []string{"stop 1000/600/50"}},
		"a fork that says so behind its first prompt": {child + asked + told(both, b) + reply("one") + told(both.plus(a), a), []string{"stop 1000/600/50"}},
		"told again behind a thought": {
			meta + asked + calling("c1", "x") + output("c1", "y") + told(a, a) + item(thought) + told(a, a) + event("turn_aborted", ""),
			[]string{"toolUse 1000/600/50"},
		},
		"told again behind a reply that said nothing of its own": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(a, a) + asked + reply("three") + told(both, b),
			[]string{"stop 1000/600/50", "stop 1500/900/30"},
		},
		"totals alone": {meta + asked + reply("one") + told(a, nil) + asked + reply("two") + told(both, nil), []string{"stop 1000/600/50", "stop 1500/900/30"}},
		"parts alone":  {meta + asked + reply("one") + told(nil, a) + asked + reply("two") + told(nil, a), []string{"stop 1000/600/50", "stop 1000/600/50"}},
		"parts, then totals": {
			meta + asked + reply("one") + told(nil, a) + asked + reply("two") + told(both, b), []string{"stop 1000/600/50", "stop 1500/900/30"},
		},
		"more in the total than replies said": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both.plus(a), b),
			[]string{"stop 1000/600/50", "stop 1500/900/30", "usage 1000/600/50"},
		},
		"less in the total than the reply said": {meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both, both.plus(b)), []string{"stop 1000/600/50", "stop 4000/2400/110", "differ 2580 of 5160"}},
		"more of one counter in the total, and less of another": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both.plus(tally{0, 0, 20, 0}), tally{1500, 900, 10, 0}.plus(tally{200, 0, 0, 0})),
			[]string{"stop 1000/600/50", "stop 1700/900/10", "usage 0/0/40", "differ 2600 of 2800"},
		},
		"less in two totals": {
			meta + asked + reply("one") + told(a, a.plus(a)) + asked + reply("two") + told(both, both.plus(b)),
			[]string{"stop 2000/1200/100", "differ 1050 of 2100", "stop 4000/2400/110", "differ 1530 of 4110"},
		},
		"a total without a reply": {meta + asked + reply("one") + told(a, a) + asked + told(both, b), []string{"stop 1000/600/50", "usage 1500/900/30"}},
		"a total that falls":      {meta + asked + reply("one") + told(both, both) + asked + reply("two") + told(a, a), []string{"stop 2500/1500/80", "stop 1000/600/50"}},
		"a total that begins anew and is larger": {
			meta + asked + reply("one") + told(a, a) + asked + reply("two") + told(both, both) + asked + reply("three") + told(both.plus(b), b),
			[]string{"stop 1000/600/50", "stop 2500/1500/80", "stop 1500/900/30"},
		},
		"a total that falls, alone":     {meta + asked + reply("one") + told(both, nil) + asked + reply("two") + told(a, nil), []string{"stop 2500/1500/80", "stop 1000/600/50"}},
		"an estimate of the context":    {meta + asked + reply("one") + told(a, a) + told(a, none) + asked + reply("two") + told(both, b), []string{"stop 1000/600/50", "stop 1500/900/30"}},
		"a record and its event":        {meta + asked + reply("one") + record(a, a) + told(a, a) + asked + reply("two") + record(both, b) + told(both, b), []string{"stop 1000/600/50", "stop 1500/900/30"}},
		"a fork that copied no counts":  {child + asked + reply("one") + told(both.plus(both), b), []string{"stop 1500/900/30"}},
		"a fork that copied its counts": {child + asked + reply("one") + told(a, a) + reply("two") + told(both, b), []string{"stop 1000/600/50", "stop 1500/900/30"}},
		"no counts at all":              {meta + asked + reply("one") + event("token_count", `,"info":null`), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := imported(t, tt.text)
			each, _ := counted(s)
			if diff := cmp.Diff(tt.want, each); diff != "" {
				t.Error(diff)
			}
			if back := exported(t, s, "legacy"); back != tt.text {
				t.Errorf("comes back as\n%s", back)
			}
		})
	}
}

// TestUsageOfALine: model, provider and tier of the line that says what was used come before those of its turn, and what nobody knows of
// that line is named.
func TestUsageOfALine(t *testing.T) {
	t.Parallel()
	turn := `{"timestamp":"2026-02-03T04:05:07.000Z","type":"turn_context","payload":{"cwd":"/w","model":"m-turn"}}` + "\n"
	used := tally{1000, 600, 50, 10}
	record := func(more string) string {
		return fmt.Sprintf(`{"timestamp":"2026-02-03T04:05:09.000Z","type":"token_usage_record","payload":{"response_id":"r","thread_id":%q,"turn_token_usage":%s,"usage":%[2]s%s}}`, thread, used, more) + "\n"
	}
	count := func(more, info string) string {
		return event("token_count", fmt.Sprintf(`,"info":{"last_token_usage":%s,"model_context_window":9%s},"rate_limits":{"plan_type":"pro"}%s`, used, info, more))
	}
	for name, tt := range map[string]struct{ lines, want string }{
		"a record":                    {record(`,"model":"m","model_provider":"p","service_tier":"priority","context_length":9`), `p m "priority" `},
		"a record without them":       {record(""), "unknown m-turn  "},
		"the usual tier":              {record(`,"service_tier":"default"`), "unknown m-turn  "},
		"a record and its event":      {record(`,"model":"m"`) + count(`,"service_tier":"flex"`, ""), `unknown m "flex" `},
		"an event":                    {count(`,"service_tier":"priority"`, ""), `unknown m-turn "priority" `},
		"a member that nobody knows":  {record(`,"surge":{"factor":3}`), `unknown m-turn  {"surge.factor":3}`},
		"one that says nothing":       {record(`,"surge":{"factor":0}`), "unknown m-turn  "},
		"one of an event's totals":    {count("", `,"surge":2`), `unknown m-turn  {"info.surge":2}`},
		"one of an event":             {count(`,"surge":2`, ""), `unknown m-turn  {"surge":2}`},
		"a request without a reply":   {record("") + strings.Replace(record(`,"model":"m2","service_tier":"flex"`), `"r"`, `"r2"`, 1), `unknown m2 "flex" `},
		"a request of another thread": {record("") + strings.Replace(record(`,"service_tier":"flex"`), thread, "019c0000-0000-7000-8000-00000000000f", 1), `unknown unknown "flex" `},
	} {
		var got string
		for _, e := range imported(t, meta+turn+asked+reply("one")+tt.lines).Entries {
			v := js.Value(e.Raw())
			if e.Type() == session.TypeMessage {
				v = v.Get("message")
			}
			if usage := v.Get("usage"); usage != "" {
				got = fmt.Sprintf("%s %s %s %s", v.Get("provider").Str(), v.Get("model").Str(), usage.Get("serviceTier"), usage.Get("unknown"))
			}
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestWindow: a reply has the window of its model that the rollout tells, before it or with its usage.
func TestWindow(t *testing.T) {
	t.Parallel()
	count := func(window string) string {
		return event("token_count", fmt.Sprintf(`,"info":{"last_token_usage":%s,"model_context_window":%s}`, tally{9, 0, 1, 0}, window))
	}
	s := imported(t, meta+asked+reply("one")+asked+reply("two")+count("258400")+asked+reply("three")+count("null")+event("task_started", `,"model_context_window":9000`)+asked+reply("four"))
	var got []string
	for _, e := range s.Entries {
		if m, ok := e.Message(); ok && m.Role() == session.RoleAssistant {
			got = append(got, m.Get(session.MemberWindow))
		}
	}
	if diff := cmp.Diff([]string{"", "258400", "258400", "9000"}, got); diff != "" {
		t.Error(diff)
	}
}

// The calls of a rollout add up to what codex counted, however it tells it.
func TestDrawnTotals(t *testing.T) {
	t.Parallel()
	for _, r := range drawn.Cases(t, 2000) {
		text, want := drawnRollout(r)
		s := imported(t, text)
		if each, got := counted(s); got != want {
			t.Fatalf("%v of %v, which is %v, of\n%s", got, want, each, text)
		}
		if back := exported(t, s, "legacy"); back != text {
			t.Fatalf("comes back as\n%s\nfrom\n%s", back, text)
		}
	}
}

// drawnRollout makes a rollout, and returns it with what its calls used.
func drawnRollout(r *rand.Rand) (text string, used tally) {
	var total tally
	call := func() tally {
		n := tally{input: 1 + r.Int64N(1e6), output: 1 + r.Int64N(1e4)}
		n.cached, n.reasoning = r.Int64N(n.input), r.Int64N(n.output)
		total, used = total.plus(n), used.plus(n)
		return n
	}
	text = meta
	for range 1 + r.IntN(12) {
		switch r.IntN(8) {
		case 0:
			text += asked + reply("a") + told(total, nil)
			if call(); r.IntN(2) == 0 {
				text += reply("b")
			}
			text += told(total, nil)
		case 1:
			call()
			text += asked + item(thought) + told(total, call())
		case 2:
			text += item(thought) + told(total, nil) + event("turn_aborted", "")
		case 3:
			total = tally{}
			n := call()
			text += asked + reply("anew") + told(total, n) + told(total, n)
		case 4:
			text += calling("c", "x") + told(total, call()) + output("c", "y")
		default:
			n := call()
			text += asked + reply("said") + told(total, n)
		}
	}
	return text, used
}

// What is written of a session of another agent counts the same when it is read again.
func TestUsageThereAndBack(t *testing.T) {
	t.Parallel()
	head := `{"type":"session","version":3,"id":"` + thread + `","timestamp":"2026-02-03T04:05:06.000Z","cwd":"/w"}` + "\n"
	entry := func(id, parent, rest string) string {
		return fmt.Sprintf(`{"id":"%s","parentId":%s,"timestamp":"2026-02-03T04:05:07.000Z",%s}`, id, parent, rest) + "\n"
	}
	said := func(usage string) string {
		return `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"api":"a","provider":"p","model":"m","usage":` + usage + `,"stopReason":"stop","timestamp":1}`
	}
	s := formatstest.Parse(t, head+
		entry("a0000001", "null", said(`{"input":10,"output":2,"cacheRead":5,"cacheWrite":0,"totalTokens":17}`))+
		entry("a0000002", `"a0000001"`, said(`{"input":200,"output":3,"cacheRead":50,"cacheWrite":0,"totalTokens":253}`))+
		entry("a0000003", `"a0000002"`, `"type":"usage","kind":"cache_warm","provider":"p","model":"m","usage":{"input":7,"output":1,"cacheRead":0,"cacheWrite":0}`)+
		entry("a0000004", `"a0000003"`, `"type":"compaction","summary":"s","firstKeptEntryId":"a0000004","tokensBefore":9,"usage":{"input":300,"output":9,"cacheRead":0,"cacheWrite":0}`)+
		entry("a0000005", `"a0000004"`, said(`{"input":20,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":22}`)))
	_, want := counted(s)
	for _, flavour := range flavours {
		if each, got := counted(imported(t, exported(t, s, flavour))); got != want {
			t.Errorf("%s: %v, want %v: %q", flavour, got, want, each)
		}
	}
}
