package jqmap_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/pkg/js"
)

const geminiStart = `{"sessionId":"s1","projectHash":"ab","startTime":"2026-03-04T05:06:07.000Z","kind":"main"}`

// said returns a message of Gemini CLI.
func said(typ, id, content string, more ...string) string {
	return fmt.Sprintf(`{"id":%q,"timestamp":"2026-03-04T05:06:08.000Z","type":%q,"content":%s%s}`, id, typ, content, strings.Join(more, ""))
}

const geminiTokens = `,"tokens":{"input":100,"output":10,"cached":40,"thoughts":3,"tool":2,"total":115}`

func response(id, output string) string {
	return fmt.Sprintf(`{"functionResponse":{"id":%q,"name":"sh","response":{"output":%q}}}`, id, output)
}

func toolCalls(id, status, results string) string {
	return fmt.Sprintf(`,"toolCalls":[{"id":%q,"name":"sh","args":{"z":1.0,"a":2},"status":%q,"result":[%s]}]`, id, status, results)
}

// gemini reads a session, and returns its outline without the header.
func gemini(t *testing.T, lines ...string) (formatstest.Result, []string) {
	t.Helper()
	r := read(t, format(t, "gemini"), "session-1.jsonl", append([]string{geminiStart}, lines...)...)
	s := r.Session(t)
	out := outline(t, r)
	if s.Entries[0].Str("customType") != "gemini:sessionId" {
		t.Errorf("the first is %s", out[0])
	}
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], s.Entries[0].ID(), "HEAD")
	}
	return r, out[1:]
}

// A message that comes again with its id replaces what it was, and its tokens count once.
func TestGeminiReplaced(t *testing.T) {
	t.Parallel()
	r, got := gemini(t, said("user", "u1", `"hi"`), said("gemini", "g1", `"I look."`, geminiTokens), `{"$set":{"lastUpdated":"x"}}`,
		said("gemini", "g1", `"I look."`, geminiTokens, toolCalls("c1", "success", response("c1", "seen"))), said("user", "u2", "["+response("c1", "seen")+"]"))
	want(t, got, "u1: user hi < HEAD", "g1: assistant I look.(c1 sh) < u1", "u2: toolResult seen(c1 sh) < g1")
	if in, out := spent(t, r); in != 102 || out != 13 || !strings.Contains(r.Text(), `"arguments":{"z":1.0,"a":2}`) {
		t.Errorf("%d tokens of input and %d of output\n%s", in, out, r.Text())
	}
}

// What a resumed run says again is there already.
func TestGeminiResumedIsOnce(t *testing.T) {
	t.Parallel()
	u1, g1 := said("user", "u1", `[{"text":"hi"}]`), said("gemini", "g1", `"hello"`, geminiTokens)
	context := said("user", "ctx", `[{"text":"<session_context>here</session_context>"}]`)
	r, got := gemini(t, `{"$set":{"messages":[`+context+`]}}`, u1, g1, geminiStart, `{"$set":{"sessionId":"s1"}}`,
		`{"$set":{"messages":[`+context+","+u1+","+g1+`]}}`, said("user", "u2", `"more"`))
	want(t, got, "ctx: custom_message gemini:context < HEAD", "u1: user hi < ctx", "g1: assistant hello < u1", "u2: user more < g1")
	if in, out := spent(t, r); in != 102 || out != 13 {
		t.Errorf("%d tokens of input and %d of output", in, out)
	}
}

// A rewind leaves a message and what is behind it as a branch; to what is not known it leaves all.
func TestGeminiRewound(t *testing.T) {
	t.Parallel()
	_, got := gemini(t, said("user", "u1", `"one"`), said("gemini", "g1", `"1"`), said("user", "u2", `"two"`), said("gemini", "g2", `"2"`),
		`{"$rewindTo":"u2"}`, said("user", "u3", `"three"`), `{"$rewindTo":"gone"}`, said("user", "u4", `"four"`))
	want(t, got, "u1: user one < HEAD", "g1: assistant 1 < u1", "u2: user two < g1", "g2: assistant 2 < u2", "u3: user three < g1", "u4: user four < HEAD")
}

// A list of messages in which some differ is a branch from the first that does, and counts nothing again.
func TestGeminiMasked(t *testing.T) {
	t.Parallel()
	u1, g1 := said("user", "u1", `"hi"`), said("gemini", "g1", `"look"`, geminiTokens, toolCalls("c1", "success", response("c1", "long")))
	results := func(text string) string { return said("user", "u2", "["+response("c1", text)+"]") }
	g2 := said("gemini", "g2", `"done"`, geminiTokens)
	r, got := gemini(t, u1, g1, results("long"), g2, `{"$set":{"messages":[`+u1+","+g1+","+results("masked")+","+g2+`]}}`, said("user", "u3", `"on"`))
	again, _, _ := strings.Cut(got[4], ":")
	last, _, _ := strings.Cut(got[5], ":")
	want(t, got, "u1: user hi < HEAD", "g1: assistant look(c1 sh) < u1", "u2: toolResult long(c1 sh) < g1", "g2: assistant done < u2",
		again+": toolResult masked(c1 sh) < g1", last+": assistant done < "+again, "u3: user on < "+last)
	if in, out := spent(t, r); in != 204 || out != 26 {
		t.Errorf("%d tokens of input and %d of output", in, out)
	}
}

