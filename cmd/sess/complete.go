package main

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/sibling"
)

// completing adds the commands. Behind one of them it becomes that program, which knows
// the rest, if it stands beside this one: what others make of the question is not known.
func completing(_ context.Context, at clikit.Place, add func(clikit.Candidate)) {
	help := len(at.Operands) == 1 && at.Operands[0] == "help"
	if len(at.Operands) == 0 || help {
		at.Match(add, commands()...)
		if !help {
			at.Match(add, "help")
		}
		return
	}
	name := prefix + at.Operands[0]
	path, err := sibling.Find(name)
	if err != nil || !slices.Contains(sibling.Dirs(), filepath.Dir(path)) {
		return
	}
	args := append([]string{"--complete", "list", "--"}, at.Operands[1:]...)
	_ = sibling.Exec(path, name, append(args, at.Word)) // nothing to complete, then
}
