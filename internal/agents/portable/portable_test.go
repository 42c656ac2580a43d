package portable

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"

	"github.com/sess-tools/sess/internal/test/formatstest"
)

// A 1×1 PNG.
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// made makes a session of lines: entries as they are, and messages, which hang from the line before.
func made(t *testing.T, lines ...string) *session.Session {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i, l := range lines {
		id := fmt.Sprintf("%08x", i+1)
		if js.Value(l).Get("role").Str() != "" {
			l = fmt.Sprintf(`{"type":"message","message":%s}`, l)
		}
		v := js.Value(l)
		if v.Get("id") == "" {
			v = v.With("id", js.Value(js.Quote(id)))
		}
		if v.Get("parentId") == "" {
			v = v.With("parentId", js.Value(parent))
		}
		v = v.With("timestamp", `"2026-01-01T00:00:01.000Z"`)
		parent = string(v.Get("id"))
		b.WriteString(string(v) + "\n")
	}
	s := formatstest.Parse(t, b.String())
	return s
}

func user(text string) string { return `{"role":"user","content":` + js.Quote(text) + `}` }

func reply(blocks ...string) string {
	return `{"role":"assistant","provider":"p","model":"m","content":[` + strings.Join(blocks, ",") + `]}`
}

func says(text string) string { return `{"type":"text","text":` + js.Quote(text) + `}` }

func callsOf(id, name, args string) string {
	return fmt.Sprintf(`{"type":"toolCall","id":%s,"name":%s,"arguments":%s}`, js.Quote(id), js.Quote(name), args)
}

func result(id, text string) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":%s,"toolName":"x","content":[%s]}`, js.Quote(id), says(text))
}

// spelled is a session in a form that tests can compare: a line for each part. Calls have the numbers of
// their order, and results those of their calls.
func spelled(said []Said) string {
	var out []string
	ids := map[string]int{}
	for _, m := range said {
		for b := range m.Blocks() {
			switch {
			case b.Type == session.BlockToolCall:
				ids[b.Str("id")] = len(ids) + 1
				out = append(out, fmt.Sprintf("call %d %s %s", len(ids), b.Str("name"), b.Get("arguments")))
			case b.Type == session.BlockImage:
				out = append(out, m.Role()+": image "+b.Str("mimeType"))
			case m.Role() == session.RoleToolResult:
				failed := ""
				if m.Get("isError") == "true" {
					failed = " failed"
				}
				out = append(out, fmt.Sprintf("result %d%s: %s", ids[m.Str("toolCallId")], failed, b.Str("text")))
			default:
				out = append(out, m.Role()+": "+b.Str("text"))
			}
		}
	}
	return strings.Join(out, "\n")
}

// carry makes a portable session, and lists the losses and the notes.
func carry(t *testing.T, s *session.Session, o Options) (p *Session, told string) {
	t.Helper()
	var all []string
	target := formats.NewTarget(func(l formats.Loss) { all = append(all, l.Kind+": "+l.What) })
	p = Make(s, o, target)
	return p, fmt.Sprintf("%d\n%s", target.Losses, strings.Join(all, "\n"))
}

