package main

import (
	"cmp"
	"errors"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// takeOut makes the entries that take old tool results out of the context. That
// there are none to take out matters only if nothing else is wanted.
func (j *job) takeOut() error {
	pruned, err := compact.Prune(j.path, j.pruneOptions())
	if errors.Is(err, compact.ErrNothing) {
		if j.looks() || j.goesOn() {
			return nil
		}
		return clikit.No("nothing to prune")
	}
	if err != nil {
		return err
	}
	j.streams.Notef("%s: %s of about %d tokens taken out; context of about %d tokens, %d before",
		j.src.Name, tty.Count(len(pruned.Edits), "tool result", "tool results"), pruned.Tokens, pruned.After, pruned.Before)
	return j.edit(pruned.Edits)
}

// restore makes the entries that give back what was taken out.
func (j *job) restore() error {
	edits, err := compact.Unprune(j.path)
	if errors.Is(err, compact.ErrNothing) {
		return clikit.No("nothing was pruned")
	}
	if err != nil {
		return err
	}
	return j.edit(edits)
}

func (j *job) edit(edits []compact.Edit) error {
	j.edits = edits
	for _, e := range edits {
		if _, err := j.batch.Add(session.TypeContextEdit, e.Fields()...); err != nil {
			return err
		}
	}
	return nil
}

// pruneOptions turns what the flags say, where 0 is none, into what
// [compact.Prune] takes, where 0 is the default.
func (p *pruning) pruneOptions() compact.PruneOptions {
	return compact.PruneOptions{
		Turns: cmp.Or(p.pruneTurns, -1), Protect: cmp.Or(p.pruneProtect, -1), Minimum: cmp.Or(p.pruneMinimum, -1),
		Tools: p.pruneSkip,
	}
}
