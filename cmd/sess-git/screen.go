package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/blame"
)

// shortCommit is how many digits of a commit's id people see.
const shortCommit = 7

// datedBlame is from how many columns on blame has the date of a session.
const datedBlame = 100

// A screened prints rows for people.
type screened struct {
	*screen.Screen
	*job
	short func(string) string
}

// onScreen returns the terminal that rows are printed on, nil if they are for programs.
func (j *job) onScreen() *screened {
	if j.screen == nil || j.json {
		return nil
	}
	names := make([]string, len(j.sessions))
	for i := range j.sessions {
		names[i] = j.sessions[i].shown()
	}
	return &screened{j.screen, j, screen.Short(names)}
}

// shown is the name of a session for people, before it is shortened.
func (l looked) shown() string {
	return address.Shown(l.src.Owner(), cmp.Or(l.place.Address, l.src.Name), l.place.Session)
}

// A relation is a session of a commit as people see it.
type relation struct {
	blame.Row
	label, name, title string
}

// relations are the sessions of a commit: those of which there is evidence, each once, then those that are claimed.
func (sc *screened) relations(id string) (all []relation) {
	for _, r := range sc.rowsOf(id) {
		label := r.Relation
		if r.Certainty != blame.Sure {
			label += " (" + r.Certainty + ")"
		}
		if at := slices.IndexFunc(all, func(other relation) bool { return other.Session == r.Session }); at >= 0 {
			all[at].label += ", " + label
			continue
		}
		s := sc.sessions[r.Session]
		all = append(all, relation{r, label, sc.short(s.shown()), s.heading.Title})
	}
	for _, c := range sc.claims[id] {
		r := relation{blame.Row{Relation: blame.Claimed, Session: c.known}, "claimed by " + c.by, sc.short(c.session), ""}
		if c.known >= 0 {
			s := sc.sessions[c.known]
			r.name, r.title = sc.short(s.shown()), s.heading.Title
		}
		if sc.contradicted(id, c) {
			r.title = "evidence says otherwise"
		}
		all = append(all, r)
	}
	return all
}

// leastLabel is how many columns what a session has to do with a commit has at least.
const leastLabel = 13

// mostLabel is how many it has at most: a quarter of a wide screen.
func (sc *screened) mostLabel() int { return max(24, sc.Width/4) }

// nameWidth is how many columns names have of which the longest has so many: a path may take a third of the screen.
func (sc *screened) nameWidth(longest int) int { return min(longest, max(sc.Width/3, 16)) }

// log prints commits, each with its sessions below.
func (sc *screened) log(ids []string) error {
	n, label, name := 0, leastLabel, 0
	of := make([][]relation, len(ids))
	for i, id := range ids {
		of[i] = sc.relations(id)
		for _, r := range of[i] {
			label, name = max(label, screen.Columns(r.label)), max(name, screen.Columns(r.name))
		}
	}
	label, name = min(label, sc.mostLabel()), sc.nameWidth(name)
	for i, id := range ids {
		n += len(of[i])
		if len(of[i]) == 0 && (!sc.streams.Verbose || sc.session != "" || sc.commits[id] == nil) {
			continue
		}
		if err := sc.commit(id, of[i]); err != nil {
			return err
		}
		for _, r := range of[i] {
			if err := sc.relation(r, label, name); err != nil {
				return err
			}
		}
	}
	if n == 0 && sc.failed == nil {
		more := ""
		if !sc.streams.Verbose {
			more = "; -v lists them"
		}
		of := "this commit"
		if len(ids) > 1 {
			of = fmt.Sprintf("the last %s commits", screen.Count(len(ids)))
		}
		return cli.No("no session of %s%s", of, more)
	}
	return sc.status(n)
}

