package jqmap_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

const copilotStart = `{"type":"session.start","data":{"sessionId":"s1","copilotVersion":"1.0.102","startTime":"2026-03-04T05:06:07.000Z","context":{"cwd":"/w/p"}},"id":"start","timestamp":"2026-03-04T05:06:07.000Z","parentId":null}`

// event returns an event of Copilot.
func event(typ, id, data string, more ...string) string {
	return fmt.Sprintf(`{"type":%q,"data":%s,"id":%q,"timestamp":"2026-03-04T05:06:08.000Z","parentId":"before"%s}`, typ, data, id, strings.Join(more, ""))
}

func copilot(t *testing.T, events ...string) formatstest.Result {
	t.Helper()
	return read(t, format(t, "copilot"), "events.jsonl", append([]string{copilotStart}, events...)...)
}

const startKept = "start: custom copilot:session.start < "

// What a sub-agent says while others speak is a branch of its own, and the main track the leaf.
func TestCopilotSubAgentsInterleaved(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("user.message", "u1", `{"content":"ask two"}`),
		event("user.message", "a1", `{"content":"one"}`, `,"agentId":"A"`),
		event("user.message", "b1", `{"content":"two"}`, `,"agentId":"B"`),
		event("assistant.message", "a2", `{"content":"one is fine"}`, `,"agentId":"A"`),
		event("assistant.message", "u2", `{"content":"done"}`),
		event("assistant.message", "b2", `{"content":"two is fine"}`, `,"agentId":"B"`))
	want(t, outline(t, r)[:7], startKept, "u1: user ask two < start", "a1: user one < u1", "b1: user two < u1", "a2: assistant one is fine < a1",
		"u2: assistant done < u1", "b2: assistant two is fine < b1")
	s := r.Session(t)
	leaf := s.Entries[len(s.Entries)-1]
	if leaf.Str("customType") != "copilot:leaf" || leaf.ParentID() != "u2" || len(s.Entries) != 8 {
		t.Errorf("the leaf is %s", leaf.Raw())
	}
}

// The leaf is that of the main track without an entry that says so, if that was written last.
func TestLeafOfTrack(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("user.message", "a1", `{"content":"one"}`, `,"agentId":"A"`),
		event("user.message", "u1", `{"content":"main"}`))
	want(t, outline(t, r), startKept, "a1: user one < start", "u1: user main < start")
}

// A compaction runs beside the turn: what was said behind its beginning is kept.
func TestCopilotCompactionBeside(t *testing.T) {
	t.Parallel()
	begun := []string{
		event("user.message", "u1", `{"content":"old"}`),
		event("session.compaction_start", "c0", `{}`),
		event("user.message", "u2", `{"content":"new"}`),
	}
	r := copilot(t, append(begun, event("session.compaction_complete", "c1", `{"success":true,"summaryContent":"SUM","preCompactionTokens":9,"compactionTokensUsed":{"model":"m","inputTokens":30,"cacheReadTokens":10,"outputTokens":2}}`))...)
	want(t, outline(t, r), startKept, "u1: user old < start", "u2: user new < u1", "c1: compaction SUM < u2")
	c := r.Session(t).Entries[3]
	if c.Str("firstKeptEntryId") != "u2" || c.Get("tokensBefore") != "9" || js.Value(c.Get("usage")).Get("input").Int() != 20 {
		t.Errorf("%s", c.Raw())
	}
	r = copilot(t, append(begun, event("session.compaction_complete", "c1", `{"success":false,"compactionTokensUsed":{"model":"m","inputTokens":30,"outputTokens":2}}`),
		event("session.shutdown", "d1", `{"currentModel":"m","modelMetrics":{"m":{"usage":{"inputTokens":30,"outputTokens":2}}}}`))...)
	failed := r.Session(t).Entries[3]
	if failed.Type() != "usage" || failed.Str("kind") != "compaction" || failed.Str("model") != "m" {
		t.Errorf("a compaction that failed is %s", failed.Raw())
	}
	if in, out := spent(t, r); in != 30 || out != 2 { // the shutdown does not count the compaction
		t.Errorf("%d tokens of input and %d of output", in, out)
	}
}