// Results are those of the message behind, or else those in the calls.
func TestGeminiResultsOnce(t *testing.T) {
	t.Parallel()
	call := said("gemini", "g1", `""`, toolCalls("c1", "error", response("c1", "in the call")))
	picture := `{"inlineData":{"mimeType":"image/png","data":"AAAA"}}`
	r, got := gemini(t, call, said("user", "u1", "["+response("c1", "behind")+","+picture+`,{"text":"and I say"}]`), said("gemini", "g2", `"x"`))
	want(t, got, "g1: assistant (c1 sh) < HEAD", "u1: toolResult behind(c1 sh) < g1", "u1-said: user and I say < u1", "g2: assistant x < u1-said")
	if strings.Count(r.Text(), `"isError":true`) != 1 || strings.Count(r.Text(), `"data":"AAAA"`) != 1 {
		t.Errorf("%s", r.Text())
	}
	_, got = gemini(t, call, said("gemini", "g2", `"x"`))
	want(t, got, "g1: assistant (c1 sh) < HEAD", "g1-r0: toolResult in the call(c1 sh) < g1", "g2: assistant x < g1-r0")
	_, got = gemini(t, call)
	want(t, got, "g1: assistant (c1 sh) < HEAD", "g1-r0: toolResult in the call(c1 sh) < g1")
}

// Before 0.40 a session is one document, printed over many lines.
func TestGeminiDocument(t *testing.T) {
	t.Parallel()
	text := strings.TrimSuffix(geminiStart, "}") + `,"summary":"A title","messages":[` + said("user", "u1", `"hi"`) + "," + said("gemini", "g1", `"hello"`, geminiTokens) + `]}`
	var printed strings.Builder
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	e := json.NewEncoder(&printed)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{text, printed.String()} {
		path := formatstest.File(t, "session-1.json", source)
		f, ok := formats.Detect([]formats.Format{format(t, "gemini")}, path, []byte(source))
		if !ok {
			t.Fatalf("it is not detected: %s", source)
		}
		r := formatstest.One(t, f, &formats.Source{Path: path, CWD: "/w"})
		got := outline(t, r)[1:]
		head := r.Session(t).Entries[0].ID()
		title := r.Session(t).Entries[1].ID()
		want(t, got, title+": session_info A title < "+head, "u1: user hi < "+title, "g1: assistant hello < u1")
		if r.Info.ID != "s1" || r.Info.Name != "A title" || len(r.Losses) > 0 {
			t.Errorf("%+v %v", r.Info, r.Losses)
		}
	}
	for at := 1; at < len(text); at += 13 { // a part of a document is none
		path := formatstest.File(t, "session-1.json", text[:at])
		if results, err := formatstest.TryAll(t.Context(), format(t, "gemini"), source(path)); err == nil || !strings.Contains(err.Error(), path) || len(results) > 0 {
			t.Fatalf("%d bytes: %v, %v", at, results, err)
		}
	}
}

// Of a session in both forms the lines are taken; sessions of other ids stay, and so do those of other directories.
func TestGeminiBothFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	document := strings.TrimSuffix(geminiStart, "}") + `,"messages":[]}`
	for name, text := range map[string]string{
		"p/chats/session-a.json": document, "p/chats/session-b.jsonl": geminiStart + "\n",
		"p/chats/session-c.json": strings.Replace(document, `"s1"`, `"s2"`, 1), "q/chats/session-a.json": document,
		"p/chats/s1/agent.jsonl": strings.Replace(geminiStart, `"s1"`, `"s3"`, 1) + "\n", "p/logs.json": "[]",
		"p/.project_root": "/w/p\n",
	} {
		formatstest.Put(t, filepath.Join(home, filepath.FromSlash(name)), text)
	}
	var got []string
	for info, err := range formatstest.Open(t, format(t, "gemini"), &formats.Source{Path: home, CWD: "/w"}).List(t.Context(), formats.Query{}) {
		if err != nil {
			t.Error(err)
		}
		below, _ := filepath.Rel(home, info.Path)
		got = append(got, fmt.Sprint(filepath.ToSlash(below), " ", info.ID, " ", info.CWD, " ", info.ParentSession))
	}
	want(t, got, "p/chats/s1/agent.jsonl s3 /w/p s1", "p/chats/session-b.jsonl s1 /w/p ", "p/chats/session-c.json s2 /w/p ", "q/chats/session-a.json s1 /w ")
}

// Gemini's usage: input has what a cache held and not what tools took, output not the thoughts.
func geminiUsage(source string) (input, output int64) {
	seen := map[string]bool{}
	add := func(m js.Value) {
		u := m.Get("tokens")
		if seen[m.Get("id").Str()] || u == "" {
			return
		}
		seen[m.Get("id").Str()] = true
		input += u.Get("input").Int() + u.Get("tool").Int() - u.Get("cached").Int()
		output += u.Get("output").Int() + u.Get("thoughts").Int()
	}
	for line := range strings.Lines(source) {
		v := js.Value(strings.TrimSpace(line))
		add(v)
		for m := range v.Get("$set", "messages").Elements() {
			add(m)
		}
	}
	return input, output
}
