package main

import (
	"slices"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/gate"
)

type config struct {
	kinds               []string
	tool, touched, runs string
	status, where       string
	branches, simple    bool
	redact              bool
	secrets             *redact.Redactor // nil for none
	sessions            selection.Selection
	plain, json         bool
	count, quiet        bool
	limit               int
	kind                map[string]bool // nil for any
	glob                *calls.Glob     // nil for any
	pattern             *gate.Pattern   // nil for any
	expr                *jq.Filter      // nil for any
}

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		cli.Group("Calls",
			cli.Strings(&c.kinds, "kind", "only calls of the kinds `KIND,KIND`: run, read, write, search, fetch, agent, ask, plan, other"),
			cli.String(&c.tool, "tool", "", "only calls of the tool `NAME`"),
			cli.String(&c.touched, "touched", "", "only calls with a path that matches `GLOB`"),
			cli.String(&c.runs, "run", "", "only commands with a simple command that matches `GLOB`"),
			cli.String(&c.status, "status", "", "only calls with this `STATUS`: ok, fail, denied, open or a number"),
			cli.String(&c.where, "where", "", "only rows of --json for which the gojq expression `EXPR` is true"),
			cli.Bool(&c.branches, "branches", "take the entries of all branches"),
		),
		cli.Group("Sessions", c.sessions.Flags(selection.AllBelow, selection.Agent, selection.CWD, selection.Since, selection.Until, selection.NoSelf)...),
		cli.Group("Output",
			cli.Bool(&c.simple, "simple", "print a row for each simple command of a command line"),
			cli.Bool(&c.redact, "redact", "take secrets out of rows, as sess-redact does"),
			cli.Bool(&c.plain, "plain", "print only KIND:STATUS:TARGET, to compare sessions"),
			cli.Bool(&c.json, "json", "print a JSON object for each call"),
			cli.Count(&c.limit, "limit, n", "print at most `N` rows"),
			cli.Bool(&c.count, "count, c", "print the number of rows"),
			cli.Bool(&c.quiet, "quiet, q", "print no rows and no messages, and stop at the first match"),
		),
	)
}

// check refuses flags that contradict each other or themselves, and reads the others.
func (c *config) check(s *cli.Streams) (err error) {
	if err := cli.Exclusive(cli.NameIf(c.plain, "--plain"), cli.NameIf(c.json, "--json"), cli.NameIf(c.count, "-c"), cli.NameIf(c.quiet, "-q")); err != nil {
		return err
	}
	if c.count && c.limit > 0 {
		return cli.UsageError("-c counts all rows: it has no --limit")
	}
	for _, kind := range cli.Words(c.kinds) {
		if err := cli.RefuseUnknown("kind", kind, calls.Kinds()); err != nil {
			return err
		}
		if c.kind == nil {
			c.kind = map[string]bool{}
		}
		c.kind[kind] = true
	}
	if err := calls.CheckStatus(c.status); err != nil {
		return cli.DidYouMean(cli.UsageError("--status: %v", err), c.status, calls.Outcomes())
	}
	if c.touched != "" {
		if c.glob, err = calls.FileGlob(c.touched); err != nil {
			return cli.UsageError("--touched: %v", err)
		}
	}
	if c.runs != "" {
		if c.pattern, err = gate.Parse(calls.Run + ":" + c.runs); err != nil {
			return cli.UsageError("--run: %v", err)
		}
	}
	if c.redact {
		if c.secrets, err = rules.Configured(s); err != nil {
			return err
		}
	}
	c.expr, err = jq.Flag("--where", c.where)
	return err
}

// wants reports whether the flags but for --run and --where select a call.
func (c *config) wants(of *calls.Call) bool {
	_, own := calls.Own(of.Name)
	return (c.kind == nil || c.kind[of.Kind]) &&
		(c.tool == "" || of.Name == c.tool || own == c.tool) &&
		(c.glob == nil || of.Touches(c.glob)) &&
		(c.status == "" || of.Is(c.status))
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
kind: run, read, write, search, fetch, agent, ask, plan …
touched
run
status: ok, fail, denied, open, or a number
all: take the sessions of every project
agent: only sessions of the agents NAME,NAME
since: only sessions modified since WHEN: 90m, 7d, a date
plain
json
limit
count
`
