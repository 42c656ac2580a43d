package zeroclaw

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// Export puts the session into a database of the fork's first layout, which is
// made if it is not there.
func (format) Export(ctx context.Context, s *session.Session, t *formats.Target) error {
	x := newExporter(s, t)
	x.path(t.ActivePath(s))
	x.lost.Tell(t)
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
	facts sessionFacts        // the row that an import kept, or one made for a new session
	kept  bool                // there was something
	known map[string]rowFacts // of entries
	rows  []row
	cut   int // how many rows are before the boundary; 0 for no boundary
	cutAt int64

	lost formats.Lost
}

// A row is a message to be written.
type row struct {
	role, content string
	ms            int64
	facts         rowFacts
}

func newExporter(s *session.Session, t *formats.Target) *exporter {
	x := &exporter{s: s, known: map[string]rowFacts{}}
	for _, e := range s.Entries {
		var f sessionFacts
		if formats.CustomName(e, "zeroclaw") == "session" && json.Unmarshal([]byte(e.Get("data")), &f) == nil && f.Layout != "" {
			x.facts, x.kept = f, true
		}
	}
	keeper := t.Keeper(s, "zeroclaw")
	for i, e := range s.Entries {
		lines, _ := keeper.Lines(i)
		for _, l := range lines {
			var f rowFacts
			if json.Unmarshal([]byte(l.Text), &f) == nil {
				x.known[e.ID()] = f
			}
		}
	}
	return x
}

// path makes the rows of a path: what no model is shown any more, then the boundary, then
// what the model is shown, in that order.
func (x *exporter) path(path []session.Entry) {
	projection := convo.Project(path)
	visible := map[string]bool{}
	for _, p := range projection {
		visible[p.Entry.ID()] = true
	}
	for _, e := range path {
		x.count(e)
		if !visible[e.ID()] {
			x.hidden(e)
		}
	}
	for _, e := range path {
		if e.Type() == session.TypeCompaction || e.Type() == session.TypeResetBoundary {
			x.cut, x.cutAt = len(x.rows), at(e)
		}
	}
	for i, p := range projection {
		if i == 0 && p.Entry.Type() == session.TypeCompaction {
			x.compaction(p.Entry)
			for _, m := range p.Messages {
				if m.Role() == session.RoleSystem {
					x.lost.Add(p.Entry, formats.KindSystem)
				}
			}
			continue
		}
		x.projected(p)
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

// hidden adds the row of an entry that the model is not shown.
func (x *exporter) hidden(e session.Entry) {
	if e.Type() == session.TypeCompaction {
		x.compaction(e)
		return
	}
	x.projected(convo.Projected{Entry: e, Messages: convo.EntryMessages(e)})
}

// projected adds the rows of an entry's messages, as a model reads them.
func (x *exporter) projected(p convo.Projected) {
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
	read := convo.ToLLM([]session.Message{m})
	if len(read) == 0 && !m.Failed() {
		x.lost.Say(e, formats.KindRole, "a message of role %s, left out", m.Role())
	}
	for _, llm := range read {
		switch llm.Role() {
		case session.RoleUser:
			if m.Role() != session.RoleUser {
				x.lost.Say(e, formats.KindRole, "a message of role %s, which becomes a user's", m.Role())
			}
			x.lost.Blocks(e, llm, session.BlockText)
			x.add("user", llm.Text("\n"), e, f)
		case session.RoleAssistant:
			x.lost.Blocks(e, llm, session.BlockText)
			if llm.Str("stopReason") == "error" {
				x.lost.Say(e, formats.KindContext, "that a reply failed, left out")
			}
			if hasText(llm) {
				x.add("assistant", llm.Text("\n"), e, f)
			}
		case session.RoleToolResult:
			if f.Content == nil {
				x.lost.Add(e, formats.KindTool)
				continue
			}
			x.add("tool", *f.Content, e, f)
		default:
			x.lost.Add(e, formats.KindSystem)
		}
	}
}

func hasText(m session.Message) bool {
	for b := range m.Blocks() {
		if b.Type == session.BlockText {
			return true
		}
	}
	return false
}

func (x *exporter) add(role, content string, e session.Entry, f rowFacts) {
	x.rows = append(x.rows, row{role: role, content: content, ms: at(e), facts: f})
}

func at(e session.Entry) int64 {
	ms, _ := e.Timestamp()
	return ms
}

// count tells of entries that have no messages.
func (x *exporter) count(e session.Entry) {
	switch e.Type() {
	case session.TypeMessage, session.TypeCompaction, session.TypeResetBoundary, session.TypeSessionInfo, session.TypeTitleChange,
		session.TypeBranchSummary, session.TypeCustomMessage:
		return
	}
	x.lost.Entry(e, "ZeroClaw")
}

// A cut is where the messages begin that the model is shown: behind the boundary.
type cut struct {
	id      int64  // of the last message before it; 0 without one
	summary int64  // of the message behind it that is the summary; 0 without one
	text    string // the summary that the state has instead
	at      int64  // when, in milliseconds
	done    bool   // nothing is to be put there, or it has been
}

// cutOf looks for the boundary, and how it was made: with a summary as the first message
// behind it, with one in the state, or without.
func (r *reading) cutOf(ctx context.Context) (*cut, error) {
	c := &cut{done: true}
	boundary, ok := r.facts.state[stateBoundary]
	if !ok {
		return c, nil
	}
	if c.id, ok = boundaryOf(boundary.Value); !ok || c.id <= 0 {
		c.id = 0
		return c, nil
	}
	c.at, _ = milliseconds(boundary.Updated)
	values, err := r.store.db.Values(ctx, `SELECT (SELECT min(id) FROM session_messages WHERE session_id = ?1 AND id <= ?2 AND role IN ('user', 'assistant', 'tool')),
		(SELECT min(id) FROM session_messages WHERE session_id = ?1 AND id > ?2 AND role IN ('user', 'assistant', 'tool'))`, r.facts.id, c.id)
	if err != nil || len(values) != 2 {
		return c, err
	}
	first, ok := values[1].(int64)
	if ok {
		var role, content sqldb.Text
		err := r.store.db.QueryRowContext(ctx, `SELECT CAST(role AS TEXT), CAST(content AS TEXT) FROM session_messages WHERE id = ?`, first).Scan(&role, &content)
		if err != nil {
			return c, r.store.db.Err(err)
		}
		if isSummary(string(role), js.ValidText(string(content))) {
			c.summary = first
			return c, nil
		}
	}
	_, before := values[0].(int64)
	if state, ok := r.facts.state[stateSummary]; ok {
		c.text, c.done = summaryOf(state.Value), false
	}
	c.done = c.text == "" && !before // nothing is hidden
	return c, nil
}

// cut puts in place of a boundary without a message for it what has the same
// effect: the compaction whose summary is in the state, or a new beginning.
func (r *reading) cut(c *cut, before int64) error {
	if c.done {
		return nil
	}
	c.done = true
	p := formats.Place{Key: "boundary", Time: c.at}
	if before != 0 && p.Time > before {
		p.Time = before // it may have been made while that was being written
	}
	var err error
	if c.text != "" {
		_, err = r.b.Compaction(p, c.text, "", r.spent.tokens())
	} else {
		_, err = r.b.Add(p, session.TypeResetBoundary)
	}
	if err != nil {
		return err
	}
	r.spent = 0
	return r.keep(rowFacts{State: true})
}
