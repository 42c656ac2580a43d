package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/findings"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/js"
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
	p := c.printer(s.Out, found.Single)
	breaches := 0
	for v := range all {
		for i, g := range c.gates {
			breaches += len(v.breaches[i])
			if err := p.gate(v, g, v.breaches[i]); err != nil {
				return err
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := reading.Err()
	if err == nil && reading.Sessions == 0 {
		err = cli.WithStatus(errors.New("there is no session, and a gate does not pass unread"), cli.ExitMalformed)
	}
	if err := p.end(reading.Sessions, breaches, err); err != nil {
		return err
	}
	s.Notef("%s in %s", tty.Count(breaches, "breach", "breaches"), tty.Count(reading.Sessions, "session", "sessions"))
	if err != nil || breaches == 0 {
		return err
	}
	return cli.No("")
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
	if c.ofCalls && len(w.Deeds) == 0 {
		s.Warnf("%s: there is no call", tty.Clean(whole.Name))
	}
	if c.ofCalls && src.Named && slices.ContainsFunc(w.Deeds, func(d gate.Deed) bool { return d.Kind == calls.Agent }) {
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

// A printer prints what becomes of gates.
type printer interface {
	gate(v verdict, g gate.Gate, all []breach) error
	end(sessions, breaches int, failed error) error
}

func (c *config) printer(out io.Writer, single bool) printer {
	switch {
	case c.json:
		return &objects{out, len(c.gates)}
	case c.github:
		return &annotations{out}
	case c.sarif:
		return &sarif{out, findings.SARIF{Tool: name}}
	case c.junit:
		return &junit{out, findings.JUnit{Tool: name}}
	}
	return &lines{out, single}
}

// lines are SESSION:ENTRY:GATE:TEXT.
type lines struct {
	out    io.Writer
	single bool
}

func (p *lines) gate(v verdict, g gate.Gate, all []breach) error {
	for _, b := range all {
		prefix := ""
		if !p.single {
			prefix = tty.Clean(v.src.Label()) + ":"
		}
		if _, err := fmt.Fprintf(p.out, "%s%s:%s:%s\n", prefix, b.place(), tty.Clean(g.String()), tty.Clean(b.text)); err != nil {
			return err
		}
	}
	return nil
}

func (p *lines) end(int, int, error) error { return nil }

// place is the entry as rows name it.
func (b breach) place() string { return tty.Clean(cmp.Or(b.entry, "-")) }

// objects are those of --json.
type objects struct {
	out   io.Writer
	gates int
}

func (p *objects) gate(v verdict, g gate.Gate, all []breach) error {
	for _, b := range all {
		line := row.Null("line")
		if b.line > 0 {
			line = js.IntField("line", int64(b.line))
		}
		if _, err := fmt.Fprintln(p.out, row.Object("breach", append(v.place.Fields(),
			row.Text("agent", v.src.Owner()), row.Entry(b.entry), line, js.StringField("gate", g.Name), js.StringField("value", g.Text), js.StringField("text", js.ValidText(b.text)))...)); err != nil {
			return err
		}
	}
	return nil
}

func (p *objects) end(sessions, breaches int, failed error) error {
	_, err := fmt.Fprintln(p.out, row.Object("total", js.IntField("sessions", int64(sessions)), js.IntField("gates", int64(p.gates)),
		js.IntField("breaches", int64(breaches)), row.Bool("whole", failed == nil)))
	return err
}

// finding is a breach for other programs.
func (b breach) finding(v verdict, g gate.Gate) findings.Finding {
	return findings.Finding{
		Session: v.src.Label(), File: v.src.File(), Line: b.line, Rule: g.Name,
		Message: fmt.Sprintf("%s: entry %s: %s", tty.Clean(g.String()), b.place(), tty.Clean(b.text)),
	}
}

// annotations are those of GitHub.
type annotations struct{ out io.Writer }

func (p *annotations) gate(v verdict, g gate.Gate, all []breach) error {
	for _, b := range all {
		if _, err := io.WriteString(p.out, findings.GitHub(b.finding(v, g))); err != nil {
			return err
		}
	}
	return nil
}

func (p *annotations) end(int, int, error) error { return nil }

// A sarif is a run in SARIF.
type sarif struct {
	out io.Writer
	run findings.SARIF
}

func (p *sarif) gate(v verdict, g gate.Gate, all []breach) error {
	for _, b := range all {
		p.run.Add(b.finding(v, g), "the gate --"+g.Name)
	}
	return nil
}

func (p *sarif) end(_, _ int, failed error) error {
	if failed != nil {
		p.run.Failed = failed.Error()
	}
	_, err := fmt.Fprintln(p.out, &p.run)
	return err
}

// A junit is a run as JUnit writes it.
type junit struct {
	out io.Writer
	run findings.JUnit
}

func (p *junit) gate(v verdict, g gate.Gate, all []breach) error {
	var texts []string
	for _, b := range all {
		texts = append(texts, fmt.Sprintf("%s:%s", b.place(), tty.Clean(b.text)))
	}
	p.run.Add(v.src.Label(), g.String(), texts)
	return nil
}

func (p *junit) end(_, _ int, failed error) error {
	if failed != nil {
		p.run.Fail(failed.Error())
	}
	_, err := fmt.Fprintln(p.out, &p.run)
	return err
}
