package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/copies"
)

// report prints what a merge does.
func (c *config) report(s *clikit.Streams, r copies.Report) error {
	if c.json {
		if r.Clashes == nil {
			r.Clashes = []copies.Clash{}
		}
		line, err := json.Marshal(r)
		if err == nil {
			_, err = fmt.Fprintf(s.Out, "%s\n", line)
		}
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
	text := fmt.Sprintf("%d lines in common, %d of the first alone, %d new to it; heads: %d; leaf: %s; %s",
		r.Common, r.Ours, r.Theirs, r.Heads, cmp.Or(r.Leaf, "none"), how)
	if c.dest.DryRun {
		_, err := fmt.Fprintln(s.Out, text)
		return err
	}
	s.Notef("%s", text)
	return nil
}
