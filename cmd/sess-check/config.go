package main

import (
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

type config struct {
	json, strict, nul       bool
	repair, migrate, relink bool
	blobs                   string
	dest                    operand.Destination
}

func (c *config) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&c.json, "json", "each finding"),
		clikit.Bool(&c.strict, "strict", "warnings, too"),
		clikit.Bool(&c.nul, "null, 0", ", and names are read from standard input"),
		clikit.String(&c.blobs, "blobs", "", "check references to"),
		clikit.Bool(&c.repair, "repair", "write every readable entry to --output, and the other bytes to that name with .rej appended"),
		clikit.Bool(&c.relink, "relink", "with --repair, attach entries with a missing parent, or on a cycle, to the entry before them"),
		clikit.Bool(&c.migrate, "migrate", "write a copy in version 3 to --output; a damaged session needs --repair too"),
		clikit.String(&c.dest.File, "output, o", "", ""),
		c.dest.ForceFlag(),
		operand.SyncFlag(&c.dest.Sync),
		clikit.Bool(&c.dest.DryRun, "dry-run, n", "the copy of --repair or --migrate"),
	}
}

// check refuses flags that contradict each other.
func (c *config) check(operands []string) error {
	writes := c.repair || c.migrate
	if c.dest.File == "-" && writes {
		c.dest.File, c.dest.DryRun = "", true // which prints it
	}
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	switch {
	case writes && len(operands) > 1:
		return clikit.UsageError("unexpected operand %q: one session is repaired at a time", operands[1])
	case writes && c.dest.File == "" && !c.dest.DryRun:
		return clikit.WithHint(clikit.UsageError("a copy needs a name"), "name it with --output; nothing is repaired in place")
	case !writes && (c.dest.File != "" || c.dest.DryRun):
		return clikit.UsageError("--output and --dry-run go with --repair or --migrate")
	case c.relink && !c.repair:
		return clikit.UsageError("--relink goes with --repair")
	case writes && c.nul:
		return clikit.UsageError("-0 does not go with --repair or --migrate")
	case writes && (c.json || c.strict || c.blobs != ""):
		return clikit.UsageError("--json, --strict and --blobs do not go with --repair or --migrate")
	case c.nul && len(operands) > 0:
		return clikit.UsageError("-0 reads the names from standard input: unexpected operand %q", operands[0])
	}
	return nil
}
