package main

import (
	"slices"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
)

type config struct {
	cwd, since, olderThan, name, where, sort, color string
	agent                                           string
	all, recent, count, usage, json, paths, nul     bool
	remote                                          bool
	limit                                           int
	inStore                                         bool // and not in directories, or where agents keep them

	// With --agent:
	owners    map[owner]string // the agents whose sessions are listed
	elsewhere bool             // not where the agent keeps them
}

func (c *config) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&c.all, "all, a", "list every project of the store, or one level below each DIR"),
		clikit.Choice(&c.agent, "agent", slices.Concat([]string{""}, operand.Agents(), []string{operand.EveryAgent}), "list the sessions of the agent `NAME` where it keeps them"),
		clikit.Bool(&c.remote, "remote", "list the sessions of the remote $SESS_REMOTE, see sess-sync(1)"),
		clikit.String(&c.cwd, "cwd", "", "only sessions of the working directory `DIR`"),
		clikit.Bool(&c.recent, "recent", "only the session this terminal last used, or else the one written last"),
		clikit.String(&c.since, "since", "", "only sessions modified since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
		clikit.String(&c.olderThan, "older-than", "", "only sessions modified before `WHEN`"),
		clikit.String(&c.name, "name", "", "only sessions with `TEXT` in name, first message or id"),
		clikit.String(&c.where, "where", "", "only sessions for whose JSON the gojq expression `EXPR` is true"),
		clikit.Choice(&c.sort, "sort", []string{"modified", "created", "size", "messages", "name"}, "sort by `KEY`"),
		clikit.Count(&c.limit, "limit", "list at most `N` sessions"),
		clikit.Bool(&c.count, "count", "read all of large files, for exact counts"),
		clikit.Bool(&c.usage, "usage", "also print the tokens (input, output, cache read, cache write) and their cost"),
		clikit.Bool(&c.json, "json", "print one JSON object per session"),
		clikit.Bool(&c.paths, "paths", "print only paths"),
		clikit.Bool(&c.nul, "0", "print only paths, each ended by a NUL"),
		clikit.Choice(&c.color, "color", []string{"auto", "always", "never"}, "colour the headings `WHEN`"),
	}
}

// check refuses flags that contradict each other.
func (c *config) check() error {
	if err := clikit.Exclusive(clikit.Given(c.remote, "--remote"), clikit.Given(c.agent != "", "--agent")); err != nil {
		return err
	}
	return clikit.Exclusive(clikit.Given(c.json, "--json"), clikit.Given(c.paths || c.nul, "a list of paths"))
}
