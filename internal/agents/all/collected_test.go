package all_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/test/formatstest"
	"github.com/sess-tools/sess/internal/test/planted"
	"github.com/sess-tools/sess/pkg/js"
)

// A growing source is a format, and turns that its agent writes, each of several lines.
type growing struct {
	format formats.Format
	file   string
	turns  [][]string
}

const grownID = "019b7ca9-8f2e-7063-834b-74487a82aa03"

// claudeLine makes a line of Claude Code.
func claudeLine(uuid, parent, message string) string {
	up := "null"
	if parent != "" {
		up = js.Quote(parent)
	}
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,%s,"uuid":%q,"timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p","sessionId":%q,"version":"2.1.330"}`, up, message, uuid, grownID)
}

func claudeUser(text string) string {
	return `"type":"user","message":{"role":"user","content":` + js.Quote(text) + `}`
}

func claudeReply(id, stop, block string) string {
	if stop != "null" {
		stop = js.Quote(stop)
	}
	return fmt.Sprintf(`"type":"assistant","message":{"id":%q,"type":"message","role":"assistant","model":"claude-x","content":[%s],"stop_reason":%s,"usage":{"input_tokens":9,"output_tokens":2}}`, id, block, stop)
}

func claudeResult(call string) string {
	return fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"a.txt"}]}`, call)
}

func textBlock(text string) string { return `{"type":"text","text":` + js.Quote(text) + `}` }

func callBlock(id string) string {
	return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"ls"}}`, id)
}

func codexLine(typ, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-01-02T03:04:05.000Z","type":%q,"payload":{%s}}`, typ, payload)
}

func codexUser(text string) string {
	return codexLine("response_item", `"type":"message","role":"user","content":[{"type":"input_text","text":`+js.Quote(text)+`}]`)
}

var (
	codexStart = codexLine("event_msg", `"type":"task_started","model_context_window":9000`)
	codexEnd   = codexLine("event_msg", `"type":"task_complete","last_agent_message":"done"`)
	codexMeta  = codexLine("session_meta", `"id":"`+grownID+`","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/p","originator":"codex_cli_rs","cli_version":"0.169.0","source":"cli"`)
)

func codexCall(id string) string {
	return codexLine("response_item", fmt.Sprintf(`"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":%q`, id))
}

func codexResult(id string) string {
	return codexLine("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":%q,"output":"a.txt"`, id))
}

// growings are sessions of the agents whose readers decide what is closed.
func growings() []growing {
	c := growing{format: claude.Claude, file: grownID + ".jsonl"}
	x := growing{format: codex.Format, file: "rollout-2026-01-02T03-04-05-" + grownID + ".jsonl"}
	last := ""
	for n := range 4 {
		id := func(k int) string { return fmt.Sprintf("%08d-0000-4000-8000-%012d", n, k) }
		call, reply := fmt.Sprintf("t%d", n), fmt.Sprintf("m%d", n)
		c.turns = append(c.turns, []string{
			claudeLine(id(0), last, claudeUser(fmt.Sprintf("question %d", n))),
			claudeLine(id(1), id(0), claudeReply(reply+"a", "null", textBlock("I look"))),
			claudeLine(id(2), id(1), claudeReply(reply+"a", "tool_use", callBlock(call))),
			claudeLine(id(3), id(2), claudeResult(call)),
			claudeLine(id(4), id(3), claudeReply(reply+"b", "end_turn", textBlock(fmt.Sprintf("answer %d", n)))),
			`{"type":"file-history-snapshot","messageId":"` + id(0) + `","snapshot":{"messageId":"` + id(0) + `"},"isSnapshotUpdate":false}`,
		})
		last = id(4)
		turn := []string{
			codexStart, codexUser(fmt.Sprintf("question %d", n)), codexCall(call), codexResult(call),
			codexLine("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer `+fmt.Sprint(n)+`"}]`),
			codexLine("event_msg", `"type":"token_count","info":null`), codexEnd,
		}
		if n == 0 {
			turn = slices.Insert(turn, 0, codexMeta)
		}
		x.turns = append(x.turns, turn)
	}
	return []growing{c, x}
}

