package main

import (
	"slices"

	"github.com/sess-tools/sess/internal/calls"
	"github.com/sess-tools/sess/internal/calls/gate"
	"github.com/sess-tools/sess/internal/find/filter"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sources"
)

type config struct {
	kinds               []string
	tool, touched, runs string
	status, where, leaf string
	branches, simple    bool
	sessions            sources.Selection
	plain, json, nul    bool
	count, quiet        bool
	kind                map[string]bool // nil for any
	glob                *calls.Glob     // nil for any
	pattern             *gate.Pattern   // nil for any
	expr                *filter.Filter  // nil for any
}

func (c *config) flags() []clikit.Flag {
	c.sessions.Tells = true
	return slices.Concat(
		clikit.Group("Calls",
			clikit.Strings(&c.kinds, "kind", "only calls of the kinds `KIND,KIND`: run, read, write, search, fetch, agent, ask, plan, other"),
			clikit.String(&c.tool, "tool", "", ""),
			clikit.String(&c.touched, "touched", "", ""),
			clikit.String(&c.runs, "run", "", "only commands of which a simple command matches `GLOB`"),
			clikit.String(&c.status, "status", "", "calls"),
			clikit.String(&c.where, "where", "", "rows of --json"),
			clikit.Bool(&c.branches, "branches", ""),
			clikit.String(&c.leaf, "leaf, l", "last", ""),
		),
		clikit.Group("Sessions", c.sessions.Flags()...),
		clikit.Group("Output",
			clikit.Bool(&c.simple, "simple", "a row for each simple command of a command line"),
			clikit.Bool(&c.plain, "plain", "print KIND:STATUS:TARGET alone, to be compared"),
			clikit.Bool(&c.json, "json", "each call"),
			clikit.Bool(&c.nul, "null, 0", ""),
			clikit.Bool(&c.count, "count!, c", "rows"),
			clikit.Bool(&c.quiet, "quiet!, q", ""),
		),
	)
}

// check refuses flags that contradict each other or themselves, and reads the others.
func (c *config) check() (err error) {
	if err := clikit.Exclusive(clikit.NameIf(c.plain, "--plain"), clikit.NameIf(c.json, "--json"), clikit.NameIf(c.count, "-c"), clikit.NameIf(c.quiet, "-q")); err != nil {
		return err
	}
	for _, kind := range clikit.Words(c.kinds) {
		if err := clikit.RefuseUnknown("kind", kind, calls.Kinds()); err != nil {
			return err
		}
		if c.kind == nil {
			c.kind = map[string]bool{}
		}
		c.kind[kind] = true
	}
	if err := calls.CheckStatus(c.status); err != nil {
		return clikit.UsageError("--status: %v", err)
	}
	if c.touched != "" {
		if c.glob, err = calls.FileGlob(c.touched); err != nil {
			return clikit.UsageError("--touched: %v", err)
		}
	}
	if c.runs != "" {
		if c.pattern, err = gate.Parse(calls.Run + ":" + c.runs); err != nil {
			return clikit.UsageError("--run: %v", err)
		}
	}
	if c.where != "" {
		if c.expr, err = filter.Compile(c.where); err != nil {
			return clikit.UsageError("--where: %v", err)
		}
	}
	return nil
}

// wants reports whether the flags but for --run and --where select a call.
func (c *config) wants(of *calls.Call) bool {
	_, own := calls.Own(of.Name)
	return (c.kind == nil || c.kind[of.Kind]) &&
		(c.tool == "" || of.Name == c.tool || own == c.tool) &&
		(c.glob == nil || of.Touches(c.glob)) &&
		(c.status == "" || of.Is(c.status))
}
