package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/tty"
)

type config struct {
	from, print                          string
	prompt, promptFile                   string
	bestEffort, keepUnknown, failOnError bool
	timeout                              time.Duration
	model, provider                      string
	create                               bool
	target                               address.TargetOptions

	given []byte // that the command reads, nil for standard input
}

// The values of --print.
const (
	printEvents = "events"
	printText   = "text"
)

func (c *config) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.Choice(&c.from, "reply", stream.Names(), "`WHAT` the stream or the command's output is"),
		cli.String(&c.prompt, "prompt", "", "the user's prompt is `TEXT`; - reads standard input and passes it to the command"),
		cli.String(&c.promptFile, "prompt-file", "", "the user's prompt is in `FILE`, and the command reads it on standard input"),
		cli.Choice(&c.print, "print", []string{printEvents, printText}, "`WHAT` to print, the stream unchanged or the text of the answers"),
		cli.Bool(&c.failOnError, "fail-on-error", "end with 5 if the newest answer is an error, or if there is none"),
		cli.Duration(&c.timeout, "timeout", 0, "give up after `DURATION`, and stop the command; 0 is never"),
		address.CreateFlag(&c.create),
		cli.Bool(&c.keepUnknown, "keep-unknown", "keep unknown events as custom entries"),
		cli.Bool(&c.bestEffort, "best-effort", "pass the stream through even if the session cannot be written"),
		cli.String(&c.model, "model", "", "the `MODEL` of answers ($SESS_MODEL), if the stream does not name it"),
		cli.String(&c.provider, "provider", "", "the `PROVIDER` of answers ($SESS_PROVIDER), if the stream does not name it"),
	}
	return append(flags, c.target.Flags()...)
}

// agent returns the agent whose words are recorded, by --reply or by the name of the command, and "" if neither says it.
func (c *config) agent(argv []string) string {
	name := c.from
	if name == stream.Auto && len(argv) > 0 {
		name = filepath.Base(argv[0])
	}
	if !known.IsAgent(name) {
		return ""
	}
	return name
}

func (c *config) check(s *cli.Streams, name string) error {
	if err := address.Writable(name); err != nil {
		return err
	}
	if fi, err := os.Stat(name); err == nil && !fi.IsDir() { // a pipe would be waited for, with the agent behind it
		if err := disk.Regular(fi); err != nil {
			return cli.UsageError("%s: %v", disk.Subject(name), err)
		}
	}
	switch {
	case name == "" || name == "-":
		return cli.WithHint(cli.UsageError("no session named: standard input is the stream"), "sess-new -o FILE makes a session")
	case s.HasCommand && len(s.Command) == 0:
		return cli.UsageError("no command after --")
	case c.timeout < 0:
		return cli.UsageError("--timeout wants a time, 0 or more")
	case c.timeout > 0 && !s.HasCommand:
		return cli.UsageError("--timeout is for a command, and there is none")
	}
	c.target.Settle()
	if err := cli.Exclusive(cli.NameIf(c.prompt != "", "--prompt"), cli.NameIf(c.promptFile != "", "--prompt-file")); err != nil {
		return err
	}
	return c.readPrompt(s)
}

// readPrompt reads the user's prompt. A prompt from a file or from standard input is read by the
// command as it is: there is no other way for a prompt that is too long for an argument.
func (c *config) readPrompt(s *cli.Streams) error {
	file := c.promptFile
	if c.prompt == "-" {
		file = "-"
	}
	if file == "" {
		c.prompt = strings.TrimRight(c.prompt, "\n")
		return cli.UTF8("--prompt", c.prompt)
	}
	if file == "-" && !s.HasCommand {
		return cli.WithHint(cli.UsageError("standard input is the stream, and no place for the prompt"), "name it with --prompt TEXT or --prompt-file FILE")
	}
	data, err := s.ReadInput(file, "prompt", "--prompt or --prompt-file")
	if err != nil {
		return err
	}
	c.prompt = strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	if s.HasCommand {
		c.given = data
	}
	switch name := map[bool]string{true: "standard input", false: file}[file == "-"]; {
	case c.prompt == "":
		return cli.UsageError("no prompt: %s is empty", name)
	default:
		return cli.UTF8(name, c.prompt)
	}
}

