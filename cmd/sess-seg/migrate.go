package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/storev2"
)

var migrateCommand = command("migrate", "SESSION", "make the segmented store of a session",
	`sess-seg migrate s.jsonl
sess-seg migrate --dry-run --json s.jsonl`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			extendedVariable(c),
			cli.Bool(&c.dryRun, "dry-run, n", "print what would be done, and write nothing"),
			jsonFlag(c, "print a JSON object for what was done, not the name of the store"),
			waitVariable(c),
			segmentFlag(c),
		}
	},
	(*config).migrate)

func (c *config) migrate(ctx context.Context, s *cli.Streams, operands []string) error {
	path, err := source(ctx, operands[0])
	if err != nil {
		return err
	}
	if c.segment < 1 {
		return cli.UsageError("--segment %d: want at least one byte", c.segment)
	}
	m, err := storev2.Migrate(ctx, path, c.options())
	if err != nil {
		return err
	}
	unfit(s, m.Unfit)
	if m.Blank > 0 {
		s.Warnf("%s: %s not in the store", path, tty.Count(m.Blank, "blank line is", "blank lines are"))
	}
	verb := "migrated"
	if c.dryRun {
		verb = "would migrate"
	}
	if m.Taken > 0 {
		s.Infof("%s: %s %s of %s that the store had not", m.Dir, map[bool]string{false: "took in", true: "would take in"}[c.dryRun], tty.Count(m.Taken, "entry", "entries"), path)
	}
	s.Notef("%s %d entries: entry_count_match=%t hash_chain_match=%t index_consistent=%t",
		verb, m.Entries, m.EntryCountMatch, m.HashChainMatch, m.IndexConsistent)
	if !c.json {
		_, err = fmt.Fprintln(s.Out, m.Dir)
		return err
	}
	return printRow(s, migrationRow{
		Address: m.Dir, Path: m.Dir, MigrationID: m.ID, CorrelationID: m.Correlation, DryRun: c.dryRun, Entries: m.Entries, Taken: m.Taken,
		Extended: m.Unfit.Any(), EntryCountMatch: m.EntryCountMatch, HashChainMatch: m.HashChainMatch, IndexConsistent: m.IndexConsistent,
	})
}

// unfit says what was stored under schema ids of our own.
func unfit(s *cli.Streams, u storev2.Unfit) {
	if !u.Any() {
		return
	}
	var parts []string
	for _, typ := range slices.Sorted(maps.Keys(u.Types)) {
		parts = append(parts, fmt.Sprintf("%d of type %q", u.Types[typ], typ))
	}
	if u.IDs > 0 {
		parts = append(parts, fmt.Sprintf("%d with an id or a parent such as that of %q", u.IDs, u.FirstID))
	}
	if u.Session {
		parts = append(parts, "the session, whose id is no UUID")
	}
	s.Warnf("stored under schema ids of our own, which pi does not read: %s", strings.Join(parts, ", "))
}

var rollbackCommand = command("rollback", "SESSION", "make the JSONL file the session again",
	`sess-seg rollback s.jsonl`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			cli.Bool(&c.force, "leave-behind", "leave behind the entries that only the store has"),
			waitVariable(c),
		}
	},
	(*config).rollback)

func (c *config) rollback(ctx context.Context, s *cli.Streams, operands []string) error {
	path, err := source(ctx, operands[0])
	if err != nil {
		return err
	}
	out, err := storev2.Rollback(ctx, path, "asked for", c.options())
	if err != nil {
		return err
	}
	if out.Carried > 0 {
		s.Infof("%s: appended %s of the store to it", path, tty.Count(out.Carried, "entry", "entries"))
	}
	s.Notef("%s is the session again; the store is kept, out of service", path)
	_, err = fmt.Fprintln(s.Out, out.Dir)
	return err
}

var recoverCommand = command("recover", "SESSION", "repair a session after a crash or damage",
	`sess-seg recover s.jsonl`,
	func(c *config) []cli.Flag { return []cli.Flag{waitVariable(c)} },
	(*config).recover)

func (c *config) recover(ctx context.Context, s *cli.Streams, operands []string) error {
	path, err := source(ctx, operands[0])
	if err != nil {
		return err
	}
	r, err := storev2.Recover(ctx, path, c.options())
	if err != nil {
		return err
	}
	for _, dir := range r.Removed {
		s.Infof("removed %s, of a migration that was not finished", dir)
	}
	for _, what := range r.Remade {
		s.Infof("%s: %s", r.Dir, what)
	}
	if r.Action == "rolledback" {
		s.Warnf("%s could not be repaired: %s is the session again, the store is %s", storev2.Dir(path), path, r.Dir)
	}
	if r.Carried > 0 {
		s.Infof("%s: appended %s of the store to it", path, tty.Count(r.Carried, "entry", "entries"))
	}
	_, err = fmt.Fprintln(s.Out, r.Action)
	if err == nil && r.Lost > 0 {
		err = cli.No("%s: %d entries that were acknowledged are lost; what is left of their bytes is in %s/tmp", r.Dir, r.Lost, r.Dir)
	}
	return err
}
