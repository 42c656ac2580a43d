package main

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/summarize"
	"github.com/sess-tools/sess/pkg/compact"
)

// A config is what the command line says.
type config struct {
	planning
	asking
	pruning
	filling

	ifNeeded, figures, plan, prompt, report bool
	branch, reportOf, summary               string

	json, dryRun bool
	expect       string
	target       operand.TargetOptions
}

// planning says where to cut.
type planning struct {
	keep, reserve, window      int64
	strategy, rules, estimator string
	calibrate                  bool
	minGain                    string
	firstKept                  string
	hook                       string
}

// asking says how to get a summary from a command.
type asking struct {
	instructions, template string
	maxPrompt, clipResult  int
	timeout                time.Duration
	retries                int
	overflow               []string
	require                string
	noRequire              bool
}

// pruning says which results of tools to take out of the context.
type pruning struct {
	prune, unprune             bool
	pruneTurns                 int
	pruneProtect, pruneMinimum int64
	pruneSkip                  []string
}

// filling says what else goes into the entry.
type filling struct{ details, short, preserve string }

var rules = map[string]compact.Rules{"1.5": compact.Pi15, "0.73": compact.Pi073}

func (c *config) flags() []clikit.Flag {
	return slices.Concat(
		clikit.Group("When", c.when()...),
		clikit.Group("What to keep", c.planning.flags()...),
		clikit.Group("The summary", append([]clikit.Flag{
			clikit.String(&c.summary, "summary", "", "take the summary from `FILE` (- is standard input)"),
		}, c.asking.flags()...)...),
		clikit.Group("Tool results", c.pruning.flags()...),
		clikit.Group("Branches", clikit.String(&c.branch, "branch", "", "go back to `REF`, and leave a summary there of the branch that is left")),
		clikit.Group("Looking, and doing nothing", c.looking()...),
		clikit.Group("The entry", c.filling.flags()...),
		clikit.Group("Writing", slices.Concat([]clikit.Flag{
			clikit.String(&c.expect, "expect-leaf", "", "add only if `REF` is the leaf, before the command and after it, else status 4"),
		}, c.target.Flags("entry"), []clikit.Flag{
			clikit.Bool(&c.json, "json", "print the new entries, not their ids; with --report JSON"),
			clikit.Bool(&c.dryRun, "dry-run, n", "make the summary, print the entries and write nothing"),
		})...),
	)
}

func (c *config) when() []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&c.ifNeeded, "if-needed", "do nothing, with status 1, unless the context outgrows --window less --reserve"),
		clikit.Bool(&c.figures, "check", "print the size of the context as JSON; status 0 if a compaction is needed, 1 if not"),
		clikit.Tokens(&c.window, "window", 0, "the model's context window is `TOKENS`"),
		clikit.Tokens(&c.reserve, "reserve", compact.DefaultReserve, "leave `TOKENS` of the window free"),
		clikit.Bool(&c.calibrate, "calibrate", "correct the estimates by the usage that the session reports"),
	}
}

func (c *config) looking() []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&c.plan, "plan", "print what would be done as JSON"),
		clikit.Bool(&c.prompt, "prompt", "print the prompt for the summary"),
		clikit.Bool(&c.report, "report", "print what would leave the context"),
		clikit.String(&c.reportOf, "report-of", "", "print what the compaction `REF` took out of the context"),
	}
}

func (p *planning) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.Choice(&p.strategy, "strategy", compact.Strategies(), "keep what `STRATEGY` says"),
		clikit.Tokens(&p.keep, "keep", compact.DefaultKeep, "keep about `TOKENS` of the newest messages, such as 20k"),
		clikit.String(&p.firstKept, "first-kept", "", "cut in front of the entry `REF`, whatever --keep says"),
		clikit.Choice(&p.estimator, "estimator", compact.Estimators(), "estimate the tokens of a text as `HOW` says"),
		clikit.Choice(&p.rules, "rules", []string{"1.5", "0.73"}, "cut as pi `VERSION` does"),
		clikit.String(&p.minGain, "min-gain", "", "refuse a summary that saves less than `TOKENS` (or a share, as 10%)"),
		clikit.String(&p.hook, "hook", "", "let the shell command `COMMAND` read the plan, and change or cancel it"),
	}
}

