package main

import (
	"math"
	"slices"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/pkg/compact"
)

// A config is what the command line says.
type config struct {
	text         *string
	goOn         bool
	file, system string
	as           string

	window     int64
	compact    bool
	summarizer *string

	reply, print    string
	timeout         time.Duration
	retries         *int
	keepFailed      bool
	model, provider string

	expect          string
	dryRun, noStore bool
	redact, create  bool
	target          address.TargetOptions
}

// The values of --print.
const (
	printEvents = "events"
	printText   = "text"
)

// defaultTimeout is how long a turn may take: an agent works for longer than a model
// summarizes.
const defaultTimeout = 30 * time.Minute

// defaultRetries is how often a command is run again that asks for it.
const defaultRetries = 2

// attempts is how often a command that failed is run again.
func (c *config) attempts() int {
	if c.retries == nil {
		return defaultRetries
	}
	return *c.retries
}

// reserve is what of the window is left for the answer, in tokens: a quarter of a small one.
func (c *config) reserve() int64 { return min(compact.DefaultReserve, c.window/4) }

// forms are what the command can be given; the first is the default.
var forms = []string{"text", "openai", "anthropic", "messages"}

// replies are what the command can print; the first is the default.
func replies() []string {
	others := slices.DeleteFunc(slices.Clone(stream.Names()), func(name string) bool { return name == stream.Text })
	return append([]string{stream.Text}, others...)
}

func (c *config) flags() []cli.Flag {
	return slices.Concat(
		cli.Group("What is said", []cli.Flag{
			cli.Optional(&c.text, "text, t", "the message is `TEXT`"),
			cli.String(&c.file, "file, f", "", "read the message from `FILE` (- is standard input)"),
			cli.Bool(&c.goOn, "go-on", "add no text, and ask for the answer to the tool result or the prompt at the end of the session"),
			cli.String(&c.system, "system", "", "begin with the system prompt in `FILE`, which is not stored"),
		}...),
		cli.Group("What the command reads", []cli.Flag{
			cli.Choice(&c.as, "as", forms, "give the command the conversation as `FORM`"),
			cli.Tokens(&c.window, "window", 0, "the model's context window is `TOKENS`; the oldest messages that do not fit are left out"),
			cli.Bool(&c.compact, "compact", "compact the session first, if it does not fit, and have the command summarize"),
			cli.Bool(&c.redact, "redact", "take secrets out of what the command reads, as sess-redact does"),
			cli.Variable(command.Variable, cli.Optional(&c.summarizer, "summarizer", "have the shell command `COMMAND` summarize")),
		}...),
		cli.Group("The answer", []cli.Flag{
			cli.Choice(&c.reply, "reply", replies(), "`WHAT` the command prints"),
			cli.Choice(&c.print, "print", []string{printEvents, printText}, "`WHAT` to print, the command's output unchanged or the text of the answer"),
			cli.Duration(&c.timeout, "timeout", defaultTimeout, "give up after `DURATION`, and stop the command; 0 is never"),
			cli.OptionalInt(&c.retries, "retries", "retry a failed command up to `N` times, if it printed nothing; without the flag 2 times, and only if its error suggests waiting"),
			cli.Bool(&c.keepFailed, "keep-failed", "store a turn whose command failed, too, marked as such"),
			cli.String(&c.model, "model", "", "the `MODEL` of answers ($SESS_MODEL)"),
			cli.String(&c.provider, "provider", "", "the `PROVIDER` of answers ($SESS_PROVIDER)"),
		}...),
		cli.Group("Writing", slices.Concat([]cli.Flag{
			cli.String(&c.target.Parent, "parent", "", "add after the entry `REF` instead of the leaf; null starts a new root"),
			cli.String(&c.expect, "expect-leaf", "", "before and after the command, add only if `REF` is the leaf; otherwise status 4"),
		}, c.target.Flags(), []cli.Flag{
			address.CreateFlag(&c.create),
			cli.Bool(&c.noStore, "no-store", "store nothing; the session may be another agent's, or standard input"),
			cli.Bool(&c.dryRun, "dry-run, n", "print what the command would read, do not run it, and write nothing"),
		})...),
	)
}

// check refuses flags that contradict each other, and completes the rest.
func (c *config) check(s *cli.Streams, name string) error {
	if err := c.checkName(name); err != nil {
		return err
	}
	if err := cli.Exclusive(cli.NameIf(c.text != nil, "--text"), cli.NameIf(c.file != "", "--file"), cli.NameIf(c.goOn, "--go-on")); err != nil {
		return err
	}
	switch {
	case len(s.Command) == 0 && !c.dryRun:
		return cli.WithHint(cli.UsageError("no command"), "it comes after two dashes: %s", s.Line("--", "my-llm"))
	case c.system == "-" && c.readsText():
		return cli.UsageError("--system - takes standard input: no place for the text")
	case c.timeout < 0 || c.retries != nil && *c.retries < 0:
		return cli.UsageError("--timeout and --retries want a number, 0 or more")
	}
	if err := c.checkCompact(); err != nil {
		return err
	}
	if c.timeout == 0 {
		c.timeout = math.MaxInt64
	}
	c.target.Settle()
	return nil
}

// checkName refuses a name of which no session can be made, or to which none can be added.
func (c *config) checkName(name string) error {
	switch {
	case name == "-" && !c.noStore:
		return cli.WithHint(cli.UsageError("standard input is no session to add a turn to"), "name the session's file; --no-store prints the answer alone")
	case name == "":
		return cli.WithHint(cli.UsageError("no session named"), "sess-new makes one; the turn is appended to its file")
	case !c.noStore:
		return address.Writable(name)
	case name == "-" && c.readsText():
		return cli.UsageError("standard input is the session: no place for the text")
	case c.keepFailed, c.expect != "", c.create:
		return cli.UsageError("--no-store stores nothing: --keep-failed, --expect-leaf and --create do not go with it")
	}
	return nil
}

// readsText reports whether standard input is what the user says.
func (c *config) readsText() bool { return c.text == nil && !c.goOn && (c.file == "" || c.file == "-") }

func (c *config) checkCompact() error {
	switch {
	case c.compact && c.noStore:
		return cli.UsageError("--compact stores a summary, and --no-store stores nothing")
	case !c.compact:
		return nil
	case c.window == 0:
		return cli.UsageError("--compact needs --window")
	case c.target.Parent != "" || c.expect != "":
		return cli.UsageError("--compact changes the leaf: neither --parent nor --expect-leaf goes with it")
	case c.summarizer == nil && (c.as != "text" || c.reply != stream.Text):
		return cli.WithHint(cli.UsageError("--compact asks the command for a summary in plain text, and it reads or prints another form"),
			"the variable %s names a command that summarizes", command.Variable)
	}
	return nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
text
file
go-on: add no text, and ask for the answer that is due
system: begin with the system prompt in FILE
as
window: leave out the oldest messages above TOKENS
compact: compact the session first, if it does not fit
redact: take secrets out of what the command reads
reply
model
parent: add after REF instead of the leaf; null is a new root
expect-leaf: add only if REF is the leaf; otherwise status 4
create
no-store: store nothing
`