// commit prints a commit; it is dim if nothing is sure.
func (sc *screened) commit(id string, of []relation) error {
	c, style := sc.commits[id], tty.Dim
	for _, r := range of {
		if r.Certainty == blame.Sure {
			style = tty.Plain
		}
	}
	if c == nil {
		return sc.Write(screen.Cell{Text: id[:min(shortCommit, len(id))], Style: tty.Yellow})
	}
	return sc.Line([]screen.Cell{
		{Text: id[:min(shortCommit, len(id))] + "  ", Style: tty.Yellow}, {Text: screen.When(time.Unix(c.Author, 0), sc.Now) + "  ", Style: tty.Dim},
	}, screen.Cell{Text: c.Subject, Style: style})
}

func (sc *screened) relation(r relation, label, name int) error {
	return sc.Line([]screen.Cell{{Text: "  " + sc.Pad(r.label, label) + "  ", Style: tty.Dim}, {Text: sc.Pad(sc.Directory(r.name, name), name) + "  ", Style: tty.Cyan}},
		screen.Cell{Text: screen.OneLine(r.title)})
}

// show prints a commit, and below each session what the user asked there and what was done from there on.
func (sc *screened) show(ctx context.Context, id string) error {
	of := sc.relations(id)
	if len(of) == 0 {
		return sc.log([]string{id})
	}
	if err := sc.commit(id, of); err != nil {
		return err
	}
	for _, r := range of {
		if err := sc.relation(r, min(max(screen.Columns(r.label), leastLabel), sc.mostLabel()), sc.nameWidth(screen.Columns(r.name))); err != nil {
			return err
		}
		if r.Relation == blame.Claimed {
			continue
		}
		sc.Dated(time.Unix(sc.commits[id].Author, 0))
		prompt, list, entries := sc.asked(ctx, r.Row, sc.commits[id].Author)
		if prompt != "" {
			if err := sc.Line([]screen.Cell{{Text: "    "}}, screen.Cell{Text: screen.OneLine(prompt), Style: tty.Bold}); err != nil {
				return err
			}
		}
		for _, c := range list {
			mark, style := sc.Ending(c.Outcome)
			at := time.Time{}
			if ms, ok := entries[c.Entry].Timestamp(); ok {
				at = time.UnixMilli(ms)
			}
			if err := sc.Day(at, "    "); err != nil {
				return err
			}
			err := sc.Line([]screen.Cell{
				{Text: "    " + sc.Pad(mark, screen.Columns(sc.Marks.More)) + "  ", Style: style}, {Text: fmt.Sprintf("%-8s  ", screen.Clock(at, sc.Now)), Style: tty.Dim}, {Text: fmt.Sprintf("%-6s  ", c.Kind)},
			}, screen.Cell{Text: sc.Joined(c.Target)})
			if err != nil {
				return err
			}
		}
	}
	return sc.status(len(of))
}

// blame prints lines behind the session that typed them, which is named once for a run of lines.
func (sc *screened) blame(lines []git.Blamed, from int) error {
	n, width := 0, 1
	rows := make([]blame.Row, len(lines))
	for i, l := range lines {
		if rows[i] = sc.typed(l); rows[i].Session >= 0 {
			n++
			width = max(width, screen.Columns(sc.short(sc.sessions[rows[i].Session].shown())))
		}
	}
	width = sc.nameWidth(width)
	digits := max(len(fmt.Sprint(from+len(lines)-1)), 4)
	for i, l := range lines {
		name, at := "-", time.Time{}
		if s := rows[i].Session; s >= 0 {
			name, at = sc.Directory(sc.short(sc.sessions[s].shown()), width), sc.sessions[s].heading.Modified
		}
		if i > 0 && rows[i].Session == rows[i-1].Session && rows[i].Session >= 0 {
			name, at = "", time.Time{}
		}
		left := []screen.Cell{{Text: sc.Pad(name, width) + "  ", Style: tty.Cyan}}
		if sc.Width >= datedBlame {
			left = append(left, screen.Cell{Text: fmt.Sprintf("%-12s  ", screen.When(at, sc.Now)), Style: tty.Dim})
		}
		left = append(left, screen.Cell{Text: fmt.Sprintf("%*d  ", digits, from+i), Style: tty.Dim}, screen.Cell{Text: screen.Untab(l.Text)})
		if err := sc.Write(left...); err != nil {
			return err
		}
	}
	return sc.status(n)
}
