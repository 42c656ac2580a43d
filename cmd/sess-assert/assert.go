package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/internal/readers/shell"
	"github.com/sess-tools/sess/pkg/session"
)

// A verdict is what became of the gates in a session.
type verdict struct {
	src     selection.Source
	place   row.Place
	parent  string
	agents  []breach // the agents that it started
	tools   map[string]bool
	results []result // of each gate
	unread  error    // why it was not read whole, nil if it was
}

// A result is what became of a gate in a session.
type result struct {
	breaches []breach
	gate.Seen
}

// A breach is one as it is printed.
type breach struct {
	entry string // "" for none
	line  int
	text  string
	why   string // the deed cannot be judged, "" if it can
	piece string // of its command line that this is about
}

// assert looks at the sessions that were found, and prints where a gate does not hold.
func (c *config) assert(ctx context.Context, s *cli.Streams, found selection.Found) error {
	if !c.damagedOK {
		ctx = address.Whole(ctx, c.strict)
	}
	cut := calls.Cut
	if len(c.answers)+len(c.noAnswers) > 0 {
		cut = calls.CutResults
	}
	all, reading := selection.Read(ctx, s, found, c.sessions.Subagents, cut, func(_ context.Context, src selection.Source, whole *address.Source) (verdict, error) {
		return c.judge(s, src, whole)
	})
	verdicts := slices.Collect(all)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.named(s, verdicts); err != nil {
		return err
	}
	if c.ofCalls && c.sessions.Subagents != selection.WithoutSubagents {
		c.started(s, verdicts)
	}
	p := findings.Printer{Form: c.form(), Out: s.Out, Tool: name}
	sc := screen.On(s.Out, s.OutFile(), "")
	if p.Form != findings.Lines || s.Quiet {
		sc = nil
	}
	if sc != nil {
		if err := c.onScreen(sc, verdicts, found.Short()); err != nil {
			return err
		}
	}
	breaches, hidden := 0, 0
	sums := make([]gateRow, len(c.gates))
	for _, v := range verdicts {
		most := 0
		for i, g := range c.gates {
			r := &v.results[i]
			breaches += len(r.breaches)
			sums[i].add(r)
			most = max(most, r.Hidden)
			var texts []string
			for _, b := range r.breaches {
				if err := c.clean(&b); err != nil {
					return err
				}
				texts = append(texts, fmt.Sprintf("%s:%s", b.place(), tty.Clean(b.text)))
				if sc != nil {
					continue
				}
				if err := p.Print(shown{b, v, g, found.Single}); err != nil {
					return err
				}
			}
			p.Case(v.src.Label(), g.String(), texts)
		}
		hidden += most
	}
	if hidden > 0 && !c.strict {
		s.Warnf("%s: --strict counts that", tty.Count(hidden, "call hides what it runs or writes", "calls hide what they run or write"))
	}
	breaches += c.emptyFiles(s)
	err := errors.Join(reading.Err(), unread(verdicts))
	if err == nil && reading.Sessions == 0 {
		err = cli.WithStatus(errors.New("there is no session, and a gate does not pass unread"), cli.ExitMalformed)
	}
	total := func() string {
		var b strings.Builder
		for i, g := range c.gates {
			sums[i].Gate, sums[i].Value = g.Name, g.Text
			b.WriteString(row.JSON(sums[i]) + "\n")
		}
		return b.String() + row.JSON(totalRow{Sessions: reading.Sessions, Gates: len(c.gates), Breaches: breaches, Whole: err == nil})
	}
	if err := p.End(total, err); err != nil {
		return err
	}
	s.Notef("%s in %s", tty.Count(breaches, "breach", "breaches"), tty.Count(reading.Sessions, "session", "sessions"))
	if err != nil || breaches == 0 {
		return err
	}
	return cli.No("")
}

// emptyFiles counts the files of no bytes that are breaches.
func (c *config) emptyFiles(s *cli.Streams) int {
	n := s.PassedOver()
	if n == 0 || !c.strict {
		return 0
	}
	s.Alwaysf("files of no bytes, which --strict counts as breaches: %d", n)
	return n
}

