package main

import (
	"github.com/sess-tools/sess/internal/share/copies"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

type config struct {
	into, git, json, force, strict    bool
	leaf, onConflict, header, deleted string
	dest                              operand.Destination
	target                            operand.TargetOptions
}

func (c *config) flags() []clikit.Flag {
	flags := []clikit.Flag{
		clikit.Bool(&c.into, "into", "merge into the first session, in place; status 1 if there is nothing to do"),
		clikit.Bool(&c.git, "git", "be git's merge driver: the operands are %O %A %B, and the result replaces %A"),
		clikit.Choice(&c.leaf, "end", []string{"latest", "ours"}, "end with the lines of the side `WHICH` wrote last, or with the first session's own"),
		clikit.Choice(&c.onConflict, "on-conflict", []string{"refuse", "ours", "theirs", "both"}, "of an entry with other bytes take `WHICH`"),
		clikit.Choice(&c.deleted, "deleted", []string{"refuse", "keep", "drop"}, "with --git, treat what one side has removed `HOW`"),
		clikit.Choice(&c.header, "header", []string{"", "ours", "theirs"}, "take the header of `WHICH` session, without a warning"),
		clikit.Bool(&c.force, "unrelated", "merge sessions of different ids"),
		clikit.Bool(&c.strict, "strict", "a torn last line"),
		clikit.Output(&c.dest.File, ""),
		c.dest.ForceFlag(),
		clikit.Bool(&c.json, "json", "the merge: a report"),
		clikit.Bool(&c.dest.DryRun, "dry-run, n", "a report"),
	}
	return append(flags, c.target.Flags()...)
}

// check refuses flags that contradict each other, and operands that are too few.
func (c *config) check(operands []string) error {
	for _, name := range operands {
		if err := operand.Named(name); err != nil {
			return err
		}
	}
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	prints := !c.into && !c.git && c.dest.File == "" && !c.dest.DryRun
	if err := clikit.Exclusive(clikit.NameIf(c.into, "--into"), clikit.NameIf(c.git, "--git"), clikit.NameIf(c.dest.File != "", "--output")); err != nil {
		return err
	}
	switch {
	case c.git && len(operands) != 3 && len(operands) != 4:
		return clikit.UsageError("--git takes three operands, %%O %%A %%B, and perhaps %%P, and got %d", len(operands))
	case !c.git && len(operands) == 0:
		return clikit.WithHint(clikit.UsageError("no session to merge"), "- is standard input")
	case !c.git && len(operands) == 1:
		return clikit.UsageError("one session alone: there is nothing to merge it with")
	case c.json && prints:
		return clikit.UsageError("--json goes with --into, --git, --output or --dry-run: standard output has the session")
	case c.deleted != "refuse" && !c.git:
		return clikit.UsageError("--deleted goes with --git: without a base nothing is known to be removed")
	case c.into && operands[0] == "-":
		return clikit.UsageError("--into takes a file or the id of a session, not standard input")
	}
	return nil
}

func (c *config) options(s *clikit.Streams) (copies.Options, *clikit.Tally) {
	tally := clikit.NewTally(s.Warnf)
	return copies.Options{
		OnConflict: copies.Policy(c.onConflict), Deleted: copies.Deletion(c.deleted), Header: copies.Policy(c.header),
		OwnLast: c.leaf == "ours", Force: c.force, Strict: c.strict, Warn: tally.Warnf,
	}, tally
}
