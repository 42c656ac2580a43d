package main

import (
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/state"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/command"
	"github.com/sess-tools/sess/internal/tool/sources"
)

type config struct {
	once, every, json, lines  bool
	until                     []string
	after                     string
	timeout, settle, patience time.Duration
	sessions                  sources.Selection

	wanted map[string]bool // the states of --until
	argv   []string
}

// waiting stands for all states in which nothing happens without the user.
const waiting = "waiting"

// Where --after begins, beside an entry.
const (
	afterNow  = "now"
	afterNone = "null"
)

func (c *config) flags() []clikit.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		clikit.Group("When",
			clikit.Bool(&c.once, "once", "print a row for each session, and end: STATE, since when, SESSION and what"),
			clikit.Strings(&c.until, "until!", ": "+strings.Join(state.Names(), ", ")+"; or waiting, all of them but empty and working"),
			clikit.Bool(&c.every, "every", "with --until, end when every session has got there, and not the first"),
			clikit.Duration(&c.timeout, "timeout", 0, ", with status 1; 0 is never"),
			clikit.Duration(&c.settle, "settle", 2*time.Minute, "a reply that failed, or does not say that it ended, counts `DURATION` after it was written"),
			clikit.Duration(&c.patience, "patience", 0, "a call that is open for `DURATION` counts as asks: it may wait for a permission; 0 is never"),
		),
		clikit.Group("Sessions", c.sessions.Places()...),
		clikit.Group("Output",
			clikit.String(&c.after, "after", afterNow, ", an entry; null is before all of them, and now behind all that are there"),
			clikit.Bool(&c.json, "json", "each row"),
			clikit.Bool(&c.lines, "lines", ""),
		),
	)
}

func (c *config) check(s *clikit.Streams) error {
	given := []string{clikit.NameIf(c.json, "--json"), clikit.NameIf(c.lines, "--lines")}
	if err := clikit.Exclusive(given...); err != nil {
		return err
	}
	if err := clikit.Exclusive(clikit.NameIf(c.once, "--once"), clikit.NameIf(len(c.until) > 0, "--until")); err != nil {
		return err
	}
	if c.every && len(c.until) == 0 {
		return clikit.UsageError("--every says when --until ends: there is none")
	}
	for _, word := range clikit.Words(c.until) {
		if err := clikit.RefuseUnknown("state", word, append(state.Names(), waiting)); err != nil {
			return err
		}
		if c.wanted == nil {
			c.wanted = map[string]bool{}
		}
		for _, name := range state.Names() {
			if name == word || word == waiting && state.Waits(name) {
				c.wanted[name] = true
			}
		}
	}
	if c.argv = s.Command; !s.HasCommand {
		return nil
	}
	if len(c.argv) == 0 {
		return clikit.UsageError("no command after --")
	}
	if c.once {
		return clikit.UsageError("--once sees no change: it runs no command")
	}
	return command.Find(c.argv)
}