// lines are those of all turns.
func (g growing) lines() []string { return slices.Concat(g.turns...) }

// read reads lines as those of a source of which so much of the end is wanted, and all was taken behind some numbers of lines before.
// There is nothing of a source that is not a session yet.
func (g growing) read(t testing.TB, lines []string, growth formats.Growth, cuts ...int) (out []string) {
	t.Helper()
	path := formatstest.File(t, g.file, strings.Join(lines, "\n")+"\n")
	a, err := g.format.Open(t.Context(), &formats.Source{Path: path, Env: formats.Env{Getenv: func(string) string { return "" }}})
	if err != nil {
		return nil
	}
	defer a.Close()
	for info, err := range a.List(t.Context(), formats.Query{}) {
		if err != nil || info.Undated {
			return nil
		}
		b := formats.NewBuilder(g.format.About().Kept(), func(line string) error {
			out = append(out, strings.Clone(line))
			return nil
		}, func(formats.Loss) {})
		b.Growth = growth
		for _, n := range cuts {
			b.Cuts = append(b.Cuts, int64(len(strings.Join(lines[:n], "\n")+"\n")))
		}
		if err := b.Read(t.Context(), a, info); err != nil {
			t.Fatal(err)
		}
		return out
	}
	return nil
}

// begins fails the test unless some lines are the first of others.
func begins(t testing.TB, what string, some, all []string) {
	t.Helper()
	for i, line := range some {
		if i >= len(all) || all[i] != line {
			t.Errorf("%s: line %d is not one of the later: %s\nof\n%s", what, i+1, line, strings.Join(all, "\n"))
			return
		}
	}
}

// A source that is quiet at the end of a turn is taken whole, and grows by appending all the same.
func TestQuiet(t *testing.T) {
	t.Parallel()
	for _, g := range growings() {
		all := g.read(t, g.lines(), formats.Whole)
		for n := range g.turns {
			part := g.read(t, slices.Concat(g.turns[:n+1]...), formats.Quiet)
			if begins(t, fmt.Sprintf("%s, %d turns", g.format.About().Name, n+1), part, all); len(part) < 3*(n+1) {
				t.Errorf("%d lines of %d turns", len(part), n+1)
			}
		}
	}
}

// So does one that was taken whole after its agent was killed at any line, and that goes on with a turn.
func TestKilledTurn(t *testing.T) {
	t.Parallel()
	for _, g := range growings() {
		lines := g.lines()
		for n := 2; n < len(lines); n++ {
			next := g.turns[3]
			if g.format.About().Name == "claude" { // it goes on at the last line that has an id
				last := ""
				for _, line := range lines[:n] {
					if uuid := js.Value(line).Get("uuid").Str(); uuid != "" {
						last = uuid
					}
				}
				next = []string{claudeLine("99999999-0000-4000-8000-000000000000", last, claudeUser("on we go"))}
			}
			begins(t, fmt.Sprintf("%s, killed behind line %d", g.format.About().Name, n), g.read(t, lines[:n], formats.Quiet),
				g.read(t, slices.Concat(lines[:n], next), formats.Quiet, n))
		}
	}
}

// Lines behind the end of a turn are kept with the entry that comes next, and not with one that was given out.
func TestKeptBehindASeal(t *testing.T) {
	t.Parallel()
	g := growings()[1]
	before := g.read(t, g.turns[0], formats.Closed)
	behind := append(slices.Clone(g.turns[0]), codexLine("event_msg", `"type":"token_count","info":{"behind":1}`))
	if got := g.read(t, behind, formats.Closed); !slices.Equal(got, before) {
		t.Errorf("it changed something:\n%s", strings.Join(got, "\n"))
	}
	all := g.read(t, slices.Concat(behind, g.turns[1]), formats.Closed)
	begins(t, "with the next turn", before, all)
	if at := slices.IndexFunc(all, func(line string) bool { return strings.Contains(line, `behind`) }); at != len(before) {
		t.Errorf("it is kept in line %d, and not in %d", at, len(before))
	}
}