func (a *asking) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.String(&a.instructions, "instructions", "", "tell the summarizer `TEXT` as well"),
		clikit.String(&a.template, "template", "", "make the prompt of the Go text/template in `FILE`"),
		clikit.Int(&a.maxPrompt, "max-prompt", compact.DefaultMaxPrompt, "ask in chunks, each with the summary so far, if a prompt has more than `BYTES`"),
		clikit.Int(&a.clipResult, "clip-result", compact.ResultLimit, "show the first `N` UTF-16 units of a tool result; 0 shows all"),
		clikit.Duration(&a.timeout, "timeout", summarize.DefaultTimeout, "stop the command after `DURATION`"),
		clikit.Int(&a.retries, "retries", 2, "run a command that failed up to `N` times more, where waiting may help"),
		clikit.Strings(&a.overflow, "overflow-status", "the exit status `N` says that the prompt was too long"),
		clikit.String(&a.require, "require", "", "refuse a summary without a line that matches the regular expression `REGEXP`, instead of the first heading asked for"),
		clikit.Bool(&a.noRequire, "no-require", "accept a summary without the headings asked for"),
	}
}

func (p *pruning) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.Bool(&p.prune, "prune", "take old tool results out of the context, by themselves or before a compaction"),
		clikit.Bool(&p.unprune, "unprune", "give back what --prune took out"),
		clikit.Int(&p.pruneTurns, "prune-turns", compact.DefaultPruneTurns, "leave the newest `N` turns alone"),
		clikit.Tokens(&p.pruneProtect, "prune-protect", compact.DefaultPruneProtect, "leave the newest results alone up to `TOKENS`"),
		clikit.Tokens(&p.pruneMinimum, "prune-minimum", compact.DefaultPruneMinimum, "prune nothing unless it is more than `TOKENS`"),
		clikit.Strings(&p.pruneSkip, "prune-skip", "leave the results of `TOOL` alone; without the flag those of skill"),
	}
}

func (f *filling) flags() []clikit.Flag {
	return []clikit.Flag{
		clikit.String(&f.details, "details", "", "add the members of the object `JSON` to the entry's details"),
		clikit.String(&f.short, "short-summary", "", "the summary in a few words is `TEXT`, as oh-my-pi has it"),
		clikit.String(&f.preserve, "preserve-data", "", "the entry's preserveData is the object `JSON`, as oh-my-pi has it"),
	}
}

// variable names the command that summarizes where none is given.
const variable = "SESS_SUMMARIZER"

// checkCommand refuses a variable that is there and empty. In a CI job it is a
// secret that is not set, and a summary without a model is not what was meant.
func (c *config) checkCommand(s *clikit.Streams) error {
	value, set := os.LookupEnv(variable)
	unused := c.looks() || c.unprune || c.summary != "" || s.HasCommand || c.prune && !c.ifNeeded
	if !set || strings.TrimSpace(value) != "" || unused {
		return nil
	}
	return clikit.WithHint(clikit.UsageError("%s is set, but empty", variable), "name a command in it, or unset it to have the summary extracted without a model")
}

// command is the summarizer: the words after --, else $SESS_SUMMARIZER. ok is
// false if there is none.
func (c *config) command(s *clikit.Streams) (cmd summarize.Command, ok bool) {
	cmd = summarize.Command{Argv: s.Command, Timeout: c.timeout}
	if len(s.Command) == 0 {
		cmd.Shell, cmd.Name = os.Getenv(variable), variable
	}
	if s.Verbose {
		cmd.Stderr = s.Err
	}
	return cmd, len(cmd.Argv) > 0 || cmd.Shell != ""
}
