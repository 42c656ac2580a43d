package zeroclaw

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/sqldb"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Export puts the session into a database of the fork's first layout, which is
// made if it is not there.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := newExporter(s, t)
	x.path(t.ActivePath(s))
	x.tellForeign()
	if err := t.Ready(); err != nil {
		return err
	}
	if t.Path == "" || t.DryRun {
		return sqldb.Fill(x.fill).WriteTo(ctx, t.Out)
	}
	path, err := database(t.Path)
	if err != nil {
		return err
	}
	if err := sqldb.Save(ctx, path, t.Sync, x.fill); err != nil {
		return err
	}
	t.Made = append(t.Made, path)
	return nil
}

// database returns the path of the database that path means: in a directory one called
// sessions.db.
func database(path string) (string, error) {
	fi, err := os.Stat(path)
	if (err != nil || !fi.IsDir()) && !os.IsPathSeparator(path[len(path)-1]) {
		return path, nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", fmt.Errorf("making the directory %w", err)
	}
	return filepath.Join(path, "sessions.db"), nil
}

// An exporter makes the rows of one session.
type exporter struct {
	s     *session.Session
	t     *formats.Target
	facts sessionFacts        // what an import kept, or what stands for it
	kept  bool                // there was something
	known map[string]rowFacts // of entries
	rows  []row
	cut   int // how many rows are before the boundary; 0 for no boundary
	cutAt int64

	foreign map[string]int
	order   []string
	first   map[string]string
}

// A row is a message to be written.
type row struct {
	role, content string
	ms            int64
	facts         rowFacts
}

func newExporter(s *session.Session, t *formats.Target) *exporter {
	x := &exporter{s: s, t: t, known: map[string]rowFacts{}, foreign: map[string]int{}, first: map[string]string{}}
	for _, e := range s.Entries {
		if e.Type() != session.TypeCustom {
			continue
		}
		switch data := e.Get("data"); e.Str("customType") {
		case "zeroclaw:session":
			var f sessionFacts
			if json.Unmarshal([]byte(data), &f) == nil && f.Layout != "" {
				x.facts, x.kept = f, true
			}
		case "zeroclaw:rows":
			for id, value := range js.Members(data) {
				var f rowFacts
				if json.Unmarshal([]byte(value), &f) == nil {
					x.known[js.Unquote(id)] = f
				}
			}
		}
	}
	return x
}

// path makes the rows of a path: what no model is shown any more, then the boundary, then
// what the model is shown, in that order.
func (x *exporter) path(path []session.Entry) {
	projection := convo.Project(path)
	shown := map[string]bool{}
	for _, p := range projection {
		shown[p.Entry.ID()] = true
	}
	for _, e := range path {
		x.count(e)
		if !shown[e.ID()] {
			x.hidden(e)
		}
	}
	x.boundary(path)
	for i, p := range projection {
		if i == 0 && p.Entry.Type() == session.TypeCompaction {
			x.compaction(p.Entry)
			x.systems(p)
			continue
		}
		x.shown(p)
	}
}

// boundary sets the boundary behind the rows there are, if the path was cut.
func (x *exporter) boundary(path []session.Entry) {
	for _, e := range path {
		if e.Type() == session.TypeCompaction || e.Type() == session.TypeResetBoundary {
			x.cut, x.cutAt = len(x.rows), at(e)
		}
	}
}

// compaction adds the row of a summary, unless it is one that the state has.
func (x *exporter) compaction(e session.Entry) {
	f := x.known[e.ID()]
	if state, ok := x.facts.State[stateSummary]; ok && f.State && summaryOf(state.Value) == e.Str("summary") {
		return
	}
	f.State = false
	x.add("assistant", summaryPrefix+e.Str("summary"), e, f)
}

// systems tells of the system message that a compaction carries.
func (x *exporter) systems(p convo.Projected) {
	for _, m := range p.Messages {
		if m.Role() == session.RoleSystem {
			x.lose(p.Entry, formats.KindSystem, "a system message")
		}
	}
}

// hidden adds the row of an entry that the model is not shown.
func (x *exporter) hidden(e session.Entry) {
	if e.Type() == session.TypeCompaction {
		x.compaction(e)
		return
	}
	x.shown(convo.Projected{Entry: e, Messages: convo.EntryMessages(e)})
}

// shown adds the rows of an entry's messages, as a model reads them.
func (x *exporter) shown(p convo.Projected) {
	e, f := p.Entry, x.known[p.Entry.ID()]
	if formats.CustomName(e, "zeroclaw") == "message" {
		x.add(js.Value(e.Get("data")).Get("role").Str(), js.Value(e.Get("data")).Get("content").Str(), e, f)
		return
	}
	for i, m := range p.Messages {
		if i > 0 {
			f = rowFacts{}
		}
		x.message(e, m, f)
	}
}

func (x *exporter) message(e session.Entry, m session.Message, f rowFacts) {
	for _, llm := range convo.ToLLM([]session.Message{m}) {
		switch role := llm.Role(); role {
		case session.RoleUser:
			if m.Role() != session.RoleUser {
				x.lose(e, formats.KindRole, "a message of role "+m.Role()+", which becomes a user's,")
			}
			x.blocks(e, llm, true)
			x.add("user", llm.Text("\n"), e, f)
		case session.RoleAssistant:
			if x.blocks(e, llm, false) {
				x.add("assistant", llm.Text("\n"), e, f)
			}
		case session.RoleToolResult:
			if f.Content == nil {
				x.lose(e, formats.KindTool, "the result of a tool")
				continue
			}
			x.add("tool", *f.Content, e, f)
		default:
			x.lose(e, formats.KindSystem, "a "+role+" message")
		}
	}
}

func (x *exporter) add(role, content string, e session.Entry, f rowFacts) {
	x.rows = append(x.rows, row{role: role, content: content, ms: at(e), facts: f})
}

func at(e session.Entry) int64 {
	ms, _ := e.Timestamp()
	return ms
}
