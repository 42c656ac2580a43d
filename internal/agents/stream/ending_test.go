package stream_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

const (
	claudeBegins = `{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n"
	claudeSays   = `{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"So far."}],"usage":{"input_tokens":3,"output_tokens":1}},"session_id":"s","uuid":"u1"}` + "\n"
	claudeCalls  = `{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]},"session_id":"s","uuid":"u1"}` + "\n"
	claudeResult = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"session_id":"s","uuid":"u2"}` + "\n"
	claudeEnds   = `{"type":"result","subtype":"success","is_error":false,"result":"So far.","session_id":"s","uuid":"u3"}` + "\n"
	claudeFails  = `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Too many turns"],"session_id":"s","uuid":"u3"}` + "\n"
)

// TestFailedRun: whatever a stream said, the newest answer is one that failed if who printed it
// has, and what was said is kept. An answer that is an entry already stays as it is.
func TestFailedRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, from, text string
		stored           bool // each answer is an entry before the next event comes
		want             []string
	}{
		{"nothing", "", "", false, []string{"user:Fix it.:", "assistant::error:exit status 3"}},
		{"nothing, as text", stream.Text, "", false, []string{"user:Fix it.:", "assistant::error:exit status 3"}},
		{"a text", stream.Text, "half\n", false, []string{"user:Fix it.:", "assistant:half:error:exit status 3"}},
		{"no end", "", claudeBegins + claudeSays, false, []string{"user:Fix it.:", "assistant:So far.:error:exit status 3"}},
		{"an end", "", claudeBegins + claudeSays + claudeEnds, false, []string{"user:Fix it.:", "assistant:So far.:error:exit status 3"}},
		{"an end that is stored", "", claudeBegins + claudeSays + claudeEnds, true, []string{"user:Fix it.:", "assistant:So far.:stop", "assistant::error:exit status 3"}},
		{"a call", "", claudeBegins + claudeCalls, false, []string{"user:Fix it.:", "assistant::toolUse", "assistant::error:exit status 3"}},
		{"a result", "", claudeBegins + claudeCalls + claudeResult, true, []string{"user:Fix it.:", "assistant::toolUse", "toolResult:ok:", "assistant::error:exit status 3"}},
		{"a failure of its own", "", claudeBegins + claudeSays + claudeFails, true, []string{"user:Fix it.:", "assistant:So far.:stop", "assistant::error:Too many turns"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			var d *stream.Decoder
			var items []*stream.Item
			d = stream.New(stream.Options{From: tt.from, Prompt: "Fix it.", Live: true, Now: at, Emit: func(group []*stream.Item) error {
				items = append(items, group...)
				for _, i := range group {
					if tt.stored {
						i.ID = "x"
					}
				}
				return nil
			}})
			if err := d.Ask(); err != nil || len(items) != 1 {
				t.Fatalf("the prompt is not there at once: %v", err)
			}
			_, _ = d.Write([]byte(tt.text))
			d.Fail(stream.Failure{Stop: "error", Text: "exit status 3"})
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			for _, i := range items {
				if i.Type != session.TypeMessage {
					continue
				}
				line := i.Message.Role() + ":" + i.Message.Text("") + ":" + i.Message.Str("stopReason")
				if why := i.Message.Str("errorMessage"); why != "" {
					line += ":" + why
				}
				got = append(got, line)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("recorded %q, want %q", got, tt.want)
			}
			if tale := d.Tale(); !tale.Failed() || !tale.Asked || tale.Newest != "error" {
				t.Errorf("the tale is %+v", tale)
			}
		})
	}
}

// TestPromptWithMore: a prompt that a program prints with more than it was given is recorded as
// it is printed, too; the same words are not recorded twice.
func TestPromptWithMore(t *testing.T) {
	t.Parallel()
	const head = `{"type":"session","version":3,"id":"a","timestamp":"2026-11-22T04:54:12.149Z","cwd":"/w"}` + "\n"
	for said, want := range map[string]int{
		`[{"type":"text","text":"Fix it."}]`:                1,
		`"Fix it.\n"`:                                       1,
		`[{"type":"text","text":"<file>x</file> Fix it."}]`: 2,
		`[{"type":"text","text":"Fix it."},{"type":"image","data":"aGk=","mimeType":"image/png"}]`: 2,
	} {
		text := head + `{"type":"message_end","message":{"role":"user","content":` + said + `,"timestamp":1795323252316}}` + "\n"
		var users int
		d := stream.New(stream.Options{Prompt: "Fix it.", Live: true, Now: at, Emit: func(group []*stream.Item) error {
			for _, i := range group {
				if i.Type == session.TypeMessage && i.Message.Role() == session.RoleUser {
					users++
				}
			}
			return nil
		}})
		_ = d.Ask()
		_, _ = d.Write([]byte(text))
		if err := d.Close(); err != nil || users != want {
			t.Errorf("%s: %d messages of the user, want %d (%v)", said, users, want, err)
		}
	}
}

