package main

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/blame"
	"github.com/sess-tools/sess/pkg/session"
)

// short is how many digits of a commit's id a row has.
const short = 12

// status is what a run ends with that printed so many rows of sessions.
func (j *job) status(rows int) error {
	if j.failed != nil {
		return j.failed
	}
	if rows == 0 {
		return cli.No("")
	}
	return nil
}

// printLog prints the rows of commits.
func (j *job) printLog(ids []string) error {
	if sc := j.onScreen(); sc != nil {
		return sc.log(ids)
	}
	n := 0
	for _, id := range ids {
		rows := j.rowsOf(id)
		for _, r := range rows {
			if err := j.evidence(id, r, nil); err != nil {
				return err
			}
		}
		claims := j.claims[id]
		for _, c := range claims {
			if err := j.claimed(id, c, nil); err != nil {
				return err
			}
		}
		if n += len(rows) + len(claims); len(rows)+len(claims) == 0 && j.streams.Verbose && j.session == "" && j.commits[id] != nil {
			if err := j.print(id, blame.Row{Relation: blame.None, Session: -1}, "-", false, nil); err != nil {
				return err
			}
		}
	}
	return j.status(n)
}

func (j *job) evidence(id string, r blame.Row, more *asked) error {
	return j.print(id, r, j.name(r.Session), false, more)
}

func (j *job) claimed(id string, c claim, more *asked) error {
	return j.print(id, blame.Row{Relation: blame.Claimed, Rule: c.by, Certainty: blame.Claimed, Session: c.known}, c.session, j.contradicted(id, c), more)
}

// name is what other tools take for a session.
func (j *job) name(s int) string { return cmp.Or(j.sessions[s].place.Address, j.sessions[s].src.Name) }

// print prints a row.
func (j *job) print(id string, r blame.Row, name string, contradicted bool, more *asked) error {
	if j.json {
		_, err := fmt.Fprintln(j.streams.Out, j.object(id, r, name, contradicted, more))
		return err
	}
	lines := "-"
	if r.Of > 0 {
		lines = fmt.Sprintf("%d/%d", r.Lines, r.Of)
	}
	certainty := dash(r.Certainty)
	if contradicted {
		certainty += "!"
	}
	cells := []string{id[:min(short, len(id))], r.Relation, certainty, tty.Clean(name), dash(tty.Clean(r.Entry)), lines}
	if j.streams.Verbose {
		cells = append(cells, dash(tty.Clean(r.Rule)))
	}
	_, err := fmt.Fprintln(j.streams.Out, strings.Join(cells, "\t"))
	return err
}

func dash(text string) string { return cmp.Or(text, "-") }

// object is a row as JSON.
func (j *job) object(id string, r blame.Row, name string, contradicted bool, more *asked) string {
	c := j.commits[id]
	out := commitRow{
		Commit: id, Subject: c.Subject, AuthorTime: row.At(c.Author*1000, true), Relation: r.Relation, Rule: r.Rule, Certainty: r.Certainty,
		Entry: r.Entry, CallID: r.Call, Lines: row.Known(r.Lines, r.Of > 0), Of: row.Known(r.Of, r.Of > 0), Contradicts: contradicted, asked: more,
	}
	switch {
	case r.Session >= 0:
		out.origin, out.Parent = j.sessions[r.Session].origin(), j.sessions[r.Session].parent
	case r.Relation == blame.Claimed:
		out.Session = name
	}
	return row.JSON(out)
}

// origin is a session as rows have it.
func (l looked) origin() origin {
	return origin{l.place.Address, l.place.Path, l.place.Session, l.src.Owner()}
}

// printShow prints the rows of one commit, each with what the user asked and the calls from there to the commit.
func (j *job) printShow(ctx context.Context, id string) error {
	if sc := j.onScreen(); sc != nil {
		return sc.show(ctx, id)
	}
	rows := j.rowsOf(id)
	for _, r := range rows {
		prompt, list, entries := j.asked(ctx, r, j.commits[id].Author)
		if j.json {
			more := &asked{Prompt: prompt}
			for _, c := range list {
				more.Calls = append(more.Calls, callRow{entries[c.Entry].ID(), c.Kind, c.Outcome, c.Target})
			}
			if err := j.evidence(id, r, more); err != nil {
				return err
			}
			continue
		}
		if err := j.evidence(id, r, nil); err != nil {
			return err
		}
		if prompt != "" {
			fmt.Fprintf(j.streams.Out, "\t> %s\n", tty.Clean(session.OneLine(prompt)))
		}
		for _, c := range list {
			fmt.Fprintf(j.streams.Out, "\t%s:%s:%s:%s\n", tty.Clean(entries[c.Entry].ID()), c.Kind, c.Ending, tty.Clean(session.OneLine(c.Target)))
		}
	}
	for _, c := range j.claims[id] {
		if err := j.claimed(id, c, &asked{}); err != nil {
			return err
		}
	}
	return j.status(len(rows) + len(j.claims[id]))
}

// typed returns who typed a line, or who made its commit if it is not informative.
func (j *job) typed(l git.Blamed) blame.Row {
	commit, ok := j.place[l.Commit]
	if !ok {
		return blame.Row{Relation: blame.None, Session: -1}
	}
	if typed, ok := j.origins.Line(commit, l.File, l.Text); ok {
		return typed
	}
	if of := j.rowsOf(l.Commit); !blame.Informative(l.Text) && len(of) > 0 && of[0].Relation != blame.Rewrote {
		r := of[0]
		r.Rule, r.Certainty = blame.RuleCommit, blame.Likely
		return r
	}
	return blame.Row{Relation: blame.None, Session: -1}
}

// printBlame prints a row for each line.
func (j *job) printBlame(lines []git.Blamed, from int) error {
	if sc := j.onScreen(); sc != nil {
		return sc.blame(lines, from)
	}
	n := 0
	for i, l := range lines {
		r := j.typed(l)
		name, of := "-", origin{}
		if r.Session >= 0 {
			n++
			name, of = j.name(r.Session), j.sessions[r.Session].origin()
		}
		if j.json {
			out := lineRow{Line: from + i, Commit: l.Commit, File: l.File, origin: of, Entry: r.Entry, Model: r.Model, Rule: r.Rule, Certainty: r.Certainty, Text: l.Text}
			if _, err := fmt.Fprintln(j.streams.Out, row.JSON(out)); err != nil {
				return err
			}
			continue
		}
		cells := []string{strconv.Itoa(from + i), l.Commit[:min(short, len(l.Commit))], tty.Clean(name), dash(tty.Clean(r.Entry)), dash(r.Rule), dash(r.Certainty), tty.Clean(l.Text)}
		if _, err := fmt.Fprintln(j.streams.Out, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return j.status(n)
}
