// Sess-new makes a new session.
//
// Usage:
//
//	sess-new [flags]
//
// It prints a session header, or with --store or -o makes a file and prints its
// path. See sess-new(1).
package main

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/pkg/session"
)

var tool = clikit.Tool{
	Name:    "sess-new",
	Summary: "make a new session",
	Examples: `sess-new > s.jsonl
S=$(sess-new --store --title "fix the parser")
S=$(sess-new --store --defer) && sess-append -t hi "$S"
sess-new | sess-append -r user -t hi | sess-path --as text`,
	New: func() ([]cli.Flag, clikit.Action) {
		c := config{dest: operand.Destination{Crumb: true}}
		return []cli.Flag{
			clikit.String(&c.cwd, "cwd", "", "the session's working directory, `DIR`, instead of the current one"),
			clikit.String(&c.title, "title", "", "name the session `TITLE`"),
			clikit.String(&c.id, "id", "", "give it the id `ID` instead of a new UUID"),
			clikit.String(&c.parent, "parent", "", "record that it descends from `SESSION`"),
			clikit.String(&c.system, "system", "", "begin with the system prompt in `FILE` (- is standard input)"),
			clikit.String(&c.task, "task", "", "record the task `TEXT` beside the system prompt"),
			clikit.String(&c.tools, "tools", "", "record the tools `NAME,NAME` beside the system prompt"),
			clikit.Bool(&c.dest.Store, "store", "make the file in the store and print its path"),
			clikit.String(&c.dest.File, "output, o", "", "make `FILE`, which must not exist, and print its path"),
			clikit.Bool(&c.dest.Defer, "defer", "make a draft, which the first assistant message puts in its place"),
			clikit.Choice(&c.dest.Sync, "sync", []string{"", "always", "never"}, "make the file durable before exit `WHEN`; in the store always, elsewhere never"),
			clikit.Bool(&c.dest.DryRun, "dry-run, n", "print the session and make nothing"),
		}, c.run
	},
}

func main() { clikit.Main(tool) }

type config struct {
	cwd, title, id, parent, system, task, tools string
	dest                                        operand.Destination
}

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	if len(operands) > 0 {
		return clikit.UsageError("unexpected operand %q", operands[0])
	}
	if err := c.dest.Check(); err != nil {
		return err
	}
	h, err := c.header(ctx)
	if err != nil {
		return err
	}
	b := session.Batch{Now: time.Now().UnixMilli()}
	h.Time = b.Now
	if err := c.addInit(s, &b); err != nil {
		return err
	}
	if h.Title != "" {
		// Pi reads a name from an entry alone, oh-my-pi from the header.
		if _, err := b.Add(session.TypeSessionInfo, session.StringField("name", h.Title)); err != nil {
			return err
		}
	}
	lines := []string{session.NewHeader(h)}
	for _, e := range b.Entries {
		lines = append(lines, e.Raw())
	}
	return c.dest.Write(s, lines)
}
