package claude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/render"
	"github.com/sess-tools/sess/internal/test/corpus"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

func samples(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(corpus.Dir(), "claude", "*", "*.jsonl"))
	if err != nil || len(paths) < 14 {
		t.Fatalf("samples %q, %v", paths, err)
	}
	return paths
}

// A part is a block of a message, as a request has it.
type part map[string]any

// shown returns what a model is shown of a session, block by block.
func shown(t testing.TB, s *session.Session) (out []part, repairs []string) {
	t.Helper()
	leaf, _ := s.Leaf()
	path, problems := s.Path(leaf)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	request, repairs := render.Anthropic(convo.ToLLM(convo.MessagesOf(convo.Project(path))), render.Options{})
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(request.String()), &body); err != nil {
		t.Fatal(err)
	}
	for _, m := range body.Messages {
		for _, p := range parts(t, m.Content) {
			p["role"] = m.Role
			out = append(out, p)
		}
	}
	return out, repairs
}

// parts returns the blocks of a content.
func parts(t testing.TB, raw json.RawMessage) []part {
	t.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []part{{"type": "text", "text": text}}
	}
	var out []part
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// queued is what is sent while a reply is under way, in a sample that does not say
// how the model is told of it.
const queued = "queued words"

func TestQueued(t *testing.T) {
	t.Parallel()
	said := false
	parts, _ := shown(t, formatstest.One(t, claude.Claude, &formats.Source{Path: filepath.Join(corpus.Dir(), "claude", "resumed", "kinds.jsonl")}).Session(t))
	for _, p := range parts {
		said = said || p["text"] == queued && p["role"] == "user"
	}
	if !said {
		t.Error("no model is shown it")
	}
}

// plain is the normalisation under which Claude Code and we agree: reminders are
// left out, since it puts those where it likes; white space around a text is
// nothing; the content of a result is its text; a success need not be said; and a
// summary is what it says, whatever stands around it.
func plain(t testing.TB, all []part, summary string) []part {
	t.Helper()
	var out []part
	for _, p := range all {
		text, _ := p["text"].(string)
		text = strings.TrimSpace(text)
		if summary != "" && strings.Contains(text, summary) {
			text = summary
		}
		if text == queued { // in a reminder there
			continue
		}
		if strings.HasPrefix(text, "<system-reminder>") || p["type"] == "thinking" && p["signature"] == "" {
			continue
		}
		if p["type"] == "text" {
			p["text"] = text
		}
		if p["type"] == "tool_result" {
			raw, err := json.Marshal(p["content"])
			if err != nil {
				t.Fatal(err)
			}
			said := ""
			for _, b := range parts(t, raw) {
				said += b["text"].(string)
			}
			p["content"] = said
			if p["is_error"] != true {
				delete(p, "is_error")
			}
		}
		out = append(out, p)
	}
	return out
}

