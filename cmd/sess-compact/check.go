package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/summarize"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
)

// check refuses flags that contradict each other, and values that cannot be
// meant, before a model is paid for.
func (c *config) check(s *clikit.Streams, name string) error {
	for _, check := range []func(s *clikit.Streams, filter bool) error{c.checkNumbers, c.checkSubject, c.checkStreams} {
		if err := check(s, name == "" || name == "-"); err != nil {
			return err
		}
	}
	if err := checkDetails(c.details); err != nil {
		return clikit.UsageError("--details: %v", err)
	}
	if c.preserve != "" && !isObject(c.preserve) {
		return clikit.UsageError("--preserve-data wants a JSON object")
	}
	if _, err := compact.ParseMinGain(c.minGain); c.minGain != "" && err != nil {
		return clikit.UsageError("--min-gain: %v", err)
	}
	if _, err := c.overflowStatus(); err != nil {
		return err
	}
	if _, err := c.answer(""); err != nil {
		return err
	}
	if err := c.checkCommand(s); err != nil {
		return err
	}
	c.target.Settle()
	if c.looks() || c.dryRun {
		return nil
	}
	return operand.Writable(name)
}

func (c *config) checkNumbers(*clikit.Streams, bool) error {
	switch {
	case c.keep <= 0:
		return clikit.UsageError("--keep wants a number of tokens above 0")
	case c.maxPrompt <= 0 || c.maxPrompt > compact.HardMaxPrompt:
		return clikit.UsageError("--max-prompt wants a number of bytes up to %d", compact.HardMaxPrompt)
	case c.clipResult < 0 || c.retries < 0:
		return clikit.UsageError("--clip-result and --retries want a number, 0 or more")
	case c.pruneTurns < 0:
		return clikit.UsageError("--prune-turns wants a number, 0 or more")
	case c.ifNeeded && c.window == 0:
		return clikit.UsageError("--if-needed needs --window")
	case c.firstKept != "" && c.strategy == compact.KeepUser.String():
		return clikit.UsageError("--first-kept says where to cut, and --strategy keep-user cuts nowhere")
	case c.figures && c.window == 0:
		return clikit.UsageError("--check needs --window")
	}
	return nil
}

// checkSubject refuses to do several things at once.
func (c *config) checkSubject(s *clikit.Streams, _ bool) error {
	given := clikit.Given
	check, plan, prompt := given(c.figures, "--check"), given(c.plan, "--plan"), given(c.prompt, "--prompt")
	report, reportOf := given(c.report, "--report"), given(c.reportOf != "", "--report-of")
	prune, unprune, branch := given(c.prune, "--prune"), given(c.unprune, "--unprune"), given(c.branch != "", "--branch")
	summary, command := given(c.summary != "", "--summary"), given(len(s.Command) > 0, "a command")
	if s.HasCommand && command == "" {
		return clikit.UsageError("no command after --")
	}
	for _, exclusive := range [][]string{
		{check, plan, prompt, report, reportOf, summary},
		{summary, command},
		{branch, prune, unprune},
		{unprune, summary, command, check, plan, prompt, report, reportOf},
		{branch, check, report, reportOf},
		{branch, given(c.ifNeeded, "--if-needed")},
		{branch, given(c.firstKept != "", "--first-kept")},
		{branch, given(c.hook != "", "--hook")},
		{branch, given(c.short != "", "--short-summary")},
		{branch, given(c.preserve != "", "--preserve-data")},
	} {
		if err := clikit.Exclusive(exclusive...); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) checkStreams(_ *clikit.Streams, filter bool) error {
	switch {
	case c.summary == "-" && filter:
		return clikit.WithHint(clikit.UsageError("the session is on standard input: no place for the summary"), "name the session, or the file with the summary")
	case c.json && filter && !c.report && c.reportOf == "":
		return clikit.UsageError("--json needs a session file: without one the session is printed")
	}
	return nil
}

// ownDetails are the members of an entry's details that this tool writes.
var ownDetails = []string{
	"readFiles", "modifiedFiles", "strategy", "kept", "summarizer", "bytes", "calls", "milliseconds", "dropped",
}

// checkDetails refuses what cannot be added to details.
func checkDetails(object string) error {
	if object != "" && !isObject(object) {
		return errors.New("no JSON object")
	}
	for key := range js.Members(object) {
		if name := js.Unquote(key); slices.Contains(ownDetails, name) {
			return fmt.Errorf("%s is written by sess-compact itself", name)
		}
	}
	return nil
}

func isObject(text string) bool {
	return js.Valid([]byte(text)) && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
}

// looks reports whether the session is only looked at.
func (c *config) looks() bool {
	return c.figures || c.plan || c.prompt || c.report || c.reportOf != ""
}

// overflowStatus returns the exit statuses that mean a prompt too long.
func (c *config) overflowStatus() ([]int, error) {
	var out []int
	for _, word := range c.overflow {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > 255 {
			return nil, clikit.UsageError("--overflow-status wants a number from 0 to 255")
		}
		out = append(out, n)
	}
	return out, nil
}

// answer is what a summary has to have.
func (c *config) answer(heading string) (summarize.Answer, error) {
	switch {
	case c.noRequire:
		return summarize.Answer{}, nil
	case c.require == "":
		return summarize.Answer{Heading: heading}, nil
	}
	re, err := regexp.Compile("(?m)" + c.require)
	if err != nil {
		return summarize.Answer{}, clikit.UsageError("--require: %v", err)
	}
	return summarize.Answer{Require: re}, nil
}

// trigger says when a compaction is needed.
func (c *config) trigger() compact.Trigger {
	estimate, _ := compact.EstimatorFor(c.estimator)
	if c.estimator == compact.DefaultEstimator {
		estimate = nil // each of the rules has its own
	}
	return compact.Trigger{
		Window: c.window, Reserve: c.reserve, Estimate: estimate, Estimator: c.estimator,
		Calibrate: c.calibrate, Rules: rules[c.rules],
	}
}

// options says how to cut.
func (c *config) options() compact.Options {
	strategy, _ := compact.StrategyFor(c.strategy)
	return compact.Options{Keep: c.keep, Strategy: strategy, Rules: rules[c.rules], Estimate: c.trigger().Estimate}
}
