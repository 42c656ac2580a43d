package main

import (
	"github.com/sess-tools/sess/internal/show/tree"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/row"
)

// print prints what the flags ask for. It is a "no" if there is nothing.
func (c *config) print(s *clikit.Streams, t *tree.Tree, from row.Place) error {
	o := c.options(s)
	switch {
	case c.heads:
		return c.printHeads(s, t, from, o)
	case c.labels:
		return c.printLabels(s, t, from, o)
	case len(t.Roots) == 0:
		return clikit.No("")
	case c.json:
		return tree.JSON(s.Out, t, from)
	case c.dot:
		return tree.Dot(s.Out, t, o)
	}
	return tree.Draw(s.Out, t, o)
}

func (c *config) printHeads(s *clikit.Streams, t *tree.Tree, from row.Place, o tree.Options) error {
	heads := t.Heads()
	switch {
	case len(heads) == 0:
		return clikit.No("")
	case c.json:
		return tree.HeadsJSON(s.Out, t, heads, from)
	}
	return tree.WriteHeads(s.Out, t, heads, o)
}

func (c *config) printLabels(s *clikit.Streams, t *tree.Tree, from row.Place, o tree.Options) error {
	labels := t.Session.Labels()
	switch {
	case len(labels) == 0:
		return clikit.No("")
	case c.json:
		return tree.LabelsJSON(s.Out, t, labels, from)
	}
	return tree.WriteLabels(s.Out, t, labels, o)
}