// unread is the error of sessions that were not read whole.
func unread(verdicts []verdict) error {
	var first error
	n := 0
	for _, v := range verdicts {
		if v.unread != nil {
			n++
			first = cmp.Or(first, v.unread)
		}
	}
	if n > 1 {
		return cli.WithStatus(fmt.Errorf("%w; %s as well", first, tty.Count(n-1, "other session", "other sessions")), cli.Status(first))
	}
	return first
}

// named says which tools that patterns name are none that is known, nor any that was called.
func (c *config) named(s *cli.Streams, verdicts []verdict) error {
	for _, g := range c.gates {
		for _, p := range g.Patterns() {
			tool := p.Unknown()
			called := func(v verdict) bool { return slices.ContainsFunc(slices.Collect(maps.Keys(v.tools)), p.Names) }
			if tool == "" || len(verdicts) == 0 || slices.ContainsFunc(verdicts, called) {
				continue
			}
			text := fmt.Sprintf("--%s: %s is no kind, no tool that is known, and none that was called; tool:%s says that it is one", g.Name, tty.Clean(tool), tty.Clean(tool))
			if c.strict {
				return cli.UsageError("%s", text)
			}
			s.Warnf("%s", text)
		}
	}
	return nil
}

// started warns of sub-agents that the sessions started and whose sessions are not among the sessions looked at. With --strict
// each of them breaks the gates that forbid something, since it may have done that.
func (c *config) started(s *cli.Streams, verdicts []verdict) {
	starters := make([]calls.Starter, len(verdicts))
	for i, v := range verdicts {
		starters[i] = calls.Starter{Session: v.place.Session, Path: v.place.Path, Parent: v.parent, Agents: len(v.agents)}
	}
	for i, missing := range calls.Unseen(starters) {
		v := &verdicts[i]
		if missing == 0 {
			continue
		}
		s.Alwaysf(calls.UnseenText, tty.Clean(v.src.Label()), missing)
		for j, g := range c.gates {
			if g.Everywhere() {
				r := &v.results[j]
				r.Hidden += missing
				if c.strict {
					r.breaches = append(r.breaches, v.agents[len(v.agents)-missing:]...)
				}
			}
		}
	}
}

// clean takes secrets out of a breach: what breaks a gate is often the very command that has one, and goes to logs and annotations.
func (c *config) clean(b *breach) error {
	if c.secrets != nil {
		var errs [2]error
		b.text, errs[0] = c.secrets.Text(b.text)
		b.piece, errs[1] = c.secrets.Text(b.piece)
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
	}
	whole := gate.Breach{Text: b.text, Hidden: shell.Piece{Why: shell.Why(b.why), Text: b.piece}}
	b.text, b.piece = whole.String(), whole.Piece()
	return nil
}

