package main

import (
	"cmp"
	"fmt"

	"github.com/sess-tools/sess/internal/share/copies"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// report prints what a merge does.
func (c *config) report(s *clikit.Streams, r copies.Report) error {
	if c.json {
		_, err := fmt.Fprintln(s.Out, rowOf(r))
		return err
	}
	if len(r.Clashes) > 0 {
		return nil // the error says it
	}
	how := "nothing to do"
	switch {
	case r.Rewrite:
		how = "a rewrite of the first"
	case r.Changed:
		how = "lines behind the first"
	}
	text := fmt.Sprintf("%s in common, %d of the first alone, %d new to it; heads: %d; leaf: %s; %s",
		tty.Count(r.Common, "line", "lines"), r.Ours, r.Theirs, r.Heads, cmp.Or(r.Leaf, "none"), how)
	if c.dest.DryRun {
		_, err := fmt.Fprintln(s.Out, text)
		return err
	}
	s.Notef("%s", text)
	return nil
}

// rowOf returns the JSON of a report.
func rowOf(r copies.Report) string {
	var clashes []string
	for _, c := range r.Clashes {
		clashes = append(clashes, js.Object(row.Entry(c.ID), row.Text("ours", c.Ours), row.Text("theirs", c.Theirs), row.Text("base", c.Base)))
	}
	return row.Object("merge", js.IntField("common", int64(r.Common)), js.IntField("ours", int64(r.Ours)), js.IntField("theirs", int64(r.Theirs)),
		js.IntField("heads", int64(r.Heads)), row.Text("leaf", r.Leaf), row.Bool("changed", r.Changed), row.Bool("rewrite", r.Rewrite),
		row.List("conflicts", clashes))
}
