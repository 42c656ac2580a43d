package compact_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// tb is what testing.TB and rapid.T have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// A builder makes a path, one entry after the other.
type builder struct {
	t    tb
	path []session.Entry
}

// add adds an entry of the given type with further members, as JSON text.
func (b *builder) add(typ, members string) string {
	b.t.Helper()
	parent := "null"
	if len(b.path) > 0 {
		parent = js.Quote(b.path[len(b.path)-1].ID())
	}
	id := fmt.Sprintf("%08x", len(b.path)+1)
	if members != "" {
		members = "," + members
	}
	e, err := session.ParseEntry(fmt.Sprintf(`{"type":%q,"id":%q,"parentId":%s,"timestamp":"2026-01-02T03:04:05.000Z"%s}`,
		typ, id, parent, members))
	if err != nil {
		b.t.Fatal(err)
	}
	b.path = append(b.path, e)
	return id
}

func (b *builder) message(json string) string {
	b.t.Helper()
	return b.add(session.TypeMessage, `"message":`+json)
}

func (b *builder) user(text string) string {
	b.t.Helper()
	return b.message(`{"role":"user","content":` + js.Quote(text) + `}`)
}

func (b *builder) assistant(text string) string {
	b.t.Helper()
	return b.message(`{"role":"assistant","content":[{"type":"text","text":` + js.Quote(text) + `}],"stopReason":"stop"}`)
}

// call adds an assistant message with tool calls, given as id, name, arguments.
func (b *builder) call(calls ...string) string {
	b.t.Helper()
	var blocks []string
	for i := 0; i+2 < len(calls); i += 3 {
		blocks = append(blocks, fmt.Sprintf(`{"type":"toolCall","id":%s,"name":%s,"arguments":%s}`,
			js.Quote(calls[i]), js.Quote(calls[i+1]), calls[i+2]))
	}
	return b.message(`{"role":"assistant","content":[` + strings.Join(blocks, ",") + `],"stopReason":"toolUse"}`)
}

func (b *builder) result(id, text string, failed bool) string {
	b.t.Helper()
	return b.message(fmt.Sprintf(`{"role":"toolResult","toolCallId":%s,"toolName":"tool","content":[{"type":"text","text":%s}],"isError":%t}`,
		js.Quote(id), js.Quote(text), failed))
}

// steps adds entries, a word for each: u9 and a9 are messages of the user and the assistant of 9 tokens (without a number:
// of one), c:x,y calls, r9:x a result; y is a system message, x a command of the user, n a message of an extension,
// b a branch summary, m a change of the model, l a label; s2 is a compaction that keeps what comes from entry 2 on,
// -2 an edit that takes entry 2 out, ~2 one that makes it short.
func (b *builder) steps(words string) {
	b.t.Helper()
	for _, word := range strings.Fields(words) {
		kind, id, _ := strings.Cut(word, ":")
		n, _ := strconv.Atoi(kind[1:])
		text, target := long(max(n, 1)), fmt.Sprintf("%08x", n)
		switch kind[0] {
		case 'u':
			b.user(text)
		case 'a':
			b.assistant(text)
		case 'c':
			var calls []string
			for _, id := range strings.Split(id, ",") {
				calls = append(calls, id, "read", "{}")
			}
			b.call(calls...)
		case 'r':
			b.result(id, text, false)
		case 'y':
			b.message(`{"role":"system","content":"s"}`)
		case 'x':
			b.message(`{"role":"bashExecution","command":"ls","output":"x","exitCode":0}`)
		case 'n':
			b.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":"c"`)
		case 'b':
			b.add(session.TypeBranchSummary, `"summary":"b","fromId":"root"`)
		case 'm':
			b.add(session.TypeModelChange, `"provider":"p","modelId":"m"`)
		case 'l':
			b.add(session.TypeLabel, `"targetId":"00000001","label":"l"`)
		case 's':
			b.compaction(target)
		case '-':
			b.edit(target, `null`)
		case '~':
			b.edit(target, `{"content":"short"}`)
		default:
			b.t.Fatalf("no step is called %s", word)
		}
	}
}

// fromBytes turns any bytes into a path: each byte is an operation, its upper
// bits an argument. Ids of tool calls come back, calls stay without results and
// results come late, doubled or without calls.
func fromBytes(t tb, ops []byte) []session.Entry {
	t.Helper()
	b := &builder{t: t}
	for i, op := range ops {
		b.operation(int(op%16), int(op/16), i)
	}
	return b.path
}

func (b *builder) operation(op, arg, i int) {
	b.t.Helper()
	text := strings.Repeat("word ", arg*3) + fmt.Sprint(i)
	call := fmt.Sprintf("call%d", arg%5)
	switch op {
	case 0, 1:
		b.user("ask " + text)
	case 2:
		b.assistant("answer " + text)
	case 3:
		b.call(call, "read", `{"path":"r`+fmt.Sprint(arg)+`.go"}`)
	case 4:
		b.call(call, "edit", `{"path":"e`+fmt.Sprint(arg)+`.go"}`, call+"b", "bash", `{"command":"go test"}`)
	case 5, 6:
		b.result(call, "result "+text, arg%3 == 0)
	case 7:
		b.result(call+"b", text, arg%2 == 0)
	case 8:
		b.add(session.TypeCustomMessage, `"customType":"x","display":true,"content":`+js.Quote(text))
	case 9:
		b.add(session.TypeModelChange, `"provider":"p","modelId":"m"`)
	case 10:
		b.message(`{"role":"bashExecution","command":"ls","output":` + js.Quote(text) + `,"exitCode":` + fmt.Sprint(arg) + `}`)
	case 11:
		b.add(session.TypeBranchSummary, `"fromId":"00000001","summary":`+js.Quote(text))
	case 12:
		b.add(session.TypeLabel, `"targetId":"00000001","label":"l"`)
	case 13:
		b.message(`{"role":"system","content":` + js.Quote(text) + `}`)
	default:
		b.reference(op == 14, arg, text)
	}
}

// reference adds an entry that speaks of an earlier one: a context_edit or a
// compaction.
func (b *builder) reference(edit bool, arg int, text string) {
	b.t.Helper()
	target := len(b.path) - arg
	if target < 1 {
		b.user(text)
		return
	}
	id := fmt.Sprintf("%08x", target)
	switch {
	case edit && arg%2 == 0:
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
	case edit:
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":{"content":"short"}`)
	default:
		b.add(session.TypeCompaction, `"summary":`+js.Quote("## Goal\n- "+text)+`,"firstKeptEntryId":"`+id+
			`","tokensBefore":9,"details":{"readFiles":["old.go"],"modifiedFiles":["new.go"]},"fromHook":false`)
	}
}

// summaryOf is a summary as short as one can be that says what a plan leaves out.
func summaryOf(p *compact.Plan) (s compact.Summary) {
	if p.NeedsHistory() {
		s.History = "## Goal\n- work"
	}
	if p.NeedsPrefix() {
		s.TurnPrefix = "## Original Request\n- it"
	}
	return s
}