// What a model is shown of a session is what Claude Code showed it, block by
// block: of genuine sessions before the last reply, of the others when they were
// resumed with the words "go on".
func TestModelView(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, path := range samples(t) {
		golden := strings.TrimSuffix(path, ".jsonl") + ".request.json"
		if _, err := os.Stat(golden); err != nil {
			continue
		}
		seen++
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			s := formatstest.One(t, claude.Claude, &formats.Source{Path: path}).Session(t)
			summary := ""
			for _, e := range s.Entries {
				if e.Type() == session.TypeCompaction {
					summary = e.Str("summary")
				}
			}
			var want []part
			if err := json.Unmarshal([]byte(must.Read(t, golden)), &want); err != nil {
				t.Fatal(err)
			}
			got, repairs := shown(t, s)
			for _, r := range repairs {
				if !strings.HasSuffix(r, "stopReason error left out") { // as Claude Code does
					t.Errorf("repaired: %s", r)
				}
			}
			want, got = plain(t, want, summary), plain(t, got, summary)
			if filepath.Base(filepath.Dir(path)) == "resumed" {
				want = want[:len(want)-1]
			} else if len(got) == len(want)+1 {
				got = got[:len(want)]
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if seen < 13 {
		t.Errorf("%d samples with requests", seen)
	}
}

// What is kept for the way back costs little.
func TestSize(t *testing.T) {
	t.Parallel()
	for _, path := range samples(t) {
		r := formatstest.One(t, claude.Claude, &formats.Source{Path: path})
		if size := int64(len(r.Text())); size > r.Info.Size*5/2+2000 {
			t.Errorf("%s: %d bytes became %d", path, r.Info.Size, size)
		}
	}
}

// Lines of one reply are one message, and its usage counts once.
func TestReply(t *testing.T) {
	t.Parallel()
	r := formatstest.One(t, claude.Claude, &formats.Source{Path: filepath.Join(corpus.Dir(), "claude", "genuine", "tools.jsonl")})
	s := r.Session(t)
	replies, output := 0, ""
	for _, e := range s.Entries {
		if e.Role() != session.RoleAssistant {
			continue
		}
		m, _ := e.Message()
		if replies++; replies == 1 {
			output = string(js.Value(m.Get("usage")).Get("output"))
			if n := len(m.ToolCalls()); n != 2 || m.Str("responseId") != "msg_t1_001" || m.Str("stopReason") != "toolUse" || m.Str("provider") != "anthropic" {
				t.Errorf("%d calls: %s", n, m.Raw())
			}
		}
	}
	if replies != 3 || output != "33" {
		t.Errorf("%d replies, %s tokens", replies, output)
	}
	info, err := session.ScanInfo(strings.NewReader(r.Text()))
	if err != nil || info.Spent.Output != 99 {
		t.Errorf("%+v, %v", info.Spent, err)
	}
}

// Results of calls that ran side by side follow one another, and their details are
// those of the program.
func TestResults(t *testing.T) {
	t.Parallel()
	s := formatstest.One(t, claude.Claude, &formats.Source{Path: filepath.Join(corpus.Dir(), "claude", "genuine", "tools.jsonl")}).Session(t)
	var got []string
	for _, e := range s.Entries {
		if m, ok := e.Message(); ok && e.Role() == session.RoleToolResult {
			got = append(got, m.Str("toolName")+" "+m.Text("")+" "+js.Value(m.Get("details")).Get("stdout").Str())
		}
	}
	if diff := cmp.Diff([]string{"Read 1\tcontent of a\n2\t ", "Bash hello\ntwo hello\ntwo"}, got); diff != "" {
		t.Error(diff)
	}
}

// A compaction keeps what Claude Code kept.
func TestCompaction(t *testing.T) {
	t.Parallel()
	s := formatstest.One(t, claude.Claude, &formats.Source{Path: filepath.Join(corpus.Dir(), "claude", "genuine", "compact.jsonl")}).Session(t)
	for _, e := range s.Entries {
		if e.Type() != session.TypeCompaction {
			continue
		}
		i, ok := s.Index(e.Str("firstKeptEntryId"))
		if !ok || s.Entries[i].Role() != session.RoleAssistant || e.Get("tokensBefore") != "56" {
			t.Errorf("%s", e.Raw())
		}
		return
	}
	t.Error("no compaction")
}

// What was left is a branch, and the leaf is where Claude Code goes on from.
func TestBranch(t *testing.T) {
	t.Parallel()
	s := formatstest.One(t, claude.Claude, &formats.Source{Path: filepath.Join(corpus.Dir(), "claude", "genuine", "branch.jsonl")}).Session(t)
	path := formatstest.Path(s)
	var said []string
	for _, e := range path {
		if m, ok := e.Message(); ok && e.Role() == session.RoleUser {
			said = append(said, m.Text(""))
		}
	}
	if diff := cmp.Diff([]string{"Look at a.txt", "another way", "and on"}, said); diff != "" || !strings.Contains(must.Read(t, filepath.Join(corpus.Dir(), "claude", "genuine", "branch.jsonl")), "and more") {
		t.Error(diff)
	}
}

// What a background task says is no word of the user's, though it stands in a line of
// the user's; it comes back byte for byte.
func TestNotification(t *testing.T) {
	t.Parallel()
	const text = `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"go"},"uuid":"00000000-0000-4000-8000-000000000001","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
{"parentUuid":"00000000-0000-4000-8000-000000000001","isSidechain":false,"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"started"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}},"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-02T03:04:06.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
{"parentUuid":"00000000-0000-4000-8000-000000000002","isSidechain":false,"type":"user","origin":{"kind":"task-notification"},"message":{"role":"user","content":"<task-notification>done</task-notification>"},"uuid":"00000000-0000-4000-8000-000000000003","timestamp":"2026-01-02T03:04:07.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}
`
	s, lost := imported(t, text)
	if len(lost) > 0 {
		t.Errorf("%v", lost)
	}
	path := formatstest.Path(s)
	request, _ := render.Anthropic(convo.MessagesOf(convo.Project(path)), render.Options{})
	const want = `{"type":"text","text":"<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n<task-notification>done</task-notification>\n</system-reminder>"}`
	if !strings.Contains(request.String(), want) || strings.Count(request.String(), "task-notification>done") != 1 {
		t.Errorf("%s", request)
	}
	for _, e := range path {
		if e.Role() == session.RoleUser && strings.Contains(e.Raw(), "task-notification") {
			t.Errorf("the user says %s", e.Raw())
		}
	}
	if back := exported(t, s); back != text {
		t.Errorf("back it is\n%s", back)
	}
}

// Why a reply ended, in the API's words, and in ours.
func TestStopReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"end_turn": `"stopReason":"stop"`, "tool_use": `"stopReason":"toolUse"`, "max_tokens": `"stopReason":"length"`,
		"model_context_window_exceeded": `"stopReason":"length"`, "pause_turn": `"stopReason":"stop"`,
		"refusal": `"stopReason":"error","errorMessage":"refusal"`,
	} {
		text := `{"parentUuid":null,"isSidechain":false,"type":"assistant","message":{"id":"m1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"I"}],"stop_reason":"` +
			reason + `","usage":{"input_tokens":1,"output_tokens":1}},"uuid":"00000000-0000-4000-8000-000000000002","timestamp":"2026-01-02T03:04:06.000Z","cwd":"/w","sessionId":"00000000-0000-4000-8000-00000000000a","version":"2.1.330"}` + "\n"
		s, lost := imported(t, text)
		if raw := s.Entries[0].Raw(); !strings.Contains(raw, want) || len(lost) > 0 {
			t.Errorf("%s: %v %s", reason, lost, raw)
		}
		if back := exported(t, s); back != text {
			t.Errorf("%s: back it is\n%s", reason, back)
		}
	}
}

// Law: an entry is above another exactly if walking up from that one comes by it. Where
// parents form a cycle walking ends before an entry comes twice.
func TestAbove(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "entries")
		parents := make([]int, n)
		for i := range parents {
			least := -1
			if i > 0 && rapid.IntRange(0, 3).Draw(t, "chain") > 0 {
				least = i - 1 // deep trees are rare otherwise
			}
			parents[i] = rapid.IntRange(least, max(least, i-1)).Draw(t, "parent")
		}
		above := claude.Above(slices.Clone(parents))
		for j := range n {
			var line []int
			for i := j; i >= 0; i = parents[i] {
				line = append(line, i)
			}
			for i := range n {
				if got, want := above(i, j), slices.Contains(line, i); got != want {
					t.Fatalf("%v: %d above %d: %t", parents, i, j, got)
				}
			}
		}
	})
	circle := claude.Above([]int{1, 2, 0, 2}) // of which it is enough that it ends
	circle(0, 3)
}
