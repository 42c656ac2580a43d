package main

import (
	"context"
	"os"

	"github.com/sess-tools/sess/internal/check"
	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// repairOne writes the repaired copy of one session, and beside it the bytes
// that could not be kept.
func (c *config) repairOne(ctx context.Context, s *clikit.Streams, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	path, err := operand.Path(ctx, name)
	if err != nil {
		return err
	}
	in, err := s.OpenInput(path)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := check.Repair(in, check.RepairOptions{Relink: c.relink, Header: newHeader})
	if err != nil {
		return operand.Locate(path, err)
	}
	for _, change := range r.Changes {
		s.Infof("%s", change)
	}
	if len(r.Rejected) > 0 && !c.dest.DryRun {
		rej := c.dest.File + ".rej"
		if err := jsonl.Create(rej, r.Rejected, c.dest.Sync == "always"); err != nil {
			return err
		}
		s.Infof("%d bytes that could not be kept are in %s", len(r.Rejected), rej)
	}
	return c.dest.Write(s, r.Lines)
}

// newHeader makes a header for a session that has lost its own.
func newHeader(ms int64) (string, error) {
	id, err := session.NewSessionID()
	if err != nil {
		return "", err
	}
	cwd, err := os.Getwd()
	return session.NewHeader(session.HeaderFields{ID: id, Time: ms, CWD: cwd}), err
}

// migrateOne writes a copy of one session as version 3.
func (c *config) migrateOne(ctx context.Context, s *clikit.Streams, operands []string) error {
	name, err := operand.One(operands)
	if err != nil {
		return err
	}
	src, err := operand.Read(ctx, s, name)
	if err != nil {
		return err
	}
	lines := src.Lead()
	for _, e := range src.Entries {
		lines = append(lines, e.Raw())
	}
	return c.dest.Write(s, lines)
}
