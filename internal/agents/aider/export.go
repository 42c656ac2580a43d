package aider

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Export writes the chat history or the input history of one session.
func (f format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := &exporter{t: t, s: s, losses: formats.Lost{Words: what}}
	projection := convo.Project(t.ActivePath(s))
	name := chatName
	if cmp.Or(t.Version, versionChat) == versionInput {
		name = ".aider.input.history"
		for _, p := range projection {
			if p.Entry.Role() != session.RoleUser {
				x.losses.Add(p.Entry, formats.KindEntry)
				continue
			}
			ms, _ := p.Entry.Timestamp()
			at := timeOf(ms).Format("2006-01-02 15:04:05.000000")
			x.out.WriteString("\n# " + strings.TrimSuffix(at, ".000000") + "\n")
			for _, m := range p.Messages {
				x.losses.Blocks(p.Entry, m, session.BlockText)
				for l := range strings.SplitSeq(m.Text("\n\n"), "\n") {
					x.out.WriteString("+" + l + "\n")
				}
			}
		}
	} else {
		x.chat(projection)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	x.losses.Tell(x.t)
	t.Next = [][]string{{"aider", "--restore-chat-history"}}
	return t.File(name, strings.NewReader(x.out.String()))
}

// An exporter is the writing of one session.
type exporter struct {
	t   *formats.Target
	s   *session.Session
	out strings.Builder

	kept map[string]string // how entries stand in the history that was read

	losses formats.Lost
}

// what has the losses of this format that other formats do not have.
var what = map[string][2]string{
	formats.KindTool:    {"a tool call or result, which became a note that no model reads", "%d tool calls and results, which became notes that no model reads"},
	formats.KindText:    {"a message with lines that aider reads as something else", "%d messages with lines that aider reads as something else"},
	formats.KindContext: {"a summary, which became a message of the user; what it summarizes is left out", "%d summaries, which became messages of the user; what they summarize is left out"},
	formats.KindEntry:   {"an entry without a place in a history, left out", "%d entries without a place in a history, left out"},
}

// chat writes a chat history.
func (x *exporter) chat(projection []convo.Projected) {
	begin := ""
	if ms, ok := js.ParseTime(x.s.Header.Timestamp); ok {
		begin = lead(formatTime(ms))
	}
	for _, e := range x.s.Entries {
		if e.Str("customType") == "aider:"+customStart {
			begin = js.Value(e.Get("data")).Get("text").Str()
			break
		}
	}
	x.out.WriteString(begin)
	x.kept = map[string]string{}
	keeper := x.t.Keeper(x.s, "aider")
	for i, e := range x.s.Entries {
		if lines, _ := keeper.Lines(i); len(lines) > 0 {
			x.kept[e.ID()] = lines[0].Text
		}
	}
	for _, p := range projection {
		x.projected(p)
	}
}

// projected writes what an entry says.
func (x *exporter) projected(p convo.Projected) {
	e := p.Entry
	switch e.Type() {
	case session.TypeCustom:
		switch e.Str("customType") {
		case "aider:" + customStart:
		case "aider:" + customTool:
			x.out.WriteString(cmp.Or(x.kept[e.ID()], framed(tool, js.Value(e.Get("data")).Get("text").Str())))
		case "aider:" + customText:
			x.out.WriteString(x.kept[e.ID()])
		default:
			x.losses.Add(e, formats.KindEntry)
		}
		return
	case session.TypeCompaction, session.TypeBranchSummary:
		if len(p.Messages) > 0 {
			x.losses.Add(e, formats.KindContext)
		}
	case session.TypeMessage, session.TypeCustomMessage:
	case session.TypeContextEdit:
	default:
		x.losses.Entry(e, "aider")
	}
	for _, m := range p.Messages {
		read := convo.ToLLM([]session.Message{m})
		if len(read) == 0 && !m.Failed() {
			x.losses.Add(e, formats.KindRole)
		}
		for _, m := range read {
			x.message(e, m)
		}
	}
}

// message writes a message.
func (x *exporter) message(e session.Entry, m session.Message) {
	var r role
	switch m.Role() {
	case session.RoleUser:
		r = user
	case session.RoleAssistant:
		r = assistant
	case session.RoleToolResult:
		x.losses.Add(e, formats.KindTool)
		x.out.WriteString(note("result of " + m.Str("toolName") + ":\n" + m.Text("\n")))
		return
	case session.RoleSystem, session.RoleDeveloper:
		x.losses.Add(e, formats.KindSystem)
		return
	default:
		x.losses.Add(e, formats.KindRole)
		return
	}
	text := m.Text("\n\n")
	kept := x.kept[e.ID()]
	written := cmp.Or(kept, framed(r, text))
	x.losses.Blocks(e, m, session.BlockText, session.BlockToolCall)
	if r == user || strip(text) != "" {
		if kept == "" && !faithful(r, text, written) {
			x.losses.Add(e, formats.KindText)
		}
		x.out.WriteString(written)
	}
	for _, call := range m.ToolCalls() {
		x.losses.Add(e, formats.KindTool)
		x.out.WriteString(note(fmt.Sprintf("call %s %s", call.Name, call.Arguments)))
	}
}

// note returns a note of the program's.
func note(text string) string { return framed(tool, strings.Join(split(text), "\n")) }
