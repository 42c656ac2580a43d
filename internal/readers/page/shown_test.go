package page

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/test/corpus"
)

func reply(blocks string) string { return message("assistant", "["+blocks+"]") }

// Thinking that is encrypted is told in one way, whichever agent spelled it.
func TestEncryptedThinkingIsTold(t *testing.T) {
	t.Parallel()
	for _, block := range []string{
		`{"type":"thinking","thinking":"","redacted":true,"thinkingSignature":"c2VhbGVk"}`,
		`{"type":"redactedThinking","data":"c2VhbGVk"}`,
	} {
		got := written(t, corpus.Parse(t, reply(block)), usual)
		if strings.Count(got, `<p class="note">[thinking that is encrypted]</p>`) != 1 || strings.Contains(got, "c2VhbGVk") {
			t.Errorf("%s: %s", block, from(got, "<main"))
		}
	}
}

// The summary of a call says what it asks for, and where.
func TestTitlesOfCalls(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"pattern":"nil map","path":"src","output_mode":"content"}`: "nil map in src",
		`{"pattern":"**/*.go"}`:                                        "**/*.go",
		`{"url":"https://x.example/y","prompt":"sum up"}`:              "https://x.example/y",
		`{"file_path":"a.go","offset":3}`:                              "a.go",
		`{"notebook_path":"n.ipynb"}`:                                  "n.ipynb",
		`{"command":"ls\nls -l","description":"list"}`:                 "ls…",
		`{"description":"look","prompt":"find the parser"}`:            "find the parser",
		`{"command":"echo ` + strings.Repeat("word ", 40) + `","x":1}`: "echo " + strings.TrimSpace(strings.Repeat("word ", 19)) + "…",
		`{}`: "",
	} {
		got := written(t, corpus.Parse(t, reply(`{"type":"toolCall","id":"c","name":"Grep","arguments":`+arguments+`}`)), usual)
		if line := "<summary><b>Grep</b> " + want + `<span class="s">`; !strings.Contains(got, line) {
			t.Errorf("%s: %.200q", arguments, from(got, "<summary><b>"))
		}
	}
}

// Where a person decided, the folded line has the questions and the answers.
func TestAnswersAreTold(t *testing.T) {
	t.Parallel()
	asked := `{"type":"toolCall","id":"c","name":"AskUserQuestion","arguments":{"questions":[{"question":"Which <port>?"},{"question":"Sure?"}]}}`
	result := `{"type":"message","id":"a0000002","parentId":"a0000001","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"AskUserQuestion","content":[],"details":{"answers":{"Which <port>?":"80","Sure?":"yes"}}}}`
	for _, tt := range []struct {
		want  string
		lines []string
	}{
		{"Which &lt;port&gt;? → not answered<br>Sure? → not answered", []string{reply(asked)}},
		{"Which &lt;port&gt;? → 80<br>Sure? → yes", []string{reply(asked), result}},
	} {
		got := written(t, corpus.Parse(t, tt.lines...), usual)
		if !strings.Contains(got, "<summary><b>AskUserQuestion</b> "+tt.want+"<span") {
			t.Errorf("no %s in %.300q", tt.want, from(got, "<summary><b>"))
		}
	}
}