// A shutdown counts all runs so far: what they did not say themselves is counted once.
func TestCopilotShutdownOfTwoRuns(t *testing.T) {
	t.Parallel()
	record := func(id, call string, in, out int) string {
		return event("session.usage_record", id, fmt.Sprintf(`{"usage":{"model":"m","inputTokens":%d,"outputTokens":%d,"cacheReadTokens":4,"apiCallId":%q}}`, in, out, call))
	}
	shutdown := func(id string, in, out, cached int) string {
		return event("session.shutdown", id, fmt.Sprintf(`{"currentModel":"m","modelMetrics":{"m":{"usage":{"inputTokens":%d,"outputTokens":%d,"cacheReadTokens":%d}}}}`, in, out, cached))
	}
	r := copilot(t,
		record("r1", "x1", 10, 1), event("assistant.message", "m1", `{"content":"a","apiCallId":"x1"}`), shutdown("d1", 10, 1, 4),
		record("r2", "x2", 20, 2), event("assistant.message", "m2", `{"content":"b","apiCallId":"x2"}`), shutdown("d2", 35, 3, 8))
	if in, out := spent(t, r); in != 35 || out != 3 {
		t.Errorf("%d tokens of input and %d of output\n%s", in, out, r.Text())
	}
	rest := r.Session(t).Entries[len(r.Session(t).Entries)-1]
	if rest.Str("kind") != "rest" || js.Value(rest.Get("usage")).Get("input").Int() != 5 || strings.Count(r.Text(), `"type":"usage"`) != 1 {
		t.Errorf("the rest is %s", rest.Raw())
	}
}

// A call of the API that no message came of is counted beside the messages.
func TestCopilotRetriedCall(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("session.usage_record", "r1", `{"usage":{"model":"m","inputTokens":10,"outputTokens":0,"apiCallId":"x1"}}`),
		event("session.usage_record", "r2", `{"usage":{"model":"m","inputTokens":10,"outputTokens":5,"apiCallId":"x2"}}`),
		event("assistant.message", "m1", `{"content":"a","model":"m","apiCallId":"x2"}`),
		event("session.usage_record", "r3", `{"usage":{"model":"m","inputTokens":7,"outputTokens":0,"apiCallId":"x3"}}`))
	entries := r.Session(t).Entries
	m, _ := entries[2].Message()
	if entries[1].Type() != "usage" || js.Value(m.Get("usage")).Get("output").Int() != 5 || m.Str("responseId") != "x2" {
		t.Errorf("%s", r.Text())
	}
	if in, out := spent(t, r); in != 27 || out != 5 {
		t.Errorf("%d tokens of input and %d of output", in, out)
	}
}

// The bytes of an image stand in an event of their own.
func TestCopilotAssetImage(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("session.binary_asset", "b1", `{"assetId":"sha256:1","type":"image","mimeType":"image/png","data":"QUJD"}`),
		event("user.message", "u1", `{"content":"see","attachments":[{"type":"file","assetId":"sha256:1"}]}`),
		event("user.message", "u2", `{"content":"see","attachments":[{"type":"file","assetId":"sha256:2"}]}`),
		event("tool.execution_start", "t1", `{"toolCallId":"c","toolName":"view","arguments":{}}`),
		event("tool.execution_complete", "t2", `{"toolCallId":"c","success":true,"result":{"content":"it","binaryResultsForLlm":[{"type":"image","assetId":"sha256:1"}]}}`))
	if n := strings.Count(r.Text(), `{"type":"image","data":"QUJD","mimeType":"image/png"}`); n != 2 {
		t.Errorf("%d images\n%s", n, r.Text())
	}
	want(t, kinds(r), "media")
}

// A start that repeats a request is none, and one whose call was answered is a new call of that id.
func TestCopilotReusedCallID(t *testing.T) {
	t.Parallel()
	start, complete := `{"toolCallId":"c","toolName":"sh","arguments":{}}`, `{"toolCallId":"c","success":true,"result":{"content":"ok"}}`
	r := copilot(t,
		event("assistant.message", "m1", `{"content":"","toolRequests":[{"toolCallId":"c","name":"sh","arguments":{"x":1}}]}`),
		event("tool.execution_start", "t1", start), event("tool.execution_complete", "t2", complete),
		event("tool.execution_start", "t3", start), event("tool.execution_complete", "t4", complete),
		event("tool.execution_complete", "t5", `{"toolCallId":"other","success":true,"result":{"content":"whose"}}`))
	want(t, outline(t, r), startKept, "m1: assistant (c sh) < start", "t2: toolResult ok(c sh) < m1", "t3: assistant (c sh) < t2",
		"t4: toolResult ok(c sh) < t3", "t5: toolResult whose(other unknown) < t4")
	want(t, kinds(r), "tool")
}

