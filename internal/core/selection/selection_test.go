package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/pkg/session"
)

func entry(t *testing.T, line string) session.Entry {
	t.Helper()
	e, err := session.ParseEntry(line)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestKey(t *testing.T) {
	t.Parallel()
	const one = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"}}`
	ours, opencode, address := Source{Name: "s.jsonl"}, Source{Name: "opencode:s", Agent: "opencode"}, Source{Name: "opencode:s"}
	for _, tt := range []struct {
		name string
		src  Source
		line string
		same bool
	}{
		{"itself", ours, one, true},
		{"another parent", ours, strings.Replace(one, "null", `"p"`, 1), true},
		{"another member", ours, strings.Replace(one, "}}", `},"x":1}`, 1), false},
		{"another parent, whose name is escaped", ours, strings.Replace(strings.Replace(one, "null", `"p"`, 1), "parentId", `p\u0061rentId`, 1), true},
		{"other lines are kept with it", ours, strings.Replace(one, "}}", `},"kept":{"claude":{"lines":[{"isSidechain":true}]}}}`, 1), true},
		{"another line ending", ours, one + "\r", true},
		{"spelled otherwise", ours, strings.Replace(strings.Replace(one, `"x"`, `"\u0078"`, 1), `,"id"`, `, "id"`, 1), true},
		{"another id", ours, strings.Replace(one, `"a"`, `"b"`, 1), false},
		{"another text", ours, strings.Replace(one, `"x"`, `"y"`, 1), false},
		{"another time", ours, strings.Replace(one, "05.000", "05.001", 1), false},
		{"opencode: itself", opencode, one, true},
		{"opencode: another id", opencode, strings.Replace(one, `"a"`, `"b"`, 1), true},
		{"opencode, by its address: another id", address, strings.Replace(one, `"a"`, `"b"`, 1), true},
		{"codex: another id", Source{Name: "codex:s"}, strings.Replace(one, `"a"`, `"b"`, 1), true},
		{"claude: another id", Source{Name: "claude:s", Agent: "claude"}, strings.Replace(one, `"a"`, `"b"`, 1), false},
		{"opencode: another text", opencode, strings.Replace(one, `"x"`, `"y"`, 1), false},
		{"opencode: another time", opencode, strings.Replace(one, "05.000", "05.001", 1), false},
	} {
		if got := tt.src.Key(entry(t, tt.line)) == tt.src.Key(entry(t, one)); got != tt.same {
			t.Errorf("%s: the same is %v, want %v", tt.name, got, tt.same)
		}
	}
	if key := ours.Key(entry(t, `{"type":"custom","parentId":null}`)); key != 0 {
		t.Errorf("an entry without id has the key %d", key)
	}
}

// Every entry that tells a sub-agent's session holds one of the marks: readers that look
// at raw lines rely on that.
func TestIsSubagent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		header session.Header
		line   string
		want   bool
	}{
		{name: "a prompt", line: `{"type":"message","id":"a","message":{"role":"user","content":"session_init codex:meta"}}`},
		{name: "oh-my-pi: a task", line: `{"type":"session_init","id":"a","task":"x"}`, want: true},
		{name: "codex: a thread", line: `{"type":"custom","id":"a","customType":"codex:meta","kept":{"codex":{"lines":[{"payload":{"thread_source":"subagent","source":"cli"}}]}}}`, want: true},
		{name: "codex: an older one", line: `{"type":"custom","id":"a","customType":"codex:meta","kept":{"codex":{"lines":[{"payload":{"source":{"subagent":"review"}}}]}}}`, want: true},
		{name: "codex: a person's", line: `{"type":"custom","id":"a","customType":"codex:meta","kept":{"codex":{"lines":[{"payload":{"thread_source":"user","source":"cli"}}]}}}`},
		{name: "opencode: a child", line: `{"type":"custom","id":"a","customType":"opencode:session","data":{"parentID":"ses_1"}}`, want: true},
		{name: "opencode: a person's", line: `{"type":"custom","id":"a","customType":"opencode:session","data":{"id":"ses_1"}}`},
		{name: "an extension's", line: `{"type":"custom","id":"a","customType":"other","data":{"parentID":"ses_1"}}`},
	} {
		e := entry(t, tt.line)
		got := IsSubagent(tt.header, e)
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if got && !slices.ContainsFunc(SubagentMarks(), func(m string) bool { return strings.Contains(tt.line, m) }) {
			t.Errorf("%s: no mark in %s", tt.name, tt.line)
		}
	}
	agents := session.Header{ID: "agent-1", ParentSession: "s"}
	if plain := entry(t, `{"type":"message","id":"a"}`); !IsSubagent(agents, plain) || IsSubagent(session.Header{ID: "agent-1"}, plain) || IsSubagent(session.Header{ID: "s2", ParentSession: "s"}, plain) {
		t.Error("an agent of Claude Code is told by its id and its parent")
	}
}

