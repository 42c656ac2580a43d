// Sess-ls lists sessions.
//
// Usage:
//
//	sess-ls [flags] [DIR...]
//
// Without directories it lists the sessions of the store that belong to the
// working directory. See sess-ls(1).
package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/store"
)

var tool = clikit.Tool{
	Name:    "sess-ls",
	Summary: "list sessions",
	Args:    "[DIR...]",
	Examples: `sess-ls
sess-ls --all --since 7d --sort size
sess-path --as text "$(sess-ls --recent --paths)"
sess-ls --all --older-than 30d -0 | xargs -0 ls -l
sess-ls --json --where '.messages > 100' ~/.pi/agent/sessions/*/`,
	New: func() ([]cli.Flag, clikit.Action) {
		c := &config{}
		return []cli.Flag{
			clikit.Bool(&c.all, "all, a", "every project of the store, or one level below each DIR"),
			clikit.String(&c.cwd, "cwd", "", "only sessions of the working directory `DIR`"),
			clikit.Bool(&c.recent, "recent", "only the one written to last"),
			clikit.String(&c.since, "since", "", "only sessions modified since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			clikit.String(&c.olderThan, "older-than", "", "only sessions modified before `WHEN`"),
			clikit.String(&c.name, "name", "", "only sessions with `TEXT` in name, first message or id"),
			clikit.String(&c.where, "where", "", "only sessions for whose JSON the gojq expression `EXPR` is true"),
			clikit.Choice(&c.sort, "sort", []string{"modified", "created", "size", "messages", "name"}, "sort by `KEY`"),
			clikit.Int(&c.limit, "limit", 0, "list `N` sessions at most"),
			clikit.Bool(&c.count, "count", "read large files whole, for exact counts"),
			clikit.Bool(&c.json, "json", "print one JSON object a session"),
			clikit.Bool(&c.paths, "paths", "print paths alone"),
			clikit.Bool(&c.nul, "0", "print paths alone, each ended by a NUL"),
			clikit.Choice(&c.color, "color", []string{"auto", "always", "never"}, "colour the headings `WHEN`"),
		}, c.run
	},
}

func main() { clikit.Main(tool) }

type config struct {
	cwd, since, olderThan, name, where, sort, color string
	all, recent, count, json, paths, nul            bool
	limit                                           int
}

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	if c.limit < 0 {
		return clikit.UsageError("--limit wants a number of sessions above 0")
	}
	keep, err := c.selection(ctx)
	if err != nil {
		return err
	}
	dirs, o, err := c.scope(s, operands)
	if err != nil {
		return err
	}
	rows, err := c.list(ctx, dirs, o)
	if err != nil {
		return err
	}
	printer := c.printer(s)
	printed := 0
	for _, row := range rows {
		ok, err := keep(row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := printer(row); err != nil {
			return err
		}
		if printed++; printed == c.limit {
			break
		}
	}
	if printed == 0 {
		return clikit.No("")
	}
	return nil
}

// list returns the sessions in order; with --recent at most one.
func (c *config) list(ctx context.Context, dirs []string, o store.Options) ([]store.Row, error) {
	if !c.recent {
		return store.List(ctx, dirs, o)
	}
	row, err := store.RecentRow(ctx, dirs, o)
	if err != nil {
		return nil, err
	}
	return []store.Row{row}, nil
}
