package jqmap_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

// update returns a line of Grok Build.
func update(kind, more string) string {
	return fmt.Sprintf(`{"method":"session/update","params":{"_meta":{"agentTimestampMs":1772600700000,"eventId":"e"},"sessionId":"s1","update":{"sessionUpdate":%q%s}},"timestamp":1772600700}`, kind, more)
}

func asked(index int, text string) string {
	return update("user_message_chunk", fmt.Sprintf(`,"_meta":{"promptIndex":%d},"content":{"type":"text","text":%q}`, index, text))
}

func answered(text string) string {
	return update("agent_message_chunk", fmt.Sprintf(`,"content":{"type":"text","text":%q}`, text))
}

func grok(t *testing.T, lines ...string) (formatstest.Result, []string) {
	t.Helper()
	r := read(t, format(t, "grok"), "updates.jsonl", lines...)
	var out []string
	ids := map[string]string{"": ""}
	for i, e := range r.Session(t).Entries {
		ids[e.ID()] = fmt.Sprint(i + 1)
	}
	for _, line := range outline(t, r) { // ids are made of the session's
		id, rest, _ := strings.Cut(line, ": ")
		at := strings.LastIndex(rest, " < ")
		out = append(out, ids[id]+": "+rest[:at]+" < "+ids[rest[at+3:]])
	}
	return r, out
}

// Chunks are one message, however many there are, and four times as many allocate four times as much: copying the list
// for each would allocate sixteen times as much.
func TestGrokChunks(t *testing.T) { // not parallel: it counts what is allocated
	read := func(n int) uint64 {
		lines := []string{asked(0, "a"), asked(0, "b"), update("agent_thought_chunk", `,"content":{"type":"text","text":"hm"}`)}
		for range n {
			lines = append(lines, answered("x"))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, got := grok(t, append(lines, asked(1, "c"))...)
		runtime.ReadMemStats(&after)
		want(t, got, "1: user ab < ", "2: assistant "+strings.Repeat("x", n)+" < 1", "3: user c < 2")
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := read(1_000), read(4_000); many > 6*few {
		t.Errorf("%d bytes are allocated for 1,000 chunks, %d for 4,000", few, many)
	}
}

// A rewind goes back in front of a prompt, whose number is used again.
func TestGrokRewindReusesPrompt(t *testing.T) {
	t.Parallel()
	turn := func(n int, text string) []string { return []string{asked(n, text), answered("to " + text)} }
	rewind := update("rewind_marker", `,"targetPromptIndex":1`)
	lines := append(append(turn(0, "a"), turn(1, "b")...), rewind)
	_, got := grok(t, append(append(append(lines, turn(1, "c")...), rewind), turn(1, "d")...)...)
	want(t, got, "1: user a < ", "2: assistant to a < 1", "3: user b < 2", "4: assistant to b < 3", "5: custom grok:rewind_marker < 2",
		"6: user c < 5", "7: assistant to c < 6", "8: custom grok:rewind_marker < 5", "9: user d < 8", "10: assistant to d < 9")
}

// Results stand behind the reply with their calls, also if the next call came in between, and the first one counts.
func TestGrokResults(t *testing.T) {
	t.Parallel()
	call := func(id string) string {
		return update("tool_call", fmt.Sprintf(`,"toolCallId":%q,"title":"t","_meta":{"x.ai/tool":{"name":"read"}},"rawInput":{"z":1.0,"a":2}`, id))
	}
	done := func(id, status string) string {
		return update("tool_call_update", fmt.Sprintf(`,"toolCallId":%q,"status":%q,"content":[{"type":"content","content":{"type":"text","text":"of %s"}}]`, id, status, id))
	}
	r, got := grok(t, asked(0, "a"), call("c1"), call("c2"), done("c1", "in_progress"), done("c1", "completed"), call("c3"), done("c2", "failed"), done("c3", "completed"), done("c3", "completed"))
	want(t, got, "1: user a < ", "2: assistant (c1 read)(c2 read) < 1", "3: toolResult of c1(c1 read) < 2", "4: toolResult of c2(c2 read) < 3",
		"5: assistant (c3 read) < 4", "6: toolResult of c3(c3 read) < 5")
	if strings.Count(r.Text(), `"isError":true`) != 1 || !strings.Contains(r.Text(), `"arguments":{"z":1.0,"a":2}`) {
		t.Errorf("%s", r.Text())
	}
}

// A session without updates is read from its history, of both versions; with both files it is one session.
func TestGrokChatHistoryAlone(t *testing.T) {
	t.Parallel()
	r := read(t, format(t, "grok"), "chat_history.jsonl",
		`{"type":"user","content":[{"type":"text","text":"policy"}],"synthetic_reason":"project_instructions"}`, `{"type":"user","content":"hi","prompt_index":0}`,
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`, `{"type":"assistant","content":"ho","model_id":"m"}`,
		`{"role":"assistant","content":"old","reasoning_content":"older","model_id":"m"}`, `{"type":"reasoning","summary":[{"text":"cut"}]}`)
	for _, text := range []string{
		`"customType":"grok:context","content":[{"type":"text","text":"policy"}]`, `[{"type":"thinking","thinking":"hm"},{"type":"text","text":"ho"}]`,
		`[{"type":"thinking","thinking":"older"},{"type":"text","text":"old"}]`, `[{"type":"thinking","thinking":"cut"}]`,
	} {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("there is no %s in\n%s", text, r.Text())
		}
	}
}

// Of two files in one directory that are one session the one with more is taken.
func TestSameIDTwoFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, id := range []string{"s1", "s2"} {
		formatstest.Put(t, filepath.Join(home, "%2Fw", id, "chat_history.jsonl"), `{"type":"user","content":"hi","prompt_index":0}`+"\n")
		formatstest.Put(t, filepath.Join(home, "%2Fw", id, "summary.json"), `{"info":{"id":"`+id+`","cwd":"/w/x"},"generated_title":"T","created_at":"2026-03-04T05:06:07Z","parent_session_id":"s0"}`)
	}
	formatstest.Put(t, filepath.Join(home, "%2Fw", "s1", "updates.jsonl"), asked(0, "a")+"\n")
	var got []string
	for info, err := range formatstest.Open(t, format(t, "grok"), source(home)).List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, fmt.Sprint(info.ID, " ", filepath.Base(info.Path), " ", info.CWD, " ", info.Name, " ", info.ParentSession))
	}
	want(t, got, "s1 updates.jsonl /w/x T s0", "s2 chat_history.jsonl /w/x T s0")
}

// What kimi-cli says in the user's name is not the user's, and content that cannot be carried over is a loss.
func TestKimiCLI(t *testing.T) {
	t.Parallel()
	r := read(t, format(t, "kimicli"), "context.jsonl", `{"role":"_system_prompt","content":"You are"}`, `{"role":"user","content":"<system-reminder>x</system-reminder>"}`,
		`{"role":"assistant","content":"","tool_calls":[{"id":"Shell:0","function":{"name":"Shell","arguments":"{\"z\": 1.0}"}}]}`,
		`{"role":"tool","content":"<system>ERROR: no</system>","tool_call_id":"Shell:0"}`, `{"role":"user","content":[{"type":"video","url":"data:video/mp4;base64,AAAA"}]}`)
	for _, text := range []string{`"customType":"kimicli:context"`, `"arguments":{"z": 1.0}`, `"isError":true`, `"text":"[video]"`} {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("there is no %s in\n%s", text, r.Text())
		}
	}
	want(t, kinds(r), "media")
}
