package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/page"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// The lines of a call that are shown: of a result, of one that failed, and of an edit.
const (
	resultLines = 6
	failedLines = 20
	editedLines = 40
)

// widestText is how many columns a text is read well with at most.
const widestText = 100

// A reading is a session that is shown on a screen.
type reading struct {
	*screen.Screen
	*config
	entries []session.Entry
	calls   map[[2]string]*calls.Call // by the id of the entry and that of the call
	below   map[string]bool           // the ids of entries with results that stand below their calls
	short   func(string) string
	speaker string // whose turn it is
}

// onScreen shows a session on a terminal: turns below a heading each, calls with what came of them.
func (c *config) onScreen(sc *screen.Screen, d *document) error {
	sc.Width = min(sc.Width, widestText)
	r := &reading{Screen: sc, config: c, entries: d.entries(), calls: map[[2]string]*calls.Call{}, below: map[string]bool{}}
	ids := make([]string, len(r.entries))
	for i, e := range r.entries {
		ids[i] = e.ID()
	}
	r.short = screen.Short(ids)
	for _, call := range calls.Of(r.entries, d.src.Header.CWD) {
		r.calls[[2]string{ids[call.Entry], call.ID}] = &call
		if call.Result >= 0 {
			r.below[ids[call.Result]] = true
		}
	}
	for _, commit := range d.commits {
		if err := sc.Write(screen.Cell{Text: "commit: " + commit, Style: tty.Dim}); err != nil {
			return err
		}
	}
	note := func(notes convo.Notes) error {
		r.speaker = ""
		if err := sc.Blank(); err != nil {
			return err
		}
		return sc.Foot("context: %s", notes.String())
	}
	return c.eachSaid(r.entries, note, r.say)
}

// say shows a message.
func (r *reading) say(e session.Entry, m session.Message) error {
	switch m.Role() {
	case session.RoleToolResult:
		if r.below[e.ID()] {
			return nil
		}
		if err := r.head(e, "result "+m.Str("toolName"), tty.Yellow); err != nil {
			return err
		}
		return r.result(m)
	case session.RoleAssistant:
		return r.reply(e, m)
	case session.RoleBashExecution, session.RolePythonExecution:
		if err := r.head(e, "you", tty.BoldGreen); err != nil {
			return err
		}
		if err := r.Write(screen.Cell{Text: "  $ " + r.Joined(cmp.Or(m.Str("command"), m.Str("code")))}); err != nil {
			return err
		}
		return r.clipped(m.Str("output"), failedLines)
	}
	llm, ok := convo.MessageToLLM(m)
	if !ok {
		return nil
	}
	who, style := m.Role(), tty.Bold
	switch {
	case m.Harness() != "":
		who = "context"
	case who == session.RoleUser && e.Type() == session.TypeMessage:
		who, style = "you", tty.BoldGreen
	case who == session.RoleCompactionSummary || e.Type() == session.TypeCompaction:
		who = r.Marks.Compaction + " compaction"
	case who == session.RoleBranchSummary:
		who = r.Marks.Compaction + " branch"
	case who == session.RoleSystem:
		who = "system"
		if err := r.head(e, who, style); err != nil {
			return err
		}
		return r.clipped(llm.Text("\n"), resultLines)
	}
	if err := r.head(e, who, style); err != nil {
		return err
	}
	return r.blocks(e, llm)
}

// reply shows what an agent said and did. Replies that follow each other have one heading.
func (r *reading) reply(e session.Entry, m session.Message) error {
	silent := !m.Failed()
	for b := range m.Blocks() {
		silent = silent && b.Type == session.BlockThinking && strings.TrimSpace(b.Str("thinking")) == ""
	}
	if silent {
		return nil
	}
	if r.speaker != session.RoleAssistant {
		if err := r.head(e, session.RoleAssistant, tty.BoldBlue); err != nil {
			return err
		}
		r.speaker = session.RoleAssistant
	}
	if err := r.blocks(e, m); err != nil || !m.Failed() {
		return err
	}
	return r.wrapped(strings.TrimSuffix(m.Str("stopReason")+": "+m.Str("errorMessage"), ": "), tty.Red)
}

// head begins a turn.
func (r *reading) head(e session.Entry, who string, style tty.Style) error {
	r.speaker = who
	if err := r.Blank(); err != nil {
		return err
	}
	left := []screen.Cell{{Text: who, Style: style}}
	if ms, ok := e.Timestamp(); ok {
		left = append(left, screen.Cell{Text: " " + r.Marks.Dot + " " + screen.When(time.UnixMilli(ms), r.Now), Style: tty.Dim})
	}
	return r.Ends(left, screen.Cell{Text: r.short(e.ID()), Style: tty.Dim})
}

