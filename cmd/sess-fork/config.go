package main

import (
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

type config struct {
	at, cwd string
	title   *string
	all     bool
	dest    operand.Destination
}

func (c *config) flags() []clikit.Flag {
	return append([]clikit.Flag{
		clikit.String(&c.at, "at", "", "fork at"),
		clikit.Bool(&c.all, "branches", " instead of one path"),
		clikit.String(&c.cwd, "cwd=", "", ", instead of that of the old one"),
		clikit.Optional(&c.title, "title=", ", instead of the old one and \"(fork #N)\""),
	}, c.dest.Flags()...)
}
