package jqmap_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// wire returns a record of Kimi Code.
func wire(typ, more string) string {
	return fmt.Sprintf(`{"type":%q,"time":1772600700000%s}`, typ, more)
}

func loop(typ, more string) string {
	return wire("context.append_loop_event", fmt.Sprintf(`,"event":{"type":%q%s}`, typ, more))
}

func prompted(id, text string) string {
	return wire("context.append_message", fmt.Sprintf(`,"message":{"role":"user","id":%q,"content":[{"type":"text","text":%q}],"origin":{"kind":"user"}}`, id, text))
}

func step(id string) string { return loop("step.begin", fmt.Sprintf(`,"uuid":%q`, id)) }

func part(text string) string {
	return loop("content.part", fmt.Sprintf(`,"part":{"type":"text","text":%q}`, text))
}

func ended(usage string) string { return loop("step.end", `,"finishReason":"end_turn"`+usage) }

const kimiTokens = `,"usage":{"inputOther":90,"output":11,"inputCacheRead":7,"inputCacheCreation":3}`

// kimi reads a session, and returns its outline without what is kept of its first line.
func kimi(t *testing.T, lines ...string) (formatstest.Result, []string) {
	t.Helper()
	r := read(t, format(t, "kimi"), "wire.jsonl", append([]string{wire("metadata", `,"protocol_version":"1.5"`)}, lines...)...)
	out := outline(t, r)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], r.Session(t).Entries[0].ID(), "HEAD")
	}
	return r, out[1:]
}

// What a turn took is said before the end of a step or behind it, and counts once; alone it is an entry.
func TestKimiUsageBeforeAndBehind(t *testing.T) {
	t.Parallel()
	record := wire("usage.record", `,"model":"m","usageScope":"turn"`+kimiTokens)
	for name, lines := range map[string][]string{
		"before": {step("s1"), record, part("x"), ended(kimiTokens)},
		"behind": {step("s1"), part("x"), ended(kimiTokens), record},
		"cut":    {step("s1"), record, part("x")},
		"alone":  {step("s1"), record, wire("turn.cancel", "")},
		"apart":  {record},
	} {
		r, _ := kimi(t, lines...)
		if in, out := spent(t, r); in != 100 || out != 11 {
			t.Errorf("%s: %d tokens of input and %d of output\n%s", name, in, out, r.Text())
		}
		if alone := strings.Contains(r.Text(), `"type":"usage"`); alone != (name == "alone" || name == "apart") {
			t.Errorf("%s: an entry of its own: %t", name, alone)
		}
	}
	r, _ := kimi(t, wire("usage.record", `,"model":"m","usageScope":"session"`+kimiTokens))
	if !strings.Contains(r.Text(), `"kind":"compaction","provider":"unknown","model":"m"`) {
		t.Errorf("%s", r.Text())
	}
}

// The second log of the same is nothing.
func TestKimiSecondLog(t *testing.T) {
	t.Parallel()
	r, got := kimi(t, prompted("p1", "hi"), wire("agent.message.appended", `,"kind":"event","message":{"message":{"role":"user"}}`),
		wire("agent.something", `,"kind":"event"`))
	want(t, got, "p1: user hi < HEAD")
	if len(r.Losses) > 0 {
		t.Errorf("%v", r.Losses)
	}
}

// A step without an end is written as far as it came, and a prompt that did not come into the context
// stands where its step begins.
func TestKimiStepCut(t *testing.T) {
	t.Parallel()
	_, got := kimi(t, wire("turn.prompt", `,"input":[{"type":"text","text":"alone"}],"promptId":"p1"`), step("s1"), part("so far"), prompted("p2", "next"), step("s2"), part("more"))
	want(t, got, "p1: user alone < HEAD", "s1: assistant so far < p1", "p2: user next < s1", "s2: assistant more < p2")
	_, got = kimi(t, wire("turn.prompt", `,"input":[{"type":"text","text":"hi"}],"promptId":"p1"`), prompted("p1", "hi"), step("s1"), part("x"), ended(""))
	want(t, got, "p1: user hi < HEAD", "s1: assistant x < p1")
}