// A session without a name has the first words that were asked, and a sign if there are more.
func TestHeadingIsCutAtAWord(t *testing.T) {
	t.Parallel()
	got := written(t, corpus.Parse(t, message("user", texts(strings.Repeat("incomprehensible ", 20)))), usual)
	want := "<h1>" + strings.TrimSpace(strings.Repeat("incomprehensible ", 4)) + "…</h1>"
	if !strings.Contains(got, want) {
		t.Errorf("no %s in %.200q", want, from(got, "<h1"))
	}
	for text, want := range map[string]string{
		"short": "short", strings.Repeat("x", 30): strings.Repeat("x", 20) + "…", "a " + strings.Repeat("y", 30): "a " + strings.Repeat("y", 18) + "…",
		"twelve words, and more of them": "twelve words, and…", "exactly twenty chars and": "exactly twenty chars…",
	} {
		if got := headOf(text, 20); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// The texts of an edit are parts of a file, whose end says nothing.
func TestEditHasNoEndOfFile(t *testing.T) {
	t.Parallel()
	got := written(t, corpus.Parse(t, reply(`{"type":"toolCall","id":"c","name":"Edit","arguments":{"file_path":"a","old_string":"eins\nzwei","new_string":"EINS\nzwei"}}`)), usual)
	if strings.Contains(got, "No newline") || !strings.Contains(got, "-eins") || !strings.Contains(got, "+EINS") || !strings.Contains(got, "+1 −1") {
		t.Errorf("%s", from(got, "<main"))
	}
}

// An index has a column for the agent, and paths that may go on in another line at a slash.
func TestIndexColumns(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := Index(&b, []Link{{File: "x.html", Title: "T", CWD: "/home/u/project", Agent: "claude", Messages: 3}}); err != nil {
		t.Fatal(err)
	}
	const want = `<tr><td><a href="x.html">T</a></td><td>claude</td><td>/<wbr>home/<wbr>u/<wbr>project</td><td></td><td>3</td></tr>`
	if !strings.Contains(b.String(), want) || !strings.Contains(b.String(), `<body class="index">`) {
		t.Errorf("%s", from(b.String(), "<body"))
	}
}

// from returns a page from a mark on, all of it if it has none.
func from(page, mark string) string {
	if _, rest, ok := strings.Cut(page, mark); ok {
		return mark + rest
	}
	return page
}

// Replies in a row have one heading, with the time of the first and of the last, and all their tokens.
func TestOneHeadingForAReply(t *testing.T) {
	t.Parallel()
	said := func(id, parent, at, content string) string {
		return `{"type":"message","id":"` + id + `","parentId":` + parent + `,"timestamp":"2026-01-02T` + at + `.000Z","message":{"role":"assistant","usage":{"input":1,"output":20},"content":[` + content + `]}}` + "\n"
	}
	lines := `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"look"}}` + "\n" +
		said("a2", `"a1"`, "03:04:06", `{"type":"toolCall","id":"c","name":"ls","arguments":{}}`) +
		`{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"ls","content":[],"isError":true}}` + "\n" +
		said("a4", `"a3"`, "03:04:08", `{"type":"text","text":"one"}`) + said("a5", `"a4"`, "03:04:09", `{"type":"text","text":"two"}`) +
		`{"type":"message","id":"a6","parentId":"a5","timestamp":"2026-01-02T03:04:10.000Z","message":{"role":"user","content":"thanks"}}` + "\n" +
		said("a7", `"a6"`, "03:04:11", `{"type":"text","text":"welcome"}`)
	s := corpus.Parse(t, lines)
	got := from(written(t, s, usual), "<main")
	for want, n := range map[string]int{
		`">assistant</a>`: 2, `">user</a>`: 2, `<article class="assistant more"`: 2, "60 tokens": 1, "20 tokens": 1, `03:04:06</time> – <time datetime="2026-01-02T03:04:09Z">03:04:09`: 1,
		`<span class="err">1 failed:</span> <a href="#e-a3">1</a>`: 1,
	} {
		if strings.Count(got, want) != n {
			t.Errorf("%d of %s, not %d", strings.Count(got, want), want, n)
		}
	}
	// The side has the prompts, and dots for what is between.
	side, _, _ := strings.Cut(from(written(t, s, usual), "<nav"), "</nav>")
	for _, want := range []string{`<a class="on" href="#e-a1">look</a>`, `<a class="on" href="#e-a6">thanks</a>`, `<a class="on dots" href="#e-a2">····</a>`, `<a class="on m" href="#e-a4"><span class="r">assistant</span> one</a>`} {
		if !strings.Contains(side, want) {
			t.Errorf("no %s in %s", want, side)
		}
	}
}

// The head of a page counts the failures that sess-calls counts: not a call that was cancelled, but one within another call.
func TestFailuresOfCalls(t *testing.T) {
	t.Parallel()
	result := func(id, parent, call, text, more string) string {
		return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-01-02T03:04:07.000Z","message":{"role":"toolResult","toolCallId":"` + call + `","toolName":"Bash","content":"` + text + `"` + more + `}}` + "\n"
	}
	s := corpus.Parse(t, `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"look"}}`+"\n"+
		`{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-02T03:04:06.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"Bash","arguments":{}},{"type":"toolCall","id":"d","name":"Bash","arguments":{}},{"type":"toolCall","id":"e","name":"x","arguments":{}}]}}`+"\n"+
		result("a3", "a2", "c", "Exit code 1", `,"isError":true`)+result("a4", "a3", "d", "<tool_use_error>Sibling tool call errored</tool_use_error>", `,"isError":true`)+
		result("a5", "a4", "e", "done", `,"isError":false,"nestedCalls":{"complete":true,"calls":[{"id":"e/1","name":"bash","arguments":{"command":"make"},"status":"error","error":"no"}]}`))
	const want = `<span class="err">2 failed:</span> <a href="#e-a3">1</a> <a href="#e-a5">2</a>`
	if got := written(t, s, usual); !strings.Contains(got, want) {
		t.Errorf("no %s in\n%s", want, from(got, `<header`))
	}
}
