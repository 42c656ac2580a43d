package main

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/storev2"
)

var statusCommand = command("status", "SESSION", "print the state of a store, without reading its entries",
	`sess-seg status s.v2
sess-seg status --json --source s.v2`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			jsonFlag(c, "print a JSON object for the store"),
			cli.Bool(&c.source, "source", "also compare the JSONL file with what was migrated; reads all of it"),
		}
	},
	(*config).status)

func (c *config) status(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.reader(ctx, s, operands[0])
	if err != nil {
		return err
	}
	st, err := store.Status()
	if err != nil {
		return err
	}
	points, err := store.Checkpoints()
	if err != nil {
		return err
	}
	out := storeRow{
		Address: store.Dir(), Path: store.Dir(), Session: st.SessionID, State: string(st.State), Reason: st.Reason, Entries: st.Entries,
		Head: st.HeadID, ChainHash: st.Chain, Bytes: st.Bytes, Segments: st.Segments, Checkpoints: len(points), Extended: st.Extended, Committed: st.Committed,
	}
	if c.source {
		stale, err := store.Stale()
		if err != nil {
			return err
		}
		out.Stale = &stale
	}
	if err := c.printStatus(s, &out); err != nil {
		return err
	}
	return finding(&out)
}

func (c *config) printStatus(s *cli.Streams, out *storeRow) error {
	if c.json {
		return printRow(s, *out)
	}
	rows := []struct {
		name  string
		value any
	}{
		{"store", tty.Clean(out.Path)},
		{"state", out.State},
		{"reason", tty.Clean(out.Reason)},
		{"session", tty.Clean(out.Session)},
		{"entries", out.Entries},
		{"head", tty.Clean(out.Head)},
		{"chain", out.ChainHash},
		{"bytes", out.Bytes},
		{"segments", out.Segments},
		{"checkpoints", out.Checkpoints},
		{"extended", out.Extended},
		{"committed", out.Committed},
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(s.Out, "%s: %v\n", r.name, r.value); err != nil {
			return err
		}
	}
	if out.Stale == nil {
		return nil
	}
	_, err := fmt.Fprintf(s.Out, "stale: %t\n", *out.Stale)
	return err
}

// finding is the answer "no" for a store that is not in order.
func finding(out *storeRow) error {
	switch state := storev2.State(out.State); {
	case state == storev2.Failed:
		return cli.WithHint(cli.No("%s: the store is %s", out.Path, state), "sess-seg recover %s repairs what it can", out.Path)
	case state == storev2.MigrationStaging:
		return cli.WithHint(cli.No("%s: the migration was not finished", out.Path), "sess-seg recover %s finishes it, or takes it back", out.Path)
	case out.Stale != nil && *out.Stale:
		return cli.WithHint(cli.No("%s: %s was changed since, or never said to be its source", out.Path, storev2.Source(out.Path)),
			"entries added to the file are not in the store")
	}
	return nil
}

var verifyCommand = command("verify", "SESSION", "read all of a store and check it",
	`sess-seg verify s.v2
sess-seg verify --json s.v2`,
	func(c *config) []cli.Flag {
		return []cli.Flag{jsonFlag(c, "print a JSON object for each finding"), waitVariable(c)}
	},
	(*config).verify)

func (c *config) verify(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.open(ctx, operands[0])
	if err != nil {
		return err
	}
	rep, err := store.Verify(ctx)
	if err != nil {
		return err
	}
	for _, note := range rep.Notes {
		s.Warnf("%s: %s", store.Dir(), note)
	}
	for _, p := range rep.Problems {
		if err := c.printProblem(s, store.Dir(), p); err != nil {
			return err
		}
	}
	s.Notef("%s: %d entries, %d bytes, chain %s, state %s", store.Dir(), rep.Entries, rep.Bytes, rep.Chain, rep.State)
	if rep.OK() {
		return nil
	}
	return cli.WithHint(cli.No("%s: not in order", store.Dir()), "sess-seg recover %s repairs what it can", store.Dir())
}

// printProblem writes a finding: file, line, kind, invariant and text.
func (c *config) printProblem(s *cli.Streams, dir string, p storev2.Problem) error {
	file := dir
	if p.File != "" {
		file += "/" + p.File
	}
	if c.json {
		return printRow(s, findingRow{Address: dir, Path: file, Line: p.Line, Problem: p.Kind, Invariant: p.Invariant, Text: p.Text})
	}
	_, err := fmt.Fprintf(s.Out, "%s:%d: %s %s: %s\n", tty.Clean(file), p.Line, p.Kind, p.Invariant, tty.Clean(p.Text))
	return err
}
