package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// noContent is the summary of a branch without messages, as pi has it.
const noContent = "No content to summarize"

// leaveBranch makes the summary of the branch that is left, behind the entry
// that is gone back to.
func (j *job) leaveBranch() error {
	b, err := j.planBranch()
	if err != nil {
		return err
	}
	switch {
	case j.plan:
		return j.println(branchJSON(b))
	case j.prompt:
		return j.printText(compact.System + "\n\n" + b.Prompt(j.instructions))
	}
	m, err := j.summarizeBranch(b)
	if err != nil {
		return err
	}
	if m.paid {
		j.pay(m.History, "--branch", cmp.Or(b.Target, j.branch))
	}
	j.batch.Leaf = b.Target
	_, err = j.batch.Add(session.TypeBranchSummary, b.Fields(m.History, append(m.Details, j.more()...))...)
	return err
}

func (j *job) planBranch() (*compact.Branch, error) {
	leaf, _ := j.src.Session.Leaf()
	target, err := j.src.Session.Resolve(j.config.branch, leaf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", j.src.Name, err)
	}
	var path []session.Entry
	if target >= 0 {
		path, _ = j.src.PathTo(target)
	}
	window := j.window
	if window == 0 {
		window = compact.DefaultBranchWindow
	}
	b, err := compact.NewBranch(j.path, path, compact.BranchOptions{
		Budget: max(1, window-j.reserve), Rules: rules[j.rules], Estimate: j.trigger().Estimate,
	})
	if errors.Is(err, compact.ErrNothing) {
		return nil, clikit.No("no branch is left: %s is the leaf, or behind it", j.config.branch)
	}
	if err == nil && b.Dropped > 0 {
		j.streams.Warnf("%s: the oldest %s of the branch left out: more than --window less --reserve", j.src.Name, tty.Count(b.Dropped, "message", "messages"))
	}
	return b, err
}

func (j *job) summarizeBranch(b *compact.Branch) (made, error) {
	if b.Empty() {
		return made{Summary: compact.Summary{History: noContent}}, nil
	}
	if j.summary != "" {
		text, err := j.readSummary(b.Heading())
		return made{Summary: compact.Summary{History: text, Details: j.told("file", text)}, paid: j.summary == "-"}, err
	}
	a, ok := j.asker(b.From, b.Tokens)
	if !ok {
		text := compact.ExtractBranch(b)
		return made{Summary: compact.Summary{History: text, Details: j.told("extractive", text)}}, nil
	}
	text, err := a.ask(b.Request(j.promptOptions(j.instructions)))
	return made{Summary: compact.Summary{History: text, Details: append(j.told("command", text), a.account()...)}, paid: true}, err
}