// Arguments and what is kept have the bytes of the source.
func TestBytes(t *testing.T) {
	t.Parallel()
	arguments := `{"z":1,"a":12345678901234567890,"f":1.0,"e":1e400,"s":"\u00e9\/","d":{"b":[],"a":[1, 2]},"n":null}`
	kept := event("session.of_the_future", "k1", arguments)
	r := copilot(t, event("assistant.message", "m1", `{"content":"x","toolRequests":[{"toolCallId":"c","name":"sh","arguments":`+arguments+`}]}`), kept,
		event("assistant.message", "m2", `{"content":"x","toolRequests":[{"toolCallId":"d","name":"patch","arguments":"*** Begin"}]}`))
	for _, text := range []string{`"name":"sh","arguments":` + arguments + `}`, `"customType":"copilot:session.of_the_future","data":` + kept, `"arguments":{"input":"*** Begin"}`} {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("there is no\n%s\nin\n%s", text, r.Text())
		}
	}
}

// A value of no known kind is one entry, and kinds are told once each.
func TestUnknown(t *testing.T) {
	t.Parallel()
	r := copilot(t, event("new.kind", "k1", `{}`), event("user.message", "u1", `{"content":"hi"}`), event("new.kind", "k2", `{}`), event("other.kind", "k3", `{}`))
	want(t, outline(t, r), startKept, "k1: custom copilot:new.kind < start", "u1: user hi < k1", "k2: custom copilot:new.kind < u1", "k3: custom copilot:other.kind < k2")
	want(t, kinds(r), "entry", "entry")
	if !strings.Contains(r.Losses[0].What, "and 1 more like it") {
		t.Errorf("%v", r.Losses)
	}
}

// A rewind takes the place of what went before; what it leaves is a branch.
func TestCopilotRewind(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("user.message", "u1", `{"content":"one"}`), event("user.message", "u2", `{"content":"two"}`),
		event("session.snapshot_rewind", "w1", `{"upToEventId":"u2"}`), event("user.message", "u3", `{"content":"three"}`),
		event("session.snapshot_rewind", "w2", `{"upToEventId":"gone"}`))
	want(t, outline(t, r), startKept, "u1: user one < start", "u2: user two < u1", "w1: custom copilot:session.snapshot_rewind < u1",
		"u3: user three < w1", "w2: custom copilot:session.snapshot_rewind < u3")
	want(t, kinds(r), "tree")
}

// The title is that of the file beside the session, unless the file is not below the home.
func TestBesideOutside(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "home/s1/events.jsonl", copilotStart+"\n")
	formatstest.Put(t, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml", "id: s1\nname: The parser\n")
	r := formatstest.One(t, format(t, "copilot"), source(path))
	if r.Info.Name != "The parser" || !strings.Contains(r.Text(), `"name":"The parser"`) {
		t.Errorf("%+v\n%s", r.Info, r.Text())
	}
	want(t, outline(t, r)[1:], "start: custom copilot:session.start < "+r.Session(t).Entries[0].ID())
	outside := formatstest.File(t, "secret", "name: secret\n")
	path = formatstest.File(t, "home/s2/events.jsonl", copilotStart+"\n")
	link(t, outside, strings.TrimSuffix(path, "events.jsonl")+"workspace.yaml")
	if r := formatstest.One(t, format(t, "copilot"), source(path)); r.Info.Name != "" {
		t.Errorf("a link that leads out of the home was followed: %q", r.Info.Name)
	}
}

// What was typed stands for what was sent, and that there is more is told.
func TestCopilotSent(t *testing.T) {
	t.Parallel()
	r := copilot(t,
		event("user.message", "u1", `{"content":"typed","transformedContent":"<date>today</date> typed"}`),
		event("user.message", "u2", `{"content":"same","transformedContent":"same"}`))
	want(t, outline(t, r), startKept, "u1: user typed < start", "u2: user same < u1")
	want(t, kinds(r), "context")
}
