package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sources"
)

// errOther ends the search of a session that --subagents leaves out.
var errOther = errors.New("left out by --subagents")

// isLeftOut returns errOther if --subagents leaves a session out.
func (d *document) isLeftOut(ctx context.Context) error {
	which := d.g.sessions.Subagents
	if which == sources.WithSubagents {
		return nil
	}
	is, err := sources.OfSubagent(d.header, d.reader(ctx, 0))
	switch {
	case err != nil:
		return operand.Locate(d.in.Name, err)
	case !which.Takes(is):
		return errOther
	}
	return nil
}