// judge looks at one session.
func (c *config) judge(s *cli.Streams, src selection.Source, whole *address.Source) (verdict, error) {
	v := verdict{src: src, place: whole.Place(), parent: selection.StartedBy(whole), tools: map[string]bool{}}
	leaf, err := whole.Leaf("last")
	if err != nil {
		return v, err
	}
	path, gaps := whole.PathTo(leaf)
	if !c.damagedOK {
		v.unread = whole.Unread(c.strict, whole.Problems, gaps)
	}
	at := map[string]int{}
	for i, e := range whole.Entries {
		at[e.ID()] = i
	}
	deeds := gate.Deeds
	if !c.ofCommands() {
		deeds = gate.Unread
	}
	w := gate.Work{All: deeds(calls.Of(whole.Entries, whole.Header.CWD)), Strict: c.strict}
	if w.Deeds = w.All; !c.branches && len(path) < len(whole.Entries) { // else there is one branch
		w.Deeds = deeds(calls.Of(path, whole.Header.CWD))
		for i := range w.Deeds {
			w.Deeds[i].Entry = at[path[w.Deeds[i].Entry].ID()]
		}
	}
	if w.Answer, w.Answered = answer(path); c.branches {
		w.Answer, w.Answered = answer(whole.Entries)
	} else if w.Answered >= 0 {
		w.Answered = at[path[w.Answered].ID()]
	}
	if c.ofCalls && len(w.All) == 0 {
		s.Alwaysf("%s: there is no call", tty.Clean(whole.Name))
	}
	shown := func(entry int, text string) breach {
		p := breach{text: text}
		if entry >= 0 {
			p.entry = strings.Clone(whole.Entries[entry].ID())
			if v.place.Path != "" { // and not one that an importer made
				p.line = whole.Entries[entry].Line()
			}
		}
		return p
	}
	made := make([]calls.Call, len(w.All))
	for i := range w.All {
		v.tools[strings.Clone(w.All[i].Name)] = true
		made[i] = w.All[i].Call
	}
	for _, c := range calls.AgentsOf(made, whole.Entries) {
		v.agents = append(v.agents, shown(c.Entry, "the session of the agent that it started was not looked at: "+strings.Clone(c.Name+" "+c.Target)))
	}
	for _, g := range c.gates {
		breaches, seen := g.Breaches(&w)
		r := result{Seen: seen}
		for _, b := range breaches {
			at := shown(b.Entry, strings.Clone(b.Text))
			at.why, at.piece = string(b.Hidden.Why), strings.Clone(b.Hidden.Text)
			r.breaches = append(r.breaches, at)
		}
		v.results = append(v.results, r)
	}
	return v, nil
}

// answer returns the text of the last reply behind what the user said last, and its entry: the one of the last reply
// that says nothing if none says anything, -1 if there is none.
func answer(entries []session.Entry) (text string, at int) {
	at = -1
	for i, e := range slices.Backward(entries) {
		m, ok := e.Message()
		switch {
		case !ok || e.IsHarness():
		case m.Role() == session.RoleUser:
			return text, at
		case m.Role() == session.RoleAssistant:
			if at < 0 {
				at = i
			}
			if text = m.Text("\n"); strings.TrimSpace(text) != "" {
				return text, i
			}
		}
	}
	return "", at
}

// form returns how breaches are printed.
func (c *config) form() findings.Form {
	switch {
	case c.json:
		return findings.Rows
	case c.github:
		return findings.GitHub
	case c.sarif:
		return findings.Sarif
	case c.junit:
		return findings.Junit
	}
	return findings.Lines
}

// shown is the name of the session for people, before it is shortened.
func (v *verdict) shown() string {
	if v.src.Name == "-" {
		return v.src.Label()
	}
	return address.Shown(v.src.Owner(), cmp.Or(v.place.Address, v.src.Name), v.place.Session)
}

// place is the entry as rows name it.
func (b breach) place() string { return tty.Clean(cmp.Or(b.entry, "-")) }

// A shown breach is one as it is printed.
type shown struct {
	breach
	of     verdict
	gate   gate.Gate
	single bool // it is clear which session it is of
}

// Line is SESSION:ENTRY:GATE:TEXT.
func (b shown) Line() string {
	text := fmt.Sprintf("%s:%s:%s", b.place(), tty.Clean(b.gate.String()), tty.Clean(b.text))
	if b.single {
		return text
	}
	return tty.Clean(b.of.src.Label()) + ":" + text
}

func (b shown) Row() string {
	return row.JSON(breachRow{
		Place: b.of.place, Agent: b.of.src.Owner(), Entry: b.entry, Line: max(b.line, 0), Gate: b.gate.Name, Value: b.gate.Text, Text: b.text,
		Why: b.why, Piece: b.piece,
	})
}

func (b shown) Report() findings.Finding {
	message := fmt.Sprintf("%s: entry %s: %s", tty.Clean(b.gate.String()), b.place(), tty.Clean(b.text))
	if b.gate.Name == "no-call" && b.why == "" {
		message = fmt.Sprintf("the agent ran %s, which --no-call '%s' forbids: entry %s", tty.Clean(b.text), tty.Clean(b.gate.Text), b.place())
	}
	return findings.Finding{
		Session: b.of.src.Label(), File: b.of.src.File(), Line: b.line, Rule: b.gate.Name, About: "the gate --" + b.gate.Name,
		Message: message,
	}
}
