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
	tests := map[string]struct {
		text string
		want []string
	}{
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