// Each hard case: what becomes of a session, and what is told.
func TestPortable(t *testing.T) {
	t.Parallel()
	long := "call_" + strings.Repeat("x", 40) + "|fc_" + strings.Repeat("y", 34)
	thinking := `{"type":"thinking","thinking":"SECRET","thinkingSignature":"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"encrypted_content\":\"gAAAA\"}"}`
	for _, test := range []struct {
		name  string
		o     Options
		lines []string
		want  string
		told  string // in what is told
	}{
		{
			"CallIdsOfPi",
			Options{From: "pi", To: "claude"},
			[]string{user("go"), reply(callsOf(long, "bash", `{"command":"ls"}`)), result(long, "a"), reply(says("done"))},
			"user: go\ncall 1 Bash {\"command\":\"ls\"}\nresult 1: a\nassistant: done", "",
		},
		{
			"EqualCallIds",
			Options{From: "pi", To: "pi"},
			[]string{user("go"), reply(callsOf("c", "bash", `{"command":"a"}`)), result("c", "1"), reply(callsOf("c", "bash", `{"command":"b"}`)), result("c", "2"), reply(says("ok"))},
			"user: go\ncall 1 bash {\"command\":\"a\"}\nresult 1: 1\ncall 2 bash {\"command\":\"b\"}\nresult 2: 2\nassistant: ok", "",
		},
		{
			"ResultBeforeCall",
			Options{From: "pi", To: "pi"},
			[]string{user("go"), result("z", "orphan"), reply(callsOf("a", "x", `{}`), callsOf("b", "y", `{}`)), result("b", "B"), user("meanwhile"), result("a", "A"), result("a", "again"), reply(says("ok"))},
			"user: go\ncall 1 x {}\ncall 2 y {}\nresult 1: A\nresult 2: B\nuser: meanwhile\nassistant: ok", "2\ntool: a result that answers no call, not carried\ntool: a second result",
		},
		{
			"UnansweredLast",
			Options{From: "pi", To: "omp"},
			[]string{user("go"), reply(callsOf("a", "bash", `{"command":"sleep 1"}`))},
			"user: go\ncall 1 bash {\"command\":\"sleep 1\"}\nresult 1 failed: " + Unanswered + "\nassistant: " + Open, "a call without a result",
		},
		{
			"OpenTurnClosed",
			Options{From: "pi", To: "pi"},
			[]string{user("go"), reply(callsOf("a", "read", `{"path":"a"}`)), result("a", "A")},
			"user: go\ncall 1 read {\"path\":\"a\"}\nresult 1: A\nassistant: " + Open, "",
		},
		{
			"SelfCall",
			Options{From: "claude", To: "codex"},
			[]string{user("move on"), reply(says("I hand over."), callsOf("a", "Bash", `{"command":"sess-handoff --to codex"}`))},
			"user: move on\nassistant: I hand over.", "",
		},
		{"ThinkingOnlyReply", Options{From: "pi", To: "omp"}, []string{user("go"), reply(thinking)}, "user: go", "a reply without anything"},
		{"ThinkingNeverText", Options{From: "pi", To: "claude"}, []string{user("go"), reply(thinking, says("<think>\nSECRET\n</think>\n\nHello"))}, "user: go\nassistant: Hello", "0\n"},
		{"StaleReasoningItem", Options{From: "codex", To: "codex"}, []string{user("go"), reply(thinking, says("a")), reply(`{"type":"redactedThinking","data":"gAAAA"}`, says("b"))}, "user: go\nassistant: a\nassistant: b", ""},
		{
			"ToolReferenceGone",
			Options{From: "claude", To: "claude"},
			[]string{user("go"), reply(callsOf("a", "ToolSearch", `{}`)), `{"role":"toolResult","toolCallId":"a","toolName":"ToolSearch","content":[{"type":"tool_reference","tool_name":"x"}]}`, reply(says("ok"))},
			"user: go\ncall 1 ToolSearch {}\nresult 1: " + noOutput + "\nassistant: ok", "",
		},
		{
			"NameCollision",
			Options{From: "codex", To: "pi"},
			[]string{user("go"), reply(callsOf("a", "pi_edit", `{"x":1}`), callsOf("b", "pi_edit", `{"path":"a","edits":[]}`), callsOf("c", "claude_Grep", `{}`)), result("a", "1"), result("b", "2"), result("c", "3"), reply(says("ok"))},
			"user: go\ncall 1 pi_edit {\"x\":1}\ncall 2 edit {\"path\":\"a\",\"edits\":[]}\ncall 3 claude_Grep {}\nresult 1: 1\nresult 2: 2\nresult 3: 3\nassistant: ok", "",
		},
		{
			"McpName",
			Options{From: "claude", To: "codex"},
			[]string{user("go"), reply(callsOf("a", "mcp__"+strings.Repeat("s.t/", 30), `{}`)), result("a", "1"), reply(says("ok"))},
			"user: go\ncall 1 " + ("claude_mcp__" + strings.Repeat("s_t_", 30))[:64] + " {}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"ArgumentsNoObject",
			Options{From: "codex", To: "pi"},
			[]string{user("go"), reply(callsOf("a", "js", `"1+1"`)), result("a", "2"), reply(says("ok"))},
			"user: go\ncall 1 codex_js {\"input\":\"1+1\"}\nresult 1: 2\nassistant: ok", "",
		},
		{
			"MultiEdit",
			Options{From: "pi", To: "claude"},
			[]string{user("go"), reply(callsOf("a", "edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"}]}`), callsOf("b", "edit", `{"path":"a","edits":[{"oldText":"x","newText":"y"},{"oldText":"z","newText":"w"}]}`)), result("a", "1"), result("b", "2"), reply(says("ok"))},
			"user: go\ncall 1 Edit {\"file_path\":\"/w/a\",\"old_string\":\"x\",\"new_string\":\"y\"}\ncall 2 pi_edit {\"path\":\"a\",\"edits\":[{\"oldText\":\"x\",\"newText\":\"y\"},{\"oldText\":\"z\",\"newText\":\"w\"}]}\nresult 1: 1\nresult 2: 2\nassistant: ok", "",
		},
		{
			"ReplaceAllIsNotOfPi",
			Options{From: "claude", To: "pi"},
			[]string{user("go"), reply(callsOf("a", "Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true}`), callsOf("b", "Edit", `{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":false}`)), result("a", "1"), result("b", "2"), reply(says("ok"))},
			"user: go\ncall 1 claude_Edit {\"file_path\":\"/w/a\",\"old_string\":\"x\",\"new_string\":\"y\",\"replace_all\":true}\ncall 2 edit {\"path\":\"/w/a\",\"edits\":[{\"oldText\":\"x\",\"newText\":\"y\"}]}\nresult 1: 1\nresult 2: 2\nassistant: ok", "",
		},
		{
			"RelativePath",
			Options{From: "pi", To: "opencode"},
			[]string{user("go"), reply(callsOf("a", "read", `{"path":"src/../a.go","limit":5}`), callsOf("b", "read", `{"path":"~/a"}`)), result("a", "1"), result("b", "2"), reply(says("ok"))},
			"user: go\ncall 1 read {\"filePath\":\"/w/a.go\",\"limit\":5}\ncall 2 pi_read {\"path\":\"~/a\"}\nresult 1: 1\nresult 2: 2\nassistant: ok", "",
		},
		{
			"WorkdirElsewhere",
			Options{From: "codex", To: "claude"},
			[]string{
				user("go"), reply(callsOf("a", "exec_command", `{"cmd":"ls","workdir":"/w","yield_time_ms":1000}`), callsOf("b", "exec_command", `{"cmd":"ls","workdir":"/x"}`), callsOf("c", "shell", `{"command":["bash","-lc","ls -l"],"timeout_ms":9}`), callsOf("d", "exec_command", `{"cmd":"ls","tty":true}`)),
				result("a", "1"), result("b", "2"), result("c", "3"), result("d", "4"), reply(says("ok")),
			},
			"user: go\ncall 1 Bash {\"command\":\"ls\"}\ncall 2 codex_exec_command {\"cmd\":\"ls\",\"workdir\":\"/x\"}\ncall 3 Bash {\"command\":\"ls -l\",\"timeout\":9}\ncall 4 codex_exec_command {\"cmd\":\"ls\",\"tty\":true}\nresult 1: 1\nresult 2: 2\nresult 3: 3\nresult 4: 4\nassistant: ok", "",
		},
		{
			"OmpSelector",
			Options{From: "omp", To: "pi"},
			[]string{user("go"), reply(callsOf("a", "read", `{"path":"a.go:50-200"}`), callsOf("b", "read", `{"path":"a.go:10+5"}`), callsOf("c", "read", `{"path":"skill://x"}`), callsOf("d", "read", `{"path":"a.go:raw"}`), callsOf("e", "read", `{"path":"a.go:9"}`)), result("a", "1"), result("b", "2"), result("c", "3"), result("d", "4"), result("e", "5"), reply(says("ok"))},
			"user: go\ncall 1 read {\"path\":\"a.go\",\"limit\":151,\"offset\":50}\ncall 2 read {\"path\":\"a.go\",\"limit\":5,\"offset\":10}\ncall 3 omp_read {\"path\":\"skill://x\"}\ncall 4 omp_read {\"path\":\"a.go:raw\"}\ncall 5 omp_read {\"path\":\"a.go:9\"}\nresult 1: 1\nresult 2: 2\nresult 3: 3\nresult 4: 4\nresult 5: 5\nassistant: ok", "",
		},
		{
			"OmpSelectorMade",
			Options{From: "claude", To: "omp"},
			[]string{user("go"), reply(callsOf("a", "Read", `{"file_path":"/w/a","offset":5,"limit":7}`), callsOf("b", "Read", `{"file_path":"/w/a"}`), callsOf("c", "Read", `{"file_path":"/w/a","offset":5}`)), result("a", "1"), result("b", "2"), result("c", "3"), reply(says("ok"))},
			"user: go\ncall 1 read {\"path\":\"/w/a:5+7\"}\ncall 2 read {\"path\":\"/w/a\"}\ncall 3 claude_Read {\"file_path\":\"/w/a\",\"offset\":5}\nresult 1: 1\nresult 2: 2\nresult 3: 3\nassistant: ok", "",
		},
		{
			"PatchBothWays",
			Options{From: "codex", To: "opencode", Provider: "openai", Model: "gpt-5.5"},
			[]string{user("go"), reply(callsOf("a", "apply_patch", `{"input":"*** Begin Patch"}`)), result("a", "1"), reply(says("ok"))},
			"user: go\ncall 1 apply_patch {\"patchText\":\"*** Begin Patch\"}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"PatchBack",
			Options{From: "opencode", To: "codex"},
			[]string{user("go"), reply(callsOf("a", "apply_patch", `{"patchText":"*** Begin Patch"}`)), result("a", "1"), reply(says("ok"))},
			"user: go\ncall 1 opencode_apply_patch {\"patchText\":\"*** Begin Patch\"}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"EditsOfUnknownModel",
			Options{From: "claude", To: "opencode"},
			[]string{user("go"), reply(callsOf("a", "Write", `{"file_path":"/w/a","content":"x"}`)), result("a", "1"), reply(says("ok"))},
			"user: go\ncall 1 claude_Write {\"file_path\":\"/w/a\",\"content\":\"x\"}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"OffsetsOfOldOpencode",
			Options{From: "opencode", To: "claude"},
			[]string{`{"type":"custom","customType":"opencode:session","data":{"version":"1.1.9"}}`, user("go"), reply(callsOf("a", "read", `{"filePath":"/w/a","offset":5}`)), result("a", "1"), reply(says("ok"))},
			"user: go\ncall 1 opencode_read {\"filePath\":\"/w/a\",\"offset\":5}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"BrokenImage",
			Options{From: "pi", To: "claude"},
			[]string{`{"role":"user","content":[{"type":"image","mimeType":"image/jpeg","data":"` + png + `"},{"type":"image","mimeType":"image/png","data":"W3JlZGFjdGVkXQ=="},{"type":"image","mimeType":"image/png","data":"blob:sha256:00"}]}`},
			"user: image image/png\nuser: [image left out: damaged]\nuser: [image left out: its data is kept outside the session]", "2\nmedia: an image, not carried: damaged",
		},
		{
			"LoneSurrogate",
			Options{From: "pi", To: "pi"},
			[]string{`{"role":"user","content":"a\ud800b\u0000c"}`, reply(callsOf("a", "x", `{"a\u0000":"\udc00 \\u0000"}`)), result("a", "1"), reply(says("ok"))},
			"user: a\uFFFDb\uFFFDc\ncall 1 x {\"a\uFFFD\":\"\uFFFD \\\\u0000\"}\nresult 1: 1\nassistant: ok", "",
		},
		{
			"BlankText",
			Options{From: "pi", To: "pi"},
			[]string{`{"role":"user","content":[{"type":"text","text":"  "},{"type":"text","text":"go"}]}`, reply(says(""), callsOf("a", "x", `{}`)), result("a", " \n"), reply(says("ok"))},
			"user: go\ncall 1 x {}\nresult 1: " + noOutput + "\nassistant: ok", "0\n",
		},
		{
			"AgentWordsNotTheUsers",
			Options{From: "claude", To: "codex"},
			[]string{
				`{"type":"custom_message","customType":"claude:context","content":"reminder","display":false}`,
				user("<system-reminder>be good</system-reminder>"), user("<local-command-caveat>x</local-command-caveat>"), user("<command-name>/clear</command-name>"), user("[Request interrupted by user]"),
				user("<environment_context>x</environment_context>"), user("# AGENTS.md instructions for x\n</INSTRUCTIONS>"), user("What does <system-reminder> mean?"),
				`{"role":"user","content":[{"type":"text","text":"mark","harness":"claude"},{"type":"text","text":"real"}]}`,
				`{"type":"custom_message","customType":"my-extension","content":"note","display":true}`, reply(says("ok")),
			},
			"user: What does <system-reminder> mean?\nuser: real\nassistant: ok", "1\nrole: a message of the extension \"my-extension\", not carried",
		},
		{
			"FailedReplies",
			Options{From: "pi", To: "pi"},
			[]string{user("go"), `{"role":"assistant","content":[{"type":"text","text":"half"},{"type":"toolCall","id":"a","name":"x","arguments":{}}],"stopReason":"aborted"}`, result("a", "1"), user("on"), reply(says("ok"))},
			"user: go\nuser: on\nassistant: ok", "1\ntext: a reply that failed",
		},
		{
			"TwoCompactions",
			Options{From: "pi", To: "pi"},
			[]string{user("one"), reply(says("1")), user("two"), `{"type":"compaction","id":"c1","summary":"S1","firstKeptEntryId":"00000003","tokensBefore":1}`, reply(says("2")), `{"type":"compaction","id":"c2","summary":"S2","firstKeptEntryId":"00000005","tokensBefore":1}`, user("three")},
			"user: The conversation history before this point was compacted into the following summary:\n\n<summary>\nS2\n</summary>\nassistant: 2\nuser: three", "context: 3 messages that a compaction took out of sight",
		},
		{
			"CompactionThenBranch",
			Options{From: "pi", To: "pi"},
			[]string{user("one"), `{"type":"compaction","id":"c1","summary":"S1","firstKeptEntryId":"00000001","tokensBefore":1}`, reply(says("2")), `{"type":"message","parentId":"00000001","message":` + reply(says("other")) + `}`},
			"user: one\nassistant: other", "branch: 1 message on other branches left out",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, told := carry(t, made(t, test.lines...), test.o)
			if got := spelled(p.Said); got != test.want {
				t.Errorf("carried:\n%s\n\nwant:\n%s", got, test.want)
			}
			if !strings.Contains(told, test.told) {
				t.Errorf("told:\n%s\n\nwant in it:\n%s", told, test.told)
			}
			s, err := p.Session()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range s.Entries {
				for _, never := range []string{"SECRET", "encrypted_content", "\"gAAAA", "|fc_", "ignature", `"kept"`} {
					if strings.Contains(e.Raw(), never) {
						t.Errorf("%s is carried: %s", never, e.Raw())
					}
				}
			}
			if again, _ := carry(t, made(t, test.lines...), test.o); again.Header != p.Header || spelled(again.Said) != spelled(p.Said) {
				t.Error("made twice it is another session")
			}
		})
	}
}

