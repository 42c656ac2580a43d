package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/grep"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/sources"
	"github.com/sess-tools/sess/pkg/session"
)

// What --subagents says of the sessions of sub-agents.
const (
	withSubagents    = "yes"
	withoutSubagents = "no"
	onlySubagents    = "only"
)

// errOther ends the search of a session that --subagents leaves out.
var errOther = errors.New("left out by --subagents")

// isLeftOut returns errOther if --subagents leaves a session out.
func (d *document) isLeftOut(ctx context.Context) error {
	if d.g.subagents == withSubagents {
		return nil
	}
	is, err := d.isSubagent(ctx)
	switch {
	case err != nil:
		return operand.Locate(d.in.Name, err)
	case is != (d.g.subagents == onlySubagents):
		return errOther
	}
	return nil
}

// isSubagent reports whether a session is one of a sub-agent.
func (d *document) isSubagent(ctx context.Context) (bool, error) {
	if sources.IsSubagent(d.header, session.Entry{}) {
		return true, nil
	}
	for line, err := range marks.Scanner(false).Candidates(d.reader(ctx, 0)) {
		if err != nil {
			return false, err
		}
		if e, err := session.ParseEntry(line.Text); err == nil && sources.IsSubagent(d.header, e) {
			return true, nil
		}
	}
	return false, nil
}

var marks = grep.MustCompile(sources.SubagentMarks(), grep.Options{Fixed: true})