// blocks shows the blocks of a message.
func (r *reading) blocks(e session.Entry, m session.Message) error {
	for b := range m.Blocks() {
		var err error
		switch b.Type {
		case session.BlockText:
			err = r.wrapped(b.Str("text"), tty.Plain)
		case session.BlockThinking:
			err = r.wrapped(b.Str("thinking"), tty.Dim)
		case session.BlockToolCall:
			err = r.call(e, b)
		case session.BlockImage:
			kind, why := convo.Image(b)
			err = r.wrapped("[image "+cmp.Or(kind, why)+"]", tty.Dim)
		default:
			p, ok := b.Provided()
			if !ok {
				err = r.wrapped("[block of type "+b.Type+"]", tty.Dim)
				break
			}
			about := calls.About(p.ToolCall, "")
			about.Ending = calls.Ending{Outcome: calls.OK}
			err = r.did(&about, p.Result, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// call shows a call, and what came of it.
func (r *reading) call(e session.Entry, b session.Block) error {
	id := b.Str("id")
	call := r.calls[[2]string{e.ID(), id}]
	if call == nil || page.Fold(r.tools) == page.Names {
		about := calls.About(session.ToolCall{ID: id, Name: b.Str("name"), Arguments: b.Get("arguments")}, "")
		return r.did(&about, session.Message{}, 0)
	}
	var result session.Message
	took := time.Duration(0)
	if call.Result >= 0 {
		end := r.entries[call.Result]
		result, _ = end.Message()
		if result.Role() == "" {
			result, _ = end.AsResult()
		}
		from, known := e.Timestamp()
		if to, ok := end.Timestamp(); ok && known {
			took = time.UnixMilli(to).Sub(time.UnixMilli(from))
		}
	}
	return r.did(call, result, took)
}

// did shows a call on a line, and below it the lines that matter.
func (r *reading) did(c *calls.Call, result session.Message, took time.Duration) error {
	change, edited := page.ChangeOf(js.Value(js.Trim(c.Arguments)), js.Value(result.Get("details")))
	answers := calls.Answers(c.ToolCall, result)
	output := strings.TrimRight(result.Text("\n"), "\n")
	var about []string
	mark, style := r.Ending(c.Outcome)
	switch {
	case c.Outcome == calls.Fail && c.Known && c.Status != 0:
		about = append(about, fmt.Sprintf("status %d", c.Status))
	case c.Outcome == calls.Denied:
		about = append(about, c.Refusal())
	}
	switch {
	case edited:
		about = append(about, "+"+screen.Count(change.Added)+" "+r.Marks.Minus+screen.Count(change.Removed))
	case c.Kind == calls.Write:
		if lines := strings.Count(c.Left(), "\n"); lines > 0 {
			about = append(about, "+"+screen.Count(lines))
		}
	case c.Kind == calls.Read && output != "":
		about = append(about, tty.Count(int64(strings.Count(output, "\n")+1), "line", "lines"))
	}
	if text := screen.Duration(took); text != "" {
		about = append(about, text)
	}
	what := cmp.Or(c.Name, "(nameless)") + " " + r.Joined(c.Target)
	if c.Kind == calls.Run && c.Command != "" {
		what = "$ " + r.Joined(c.Command)
	}
	err := r.Ends([]screen.Cell{{Text: r.Pad(mark, screen.Columns(r.Marks.More)) + " ", Style: style}, {Text: what}}, screen.Cell{Text: strings.Join(about, ", "), Style: tty.Dim})
	if err != nil || page.Fold(r.tools) == page.Names {
		return err
	}
	failed := c.Outcome == calls.Fail || c.Outcome == calls.Denied
	if edited {
		if err := r.patch(change.Patch); err != nil || !failed {
			return err
		}
	}
	switch {
	case len(answers) > 0:
		for _, answer := range answers {
			if err := r.wrapped(answer, tty.Plain); err != nil {
				return err
			}
		}
		return nil
	case failed:
		return r.clipped(output, failedLines)
	case page.Fold(r.tools) != page.Opened && (c.Kind == calls.Read || c.Kind == calls.Write):
		return nil
	}
	return r.result(result)
}

// result shows what came of a call, and the calls that its tool made.
func (r *reading) result(m session.Message) error {
	if err := r.clipped(m.Text("\n"), resultLines); err != nil {
		return err
	}
	nested, more := m.NestedCalls()
	for _, c := range nested {
		about := calls.About(c.ToolCall, "")
		if err := r.Write(screen.Cell{Text: indent + c.Name + " " + r.Joined(about.Target)}); err != nil {
			return err
		}
		if err := r.clipped(c.Error, failedLines); err != nil {
			return err
		}
	}
	if more {
		return r.Write(screen.Cell{Text: indent + "[more calls, which are not recorded]", Style: tty.Dim})
	}
	return nil
}

// indent stands in front of what came of a call.
const indent = "      "

// patch shows a patch in its colours.
func (r *reading) patch(text string) error {
	return r.lines(text, editedLines, func(line string) tty.Style {
		switch page.KindOf(line) {
		case '+':
			return tty.Green
		case '-':
			return tty.Red
		}
		return tty.Dim
	})
}

// clipped shows the first lines of an output.
func (r *reading) clipped(text string, most int) error {
	return r.lines(text, most, func(string) tty.Style { return tty.Dim })
}

// lines shows lines as they are, no more than most unless calls are open.
func (r *reading) lines(text string, most int, style func(string) tty.Style) error {
	text = strings.Trim(text, "\n")
	if text == "" {
		return nil
	}
	n, all := 0, strings.Count(text, "\n")+1
	for line := range strings.Lines(text) {
		if n++; n > most && all > most+1 && page.Fold(r.tools) != page.Opened {
			return r.Write(screen.Cell{Text: fmt.Sprintf("%s%s %s", indent, r.Marks.More, tty.Count(int64(all-most), "more line", "more lines")), Style: tty.Dim})
		}
		line = screen.Untab(strings.TrimRight(line, "\r\n"))
		if err := r.Write(screen.Cell{Text: indent + line, Style: style(line)}); err != nil {
			return err
		}
	}
	return nil
}

// wrapped shows the lines of a text, broken at words.
func (r *reading) wrapped(text string, style tty.Style) error {
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = screen.Untab(strings.TrimRight(line, " \t\r\n"))
		front := "  " + line[:len(line)-len(strings.TrimLeft(line, " "))]
		if screen.Columns(front) > r.Width/2 {
			front = "  "
		}
		parts := screen.Wrap(line, r.Width-len(front))
		if len(parts) == 0 {
			parts = []string{""}
		}
		for _, part := range parts {
			if err := r.Write(screen.Cell{Text: front}, screen.Cell{Text: part, Style: style}); err != nil {
				return err
			}
		}
	}
	return nil
}