// options returns how the stream is decoded.
func (c *config) options(w *writer, live bool) stream.Options {
	tally := cli.NewTally(w.warn)
	o := stream.Options{
		From: c.from, Prompt: c.prompt, KeepUnknown: c.keepUnknown, Live: live,
		Now:  func() int64 { return time.Now().UnixMilli() },
		Emit: w.take, Totals: w.totals, Note: w.streams.Notef,
		Warn: func(format string, args ...any) { tally.Warnf(format, format, args...) },
	}
	if c.print == printText {
		o.Say = w.say
	}
	return o
}

// A source is where the stream comes from: a command, or standard input.
type source struct {
	live  bool                  // it is printed while it is read
	argv  []string              // the command, nil for standard input
	start func() (begun, error) // begins the stream
}

// A begun is a stream that comes.
type begun struct {
	out    io.Reader
	stop   <-chan os.Signal // ends the recording
	exited <-chan struct{}  // closed when the printer has exited
	wait   func() (command.Ending, error)
	leave  func()      // lets signals end this program
	ending func() bool // a signal asked for the end
}

// source finds the command, or takes standard input. An interrupt from a terminal goes to
// the printer of the stream, too, and that may still say something: so it does not end the
// recording, nor does a reader of standard output that goes away before what came is
// recorded. Any other signal that ends a program ends the stream here.
func (c *config) source(s *cli.Streams, name string) (*source, error) {
	if len(s.Command) > 0 {
		if err := command.Find(s.Command); err != nil {
			return nil, cli.CommandFailed(err)
		}
		return &source{live: true, argv: s.Command, start: func() (begun, error) { return c.started(s, name) }}, nil
	}
	if f := s.InFile(); f != nil && tty.IsTerminal(f) {
		return nil, cli.WithHint(cli.UsageError("no command, and standard input is a terminal"),
			"a command comes after two dashes: sess-record s.jsonl -- claude -p …")
	}
	in, err := s.OpenInput("")
	if err != nil {
		return nil, err
	}
	live := true
	if f := s.InFile(); f != nil {
		fi, err := f.Stat()
		live = err != nil || !fi.Mode().IsRegular()
	}
	return &source{live: live, start: func() (begun, error) { return filtered(in), nil }}, nil
}

// filtered is the stream that comes from standard input.
func filtered(in io.Reader) begun {
	stop, exited := make(chan os.Signal, 1), make(chan struct{})
	close(exited)
	for _, sig := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // as by nohup(1)
			signal.Notify(stop, sig)
		}
	}
	signal.Ignore(os.Interrupt)
	return begun{
		out: in, stop: stop, exited: exited, leave: func() {}, ending: func() bool { return false },
		wait: func() (command.Ending, error) { return command.Ending{}, nil },
	}
}

// started starts the command, and tells it in which session it is recorded.
func (c *config) started(s *cli.Streams, name string) (begun, error) {
	stage := command.Stage{Stdin: s.In, Stderr: s.Err, Given: c.given, Timeout: c.timeout}
	if path, err := address.Reference(context.Background(), s, name); err == nil {
		stage.Env = []string{address.SelfVariable + "=" + address.SelfValue(path)}
	}
	if f := s.InFile(); f != nil {
		stage.Stdin = f
	}
	if f := s.ErrFile(); f != nil {
		stage.Stderr = f
	}
	f, err := command.StartForeground(s.Command, stage)
	if err != nil {
		return begun{}, cli.CommandFailed(err)
	}
	return begun{out: f.Out, stop: f.Late(), exited: f.Exited(), wait: f.Wait, leave: f.Release, ending: f.Ending}, nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
reply
prompt: the user's prompt is TEXT
prompt-file: the user's prompt is in FILE
print: the stream unchanged, or the text of the answers
fail-on-error: end with 5 if the newest answer is an error
timeout: give up after DURATION, and stop the command
create
`
