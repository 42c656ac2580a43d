package main

import (
	"slices"

	"github.com/sess-tools/sess/internal/calls/gate"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sources"
)

type config struct {
	calls, noCalls, orders, wroteOnly []string
	fixed, answers, noAnswers         []string
	maxCalls                          *int
	strict, branches                  bool
	leaf                              string
	sessions                          sources.Selection
	json, sarif, github, junit        bool
	gates                             []gate.Gate
	ofCalls                           bool // one of them is about calls
}

func (c *config) flags() []clikit.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		clikit.Group("Gates, of which each may be repeated",
			clikit.Strings(&c.calls, "call", "there is a `CALL`"),
			clikit.Strings(&c.noCalls, "no-call", "there is no `CALL`; one that was refused counts unless it ends in !denied"),
			clikit.Strings(&c.orders, "order", "there are these calls, one behind the other: `CALL,CALL`"),
			clikit.Strings(&c.wroteOnly, "wrote-only", "only files that a `GLOB` matches were written"),
			clikit.Strings(&c.fixed, "fixed", "behind the last write there is a `CALL`, and the last one succeeded"),
			clikit.Strings(&c.answers, "answer", "the regular expression `RE` matches in the answer"),
			clikit.Strings(&c.noAnswers, "no-answer", "the regular expression `RE` does not match in the answer"),
			clikit.OptionalInt(&c.maxCalls, "max-calls", "there are at most `N` calls"),
		),
		clikit.Group("Calls",
			clikit.Bool(&c.strict, "strict", "damaged lines; what hides what it runs or writes is a breach"),
			clikit.Bool(&c.branches, "branches", ""),
			clikit.String(&c.leaf, "leaf, l", "last", ""),
		),
		clikit.Group("Sessions", c.sessions.Flags()...),
		clikit.Group("Output",
			clikit.Bool(&c.json, "json", "each breach, and one of all"),
			clikit.Bool(&c.sarif, "sarif", ""),
			clikit.Bool(&c.github, "github", ""),
			clikit.Bool(&c.junit, "junit", "print JUnit's XML, with a case for each gate and session"),
		),
	)
}

// check refuses flags that contradict each other, and makes the gates. One that is given twice is one.
func (c *config) check() error {
	if err := clikit.Exclusive(clikit.NameIf(c.json, "--json"), clikit.NameIf(c.sarif, "--sarif"), clikit.NameIf(c.github, "--github"), clikit.NameIf(c.junit, "--junit")); err != nil {
		return err
	}
	strictly := func(text string) (gate.Gate, error) { return gate.NoCall(text, c.strict) }
	for _, flag := range []struct {
		name  string
		given []string
		parse func(string) (gate.Gate, error)
	}{
		{"--call", c.calls, gate.Call},
		{"--no-call", c.noCalls, strictly},
		{"--order", c.orders, gate.Order},
		{"--fixed", c.fixed, gate.Fixed},
		{"--answer", c.answers, gate.Answer},
		{"--no-answer", c.noAnswers, gate.NoAnswer},
	} {
		for i, text := range flag.given {
			g, err := flag.parse(text)
			if err != nil {
				return clikit.UsageError("%s: %v", flag.name, err)
			}
			if slices.Index(flag.given, text) == i {
				c.gates = append(c.gates, g)
			}
		}
	}
	if len(c.wroteOnly) > 0 {
		g, err := gate.WroteOnly(c.wroteOnly, c.strict)
		if err != nil {
			return clikit.UsageError("--wrote-only: %v", err)
		}
		c.gates = append(c.gates, g)
	}
	if n := c.maxCalls; n != nil {
		if *n < 0 {
			return clikit.UsageError("--max-calls: %d is below 0", *n)
		}
		c.gates = append(c.gates, gate.MaxCalls(*n))
	}
	if len(c.gates) == 0 {
		return clikit.UsageError("no gate: what must be so? --no-call 'run:git push*', for example")
	}
	c.ofCalls = len(c.gates) > len(c.answers)+len(c.noAnswers)
	return nil
}
