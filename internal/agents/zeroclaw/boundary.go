package zeroclaw

import (
	"context"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

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
