package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/proc"
)

// notesKept is how much of the end of standard error is looked at.
const notesKept = 64 << 10

// outcome is what a process left.
type outcome struct {
	state       *os.ProcessState // nil if the command was never reaped
	wait        error            // why not
	interrupted bool             // the context ended before the output did
	stdout      []byte           // at most one byte more than accepted
	stderr      tail
}

// errFull ends a command whose reply is longer than accepted.
var errFull = errors.New("the reply is too long")

// finish waits until the command has answered, ends it if the context does first or the reply is too long, and in every
// case leaves no process in its group.
func (c Command) finish(ctx context.Context, p *proc.Process, o *outcome, relay *relay) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	ctx, full := context.WithCancelCause(ctx)
	defer full(nil)
	var collecting sync.WaitGroup
	collecting.Go(func() { o.stdout = collect(p, c.MaxReply, relay, func() { full(errFull) }) })
	select {
	case <-p.Exited():
		select {
		case <-p.Drained():
		case <-ctx.Done():
			o.interrupted = context.Cause(ctx) != errFull //nolint:errorlint // it is given bare
		}
		p.End(c.Kill)
	case <-ctx.Done():
		o.interrupted = context.Cause(ctx) != errFull //nolint:errorlint // it is given bare
		p.End(c.Kill)
		select { // what was printed last may still be in the pipes
		case <-p.Drained():
		case <-time.After(proc.Linger):
		}
	}
	_ = p.Close()
	p.Release(0)
	collecting.Wait()
	o.stderr.trim()
	o.state, _, o.wait = p.Ended()
}

// collect reads standard output and returns it up to one byte more than accepted. It calls full when there is more, and
// goes on reading after that, so that the command is not stuck in a write while it should be dying.
func collect(p *proc.Process, accepted int, relay *relay, full func()) (reply []byte) {
	buf := make([]byte, 32<<10)
	for {
		n, err := p.Read(buf)
		before := len(reply)
		reply = append(reply, buf[:min(n, accepted+1-before)]...)
		if before <= accepted && len(reply) > accepted {
			full()
		}
		if n > 0 {
			relay.has(reply)
		}
		if err != nil {
			return reply
		}
	}
}

// tail keeps the last max bytes that are written to it, and forwards all of them.
type tail struct {
	max int
	to  io.Writer // nil for nowhere
	buf []byte
	cut bool // something was dropped
}

func (t *tail) Write(b []byte) (int, error) {
	t.buf = append(t.buf, b...)
	if len(t.buf) > 2*t.max { // move rarely
		t.trim()
	}
	if t.to != nil {
		if _, err := t.to.Write(b); err != nil {
			t.to = nil
		}
	}
	return len(b), nil
}

func (t *tail) trim() {
	if over := len(t.buf) - t.max; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
		t.cut = true
	}
}

// Defaults of a Command whose fields are zero.
const (
	DefaultTimeout  = 5 * time.Minute
	DefaultKill     = 5 * time.Second
	DefaultMaxReply = 1 << 20 // bytes
)

// Variable names the command that summarizes where none is given. Set and empty is
// an error: in a CI job it is a secret that is not set, and a summary without a model
// is not what was meant.
const Variable = "SESS_SUMMARIZER"

// Guard is the variable that marks everything below a summary command. An agent
// that compacts its own session while it summarizes one would never come back. See
// Command.Summarizes.
const Guard = "SESS_SUMMARIZING"

// Command says which program answers and what input it may take. Exactly one of Argv and Shell is
// set. A Command is a plain value and may be run any number of times, also concurrently.
type Command struct {
	// Argv is executed directly, without a shell; Argv[0] is looked up in PATH.
	Argv []string
	// Shell is run through sh -c.
	Shell string
	// Name is how errors call the command; "" is Argv[0] without its arguments, or
	// "sh -c".
	Name string
	// Timeout bounds the whole call; zero or less means DefaultTimeout.
	Timeout time.Duration
	// Kill is the time between SIGTERM and SIGKILL; zero or less means DefaultKill.
	Kill time.Duration
	// MaxReply is the number of bytes accepted on standard output, counted
	// before cleaning; zero or less means DefaultMaxReply.
	MaxReply int
	// Summarizes says that the command writes a summary: Guard is set for it, and it is
	// refused where Guard is set.
	Summarizes bool
	// Env adds KEY=VALUE pairs to the environment of the command. They win over
	// the inherited ones, NO_COLOR=1 and TERM=dumb.
	Env []string
	// Check judges the cleaned reply to a prompt: it returns the text to use, or the reason for a
	// refusal. Nil takes every reply as it is.
	Check func(prompt, reply string) (string, error)
	// Stdout receives the command's standard output as it arrives, raw, from another goroutine: a
	// slow writer holds up neither the command nor its time-out. The call ends when everything has
	// been written, or soon after its context; a write that blocks then is left behind. The first
	// error of a write ends the writing, not the call. Nil keeps it back.
	Stdout io.Writer
	// Stderr receives the command's standard error as it arrives, raw: making
	// control characters visible is its business. Nil keeps it back. The first
	// error of a write ends the forwarding, not the call.
	Stderr io.Writer

	silence time.Duration // of processes left behind; zero means proc.Linger
}

