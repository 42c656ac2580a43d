package command

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// Defaults of a Retry whose fields are zero.
const (
	DefaultBase = time.Second
	DefaultMax  = 30 * time.Second
)

const (
	// shortest is the least wait: less is none, and is reported as none.
	shortest = 100 * time.Millisecond
	// patience is the longest wait that a command may ask for.
	patience = 2 * time.Minute
)

// Exit statuses of a shell that could not run the command it was given.
const (
	statusNotExecutable = 126
	statusNotFound      = 127
)

// Retry says how often a command that failed is run again, and after what wait.
// The wait is drawn between a tenth of a second and a bound that doubles from try
// to try ("full jitter"), so that programs that failed together do not come back
// together. What a command asks for, as in "try again in 20s", is waited besides.
// The zero Retry runs everything once.
type Retry struct {
	// Attempts is how many more tries a failed first one gets.
	Attempts int
	// Asked says that a command is run again only if its words say that waiting helps. It is
	// for commands that may have had effects: what an agent has done it would do again.
	Asked bool
	// Base bounds the first wait; zero or less means DefaultBase.
	Base time.Duration
	// Max bounds every wait that is drawn; zero or less means DefaultMax.
	Max time.Duration
	// Rand returns a number in [0, 1); nil means that of math/rand/v2.
	Rand func() float64
	// Sleep waits, or returns an error as soon as ctx ends; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Report is called before every wait with the number of failed tries, the length
	// of the wait, and the last error. It may be nil.
	Report func(try int, wait time.Duration, err error)
}

// Run calls ask until it succeeds, fails for good, or has been tried often enough, and returns its last result. A
// failure that may pass is tried again: a signal, and an exit status or a blank reply unless the words say that it
// lasts, such as those of a key that is refused or a program that is not found. A refused reply is tried again only if
// its words are those of a server with too much to do: any other is an answer, and the next one costs as much. A
// failure that would come back is not tried again: a command that cannot be started or is not found, a time-out, a
// reply or a prompt that is too long, a recursion, a command of which a part of the reply went to Command.Stdout
// already, behind which another would follow, a wait of more than two minutes that is asked for, and no error of
// another kind than *Error.
//
// If ctx is canceled during a wait, Run returns at once with an error that
// matches context.Canceled and not ErrCommand; if its deadline comes, with one
// that matches the last error of ask and context.DeadlineExceeded.
func (r Retry) Run(ctx context.Context, ask func(context.Context) (string, error)) (string, error) {
	if r.Base <= 0 {
		r.Base = DefaultBase
	}
	if r.Max <= 0 {
		r.Max = DefaultMax
	}
	if r.Rand == nil {
		r.Rand = rand.Float64
	}
	if r.Sleep == nil {
		r.Sleep = sleep
	}
	bound := min(r.Base, r.Max)
	for try := 1; ; try++ {
		reply, err := ask(ctx)
		if err == nil || try > r.Attempts || !mayPass(err) {
			return reply, err
		}
		e, _ := errors.AsType[*Error](err) // nothing else may pass
		if r.Asked && !e.outlook.passing {
			return reply, err
		}
		wait := max(shortest, time.Duration(r.Rand()*float64(bound))) + e.outlook.after
		if r.Report != nil {
			r.Report(try, wait, err)
		}
		if stopped := r.Sleep(ctx, wait); stopped != nil {
			if errors.Is(stopped, context.DeadlineExceeded) {
				return "", fmt.Errorf("%w; no time to try again: %w", err, stopped)
			}
			return "", fmt.Errorf("waiting to run the command again: %w", stopped)
		}
		bound += min(bound, r.Max-bound)
	}
}

// mayPass reports whether the same command with the same prompt may succeed
// later.
func mayPass(err error) bool {
	var e *Error
	if !errors.As(err, &e) || e.overflow || e.relayed || e.outlook.after > patience {
		return false
	}
	switch e.Reason {
	case Exited:
		return e.Status != statusNotExecutable && e.Status != statusNotFound && !e.outlook.lasting
	case Empty:
		return !e.outlook.lasting
	case Refused:
		return e.outlook.passing && !e.outlook.lasting
	}
	return e.Reason == Signaled
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() // both may have come
	case <-ctx.Done():
		return ctx.Err()
	}
}

// interrupts are the signals that end a program.
var interrupts = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// insist calls kill at the second of the caught signals, until stop is called. The first one cancels the
// caller's context.
func insist(caught <-chan os.Signal, kill func()) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for range 2 {
			select {
			case <-caught:
			case <-done:
				return
			}
		}
		kill()
	}()
	return func() {
		close(done)
		<-over // nothing is killed after this
	}
}

// An outlook is what the words of a failed command say about another try.
type outlook struct {
	passing bool          // waiting helps: too many requests, an overloaded server
	lasting bool          // it does not: no key, no money, no such program
	after   time.Duration // how long to wait, if that was said
}

// Programs and providers have no common way to say it.
var (
	passingWords = lazy.Regexp(`(?i)rate[\s_-]?limit|too many requests|\b(429|500|502|503|504|529)\b|overloaded|throttl` +
		`|internal server error|bad gateway|service unavailable|temporar|at capacity|try again later|please wait` +
		`|connection (reset|refused|error)|\bE(CONN|TIMEDOUT|AI_AGAIN)`)
	lastingWords = lazy.Regexp(`(?im)\b(401|402|403)\b|unauthori[sz]ed|forbidden|authentication|not (logged|signed) in|please (log|sign) in` +
		`|(invalid|incorrect|missing|no) (\S+ )?(api[\s_-]?)?key|insufficient[\s_](quota|funds|credit)|current quota|credit balance|payment required` +
		`|command not found|: not found$|no such file or directory|model\b.{0,60}(not found|does not exist)|unknown (option|flag|model)`)
	afterWords = lazy.Regexp(`(?i)(?:retry|try again|wait)[\s_-](?:after|in|for)["':\s]{1,4}([0-9]+(?:\.[0-9]+)?)\s?(ms|milliseconds?|s|seconds?|m|minutes?)?\b`)
)

func outlookOf(text string) outlook {
	var o outlook
	if m := afterWords().FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		unit := time.Second
		switch {
		case len(m[2]) > 1 && m[2][:2] == "ms", len(m[2]) > 2 && m[2][:3] == "mil":
			unit = time.Millisecond
		case m[2] != "" && (m[2][0] == 'm' || m[2][0] == 'M'):
			unit = time.Minute
		}
		o.after = time.Duration(min(n, 1e6) * float64(unit))
	}
	o.passing = o.after > 0 || passingWords().MatchString(text)
	o.lasting = o.after == 0 && lastingWords().MatchString(text)
	return o
}
