package main

import (
	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
)

type config struct {
	at, cwd string
	title   *string
	all     bool
	dest    operand.Destination
}

func (c *config) flags() []clikit.Flag {
	return append([]clikit.Flag{
		operand.LeafFlag(&c.at, "", "fork the path to `REF` instead of the leaf"),
		clikit.Bool(&c.all, "all", "take the whole session, every branch"),
		clikit.String(&c.cwd, "cwd", "", "use `DIR` as the working directory, instead of the old session's"),
		clikit.Optional(&c.title, "title", "name it `TITLE`, instead of the old name and \"(fork #N)\""),
	}, c.dest.Flags("file")...)
}