// Run starts the command, writes prompt to its standard input and returns its
// cleaned reply: valid UTF-8 without escape sequences or control characters
// other than tab and newline, without leading blank lines, byte order mark or
// trailing white space.
//
// Every failure of the command is an *Error and matches ErrCommand. The end of
// ctx by cancellation is not: that error matches context.Canceled only. A ctx
// that reaches its own deadline counts as a time-out. Run returns at the latest
// Timeout + Kill + a few seconds after it was called and leaves no goroutine
// behind, unless the system cannot kill the command. While it runs, the second
// SIGINT, SIGTERM, SIGHUP or SIGQUIT kills the command's group at once; the first
// one is for the caller to make the end of ctx of it.
func (c Command) Run(ctx context.Context, prompt string) (reply string, err error) {
	o, reply, err := c.answer(ctx, prompt)
	if err != nil || c.Check == nil {
		return reply, err
	}
	taken, err := c.Check(prompt, reply)
	if err != nil {
		e := c.refuse(Refused, err.Error(), o, prompt)
		e.cause = err
		return "", e
	}
	return taken, nil
}

// Collect is Run without the cleaning and without Check. It returns what the command
// printed as it came, with an error too: that is what a command that failed said, up to
// one byte more than MaxReply.
func (c Command) Collect(ctx context.Context, prompt string) (printed []byte, err error) {
	o, _, err := c.answer(ctx, prompt)
	return o.stdout, err
}

// answer runs the command and returns its outcome, and its cleaned reply.
func (c Command) answer(ctx context.Context, prompt string) (o outcome, reply string, err error) {
	if (len(c.Argv) == 0) == (c.Shell == "") {
		return o, "", errors.New("running a command: exactly one of Argv and Shell must be set")
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.Kill <= 0 {
		c.Kill = DefaultKill
	}
	if c.MaxReply <= 0 {
		c.MaxReply = DefaultMaxReply
	}
	if c.silence <= 0 {
		c.silence = proc.Linger
	}
	if c.Summarizes && os.Getenv(Guard) != "" {
		return o, "", &Error{
			Name: c.String(), Reason: Recursion, Status: -1,
			what: "refused inside another summary command (" + Guard +
				" is set): summarize with a program that does not compact sessions",
		}
	}
	if ctx.Err() != nil {
		return o, "", c.interrupted(ctx, o, prompt)
	}
	o.stderr = tail{max: notesKept, to: c.Stderr}
	// The first signals may come while the command starts, and a second one that is not caught would end this process and
	// leave the command running.
	caught := make(chan os.Signal, 2)
	for _, sig := range interrupts {
		if !signal.Ignored(sig) { // as by nohup(1)
			signal.Notify(caught, sig)
		}
	}
	defer signal.Stop(caught)
	p, err := proc.Program{
		Argv: c.argv(), Env: c.environ(), Stdin: strings.NewReader(prompt), Stderr: &o.stderr, Group: true, Silence: c.silence,
	}.Start()
	if err != nil {
		return o, "", c.notStarted(err)
	}
	defer insist(caught, p.Kill)()
	var passing *relay
	if c.Stdout != nil {
		passing = &relay{wake: make(chan struct{}, 1), done: make(chan struct{})}
		go passing.run(c.Stdout)
	}
	c.finish(ctx, p, &o, passing)
	passing.end(ctx)
	reply, err = c.judge(ctx, o, prompt)
	if e, ok := errors.AsType[*Error](err); ok {
		e.relayed = passing != nil && len(o.stdout) > 0
	}
	return o, reply, err
}

// judge decides whether what the command did is an answer.
func (c Command) judge(ctx context.Context, o outcome, prompt string) (string, error) {
	switch {
	case o.interrupted:
		return "", c.interrupted(ctx, o, prompt)
	case len(o.stdout) > c.MaxReply:
		what := fmt.Sprintf("the reply is longer than %d bytes; the command was stopped", c.MaxReply)
		return "", c.refuse(TooLong, what, o, prompt)
	case o.state == nil || !o.state.Success():
		return "", c.failed(o, prompt)
	}
	reply := clean(string(o.stdout))
	if blank(reply) {
		// Without a word on standard error either, the likeliest cause is named: pi answers a prompt above the model's window
		// so. It is not ErrOverflow by itself, since a model with nothing to say looks the same.
		e := c.refuse(Empty, "the reply is blank", o, prompt)
		if e.Detail == "" {
			e.what = "the reply is blank and no error was printed; the prompt may be too long for the model"
		}
		return "", e
	}
	return reply, nil
}

// argv is the command line that is executed.
func (c Command) argv() []string {
	if c.Shell != "" {
		sh := "sh"
		if _, err := proc.Find(sh); err != nil {
			sh = "/bin/sh" // PATH may be empty
		}
		return []string{sh, "-c", c.Shell}
	}
	return c.Argv
}

// environ is the environment of the command. Of two equal keys the later wins,
// so the guard stands last.
func (c Command) environ() []string {
	env := append(os.Environ(), "NO_COLOR=1", "TERM=dumb")
	env = append(env, c.Env...)
	if c.Summarizes {
		env = append(env, Guard+"=1")
	}
	return env
}

// String is how errors call the command: without its arguments and without the
// text of a shell command, since keys and tokens are passed there.
func (c Command) String() string {
	switch {
	case c.Name != "":
		return c.Name
	case c.Shell != "":
		return "sh -c"
	}
	if quoted := strconv.Quote(c.Argv[0]); quoted != `"`+c.Argv[0]+`"` || c.Argv[0] == "" {
		return quoted
	}
	return c.Argv[0]
}
