package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// Main runs t as a process and exits with its status.
//
// The context of the action is cancelled by the first SIGINT, SIGTERM, SIGHUP or
// SIGQUIT; a second one kills the process. Until the action first asks for
// ctx.Done or ctx.Err, itself or through a function it hands ctx to, these
// signals just kill. So ask before creating what has to be cleaned up. SIGPIPE
// always keeps its default action: writing to a pipe without a reader ends a filter
// without a word.
func Main(t Tool) {
	if _, set := os.LookupEnv("GOMAXPROCS"); !set && runtime.GOMAXPROCS(0) == 1 {
		// With only one, the runtime takes it away from every system call of more
		// than a moment, which costs a tenth of reading a large file. It never
		// chooses one itself but for a machine, or a process, that has only one.
		runtime.GOMAXPROCS(2)
	}
	ctx := &signalContext{Context: context.Background(), asked: make(chan struct{})}
	os.Exit(Run(ctx, t, os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// outBuffer is the size of the buffer of standard output in bytes: one pipe's
// worth.
const outBuffer = 64 << 10

// Run runs t with args, the command line without the program's name, prints its
// error, and returns its exit status. It touches no global state.
//
// After ctx is cancelled an action has all the time it needs to unwind, unless
// it hangs in a read of stdin or of a pipe, or in a write to a pipe that stays full, which
// nothing can cut short; then Run returns without it.
func Run(ctx context.Context, t Tool, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	s := &Streams{
		name:  t.Name,
		usage: t.Name,
		raw:   stderr,
		in:    &input{ctx: ctx, r: stdin},
		out:   &output{w: stdout},
		hurry: make(chan struct{}),
	}
	if refusal != "" {
		fmt.Fprintf(stderr, "%s: %s\n", t.Name, refusal)
		return ExitUsage
	}
	buffered := bufio.NewWriterSize(s.out, outBuffer)
	s.In, s.Out, s.Err = s.in, s.onTerminal(buffered), &messages{mu: &s.mu, w: toErr{s}}
	err := s.wait(ctx, writeMoments, func() error {
		err := s.run(ctx, t, args)
		for _, end := range s.ends {
			end()
		}
		return s.finish(err)
	})
	if err != nil && cancelled(ctx) != nil && Status(err) < ExitInterrupted {
		err = errors.Join(err, errInterrupted) // whatever failed, it was told to stop
	}
	_ = s.wait(ctx, lastMoments, func() error {
		s.Unfold()
		if err != nil {
			s.report(err)
		}
		s.endGate(Status(err))
		return nil
	})
	return Status(err)
}

// How long an action may wait after ctx has ended: for input, and for a reader of its output, who may take the rest of it meanwhile.
const (
	moment       = 50 * time.Millisecond
	inputMoments = 2
	writeMoments = 10
	lastMoments  = 4 // for the error of the run, whose reader may be the one that is stuck
)

// Hurry says that the tool was told to end in a way that its context does not know, and that all data is kept: messages that are left
// wait for their reader a moment, then the run ends with err, as if the action had returned it. It may be called once.
func (s *Streams) Hurry(err error) {
	s.hurried = err
	close(s.hurry)
}

// wait runs action and waits for it, or until ctx is done or the action is in a hurry, and the action still
// waits for standard input, for a pipe that was named, or for a reader a moment later.
func (s *Streams) wait(ctx context.Context, moments int, action func() error) error {
	done := make(chan error, 1)
	go func() { done <- action() }()
	select {
	case err := <-done:
		return err
	case <-s.hurry:
	case <-cancellable(ctx):
		select {
		case err := <-done:
			return err
		case <-s.hurry:
		case <-ctx.Done():
		}
	}
	tick := time.NewTicker(moment)
	defer tick.Stop()
	for reads, writes := 0, 0; reads < inputMoments && writes < moments; {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		reads, writes = s.in.waiting.after(reads), s.out.waiting.after(writes)
	}
	select {
	case <-s.hurry:
		return s.hurried
	default:
		return errInterrupted
	}
}

// finish flushes standard output and adds its failure to err, once: of an action
// that noticed the failure the words stay, which say more.
func (s *Streams) finish(err error) error {
	ferr := s.Flush()
	if ferr == nil {
		return err
	}
	if errors.Is(ferr, errReaderGone) {
		return ferr
	}
	if _, ok := errors.AsType[*outputError](err); ok {
		return err
	}
	return errors.Join(err, ferr)
}

// run parses args and runs the action, or prints the help or the version.
func (s *Streams) run(ctx context.Context, t Tool, args []string) error {
	if len(args) == 2 && args[0] == completionFlag { // elsewhere it is unknown
		return Completion(s.Out, args[1], []Tool{t})
	}
	if len(args) > 2 && args[0] == completeFlag && args[2] == "--" {
		return s.complete(ctx, t, args[1], args[3:])
	}
	if len(args) == 1 && args[0] == describeFlag {
		line, err := json.Marshal(Describe(t))
		if err == nil {
			_, err = s.Out.Write(append(line, '\n'))
		}
		return err
	}
	t, args, err := t.pick(args)
	if err != nil {
		return err
	}
	s.usage = t.Name
	var fr frame
	flags, action := t.flags()
	flags = append(flags, fr.flags(flags)...)
	p := parser{flags: flags, set: flag.NewFlagSet(t.Name, flag.ContinueOnError), command: t.Command, stops: t.Dispatch}
	if err := p.parse(args); err != nil {
		return err
	}
	s.Quiet, s.Verbose, s.Color = fr.quiet, fr.verbose, fr.color
	switch {
	case fr.help:
		return s.writeHelp(t)
	case fr.short:
		return s.writeShortHelp(t)
	case fr.version:
		_, err := fmt.Fprintf(s.Out, "%s %s (%s)\n", s.name, Version(), formats)
		return err
	}
	if err := p.environment(os.Getenv); err != nil {
		return err
	}
	s.Command, s.HasCommand, s.proposal = p.words, p.dashes && t.Command, p.hinted
	s.places = p.places
	if s.args = args; s.HasCommand {
		s.args = args[:len(args)-len(p.words)-1]
	}
	if name, each, _ := strings.Cut(Unfolded, "="); os.Getenv(name) == each {
		s.each = true
	}
	if !t.Writes {
		s.Fold()
	}
	return action(ctx, s, p.operands)
}

// formats is what --version says about session files: the version written and
// the versions read.
const formats = "session format 3; reads 1-3"