// Of two agents with one store the first has its sessions, in whatever order they are named.
func TestNamedInOrder(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"": "", "omp,pi": "pi,omp", "codex,pi,codex": "pi,codex", "omp,all": strings.Join(known.ProgramNames(), ",")} {
		c := Selection{Agents: strings.FieldsFunc(given, func(r rune) bool { return r == ',' })}
		if got := strings.Join(c.Named(), ","); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// The names of one session have one origin, and those of two have two.
func TestOrigin(t *testing.T) {
	t.Parallel()
	const id = "0b5d1a52-7c11-4d13-9f6a-3f0f5d1c2b3a"
	for _, tt := range []struct{ name, want string }{
		{"codex:" + id, id},
		{id, id},
		{"/h/.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-" + id + ".jsonl", id},
		{"/h/.pi/agent/sessions/--p--/2026-01-02T03-04-05-000Z_" + id + ".jsonl", id},
		{"remote:" + id, id},
		{"opencode:ses_483567377fffklf7hYOthrQK9X", "ses_483567377fffklf7hYOthrQK9X"},
		{"/p/s.jsonl", "/p/s.jsonl"},
		{"/p/../p/s.jsonl", "/p/s.jsonl"},
	} {
		if got := Origin(tt.name); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// What a hand-off makes of a message has who spoke and when in common with it, and nothing else.
func TestSaid(t *testing.T) {
	t.Parallel()
	const line = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"user","content":"x"}}`
	for _, tt := range []struct {
		name, line string
		same       bool
	}{
		{"another id and no secret", strings.NewReplacer(`"a"`, `"b"`, `"x"`, `[{"type":"text","text":"[redacted:key]"}]`).Replace(line), true},
		{"a command of the user", strings.Replace(line, `"user","content":"x"`, `"bashExecution","command":"ls","output":""`, 1), true},
		{"a summary", strings.NewReplacer(`"message"`, `"compaction"`, `"message":{"role":"user","content":"x"}`, `"summary":"x"`).Replace(line), true},
		{"a reply", strings.Replace(line, `"user"`, `"assistant"`, 1), false},
		{"a result", strings.Replace(line, `"user"`, `"toolResult"`, 1), false},
		{"another time", strings.Replace(line, "05.000", "05.001", 1), false},
		{"the brief", strings.Replace(line, `"x"`, `"# Work handed over from Codex\n"`, 1), false},
		{"no time", strings.Replace(line, "2026-01-02T03:04:05.000Z", "", 1), false},
	} {
		if got := Said("s", entry(t, tt.line)) == Said("s", entry(t, line)); got != tt.same {
			t.Errorf("%s: the same is %v, want %v", tt.name, got, tt.same)
		}
	}
	if Said("s", entry(t, line)) == Said("o", entry(t, line)) {
		t.Error("a message of another session is the same")
	}
}
