package main

import (
	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
)

type config struct {
	cwd, title, id, parent, system, task, tools string
	dest                                        operand.Destination
}

func (c *config) flags() []clikit.Flag {
	return append([]clikit.Flag{
		clikit.String(&c.cwd, "cwd", "", "the session's working directory, `DIR`, instead of the current one"),
		clikit.String(&c.title, "title", "", "name the session `TITLE`"),
		clikit.String(&c.id, "id", "", "give it the id `ID` instead of a new UUID"),
		clikit.String(&c.parent, "parent", "", "record that it descends from `SESSION`"),
		clikit.String(&c.system, "system", "", "begin with the system prompt in `FILE` (- is standard input)"),
		clikit.String(&c.task, "task", "", "record the task `TEXT` beside the system prompt"),
		clikit.String(&c.tools, "tools", "", "record the tools `NAME,NAME` beside the system prompt"),
		clikit.Bool(&c.dest.Defer, "defer", "make a draft, which the first assistant message puts in its place"),
	}, c.dest.Flags("file")...)
}