// An undo goes back in front of the last prompts.
func TestKimiUndo(t *testing.T) {
	t.Parallel()
	turn := func(n string) []string { return []string{prompted("p"+n, n), step("s" + n), part(n), ended("")} }
	lines := append(append(turn("1"), turn("2")...), turn("3")...)
	r, got := kimi(t, append(append(lines, wire("context.undo", `,"count":2`)), turn("4")...)...)
	undo := r.Session(t).Entries[7].ID()
	want(t, got, "p1: user 1 < HEAD", "s1: assistant 1 < p1", "p2: user 2 < s1", "s2: assistant 2 < p2", "p3: user 3 < s2", "s3: assistant 3 < p3",
		undo+": custom kimi:context.undo < s1", "p4: user 4 < "+undo, "s4: assistant 4 < p4")
	_, got = kimi(t, append(append(append(lines, wire("context.undo", `,"count":1`)), wire("context.undo", `,"count":1`)), turn("4")...)...)
	if !strings.HasSuffix(got[7], "custom kimi:context.undo < s1") {
		t.Errorf("two undos go back to %s", got[7])
	}
}

// Results come before their step ends, and stand behind the reply; a failed call is an error.
func TestKimiResultsBeforeEnd(t *testing.T) {
	t.Parallel()
	call := loop("tool.call", `,"toolCallId":"c1","name":"Read","args":{"z":1.0,"a":2}`)
	result := loop("tool.result", `,"toolCallId":"c1","result":{"output":"none","note":"a note","isError":true}`)
	r, got := kimi(t, prompted("p1", "hi"), step("s1"), call, result, ended(""), step("s2"), part("done"), ended(""))
	id := r.Session(t).Entries[3].ID()
	want(t, got, "p1: user hi < HEAD", "s1: assistant (c1 Read) < p1", id+": toolResult none|a note(c1 Read) < s1", "s2: assistant done < "+id)
	if !strings.Contains(r.Text(), `"arguments":{"z":1.0,"a":2}`) || !strings.Contains(r.Text(), `"isError":true`) {
		t.Errorf("%s", r.Text())
	}
	_, got = kimi(t, step("s1"), call, ended(""), result)
	if len(got) != 2 || !strings.Contains(got[1], "toolResult none|a note(c1 Read) < s1") {
		t.Errorf("%s", got)
	}
}

// A compaction has its summary, and what it kept is out of sight, a loss.
func TestKimiCompaction(t *testing.T) {
	t.Parallel()
	turn := []string{prompted("p1", "hi"), step("s1"), part("ho"), ended("")}
	for more, losses := range map[string]string{`,"compactedCount":2`: "", `,"compactedCount":1`: "context", `,"compactedCount":2,"keptUserMessageCount":1`: "context"} {
		r, got := kimi(t, append(turn, wire("context.apply_compaction", `,"summary":"short","contextSummary":"SUM","tokensBefore":9`+more))...)
		if strings.Join(kinds(r), " ") != losses || !strings.HasSuffix(got[2], ": compaction SUM < s1") {
			t.Errorf("%s: %v\n%s", more, r.Losses, got)
		}
	}
	r, _ := kimi(t, wire("context.append_message", `,"message":{"role":"user","content":[{"type":"image_url","imageUrl":{"url":"blobref:1"}}]}`))
	want(t, kinds(r), "blob")
}

// The session is called as its directory, and a sub-agent's has its own name behind that.
func TestKimiHome(t *testing.T) {
	t.Parallel()
	home, line := t.TempDir(), wire("metadata", `,"protocol_version":"1.5"`)+"\n"+prompted("p", "hi")+"\n"
	formatstest.Put(t, filepath.Join(home, "wd_x", "session_1", "agents", "main", "wire.jsonl"), line)
	formatstest.Put(t, filepath.Join(home, "wd_x", "session_1", "agents", "agent-0", "wire.jsonl"), line)
	formatstest.Put(t, filepath.Join(home, "wd_x", "session_1", "state.json"), `{"cwd":"/w/x","title":"A title","createdAt":1772600600000}`)
	var got []string
	for info, err := range formatstest.Open(t, format(t, "kimi"), source(home)).List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, fmt.Sprint(info.ID, " of ", info.ParentSession, " in ", info.CWD, " at ", info.Created.UnixMilli(), " ", info.Name))
	}
	want(t, got, "session_1-agent-0 of session_1 in /w/x at 1772600600000 ", "session_1 of  in /w/x at 1772600600000 A title")
}

// Kimi Code's usage: each record of it is one call.
func kimiUsage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		if e := v.Get("event"); v.Get("type").Str() == "usage.record" || e.Get("uuid").Str() == "s5" && e.Get("type").Str() == "step.end" {
			u := v.Get("usage")
			if u == "" { // the one step of the sample that no record tells
				u = e.Get("usage")
			}
			input, output = input+u.Get("inputOther").Int(), output+u.Get("output").Int()
		}
	}
	return input, output
}
