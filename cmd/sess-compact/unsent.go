package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// A text that was paid for, and the flags that make the same entry of it.
type unsent struct {
	text  string
	flags []string
}

// pay notes a summary that is lost unless it is written or kept.
func (j *job) pay(text string, flags ...string) {
	flags = append(flags, "--no-require") // it has been accepted
	for _, f := range []struct{ name, value, without string }{
		{"--pi", j.rules, "1.5"},
		{"--estimator", j.estimator, compact.DefaultEstimator},
		{"--details", j.details, ""},
		{"--short-summary", j.short, ""},
		{"--preserve-data", j.preserve, ""},
	} {
		if f.value != f.without {
			flags = append(flags, f.name, f.value)
		}
	}
	j.paid = &unsent{text, flags}
}

// again are the flags that plan the same compaction.
func (j *job) again(plan *compact.Plan) []string {
	flags := []string{"--first-kept", plan.FirstKept}
	switch plan.Strategy {
	case compact.KeepUser:
		flags = []string{"--strategy", j.strategy, "--keep", strconv.FormatInt(j.config.keep, 10), "--expect-leaf", j.leaf}
	case compact.LastTurn:
		flags = append(flags, "--strategy", j.strategy)
	}
	if len(j.edits) > 0 {
		flags = append(flags, "--prune",
			"--prune-turns", strconv.Itoa(j.pruneTurns),
			"--prune-protect", strconv.FormatInt(j.pruneProtect, 10),
			"--prune-minimum", strconv.FormatInt(j.pruneMinimum, 10))
		for _, tool := range j.pruneSkip {
			flags = append(flags, "--prune-skip", tool)
		}
	}
	return flags
}

// rescue saves the summary that could not be written for the reason in err, if one
// was paid for, and says where it is and how to use it.
func (j *job) rescue(name string, err error) error {
	if j.paid == nil {
		return err
	}
	file, kept := j.src.Keep("the summary", ".md", j.paid.text+"\n")
	if file == "" {
		return errors.Join(err, kept)
	}
	if j.branch != "" && errors.Is(err, session.ErrLeafMoved) {
		kept = fmt.Errorf("%w; it does not speak of what came meanwhile", kept)
	}
	apply := slices.Concat([]string{"sess-compact", "--summary", file}, j.paid.flags)
	switch {
	case name == "" || name == "-":
		return errors.Join(err, clikit.WithHint(kept, "to use it, as a filter of the same session: %s", clikit.ShellWords(apply)))
	case errors.Is(err, session.ErrLeafMoved) && j.branch == "" && j.expect == "":
		copied := strings.TrimSuffix(file, ".md") + ".jsonl"
		fork := []string{"sess-fork", "--at", j.leaf, "-o", copied, name}
		return errors.Join(err, clikit.WithHint(kept, "to use it in a copy of what it is of: %s && %s", clikit.ShellWords(fork), clikit.ShellWords(append(apply, copied))))
	}
	return errors.Join(err, clikit.WithHint(kept, "to use it: %s", clikit.ShellWords(append(apply, name))))
}
