package operand

import (
	"cmp"
	"os"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var tails = map[string]jsonl.Tail{"blank": jsonl.Blank, "end-line": jsonl.EndLine, "refuse": jsonl.Refuse}

// Flags are those of a tool that adds to a session; what is the word for that
// which it adds. Settle has to be called when they have been read.
func (o *TargetOptions) Flags(what string) []clikit.Flag {
	return []clikit.Flag{
		clikit.Choice(&o.tail, "tail", []string{"blank", "end-line", "refuse"}, "treat a torn last line `HOW`"),
		clikit.Duration(&o.Grace, "grace", jsonl.DefaultGrace, "leave a torn last line alone until `DURATION` after the last write"),
		SyncFlag(&o.Sync, what),
		clikit.Duration(&o.Wait, "wait", jsonl.DefaultWait, "wait for the lock at most `DURATION`"),
	}
}

// Settle turns what the flags say into what the other fields mean.
func (o *TargetOptions) Settle() {
	o.Tail = tails[o.tail]
	if o.Wait == 0 {
		o.Wait = -1 // no wait at all
	}
	if o.Grace == 0 {
		o.Grace = -1
	}
}

// LeafFlag is the flag that names the entry where a path ends. It has the same names in every
// tool.
func LeafFlag(dst *string, value, usage string) clikit.Flag {
	return clikit.String(dst, "leaf, at, l", value, usage)
}

// ParentFlag is the flag that names the entry behind which entries are added.
func ParentFlag(dst *string, usage string) clikit.Flag {
	return clikit.String(dst, "parent, leaf", "", usage)
}

// CreateFlag is the flag of a tool that makes the session it adds to; see [Ensure].
func CreateFlag(dst *bool) clikit.Flag {
	return clikit.Bool(dst, "create", "make the session if there is none")
}

// SyncFlag is the flag of a tool that writes what.
func SyncFlag(dst *string, what string) clikit.Flag {
	return clikit.Choice(dst, "sync", []string{"", "always", "never"},
		"sync the "+what+" to disk `WHEN` (by default always in the store, never elsewhere)")
}

// Flags are those of a tool that makes a session; what is the word for it.
func (d *Destination) Flags(what string) []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&d.Store, "store", "make the file in the store and print its path"),
		clikit.String(&d.File, "output, o", "", "make `FILE`, which must not exist, and print its path"),
		SyncFlag(&d.Sync, what),
		clikit.Bool(&d.DryRun, "dry-run, n", "print the session and make nothing"),
	}
}

// Defaults are what assistant messages lack: what flags say or, where they say nothing,
// the environment.
func Defaults(provider, model string) session.Defaults {
	return session.Defaults{
		Provider: cmp.Or(provider, os.Getenv("SESS_PROVIDER")), Model: cmp.Or(model, os.Getenv("SESS_MODEL")),
	}
}
