package main

import (
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/summarize"
	"github.com/sess-tools/sess/pkg/compact"
)

type config struct {
	keep, reserve, window             int64
	ifNeeded, plan, prompt, noRequire bool
	summary, instructions, rules      string
	require                           string
	timeout                           time.Duration
	json, dryRun                      bool
	target                            operand.TargetOptions
}

var rules = map[string]compact.Rules{"1.5": compact.Pi15, "0.73": compact.Pi073}

func (c *config) flags() []cli.Flag {
	flags := []cli.Flag{
		clikit.Int64(&c.keep, "keep", compact.DefaultKeep, "keep about `TOKENS` of the newest messages"),
		clikit.Bool(&c.ifNeeded, "if-needed", "do nothing, with status 1, unless the context outgrows --window less --reserve"),
		clikit.Int64(&c.window, "window", 0, "the model's context window is `TOKENS`"),
		clikit.Int64(&c.reserve, "reserve", compact.DefaultReserve, "leave `TOKENS` of the window free"),
		clikit.Choice(&c.rules, "rules", []string{"1.5", "0.73"}, "cut as pi `VERSION` does"),
		clikit.String(&c.instructions, "instructions", "", "tell the summarizer `TEXT` as well"),
		clikit.Bool(&c.plan, "plan", "print what would be done as JSON, and do nothing"),
		clikit.Bool(&c.prompt, "prompt", "print the prompt for the summary, and do nothing"),
		clikit.String(&c.summary, "summary", "", "take the summary from `FILE` (- is standard input)"),
		clikit.Duration(&c.timeout, "timeout", summarize.DefaultTimeout, "stop the command after `DURATION`"),
		clikit.String(&c.require, "require", "", "refuse a summary without a line that matches the regular expression `REGEXP`, instead of the first heading asked for"),
		clikit.Bool(&c.noRequire, "no-require", "accept a summary without the headings asked for"),
	}
	return append(append(flags, c.target.Flags("entry")...),
		clikit.Bool(&c.json, "json", "print the new entry, not its id"),
		clikit.Bool(&c.dryRun, "dry-run, n", "make the summary, print the entry and write nothing"),
	)
}

// check refuses flags that contradict each other.
func (c *config) check(s *clikit.Streams, name string) error {
	filter := name == "" || name == "-"
	switch {
	case c.keep <= 0:
		return clikit.UsageError("--keep wants a number of tokens above 0")
	case c.reserve < 0:
		return clikit.UsageError("--reserve wants a number of tokens, 0 or more")
	case c.ifNeeded && c.window <= 0:
		return clikit.UsageError("--if-needed needs --window")
	case c.plan && c.prompt:
		return clikit.UsageError("--plan and --prompt exclude each other")
	case c.summary != "" && (c.plan || c.prompt || len(s.Command) > 0):
		return clikit.UsageError("--summary goes without --plan, --prompt and a command")
	case s.HasCommand && len(s.Command) == 0:
		return clikit.UsageError("no command after --")
	case c.summary == "-" && filter:
		return clikit.WithHint(clikit.UsageError("the session is on standard input: no place for the summary"), "name the session, or the file with the summary")
	case c.json && filter:
		return clikit.UsageError("--json needs a session file: without one the session is printed")
	}
	if _, err := c.required(""); err != nil {
		return err // before a model is paid for
	}
	c.target.Settle()
	return nil
}

// command is the summarizer: the words after --, else $SESS_SUMMARIZER. ok is
// false if there is none.
func (c *config) command(s *clikit.Streams) (cmd summarize.Command, ok bool) {
	cmd = summarize.Command{Argv: s.Command, Timeout: c.timeout}
	if len(s.Command) == 0 {
		cmd.Shell = os.Getenv("SESS_SUMMARIZER")
	}
	if s.Verbose {
		cmd.Stderr = s.Err
	}
	return cmd, len(cmd.Argv) > 0 || cmd.Shell != ""
}
