package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/session"
)

// A config is what the command line says.
type config struct {
	planning
	asking
	prune        bool
	pruneProtect int64

	ifNeeded, plan, prompt, report bool
	branch, reportOf, summary      string

	json, dryRun bool
	expect       string
	target       address.TargetOptions
}

// planning says where to cut.
type planning struct {
	keep, reserve, window int64
	strategy, estimator   string
	minGain               string
	firstKept             string
}

// asking says how to get a summary from a command.
type asking struct {
	instructions      string
	maxPrompt         int
	timeout           time.Duration
	retries           int
	require           string
	noRequire, redact bool
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("When",
			cli.Bool(&c.ifNeeded, "if-needed", "do nothing, with status 1, unless the context is larger than --window less --reserve; with -n print how large it is"),
			cli.Tokens(&c.window, "window", 0, "the model's context window is `TOKENS`"),
			cli.Tokens(&c.reserve, "reserve", compact.DefaultReserve, "leave `TOKENS` of the window free"),
		),
		cli.Group("What to keep",
			cli.Choice(&c.strategy, "strategy", compact.Strategies(), "choose what to keep by `STRATEGY`"),
			cli.Tokens(&c.keep, "keep", compact.DefaultKeep, "keep about `TOKENS` of the newest messages, such as 20k"),
			cli.String(&c.firstKept, "first-kept", "", "cut before the entry `REF`, regardless of --keep"),
			cli.Choice(&c.estimator, "estimator", compact.Estimators(), "estimate the tokens of a text by the method `HOW`"),
			cli.String(&c.minGain, "min-gain", "", "refuse a summary that saves less than `TOKENS` (or a share such as 10%)"),
		),
		cli.Group("The summary",
			cli.String(&c.summary, "summary-file", "", "take the summary from `FILE` (- is standard input)"),
			cli.String(&c.instructions, "instructions", "", "add `TEXT` to the prompt"),
			cli.Int(&c.maxPrompt, "max-prompt", compact.DefaultMaxPrompt, "split a prompt of more than `BYTES` into chunks, each with the summary so far"),
			cli.Duration(&c.timeout, "timeout", command.DefaultTimeout, "give up after `DURATION`, and stop the command"),
			cli.Int(&c.retries, "retries", 2, "retry a failed command up to `N` times, if waiting may help"),
			cli.String(&c.require, "require", "", "require a line that matches the regular expression `REGEXP` instead of the heading"),
			cli.Bool(&c.noRequire, "no-require", "accept a summary without the heading"),
			cli.Bool(&c.redact, "redact", "take secrets out of prompts, as sess-redact does"),
		),
		cli.Group("Tool results",
			cli.Bool(&c.prune, "prune", "remove old tool results from the context, alone or before a compaction"),
			cli.Tokens(&c.pruneProtect, "prune-protect", compact.DefaultPruneProtect, "keep the newest results, up to `TOKENS`; older ones go if they are more than half of that"),
		),
		cli.Group("Branches", cli.String(&c.branch, "branch", "", "go back to `REF`, and add a summary of the branch you leave")),
		cli.Group("Looking without writing",
			cli.Bool(&c.plan, "plan", "print the plan as JSON"),
			cli.Bool(&c.prompt, "print-prompt", "print the prompt for the summary"),
			cli.Bool(&c.report, "report", "print what would leave the context"),
			cli.String(&c.reportOf, "report-of", "", "print what the compaction `REF` removed from the context"),
		),
		cli.Group("Writing", slices.Concat([]cli.Flag{
			cli.String(&c.expect, "expect-leaf", "", "before and after the command, add only if `REF` is the leaf; otherwise status 4"),
		}, c.target.Flags(), []cli.Flag{
			cli.Bool(&c.json, "json", "print a JSON object for each new entry: the entry itself; with --report for what it prints"),
			cli.Bool(&c.dryRun, "dry-run, n", "print the new entries, and write nothing"),
		})...),
	)
}

// checkCommand refuses a variable that is there and empty.
func (c *config) checkCommand(s *cli.Streams) error {
	value, set := os.LookupEnv(command.Variable)
	unused := c.looks() || c.summary != "" || s.HasCommand || c.prune && !c.ifNeeded
	if !set || strings.TrimSpace(value) != "" || unused {
		return nil
	}
	return cli.WithHint(cli.UsageError("%s is set, but empty", command.Variable), "name a command in it, or unset it to have the summary extracted without a model")
}

// command is the summarizer: the words after --, else $SESS_SUMMARIZER. ok is
// false if there is none.
func (c *config) command(s *cli.Streams) (cmd command.Command, ok bool) {
	cmd = command.Command{Argv: s.Command, Timeout: c.timeout, Summarizes: true}
	if len(s.Command) == 0 {
		cmd.Shell, cmd.Name = os.Getenv(command.Variable), command.Variable
	}
	if s.Verbose {
		cmd.Stderr = s.Err
	}
	return cmd, len(cmd.Argv) > 0 || cmd.Shell != ""
}

