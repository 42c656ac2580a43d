package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/blame"
	"github.com/sess-tools/sess/pkg/js"
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
	n := 0
	for _, id := range ids {
		rows := j.rowsOf(id)
		for _, r := range rows {
			if err := j.evidence(id, r); err != nil {
				return err
			}
		}
		claims := j.claims[id]
		if j.sure {
			claims = nil
		}
		for _, c := range claims {
			if err := j.claimed(id, c); err != nil {
				return err
			}
		}
		if n += len(rows) + len(claims); len(rows)+len(claims) == 0 && j.streams.Verbose && j.session == "" && j.commits[id] != nil {
			if err := j.print(id, blame.Row{Relation: blame.None, Session: -1}, "-", false); err != nil {
				return err
			}
		}
	}
	return j.status(n)
}

func (j *job) evidence(id string, r blame.Row, more ...js.Field) error {
	return j.print(id, r, j.name(r.Session), false, more...)
}

func (j *job) claimed(id string, c claim, more ...js.Field) error {
	return j.print(id, blame.Row{Relation: blame.Claimed, Rule: c.by, Certainty: blame.Claimed, Session: c.known}, c.session, j.contradicted(id, c), more...)
}

// name is what other tools take for a session.
func (j *job) name(s int) string { return cmp.Or(j.sessions[s].place.Address, j.sessions[s].src.Name) }

// print prints a row.
func (j *job) print(id string, r blame.Row, name string, contradicted bool, more ...js.Field) error {
	if j.json {
		_, err := fmt.Fprintln(j.streams.Out, j.object(id, r, name, contradicted, more...))
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
func (j *job) object(id string, r blame.Row, name string, contradicted bool, more ...js.Field) string {
	place, agent, parent := row.Place{}, "", ""
	switch {
	case r.Session >= 0:
		s := j.sessions[r.Session]
		place, agent, parent = s.place, s.src.Owner(), s.parent
	case r.Relation == blame.Claimed:
		place.Session = name
	}
	c := j.commits[id]
	lines, of := row.Null("lines"), row.Null("of")
	if r.Of > 0 {
		lines, of = js.IntField("lines", int64(r.Lines)), js.IntField("of", int64(r.Of))
	}
	return row.Object("commit", slices.Concat([]js.Field{
		js.StringField("commit", id), js.StringField("subject", js.ValidText(c.Subject)), row.Time("authorTime", c.Author*1000, true),
		js.StringField("relation", r.Relation), row.Text("rule", r.Rule), row.Text("certainty", r.Certainty),
	}, place.Fields(), []js.Field{
		row.Text("agent", agent), row.Text("parent", parent), row.Entry(r.Entry), row.Text("callId", r.Call), lines, of, row.Bool("contradicts", contradicted),
	}, more)...)
}

// printShow prints the rows of one commit, each with what the user asked and the calls from there to the commit.
func (j *job) printShow(ctx context.Context, id string) error {
	rows := j.rowsOf(id)
	for _, r := range rows {
		prompt, list, entries := j.asked(ctx, r, j.commits[id].Author)
		if j.json {
			var made []string
			for _, c := range list {
				made = append(made, js.Object(row.Entry(entries[c.Entry].ID()), js.StringField("kind", c.Kind), js.StringField("outcome", c.Outcome), row.Text("target", c.Target)))
			}
			if err := j.evidence(id, r, row.Text("prompt", prompt), row.List("calls", made)); err != nil {
				return err
			}
			continue
		}
		if err := j.evidence(id, r); err != nil {
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
		if err := j.claimed(id, c, row.Null("prompt"), row.List("calls", nil)); err != nil {
			return err
		}
	}
	return j.status(len(rows) + len(j.claims[id]))
}

// printBlame prints a row for each line: who typed it, or who made its commit if it is not informative.
func (j *job) printBlame(lines []git.Blamed, from int) error {
	n := 0
	for i, l := range lines {
		r := blame.Row{Relation: blame.None, Session: -1}
		if commit, ok := j.place[l.Commit]; ok {
			if typed, ok := j.origins.Line(commit, l.File, l.Text); ok {
				r = typed
			} else if of := j.rowsOf(l.Commit); !blame.Informative(l.Text) && len(of) > 0 && of[0].Relation != blame.Rewrote {
				r = of[0]
				r.Rule, r.Certainty = blame.RuleCommit, blame.Likely
			}
		}
		name, place, agent := "-", row.Place{}, ""
		if r.Session >= 0 {
			n++
			s := j.sessions[r.Session]
			name, place, agent = j.name(r.Session), s.place, s.src.Owner()
		}
		if j.json {
			text := row.Object("line", slices.Concat([]js.Field{js.IntField("line", int64(from+i)), js.StringField("commit", l.Commit), js.StringField("file", js.ValidText(l.File))},
				place.Fields(), []js.Field{
					row.Text("agent", agent), row.Entry(r.Entry), row.Text("rule", r.Rule), row.Text("certainty", r.Certainty), js.StringField("text", js.ValidText(l.Text)),
				})...)
			if _, err := fmt.Fprintln(j.streams.Out, text); err != nil {
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