// The export of a whole import is the source, that of a growing one at the end of a turn a beginning of it.
func TestExportOfAGrowingImport(t *testing.T) {
	t.Parallel()
	for _, g := range growings() {
		lines, ends := g.lines(), map[int]bool{}
		for i := range g.turns {
			ends[len(slices.Concat(g.turns[:i+1]...))] = true
		}
		for n := 2; n <= len(lines); n++ {
			source := strings.Join(lines[:n], "\n") + "\n"
			for _, growth := range []formats.Growth{formats.Whole, formats.Closed} {
				made := g.read(t, lines[:n], growth)
				if len(made) == 0 || growth == formats.Closed && !ends[n] {
					continue
				}
				got, _ := formatstest.Export(t, g.format, formatstest.Parse(t, strings.Join(made, "\n")+"\n"), "")
				if growth == formats.Whole && got != source || !strings.HasPrefix(source, got) {
					t.Errorf("%s, %d lines, growth %d: it came back as\n%s\nand not\n%s", g.format.About().Name, n, growth, got, source)
				}
			}
		}
	}
}

// L5: what is given out of a part, without its secrets, is the beginning of what is given out later, and has none.
func TestRedactGrows(t *testing.T) {
	t.Parallel()
	secrets := planted.New(11)
	key, other := secrets.GitHub(), secrets.GitHub()
	for _, g := range growings() {
		var lines []string
		for i, line := range g.lines() {
			switch {
			case i%3 == 1:
				line = strings.NewReplacer("question", "question, key "+key, "answer", "answer "+other, "I look", "I look at "+key).Replace(line)
			case i%5 == 0:
				line = strings.ReplaceAll(line, "a.txt", "a.txt "+other)
			}
			lines = append(lines, line)
		}
		clean := func(lines []string) (out []string) {
			r, err := redact.Default()
			if err != nil {
				t.Fatal(err)
			}
			grown := r.Growing()
			for _, line := range lines {
				text, err := grown.Line(line)
				if err != nil {
					t.Fatal(err)
				}
				out = append(out, text)
			}
			return out
		}
		all := clean(g.read(t, lines, formats.Closed))
		text := strings.Join(all, "\n")
		if strings.Contains(text, key) || strings.Contains(text, other) || strings.Count(text, "[redacted:") < 2 {
			t.Errorf("%s: secrets are left, or were none:\n%s", g.format.About().Name, text)
		}
		for n := range lines {
			begins(t, fmt.Sprintf("%s, %d lines", g.format.About().Name, n), clean(g.read(t, lines[:n], formats.Closed)), all)
		}
	}
}

// A reply goes on behind results, progress and snapshots: it is one entry, and is given out when it is over.
func TestInterleavedReplies(t *testing.T) {
	t.Parallel()
	g := growings()[0]
	lines := []string{
		claudeLine("u1", "", claudeUser("a question")),
		claudeLine("u2", "u1", claudeReply("m1", "null", callBlock("t1"))),
		claudeLine("u3", "u2", claudeResult("t1")),
		`{"type":"file-history-snapshot","messageId":"u1","snapshot":{},"isSnapshotUpdate":true}`,
		claudeLine("u4", "u2", claudeReply("m1", "tool_use", callBlock("t2"))),
		claudeLine("u5", "u4", claudeResult("t2")),
		claudeLine("u6", "u5", claudeReply("m2", "end_turn", textBlock("done"))),
	}
	all := g.read(t, lines, formats.Closed)
	for n := range lines {
		part := g.read(t, lines[:n+1], formats.Closed)
		begins(t, fmt.Sprintf("%d lines", n+1), part, all)
		if n > 0 && n < 6 && slices.ContainsFunc(part, func(line string) bool { return js.Value(line).Get("message", "role").Str() == "assistant" }) {
			t.Errorf("after %d lines the reply is given out, and goes on", n+1)
		}
	}
	replies := 0
	for _, line := range all {
		if js.Value(line).Get("message", "role").Str() == "assistant" {
			replies++
		}
	}
	if replies != 2 {
		t.Errorf("%d replies:\n%s", replies, strings.Join(all, "\n"))
	}
}

