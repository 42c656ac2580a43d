package main

import (
	"errors"
	"slices"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/gate"
)

type config struct {
	calls, noCalls, orders, wroteOnly []string
	fixed, answers, noAnswers         []string
	maxCalls                          *int
	strict, branches, damagedOK       bool
	sessions                          selection.Selection
	json, sarif, github, junit        bool
	gates                             []gate.Gate
	ofCalls                           bool // one of them is about calls
	noRedact                          bool
	secrets                           *redact.Redactor // nil: they stay
}

func (c *config) flags() []cli.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		cli.Group("Gates, of which each may be repeated",
			cli.Strings(&c.calls, "call", "a `CALL` succeeded"),
			cli.Strings(&c.noCalls, "no-call", "no `CALL` was made; a refused one counts, too, unless it ends in !denied"),
			cli.Strings(&c.orders, "order", "these calls succeeded, in this order: `CALL,CALL`"),
			cli.Strings(&c.wroteOnly, "wrote-only", "every written file matches a `GLOB`"),
			cli.Strings(&c.fixed, "fixed", "a `CALL` comes after the last write, and the last such call succeeded"),
			cli.Strings(&c.answers, "answer", "the regular expression `RE` matches in the answer"),
			cli.Strings(&c.noAnswers, "no-answer", "the regular expression `RE` does not match in the answer"),
			cli.OptionalInt(&c.maxCalls, "max-calls", "there are at most `N` calls"),
		),
		cli.Group("Calls",
			cli.Bool(&c.strict, "strict", "end with status 3 for damaged lines; a command that hides what it runs or writes is a violation"),
			cli.Bool(&c.damagedOK, "damaged-ok", "judge what can be read of a damaged session"),
			cli.Bool(&c.branches, "branches", "take the entries of all branches; --no-call, --max-calls and --wrote-only always do"),
		),
		cli.Group("Sessions", c.sessions.Flags(selection.AllBelow, selection.Agent, selection.WhichSubagents, selection.Since)...),
		cli.Group("Output",
			cli.Bool(&c.json, "json", "print a JSON object for each violation, and a total"),
			cli.Bool(&c.sarif, "sarif", "print SARIF 2.1.0"),
			cli.Bool(&c.github, "github", "print annotations of GitHub Actions"),
			cli.Bool(&c.junit, "junit", "print JUnit XML, with a case for each gate and session"),
			cli.Bool(&c.noRedact, "no-redact", "leave secrets in"),
		),
	)
}

// check refuses flags that contradict each other, and makes the gates. One that is given twice is one.
func (c *config) check() error {
	if c.strict && c.damagedOK {
		return cli.UsageError("--strict and --damaged-ok exclude each other")
	}
	if err := cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.sarif, "--sarif"), cli.NameIf(c.github, "--github"), cli.NameIf(c.junit, "--junit")); err != nil {
		return err
	}
	for _, flag := range []struct {
		name  string
		given []string
		parse func(string) (gate.Gate, error)
	}{
		{"--call", c.calls, gate.Call},
		{"--no-call", c.noCalls, gate.NoCall},
		{"--order", c.orders, gate.Order},
		{"--fixed", c.fixed, gate.Fixed},
		{"--answer", c.answers, gate.Answer},
		{"--no-answer", c.noAnswers, gate.NoAnswer},
	} {
		for i, text := range flag.given {
			g, err := flag.parse(text)
			if err != nil {
				bad := cli.UsageError("%s: %v", flag.name, err)
				if slip, ok := errors.AsType[*gate.Slip](err); ok {
					bad = cli.WithHint(bad, "%s", slip.Hint)
				}
				return bad
			}
			if slices.Index(flag.given, text) == i {
				c.gates = append(c.gates, g)
			}
		}
	}
	if len(c.wroteOnly) > 0 {
		g, err := gate.WroteOnly(c.wroteOnly)
		if err != nil {
			return cli.UsageError("--wrote-only: %v", err)
		}
		c.gates = append(c.gates, g)
	}
	if n := c.maxCalls; n != nil {
		if *n < 0 {
			return cli.UsageError("--max-calls: %d is below 0", *n)
		}
		c.gates = append(c.gates, gate.MaxCalls(*n))
	}
	if len(c.gates) == 0 {
		return cli.UsageError("no gate: what must be so? --no-call 'run:git push*', for example")
	}
	c.ofCalls = len(c.gates) > len(c.answers)+len(c.noAnswers)
	return nil
}

// ofCommands reports whether a gate looks at commands, or at the files that calls write.
func (c *config) ofCommands() bool {
	return len(c.calls)+len(c.noCalls)+len(c.orders)+len(c.fixed)+len(c.wroteOnly) > 0
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
call
no-call: no CALL was made
wrote-only
fixed: a CALL comes after the last write, and succeeded
strict: a command that hides what it runs is a violation
json
github
junit: print JUnit XML
`
