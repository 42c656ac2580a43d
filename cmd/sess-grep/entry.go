package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/grep"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A row is a line of a text of an entry.
type row struct {
	grep.Text
	text    string
	offset  int // of text in the whole text
	matches []grep.Span
}

// wanted reports whether the flags select an entry, whatever its texts are.
func (g *search) wanted(ctx context.Context, e session.Entry) (bool, error) {
	switch {
	case g.typ != "" && e.Type() != g.typ,
		g.roles != nil && !g.roles[grep.Role(e)],
		g.failed && !hasFailed(e):
		return false, nil
	case g.expr == nil:
		return true, nil
	}
	g.exprMu.Lock()
	defer g.exprMu.Unlock()
	ok, err := g.expr.Match(ctx, e.Raw())
	if err != nil {
		err = fmt.Errorf("--where: %w", err)
	}
	return ok, err
}

// hasFailed reports whether an entry tells of a failure: of a tool, of a command, of a
// reply.
func hasFailed(e session.Entry) bool {
	m, ok := e.Message()
	if !ok {
		return false
	}
	switch m.Role() {
	case session.RoleToolResult:
		return js.Value(m.Get("isError")).Truthy()
	case session.RoleBashExecution, session.RolePythonExecution:
		return js.Value(m.Get("exitCode")).Int() != 0
	}
	return m.Failed()
}

// texts calls visit for the texts of an entry that are searched.
func (g *search) texts(e session.Entry, visit func(grep.Text) bool) {
	var calls map[string]bool
	if g.file != "" {
		calls = g.callsOn(e)
	}
	grep.Texts(e, func(t grep.Text) bool {
		switch {
		case !g.fields[t.Field],
			g.tool != "" && t.Tool != g.tool,
			g.file != "" && (t.Field != grep.FieldCall || !calls[t.Call]):
			return true
		}
		return visit(t)
	})
}

// callsOn returns the ids of the calls of an entry that are about a file which --file
// matches, by its whole path or its name.
func (g *search) callsOn(e session.Entry) map[string]bool {
	calls := map[string]bool{}
	m, ok := e.Message()
	if !ok {
		return calls
	}
	for _, call := range m.ToolCalls() {
		for name, value := range js.Value(call.Arguments).Members() {
			file := value.Str()
			if !slices.Contains([]string{"path", "file", "file_path", "filePath", "filename"}, name) || file == "" {
				continue
			}
			whole, _ := path.Match(g.file, file)
			base, _ := path.Match(g.file, path.Base(file))
			if whole || base {
				calls[call.ID] = true
			}
		}
	}
	return calls
}

// matches reports whether an entry is one to print: whether it has a match or, with -v,
// texts and none of them a match.
func (g *search) matches(ctx context.Context, e session.Entry) (bool, error) {
	if ok, err := g.wanted(ctx, e); !ok || err != nil {
		return false, err
	}
	said, match := false, false
	g.texts(e, func(t grep.Text) bool {
		said = true
		match = g.pattern.Match(t.String())
		return !match
	})
	if g.invert {
		return said && !match, nil
	}
	return match, nil
}

// rows returns the rows of an entry that is to be printed, and the number of matches.
// With -v they are its first line, for it has none with a match.
func (g *search) rows(e session.Entry) (rows []row, found int) {
	g.texts(e, func(t grep.Text) bool {
		whole := t.String()
		if g.invert {
			rows = append(rows, row{Text: t, text: firstLine(whole)})
			return false
		}
		for _, l := range g.pattern.Lines(whole, g.spans) {
			found += max(1, len(l.Matches))
			rows = append(rows, lineRow(t, whole, l))
		}
		return true
	})
	return rows, found
}

// lineRow makes a row of a line of a text.
func lineRow(t grep.Text, whole string, l grep.Line) row {
	r := row{Text: t, text: whole[l.From:l.To], offset: l.From, matches: l.Matches}
	for i := range r.matches {
		r.matches[i].From -= l.From
		r.matches[i].To -= l.From
	}
	return r
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// header returns the rows of the header.
func (g *search) header(h session.Header) (rows []row, found int) {
	if g.typ != "" && g.typ != session.TypeSession || g.roles != nil || g.failed || g.tool != "" || g.file != "" || g.expr != nil || g.invert {
		return nil, 0
	}
	grep.HeaderTexts(h, func(t grep.Text) bool {
		if !g.fields[t.Field] {
			return true
		}
		whole := t.String()
		for _, l := range g.pattern.Lines(whole, g.spans) {
			found += max(1, len(l.Matches))
			rows = append(rows, lineRow(t, whole, l))
		}
		return true
	})
	return rows, found
}
