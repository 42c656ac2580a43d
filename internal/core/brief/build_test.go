package brief_test

import (
	"fmt"
	"strconv"
	"strings"

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
	t     tb
	path  []session.Entry
	tools map[string]string // the names of the tools of calls
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
	if b.tools == nil {
		b.tools = map[string]string{}
	}
	for i := 0; i+2 < len(calls); i += 3 {
		b.tools[calls[i]] = calls[i+1]
		blocks = append(blocks, fmt.Sprintf(`{"type":"toolCall","id":%s,"name":%s,"arguments":%s}`,
			js.Quote(calls[i]), js.Quote(calls[i+1]), calls[i+2]))
	}
	return b.message(`{"role":"assistant","content":[` + strings.Join(blocks, ",") + `],"stopReason":"toolUse"}`)
}

func (b *builder) result(id, text string, failed bool) string {
	b.t.Helper()
	return b.message(fmt.Sprintf(`{"role":"toolResult","toolCallId":%s,"toolName":%s,"content":[{"type":"text","text":%s}],"isError":%t}`,
		js.Quote(id), js.Quote(b.tools[id]), js.Quote(text), failed))
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
	text, call := strings.Repeat("word ", arg*3)+strconv.Itoa(i), "call"+strconv.Itoa(arg%5)
	switch op {
	case 0, 1:
		b.user("ask " + text)
	case 2, 3:
		b.assistant("answer " + text)
	case 4, 5:
		b.call(call, "edit", `{"path":"e.go"}`, call+"b", "bash", `{"command":"go test"}`)
	case 6, 7:
		b.result(call, "result "+text, arg%3 == 0)
	case 8:
		b.result(call+"b", text, arg%2 == 0)
	case 9:
		b.message(`{"role":"bashExecution","command":"ls","output":` + js.Quote(text) + `,"exitCode":` + strconv.Itoa(arg) + `}`)
	case 10:
		b.add(session.TypeBranchSummary, `"fromId":"00000001","summary":`+js.Quote(text))
	case 11:
		b.message(`{"role":"system","content":` + js.Quote(text) + `}`)
	default:
		b.reference(op, fmt.Sprintf("%08x", max(len(b.path)-arg, 1)))
	}
}

// reference adds an entry that speaks of an earlier one: a context_edit or a compaction.
func (b *builder) reference(op int, id string) {
	b.t.Helper()
	switch op {
	case 12:
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":null`)
	case 13:
		b.add(session.TypeContextEdit, `"targetId":"`+id+`","replacement":{"content":"short"}`)
	default:
		b.add(session.TypeCompaction, `"summary":"## Goal\n- before","firstKeptEntryId":"`+id+`","tokensBefore":9`)
	}
}
