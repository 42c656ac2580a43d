package main

import (
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

type config struct {
	cwd, title, id, parent, system, task, tools string
	dest                                        operand.Destination
}

func (c *config) flags() []clikit.Flag {
	return append([]clikit.Flag{
		clikit.String(&c.cwd, "cwd=", "", ", instead of this one"),
		clikit.String(&c.title, "title=", "", ""),
		clikit.String(&c.id, "id", "", "use `ID` as the session's id, instead of a new UUID"),
		clikit.String(&c.parent, "from", "", "record that the session descends from `SESSION`"),
		clikit.String(&c.system, "system", "", ""),
		clikit.String(&c.task, "task", "", "record the task `TEXT` with the system prompt"),
		clikit.String(&c.tools, "tools", "", "record the tools `NAME,NAME` with the system prompt"),
		clikit.Bool(&c.dest.Defer, "defer", "keep it as an unlisted draft until the first assistant message"),
		operand.CreateFlag(&c.dest.Create),
	}, c.dest.Flags()...)
}