// TestSay: what the assistant says as text is told once, piece by piece where there are pieces.
func TestSay(t *testing.T) {
	t.Parallel()
	pieces := `{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m1","role":"assistant"}}}
{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}}
{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"So "}}}
{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"far."}}}
{"type":"stream_event","session_id":"s","event":{"type":"message_stop"}}
`
	for _, tt := range []struct{ from, text, want string }{
		{"", claudeBegins + claudeSays + claudeEnds, "So far.|\n"},
		{"", claudeBegins + pieces + claudeSays + claudeEnds, "So |far.|\n"},
		{"", claudeBegins + claudeCalls + claudeResult, ""},
		{stream.Text, "half\n", "half\n"},
	} {
		var said []string
		d := stream.New(stream.Options{From: tt.from, Now: at, Emit: func([]*stream.Item) error { return nil }, Say: func(text string) { said = append(said, text) }})
		_, _ = d.Write([]byte(tt.text))
		_ = d.Close()
		if got := strings.Join(said, "|"); got != tt.want {
			t.Errorf("said %q, want %q", got, tt.want)
		}
	}
}

// TestPromptOnce: a prompt is there once, also where the program prints it, and whether or not it is recorded before the
// program starts.
func TestPromptOnce(t *testing.T) {
	t.Parallel()
	for _, program := range programs {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			data := samplesOf(t, program)["03-tool"].all()
			prompt := "Read a.txt"
			for _, m := range recorded(record(t, data, stream.Options{})) {
				if m.Role() == session.RoleUser {
					prompt = m.Text("\n")
					break
				}
			}
			for _, asked := range []bool{false, true} {
				var said []string
				d := stream.New(stream.Options{Prompt: prompt, Live: true, Now: at, Emit: func(group []*stream.Item) error {
					for _, i := range group {
						if i.Type == session.TypeMessage && i.Message.Role() == session.RoleUser {
							said = append(said, i.Message.Text("\n"))
						}
					}
					return nil
				}})
				if asked {
					if err := d.Ask(); err != nil || len(said) != 1 {
						t.Fatalf("asked %q, %v", said, err)
					}
				}
				_, _ = d.Write(data)
				if err := d.Close(); err != nil || len(said) != 1 || said[0] != prompt {
					t.Errorf("asked before %t: the user said %q, want %q once (%v)", asked, said, prompt, err)
				}
			}
		})
	}
}

// TestCountedByATotal: answers that a total covers, which a program prints at its end, are not
// answers without a number.
func TestCountedByATotal(t *testing.T) {
	t.Parallel()
	const (
		codexCalls  = `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" + `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I look."}}` + "\n" + `{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":0,"status":"completed"}}` + "\n"
		codexSays   = `{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Done."}}` + "\n"
		codexEnds   = `{"type":"turn.completed","usage":{"input_tokens":30,"cached_input_tokens":0,"output_tokens":4}}` + "\n"
		codexUnsaid = `{"type":"turn.completed","usage":{}}` + "\n"
		geminiSays  = `{"type":"init","timestamp":"2026-01-01T00:00:00.000Z","session_id":"g","model":"gm"}` + "\n" + `{"type":"message","role":"assistant","content":"I look.","delta":true}` + "\n" + `{"type":"tool_use","tool_name":"ls","tool_id":"c1","parameters":{}}` + "\n" + `{"type":"tool_result","tool_id":"c1","status":"success","output":"a"}` + "\n" + `{"type":"message","role":"assistant","content":"Done.","delta":true}` + "\n"
		geminiEnds  = `{"type":"result","status":"success","stats":{"total_tokens":34,"input_tokens":30,"output_tokens":4,"cached":0}}` + "\n"
		geminiFails = `{"type":"result","status":"error","error":{"message":"no"},"stats":{"total_tokens":34,"input_tokens":30,"output_tokens":4,"cached":0}}` + "\n"
	)
	for _, tt := range []struct {
		name, text string
		fails      bool
		want       int
	}{
		{"codex", codexCalls + codexSays + codexEnds, false, 0},
		{"codex, which then fails", codexCalls + codexSays + codexEnds, true, 0},
		{"codex without an end", codexCalls + codexSays, false, 1}, // the other one is aborted
		{"codex without a number", codexCalls + codexSays + codexUnsaid, false, 2},
		{"gemini", geminiSays + geminiEnds, false, 0},
		{"gemini that fails", geminiSays + geminiFails, false, 0},
		{"gemini without an end", geminiSays, false, 1},
		{"gemini behind another", codexCalls + codexSays + codexUnsaid + geminiSays + geminiEnds, false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := stream.New(stream.Options{Prompt: "Fix it.", Live: true, Now: at, Emit: func([]*stream.Item) error { return nil }})
			_, _ = d.Write([]byte(tt.text))
			if tt.fails {
				d.Fail(stream.Failure{Stop: "error", Text: "exit status 3"})
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if got := d.Tale().Uncount; got != tt.want {
				t.Errorf("%d answers without a number, want %d: %+v", got, tt.want, d.Tale())
			}
		})
	}
}

