package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/session"
)

// A verdict is what became of the gates in a session.
type verdict struct {
	src      selection.Source
	place    row.Place
	breaches [][]breach // of each gate
}

// A breach is one as it is printed.
type breach struct {
	entry string // "" for none
	line  int
	text  string
}

// assert looks at the sessions that were found, and prints where a gate does not hold.
func (c *config) assert(ctx context.Context, s *cli.Streams, found selection.Found) error {
	all, reading := selection.Read(ctx, s, found, c.sessions.Subagents, func(_ context.Context, src selection.Source, whole *address.Source) (verdict, error) {
		return c.judge(s, src, whole)
	})
	p := findings.Printer{Form: c.form(), Out: s.Out, Tool: name}
	breaches := 0
	for v := range all {
		for i, g := range c.gates {
			breaches += len(v.breaches[i])
			var texts []string
			for _, b := range v.breaches[i] {
				if err := c.clean(&b); err != nil {
					return err
				}
				texts = append(texts, fmt.Sprintf("%s:%s", b.place(), tty.Clean(b.text)))
				if err := p.Print(shown{b, v, g, found.Single}); err != nil {
					return err
				}
			}
			p.Case(v.src.Label(), g.String(), texts)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := reading.Err()
	if err == nil && reading.Sessions == 0 {
		err = cli.WithStatus(errors.New("there is no session, and a gate does not pass unread"), cli.ExitMalformed)
	}
	total := func() string {
		return row.JSON(totalRow{Sessions: reading.Sessions, Gates: len(c.gates), Breaches: breaches, Whole: err == nil})
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

// clean takes secrets out of a breach: what breaks a gate is often the very command that has one, and goes to logs and annotations.
func (c *config) clean(b *breach) error {
	if c.noRedact {
		return nil
	}
	secrets, err := redact.Default()
	if err == nil {
		b.text, err = secrets.Text(b.text)
	}
	return err
}

// judge looks at one session.
func (c *config) judge(s *cli.Streams, src selection.Source, whole *address.Source) (verdict, error) {
	v := verdict{src: src, place: whole.Place()}
	leaf, err := whole.Leaf(c.leaf)
	if err != nil {
		return v, err
	}
	entries, gaps := whole.PathTo(leaf)
	if c.branches {
		entries = whole.Entries
	}
	if c.strict {
		if err := whole.Strict(whole.Problems, gaps); err != nil {
			return v, cli.WithStatus(err, cli.ExitMalformed)
		}
	}
	w := gate.Work{Deeds: gate.Deeds(calls.Of(entries, whole.Header.CWD))}
	w.Answer, w.Answered = answer(entries)
	inside := map[string]bool{} // calls whose sub-agents' calls are in the session
	for _, d := range w.Deeds {
		inside[d.In] = true
	}
	if c.ofCalls && len(w.Deeds) == 0 {
		s.Warnf("%s: there is no call", tty.Clean(whole.Name))
	}
	if c.ofCalls && src.Named && slices.ContainsFunc(w.Deeds, func(d gate.Deed) bool { return d.Kind == calls.Agent && !inside[d.ID] }) {
		s.Warnf("%s: it started agents, whose sessions count if they are named, too", tty.Clean(whole.Name))
	}
	for _, g := range c.gates {
		var all []breach
		for _, b := range g.Breaches(&w) {
			p := breach{text: b.Text}
			if b.Entry >= 0 {
				p.entry = strings.Clone(entries[b.Entry].ID())
				if v.place.Path != "" { // and not one that an importer made
					p.line = entries[b.Entry].Line()
				}
			}
			all = append(all, p)
		}
		v.breaches = append(v.breaches, all)
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
	})
}

func (b shown) Report() findings.Finding {
	return findings.Finding{
		Session: b.of.src.Label(), File: b.of.src.File(), Line: b.line, Rule: b.gate.Name, About: "the gate --" + b.gate.Name,
		Message: fmt.Sprintf("%s: entry %s: %s", tty.Clean(b.gate.String()), b.place(), tty.Clean(b.text)),
	}
}
