package main

import (
	"os"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/core/tty"
)

type config struct {
	leaf                           string
	heads, labels, json, dot, full bool
	prompts                        bool
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.Bool(&c.heads, "heads", "list the ends of all branches"),
		cli.Bool(&c.labels, "labels", "list the entries that have a label"),
		cli.Bool(&c.json, "json", "print a JSON object for each entry, head or label"),
		cli.Bool(&c.dot, "dot", "print a graph for Graphviz"),
		cli.Bool(&c.prompts, "prompts", "print the prompts of the path, and between them what was done, as on a terminal"),
		cli.Bool(&c.full, "full", "fold nothing, and also show lines that importers keep and words that agents add"),
		cli.String(&c.leaf, "leaf, l", "last", "the path ends at `REF`, or by a rule: last, newest-message, longest; it is marked"),
	}
}

// print prints what the flags ask for. It is a "no" if there is nothing.
func (c *config) print(s *cli.Streams, t *tree.Tree, src *address.Source, name string) error {
	from := src.Place()
	out := s.OutFile()
	o := tree.Options{ASCII: !tty.UTF8(os.LookupEnv), Full: c.full}
	o.Color = tty.Color(s.Color, out, os.LookupEnv)
	if tty.IsTerminal(out) {
		o.Width = tty.Width(out, os.LookupEnv)
	}
	switch {
	case c.heads:
		heads := t.Heads()
		switch {
		case len(heads) == 0:
			return cli.No("")
		case c.json:
			return tree.HeadsJSON(s.Out, t, heads, from)
		}
		return tree.WriteHeads(s.Out, t, heads, o)
	case c.labels:
		labels := t.Session.Labels()
		switch {
		case len(labels) == 0:
			return cli.No("")
		case c.json:
			return tree.LabelsJSON(s.Out, t, labels, from)
		}
		return tree.WriteLabels(s.Out, t, labels, o)
	case len(t.Roots) == 0:
		return cli.No("")
	case c.json:
		return tree.JSON(s.Out, t, from)
	case c.dot:
		return tree.Dot(s.Out, t, o)
	}
	if sc := c.screen(s); sc != nil && !c.full {
		of := selection.Source{Name: name, Named: true, Agent: address.AgentOf(name)}
		heading, err := of.HeadingOf(src, screen.Short(nil))
		if err != nil {
			return err
		}
		return tree.Prompts(sc, t, heading)
	}
	return tree.Draw(s.Out, t, o)
}

// inPipe is how many columns prompts have where there is no terminal.
const inPipe = 100

// screen returns where prompts are printed, nil if that is not wanted.
func (c *config) screen(s *cli.Streams) *screen.Screen {
	sc := screen.On(s.Out, s.OutFile(), s.Color)
	switch {
	case sc == nil && c.prompts:
		sc = &screen.Screen{Out: s.Out, Width: inPipe, Now: time.Now()}
	case sc == nil:
		return nil
	}
	return screen.New(*sc, !tty.UTF8(os.LookupEnv))
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
heads
labels
json
dot
prompts: print the prompts, and what was done between them
full: do not fold runs of entries
leaf: the path ends at REF, and is marked
`
