package jqmap_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/all"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

// record returns a line of Qwen Code.
func record(uuid, parent, typ, more string) string {
	if parent != "null" {
		parent = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":"s1","timestamp":"2026-03-04T05:06:07.000Z","type":%q,"cwd":"/w/p"%s}`, uuid, parent, typ, more)
}

func parts(role, list string) string {
	return fmt.Sprintf(`,"message":{"role":%q,"parts":[%s]}`, role, list)
}

func qwen(t *testing.T, lines ...string) (formatstest.Result, []string) {
	t.Helper()
	r := read(t, format(t, "qwen"), "s1.jsonl", lines...)
	return r, outline(t, r)
}

// Lines of Qwen Code look like Claude Code's, and are Qwen Code's.
func TestQwenIsNotClaude(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"user":   record("u1", "null", "user", parts("user", `{"text":"hi"}`)),
		"system": record("s1", "null", "system", `,"subtype":"session_context","isSidechain":false`) + "\n" + record("a1", "s1", "assistant", parts("model", `{"text":"hi"}`)),
	} {
		if f, ok := formats.Detect(all.Formats(), "s1.jsonl", []byte(head+"\n")); !ok || f.About().Name != "qwen" {
			t.Errorf("%s: %v", name, f)
		}
	}
	claude := `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"about \"parts\":[ of things"},"uuid":"u","timestamp":"2026-03-04T05:06:07.000Z","sessionId":"s"}`
	if f, ok := formats.Detect(all.Formats(), "s.jsonl", []byte(claude+"\n")); !ok || f.About().Name != "claude" {
		t.Errorf("Claude Code's: %v", f)
	}
}

// A sub-agent's session has an id of its own, and the session that started it.
func TestQwenSubAgentIDs(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	line := record("u1", "null", "user", parts("user", `{"text":"hi"}`)+`,"agentId":"a-1","isSidechain":true`) + "\n"
	formatstest.Put(t, filepath.Join(home, "p", "chats", "s1.jsonl"), record("u1", "null", "user", parts("user", `{"text":"hi"}`))+"\n")
	formatstest.Put(t, filepath.Join(home, "p", "subagents", "s1", "agent-a-1.jsonl"), line)
	formatstest.Put(t, filepath.Join(home, "p", "subagents", "s1", "agent-b.jsonl"), line)
	formatstest.Put(t, filepath.Join(home, "p", "subagents", "s1", "other.jsonl"), line)
	var got []string
	a := formatstest.Open(t, format(t, "qwen"), source(home))
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		got = append(got, info.ID+" of "+info.ParentSession+" in "+info.CWD)
	}
	want(t, got, "s1 of  in /w/p", "s1-agent-a-1 of s1 in /w/p", "s1-agent-b of s1 in /w/p")
	r := read(t, format(t, "qwen"), "stdin.jsonl", strings.TrimSpace(line))
	if r.Info.ID != "s1-agent-a-1" {
		t.Errorf("elsewhere it is %s", r.Info.ID)
	}
}

// Pieces of a reply have one uuid and follow each other.
func TestQwenPieces(t *testing.T) {
	t.Parallel()
	r, got := qwen(t, record("u1", "null", "user", parts("user", `{"text":"hi"}`)),
		record("a1", "u1", "assistant", parts("model", `{"text":"hm","thought":true}`)),
		record("a1", "u1", "assistant", parts("model", `{"text":"done"}`)), record("u2", "a1", "user", parts("user", `{"text":"more"}`)))
	second := r.Session(t).Entries[2].ID()
	want(t, got, "u1: user hi < ", "a1: assistant < u1", second+": assistant done < a1", "u2: user more < "+second)
}

// Two records on one line are two, and that is told.
func TestQwenGluedLine(t *testing.T) {
	t.Parallel()
	r, got := qwen(t, record("u1", "null", "user", parts("user", `{"text":"hi"}`))+record("a1", "u1", "assistant", parts("model", `{"text":"ho"}`)))
	want(t, got, "u1: user hi < ", "a1: assistant ho < u1")
	want(t, kinds(r), "damage")
	if r.Info.ID != "s1" {
		t.Errorf("%+v", r.Info)
	}
}

// A rewind goes on from an earlier record.
func TestQwenRewind(t *testing.T) {
	t.Parallel()
	_, got := qwen(t, record("u1", "null", "user", parts("user", `{"text":"hi"}`)), record("a1", "u1", "assistant", parts("model", `{"text":"ho"}`)),
		record("w1", "u1", "system", `,"subtype":"rewind"`), record("u2", "w1", "user", parts("user", `{"text":"more"}`)))
	want(t, got, "u1: user hi < ", "a1: assistant ho < u1", "w1: custom qwen:system/rewind < u1", "u2: user more < w1")
}

// What a compressed history begins with is the summary, and the rest of it follows.
func TestQwenCompression(t *testing.T) {
	t.Parallel()
	_, got := qwen(t, record("u1", "null", "user", parts("user", `{"text":"hi"}`)),
		record("c1", "u1", "system", `,"subtype":"chat_compression","systemPayload":{"info":{"originalTokenCount":50},"compressedHistory":[{"role":"user","parts":[{"text":"SUM"}]},{"role":"model","parts":[{"text":"I see"}]}]}`),
		record("u2", "c1", "user", parts("user", `{"text":"more"}`)))
	seen, _, _ := strings.Cut(got[2], ":")
	want(t, got, "u1: user hi < ", "c1: compaction SUM < u1", seen+": assistant I see < c1", "u2: user more < "+seen)
}

// What a hook added to a prompt is not the user's, and what the program says in the user's name neither.
func TestQwenContext(t *testing.T) {
	t.Parallel()
	r, got := qwen(t, record("u1", "null", "user", parts("user", `{"text":"hi"},{"text":"<qwen:user-prompt-submit-context>x</qwen:user-prompt-submit-context>"}`)),
		record("n1", "u1", "user", `,"subtype":"notification"`+parts("user", `{"text":"done"}`)))
	want(t, got[1:], "n1: custom_message qwen:context < u1")
	if !strings.Contains(r.Text(), `</qwen:user-prompt-submit-context>","harness":"qwen"}`) {
		t.Errorf("%s", r.Text())
	}
}

// Thoughts are counted among the candidates, or beside them: the total tells.
func qwenUsage(source string) (input, output int64) {
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		if u := v.Get("usageMetadata"); u != "" {
			input += u.Get("promptTokenCount").Int() - u.Get("cachedContentTokenCount").Int()
			output += u.Get("totalTokenCount").Int() - u.Get("promptTokenCount").Int()
		}
		if e := v.Get("systemPayload", "uiEvent"); strings.Contains(e.Get("prompt_id").Str(), "managed-") && e.Get("event.name").Str() == "qwen-code.api_response" {
			input += e.Get("input_token_count").Int() - e.Get("cached_content_token_count").Int()
			output += e.Get("output_token_count").Int()
		}
	}
	return input, output
}