// A summary that only its provider can read gives way to what it summarizes, which the file has.
func TestEncryptedSummaryRebuilt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ item, want string }{
		{`{"type":"compaction","encrypted_content":"gAAAA"}`, "user: one\nassistant: 1\nuser: two"},
		{`{"type":"message","role":"user","content":[{"type":"input_text","text":"S"}]}`, "user: copy\nuser: two"},
	} {
		s := made(t, user("one"), reply(says("1")), `{"type":"compaction","id":"c","summary":"","firstKeptEntryId":"c","tokensBefore":1}`,
			`{"type":"context_edit","targetId":"c","replacement":null}`,
			`{"type":"message","message":`+user("copy")+`,"kept":{"codex":{"lines":[{"type":"compacted","payload":{"replacement_history":[`+test.item+`]}}]}}}`, user("two"))
		p, _ := carry(t, s, Options{From: "codex", To: "codex"})
		if got := spelled(p.Said); got != test.want {
			t.Errorf("%s:\n%s\n\nwant:\n%s", test.item, got, test.want)
		}
	}
}

// Who is said to have replied is the target's own, or stands for none.
func TestModelNotCarried(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		o               Options
		provider, model string
	}{
		{Options{To: "claude"}, "sess", "<synthetic>"},
		{Options{To: "pi"}, "sess", "handoff"},
		{Options{To: "opencode", Provider: "mock", Model: "mock-1"}, "mock", "mock-1"},
	} {
		p, _ := carry(t, made(t, user("go"), reply(says("ok"))), test.o)
		s, err := p.Session()
		if err != nil {
			t.Fatal(err)
		}
		m, _ := s.Entries[1].Message()
		if m.Str("provider") != test.provider || m.Str("model") != test.model {
			t.Errorf("%+v: %s", test.o, m.Raw())
		}
	}
}

