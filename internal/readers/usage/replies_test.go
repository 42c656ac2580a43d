package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// spoken is a line of a reply with a usage.
func spoken(uuid, parent, id, request, counts string) string {
	if request != "" {
		request = `"requestId":"` + request + `",`
	}
	return fmt.Sprintf(`{"parentUuid":%q,%s"type":"assistant","message":{"id":%q,"role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"from %s"}],"usage":{%s}},"uuid":%q,"timestamp":"2026-11-21T10:00:0%d.000Z","cwd":"/w","sessionId":"s"}`+"\n",
		parent, request, id, uuid, counts, uuid, len(parent)%10)
}

// TestReplyCountsOnce: a reply is counted once, wherever its lines are, and two replies with one id are two. A listing, the calls
// and the way back agree.
func TestReplyCountsOnce(t *testing.T) {
	t.Parallel()
	const counts, more = `"input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":90`, `"input_tokens":11,"cache_read_input_tokens":1000,"output_tokens":5`
	const asked = `{"parentUuid":%s,"type":"user","message":{"role":"user","content":"go"},"uuid":%q,"timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s"}` + "\n"
	ask, between := fmt.Sprintf(asked, "null", "a"), fmt.Sprintf(asked, `"b"`, "x")
	hook := func(uuid, parent string) string {
		return fmt.Sprintf(`{"parentUuid":%q,"type":"progress","data":{"type":"hook_progress"},"uuid":%q,"timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s"}`, parent, uuid) + "\n"
	}
	result := func(uuid, parent string) string {
		return fmt.Sprintf(`{"parentUuid":%q,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]},"uuid":%q,"timestamp":"2026-11-21T10:00:01.000Z","cwd":"/w","sessionId":"s"}`, parent, uuid) + "\n"
	}
	stopped := func(line string) string {
		return strings.Replace(line, `"usage"`, `"stop_reason":"tool_use","usage"`, 1)
	}
	const guess, actual = `"input_tokens":24000,"output_tokens":0`, `"input_tokens":22000,"cache_read_input_tokens":7,"output_tokens":500`
	const guessed, long = `"input_tokens":24000,"output_tokens":12`, "msg_0123456789abcdef"
	iterations := func(list string) string {
		return spoken("b", "a", "m", "r", `"input_tokens":4,"output_tokens":500,"cache_read_input_tokens":182000,"speed":"fast","iterations":[`+list+`]`)
	}
	const first, last = `{"type":"message","input_tokens":2,"output_tokens":45,"cache_read_input_tokens":90000}`, `{"type":"message","input_tokens":2,"output_tokens":455,"cache_read_input_tokens":92000}`
	for _, tt := range []struct {
		name, lines                string
		calls, input, read, output int64
	}{
		{"in one entry", ask + spoken("b", "a", "m", "r", counts) + spoken("c", "b", "m", "r", counts), 1, 10, 1000, 90},
		{"in two, with a prompt between", ask + spoken("b", "a", "m", "r", counts) + between + spoken("c", "x", "m", "r", counts), 1, 10, 1000, 90},
		{"without an id of the request", ask + spoken("b", "a", "m", "", counts) + between + spoken("c", "x", "m", "", counts), 1, 10, 1000, 90},
		{"two requests with one id", ask + spoken("b", "a", "m", "r", counts) + spoken("c", "b", "m", "q", more), 2, 21, 2000, 95},
		{"two replies with one short id", ask + spoken("b", "a", "chatcmpl-3", "", counts) + between + spoken("c", "x", "chatcmpl-3", "", more), 2, 21, 2000, 95},
		{"a gateway corrects itself", ask + spoken("b", "a", "m", "", guess) + spoken("c", "b", "m", "", actual), 1, 22000, 7, 500},
		{"a gateway corrects itself twice", ask + spoken("b", "a", "m", "", guess) + spoken("c", "b", "m", "", guessed) + spoken("d", "c", "m", "", actual), 1, 22000, 7, 500},
		{"and says at first that some was written", ask + spoken("b", "a", "m", "", guessed) + spoken("c", "b", "m", "", actual), 1, 22000, 7, 500},
		{"behind a hook", ask + spoken("b", "a", "m", "", guessed) + hook("h", "b") + hook("i", "h") + spoken("c", "i", "m", "", actual), 1, 22000, 7, 500},
		{"behind a result, of what was a guess", ask + spoken("b", "a", "m", "", guess) + result("r", "b") + spoken("c", "r", "m", "", actual), 1, 22000, 7, 500},
		{"behind a result, of what was not over", ask + spoken("b", "a", "m", "", guessed) + result("r", "b") + stopped(spoken("c", "r", "m", "", actual)), 1, 22000, 7, 500},
		{"behind a result, of what was over", ask + stopped(spoken("b", "a", "m", "", guessed)) + result("r", "b") + stopped(spoken("c", "r", "m", "", actual)), 2, 46000, 7, 512},
		{"behind a result, of a long id", ask + stopped(spoken("b", "a", long, "", guessed)) + result("r", "b") + stopped(spoken("c", "r", long, "", actual)), 1, 22000, 7, 500},
		{"behind a prompt, of a long id", ask + spoken("b", "a", long, "", guessed) + between + spoken("c", "x", long, "", actual), 1, 22000, 7, 500},
		{"a guess, and a reply of another id", ask + spoken("b", "a", "m", "", guess) + spoken("c", "b", "n", "", actual), 2, 46000, 7, 500},
		{"a request that is known is no guess", ask + spoken("b", "a", "m", "r", guess) + spoken("c", "b", "m", "q", actual), 2, 46000, 7, 500},
		{"the last line is of the part that began first", ask + spoken("b", "a", "m", "r", counts) + result("r", "b") + between + spoken("c", "x", "m", "r", counts) +
			spoken("d", "b", "m", "r", `"input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":192`), 1, 10, 1000, 192},
		{"two requests of the API for it", ask + iterations(first+","+last), 2, 4, 182000, 500},
		{"an advisor", ask + iterations(first+`,{"type":"advisor_message","model":"claude-opus-4-8","input_tokens":95000,"output_tokens":700},`+last), 3, 95004, 182000, 1200},
		{"a compaction in the request", ask + spoken("b", "a", "m", "r", counts+`,"iterations":[{"type":"compaction","input_tokens":180000,"output_tokens":3500},{"type":"message","input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":90}]`), 2, 180010, 1000, 3590},
		{"requests that do not add up", ask + iterations(first+","+first), 1, 4, 182000, 500},
	} {
		r := formatstest.One(t, claude.Claude, &formats.Source{Stdin: strings.NewReader(tt.lines)})
		calls, used, _, listed := charged(t, r.Text())
		if got := [4]int64{int64(len(calls)), used.Input, used.CacheRead, used.Output}; got != [4]int64{tt.calls, tt.input, tt.read, tt.output} || len(r.Losses) > 0 {
			t.Errorf("%s: %v, want %v; lost %v", tt.name, got, []int64{tt.calls, tt.input, tt.read, tt.output}, r.Losses)
		}
		if listed.Input != tt.input || listed.CacheRead != tt.read || listed.Output != tt.output {
			t.Errorf("%s: a listing has %+v", tt.name, listed)
		}
		if out, lost := formatstest.Export(t, claude.Claude, r.Session(t), ""); out != tt.lines || len(lost) > 0 {
			t.Errorf("%s: became %s, lost %v", tt.name, out, lost)
		}
	}
	// The context is that of the last request to the model.
	s := formatstest.One(t, claude.Claude, &formats.Source{Stdin: strings.NewReader(ask + iterations(first+","+last))}).Session(t)
	path := formatstest.Path(s)
	m, _ := path[len(path)-1].Message()
	if u, ok := m.Usage(); !ok || u.ContextTokens() != 2+455+92000 {
		t.Errorf("the context has %+v", u)
	}
}

// TestIterationsInAFork: a call that the API made for a reply counts once, also if another session has a copy of the reply.
func TestIterationsInAFork(t *testing.T) {
	t.Parallel()
	line := spoken("b", "a", "m", "r", `"input_tokens":2,"output_tokens":45,"iterations":[{"type":"advisor_message","model":"claude-opus-4-8","input_tokens":95,"output_tokens":7},{"type":"message","input_tokens":2,"output_tokens":45}]`)
	l := &usage.Ledger{}
	for _, id := range []string{"s", "other"} {
		text := strings.ReplaceAll(line, `"sessionId":"s"`, `"sessionId":"`+id+`"`)
		add(t, l, id, "claude", formatstest.One(t, claude.Claude, &formats.Source{Stdin: strings.NewReader(text)}).Text())
	}
	if got := grouped(l, "session").Total; got.Calls != 2 || got.Copies != 2 || got.Tokens.Input != 97 {
		t.Errorf("%d calls and %d copies with an input of %d, want 2 and 2 with 97", got.Calls, got.Copies, got.Tokens.Input)
	}
}