// check refuses flags that contradict each other, and values that cannot be
// meant, before a model is paid for.
func (c *config) check(s *cli.Streams, name string) error {
	for _, check := range []func(s *cli.Streams, filter bool) error{c.checkNumbers, c.checkSubject, c.checkStreams} {
		if err := check(s, name == "" || name == "-"); err != nil {
			return err
		}
	}
	if n, err := cli.Number(c.minGain); err == nil {
		c.minGain = strconv.FormatInt(n, 10)
	}
	if _, err := compact.ParseMinGain(c.minGain); c.minGain != "" && err != nil {
		return cli.UsageError("--min-gain: %v", err)
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
	return address.Writable(name)
}

func (c *config) checkNumbers(*cli.Streams, bool) error {
	switch {
	case c.keep <= 0:
		return cli.UsageError("--keep wants a number of tokens above 0")
	case c.maxPrompt <= 0 || c.maxPrompt > compact.HardMaxPrompt:
		return cli.UsageError("--max-prompt wants a number of bytes up to %d", compact.HardMaxPrompt)
	case c.retries < 0:
		return cli.UsageError("--retries wants a number, 0 or more")
	case c.ifNeeded && c.window == 0:
		return cli.UsageError("--if-needed needs --window")
	case c.firstKept != "" && c.strategy == compact.KeepUser.String():
		return cli.UsageError("--first-kept says where to cut, and --strategy keep-user cuts nowhere")
	case c.window > 0 && c.reserve >= c.window:
		return cli.WithHint(cli.UsageError("--reserve %d leaves nothing of --window %d", c.reserve, c.window),
			"give a --reserve below the --window; without the flag it is %d", compact.DefaultReserve)
	}
	return nil
}

// checkSubject refuses to do several things at once.
func (c *config) checkSubject(s *cli.Streams, _ bool) error {
	given := cli.NameIf
	plan, prompt := given(c.plan, "--plan"), given(c.prompt, "--print-prompt")
	report, reportOf := given(c.report, "--report"), given(c.reportOf != "", "--report-of")
	branch := given(c.branch != "", "--branch")
	summary, command := given(c.summary != "", "--summary-file"), given(len(s.Command) > 0, "a command")
	if s.HasCommand && command == "" {
		return cli.UsageError("no command after --")
	}
	for _, exclusive := range [][]string{
		{plan, prompt, report, reportOf, summary},
		{summary, command},
		{branch, given(c.prune, "--prune")},
		{branch, report, reportOf},
		{branch, given(c.ifNeeded, "--if-needed")},
		{branch, given(c.firstKept != "", "--first-kept")},
	} {
		if err := cli.Exclusive(exclusive...); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) checkStreams(_ *cli.Streams, filter bool) error {
	switch {
	case c.summary == "-" && filter:
		return cli.WithHint(cli.UsageError("the session is on standard input: no place for the summary"), "name the session, or the file with the summary")
	case c.json && filter && !c.report && c.reportOf == "":
		return cli.UsageError("--json needs a session file: without one the session is printed")
	}
	return nil
}

// looks reports whether the session is only looked at.
func (c *config) looks() bool {
	return c.sizes() || c.plan || c.prompt || c.report || c.reportOf != ""
}

// sizes reports whether the size of the context is printed: what --if-needed goes by.
func (c *config) sizes() bool {
	return c.ifNeeded && c.dryRun && !c.plan && !c.prompt && !c.report && c.reportOf == ""
}

// answer is what a summary has to have.
func (c *config) answer(heading string) (command.Answer, error) {
	switch {
	case c.noRequire:
		return command.Answer{}, nil
	case c.require == "":
		return command.Answer{Heading: heading}, nil
	}
	re, err := regexp.Compile("(?m)" + c.require)
	if err != nil {
		return command.Answer{}, cli.UsageError("--require: %v", err)
	}
	return command.Answer{Require: re}, nil
}

// trigger says when a compaction is needed.
func (c *config) trigger() compact.Trigger {
	estimate, _ := compact.EstimatorFor(c.estimator)
	return compact.Trigger{
		Window: c.window, Reserve: c.reserve, Estimate: estimate, Estimator: c.estimator,
		Calibrate: c.estimator == compact.UsageEstimator,
	}
}

// options says how to cut.
func (c *config) options() compact.Options {
	strategy, _ := compact.StrategyFor(c.strategy)
	return compact.Options{Keep: c.keep, Strategy: strategy, Estimate: c.trigger().Estimate}
}

// takeOut makes the entries that take old tool results out of the context. That
// there are none to take out matters only if nothing else is wanted.
func (j *job) takeOut() error {
	pruned, err := compact.Prune(j.path, j.pruneProtect)
	if errors.Is(err, compact.ErrNothing) {
		if j.looks() || j.goesOn() {
			return nil
		}
		return cli.No("nothing to prune")
	}
	if err != nil {
		return err
	}
	j.streams.Notef("%s: %s of about %d tokens taken out; context of about %d tokens, %d before",
		j.src.Name, tty.Count(len(pruned.Edits), "tool result", "tool results"), pruned.Tokens, pruned.After, pruned.Before)
	return j.edit(pruned.Edits)
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

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
if-needed: only if the context is larger than --window leaves
window
strategy
keep
summary-file
instructions
no-require
redact
prune: remove old tool results from the context
branch: go back to REF, and summarize the branch you leave
plan
print-prompt
report
dry-run
`
