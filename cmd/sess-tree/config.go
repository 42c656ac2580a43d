package main

import (
	"os"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tree"
	"github.com/sess-tools/sess/internal/core/tty"
)

type config struct {
	leaf, color                           string
	heads, labels, json, dot, ascii, full bool
}

func (c *config) flags() []cli.Flag {
	return []cli.Flag{
		cli.Bool(&c.heads, "heads", "list the ends of all branches"),
		cli.Bool(&c.labels, "labels", "list the entries that have a label"),
		cli.Bool(&c.json, "json", "print a JSON object for each entry, head or label"),
		cli.Bool(&c.dot, "dot", "print a graph for Graphviz"),
		cli.Bool(&c.full, "full", "do not fold runs of entries, and show what importers keep and agents say"),
		cli.String(&c.leaf, "leaf, l", "last", "the path ends at `REF`, or by a rule: last, newest-message, longest; it is marked"),
		cli.Bool(&c.ascii, "ascii", "draw with ASCII characters, as in a locale without UTF-8"),
		cli.Choice(&c.color, "color", []string{"auto", "always", "never"}, "use colours `WHEN`"),
	}
}

// print prints what the flags ask for. It is a "no" if there is nothing.
func (c *config) print(s *cli.Streams, t *tree.Tree, from row.Place) error {
	out := s.OutFile()
	o := tree.Options{ASCII: c.ascii || !tty.UTF8(os.LookupEnv), Full: c.full}
	o.Color = tty.Color(c.color, out, os.LookupEnv)
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
	return tree.Draw(s.Out, t, o)
}