// What Claude Code says of a task in the background is recorded, since nothing else says how that ended.
func TestTaskNotification(t *testing.T) {
	t.Parallel()
	notice := `{"type":"system","subtype":"task_notification","task_id":"b1","status":"failed","summary":"it failed with exit code 2","session_id":"s"}`
	begins := `{"type":"system","subtype":"task_started","task_id":"b1","session_id":"s"}` + "\n"
	got := decode([]byte(claudeBegins+claudeCalls+claudeResult+begins+notice+"\n"+claudeEnds), 0, stream.Options{Now: at})
	want := `custom customType="claude:event" data=` + notice
	if all := lines(got.items); !slices.Contains(all, want) || strings.Contains(strings.Join(all, "\n"), "task_started") {
		t.Errorf("%s", strings.Join(all, "\n"))
	}
}

// A run that is one object is a reply of the model that cost most, and counts once. Replies that have more tokens than the
// total are told.
func TestTotalOfOneObject(t *testing.T) {
	t.Parallel()
	result := func(in int) string {
		return `{"type":"result","subtype":"success","is_error":false,"result":"hi","session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":2},` +
			`"modelUsage":{"small":{"inputTokens":3,"outputTokens":1,"costUSD":0.1},"big[1m]":{"inputTokens":` + strconv.Itoa(in) + `,"outputTokens":2,"costUSD":0.4}}}`
	}
	for in, want := range map[int]string{10: "big 10; small 3 ", 9: `big 10; small 3 ; big 0 {"parts":16,"total":15}`} {
		got := decode([]byte(result(in)), 0, stream.Options{From: "claude", Now: at})
		var all []string
		for _, i := range got.items {
			if i.Type == session.TypeMessage {
				all = append(all, i.Message.Str("model")+" "+string(js.Value(i.Message.Get("usage")).Get("input")))
				continue
			}
			if i.Type != session.TypeUsage {
				continue
			}
			usage := js.Value(i.Fields[3].Raw)
			all = append(all, js.Unquote(i.Fields[2].Raw)+" "+string(usage.Get("input"))+" "+string(usage.Get("totals")))
		}
		if s := strings.Join(all, "; "); s != want {
			t.Errorf("%d: %s, want %s", in, s, want)
		}
		if told := strings.Join(got.warns, "\n"); strings.Contains(told, "its calls have 16 tokens, its own total says 15") != (in == 9) {
			t.Errorf("%d: %s", in, told)
		}
	}
}

// What a program prints before it has begun is why there is no answer; where there is one, it is not.
func TestWhyNoAnswer(t *testing.T) {
	t.Parallel()
	begun := `{"type":"system","subtype":"init","session_id":"s1","tools":[]}` + "\n"
	reply := `{"type":"assistant","session_id":"s1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"Yes."}],"stop_reason":"end_turn"}}` + "\n"
	for name, tt := range map[string]struct{ text, want string }{
		"nothing else":        {"Invalid key\n", "exit status 3: Invalid key"},
		"in front":            {"Invalid key\nlog in\n" + begun, "exit status 3: Invalid key log in"},
		"behind":              {begun + "It broke \xff\n", "exit status 3: It broke \uFFFD"},
		"many lines":          {strings.Repeat("no\n", 100), "exit status 3: no no no"},
		"though there is one": {"A banner\n" + begun + reply, "exit status 3"},
		"said nothing":        {begun, "exit status 3"},
	} {
		var why []string
		d := stream.New(stream.Options{Prompt: "go", Emit: func(group []*stream.Item) error {
			for _, i := range group {
				if i.Type == session.TypeMessage && i.Message.Role() == session.RoleAssistant {
					why = append(why, i.Message.Str("errorMessage"))
				}
			}
			return nil
		}})
		_, err := d.Write([]byte(tt.text))
		d.Fail(stream.Failure{Stop: "error", Text: "exit status 3"})
		_ = d.Close() // which says that there were lines that are no part of the stream
		if err != nil || len(why) == 0 || why[len(why)-1] != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, why, err, tt.want)
		}
	}
}