// A parent may stand behind its child, by no more lines than a growing source waits for.
func TestParentBehindChild(t *testing.T) {
	t.Parallel()
	g := growings()[0]
	for behind, known := range map[int]bool{1: true, 8: true, 9: false, 40: false} {
		lines := []string{claudeLine("u1", "", claudeUser("first")), claudeLine("u3", "u2", claudeUser("the child"))}
		for range behind - 1 {
			lines = append(lines, `{"type":"file-history-snapshot","messageId":"u1","snapshot":{},"isSnapshotUpdate":true}`)
		}
		lines = append(lines, claudeLine("u2", "u1", claudeUser("the parent")), claudeLine("u4", "u3", claudeUser("last")))
		all := g.read(t, lines, formats.Closed)
		for n := range lines {
			begins(t, fmt.Sprintf("%d behind, %d lines", behind, n), g.read(t, lines[:n], formats.Closed), all)
		}
		child, parent := "", ""
		for _, line := range all {
			switch v := js.Value(line); {
			case strings.Contains(line, "the child"):
				child = v.Get("parentId").Str()
			case strings.Contains(line, "the parent"):
				parent = v.Get("id").Str()
			}
		}
		if parent == "" || (child == parent) != known {
			t.Errorf("%d lines behind its child: parent %q, and the child hangs from %q", behind, parent, child)
		}
	}
}

// A call of codex without a result when the user writes: what comes first decides, and until then the end is open.
func TestSteeredCall(t *testing.T) {
	t.Parallel()
	g := growings()[1]
	open := []string{codexMeta, codexStart, codexUser("a question"), codexCall("c1"), codexUser("stop that")}
	for name, tt := range map[string]struct {
		rest    []string
		aborted bool
	}{
		"the result":  {[]string{codexResult("c1"), codexLine("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]`), codexEnd}, false},
		"none":        {[]string{codexLine("response_item", `"type":"message","role":"assistant","content":[{"type":"output_text","text":"ok"}]`), codexEnd}, true},
		"the end":     {[]string{codexLine("event_msg", `"type":"turn_aborted","reason":"interrupted"`)}, true},
		"another one": {[]string{codexUser("and do this"), codexResult("c1"), codexEnd}, false},
	} {
		lines := slices.Concat(open, tt.rest)
		all := g.read(t, lines, formats.Closed)
		for n := range lines {
			begins(t, fmt.Sprintf("%s, %d lines", name, n), g.read(t, lines[:n], formats.Closed), all)
		}
		text := strings.Join(all, "\n")
		if got := !strings.Contains(text, "a.txt"); got != tt.aborted || strings.Count(text, `"role":"toolResult"`) != 1 {
			t.Errorf("%s: aborted is %v, want %v\n%s", name, got, tt.aborted, text)
		}
		if early := strings.Join(g.read(t, open, formats.Closed), "\n"); strings.Contains(early, `"toolResult"`) {
			t.Errorf("%s: decided before: %s", name, early)
		}
	}
}

// FuzzGrows has an agent write its lines in any order, with some twice and some missing: a part is the beginning of the whole.
func FuzzGrows(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, byte(7), false)
	f.Add([]byte{0, 1, 2, 2, 9, 3, 4, 4, 1, 0, 6}, byte(5), true)
	f.Add([]byte{1, 0, 5, 3, 2, 4, 7, 6, 9, 8, 20, 21, 22, 30, 31}, byte(11), false)
	f.Fuzz(func(t *testing.T, order []byte, cut byte, second bool) {
		g := growings()[0]
		if second {
			g = growings()[1]
		}
		source := g.lines()
		if len(order) > 60 {
			order = order[:60]
		}
		lines := []string{source[0], source[1]}
		for _, at := range order {
			lines = append(lines, source[int(at)%len(source)])
		}
		n := int(cut) % (len(lines) + 1)
		begins(t, "a part", g.read(t, lines[:n], formats.Closed), g.read(t, lines, formats.Closed))
	})
}
