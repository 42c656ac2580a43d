package main

import (
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/status"
)

type config struct {
	once, every, json, lines bool
	until                    []string
	after                    string
	timeout, settle          time.Duration
	sessions                 selection.Selection

	wanted map[string]bool // the states of --state
	argv   []string
}

// waiting stands for all states in which nothing happens without the user.
const waiting = "waiting"

// Where --after begins, beside an entry.
const (
	afterNow  = "now"
	afterNone = "null"
)

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		cli.Group("When",
			cli.Bool(&c.once, "once", "print a row for each session, and end: STATE, time, SESSION and text"),
			cli.Strings(&c.until, "state", "end when the state is one of `STATE,STATE`: "+strings.Join(status.Names(), ", ")+"; or waiting, all of them but empty and working"),
			cli.Bool(&c.every, "every", "with --state, wait for every session instead of the first"),
			cli.Variable("SESS_SETTLE", cli.Duration(&c.settle, "settle", status.Settle, "wait for `DURATION` before a failed reply, or one without an end, counts as final")),
			cli.Duration(&c.timeout, "timeout", 0, "give up after `DURATION`, with status 1; 0 is never"),
		),
		cli.Group("Sessions", c.sessions.Flags(selection.All, selection.Agent)...),
		cli.Group("Output",
			cli.String(&c.after, "after", afterNow, "print only entries after the entry `WHERE`; null prints all, and now only new ones"),
			cli.Bool(&c.json, "json", "print a JSON object for each row"),
			cli.Bool(&c.lines, "lines", "print the lines of the entries unchanged"),
		),
	)
}

func (c *config) check(s *cli.Streams) error {
	given := []string{cli.NameIf(c.json, "--json"), cli.NameIf(c.lines, "--lines")}
	if err := cli.Exclusive(given...); err != nil {
		return err
	}
	if err := cli.Exclusive(cli.NameIf(c.once, "--once"), cli.NameIf(len(c.until) > 0, "--state")); err != nil {
		return err
	}
	if c.every && len(c.until) == 0 {
		return cli.UsageError("--every needs --state")
	}
	for _, word := range cli.Words(c.until) {
		if err := cli.RefuseUnknown("state", word, append(status.Names(), waiting)); err != nil {
			return err
		}
		if c.wanted == nil {
			c.wanted = map[string]bool{}
		}
		for _, name := range status.Names() {
			if name == word || word == waiting && status.Waits(name) {
				c.wanted[name] = true
			}
		}
	}
	if c.argv = s.Command; !s.HasCommand {
		return nil
	}
	if len(c.argv) == 0 {
		return cli.UsageError("no command after --")
	}
	if c.once {
		return cli.UsageError("--once sees no change: it runs no command")
	}
	return command.Find(c.argv)
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
once: print a row for each session, and end
state: end when it is asks, answered, failed, … or waiting
timeout
all
agent: only sessions of the agents NAME,NAME
json
`