// A session says of which agent it is.
func TestOf(t *testing.T) {
	t.Parallel()
	for want, lines := range map[string][]string{
		"pi":     {user("go")},
		"omp":    {`{"type":"mode_change","mode":"plan"}`},
		"codex":  {`{"type":"custom","customType":"codex:meta","data":{}}`},
		"claude": {`{"type":"message","message":` + user("go") + `,"kept":{"claude":{"lines":[]}}}`},
		"gemini": {`{"type":"custom","customType":"sess:run","data":{"agent":"gemini"}}`},
	} {
		if got := Of(made(t, lines...)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// What a call becomes on the way out comes back on the way home.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for from := range tools {
		for to := range tools {
			s := made(t, user("go"), reply(callsOf("a", "Grep", `{"x":1}`), callsOf("b", "Bash", `{"command":"ls"}`), callsOf("c", "edit", map[bool]string{false: `{"path":"/w/a","edits":[{"oldText":"x","newText":"y"}]}`, true: `{"input":"x"}`}[from == "omp"]),
				callsOf("d", "exec_command", `{"cmd":"ls"}`), callsOf("e", "read", `{"path":"/w/a"}`)), result("a", "1"), result("b", "2"), result("c", "3"), result("d", "4"), result("e", "5"), reply(says("ok")))
			home, _ := carry(t, s, Options{From: from, To: from})
			out, _ := carry(t, s, Options{From: from, To: to})
			there, err := out.Session()
			if err != nil {
				t.Fatal(err)
			}
			back, _ := carry(t, there, Options{From: to, To: from})
			if a, b := spelled(home.Said), spelled(back.Said); a != b && from != "opencode" && to != "opencode" {
				t.Errorf("%s to %s and back:\n%s\n\nwant:\n%s", from, to, b, a)
			}
		}
	}
}
