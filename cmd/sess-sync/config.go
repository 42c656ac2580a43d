package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/bucket/s3"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A config is the flags of all commands. Each command has some of them.
type config struct {
	remote, expectLeaf, since   string
	all, dryRun, reseed, follow bool
	json, cards, news, probe    bool
	each                        bool
	after, maxSize              int64
	wait, grace                 time.Duration
	timeout                     time.Duration // without a word of the remote
	idle                        time.Duration // how long a pull that follows rests
	collection
	now   func() time.Time
	speak atomic.Pointer[cli.Streams] // where the remote's warnings go: of several answers those of the one that is made
}

// A run is what a command does with the remote.
type run func(*config, context.Context, *cli.Streams, remote.Log, []string) error

// command makes one command, which gets the remote that the environment names, or, with a flag for it, that.
func command(name, args, summary, examples string, flags func(*config) []cli.Flag, do run) cli.Tool {
	return cli.Tool{
		Name: name, Args: args, Summary: summary, Examples: examples, Common: commonFlags,
		New: func() ([]cli.Flag, cli.Action) {
			c := &config{now: time.Now}
			return append(flags(c), c.timeoutVariable()), func(ctx context.Context, s *cli.Streams, operands []string) error {
				return c.with(ctx, s, cmp.Or(c.remote, os.Getenv("SESS_REMOTE")), false, func(l remote.Log) error {
					return do(c, ctx, s, l, operands)
				})
			}
		},
	}
}

// timeoutVariable has the time that a remote may be silent in a variable.
func (c *config) timeoutVariable() cli.Flag {
	return cli.Variable("SESS_TIMEOUT", cli.Duration(&c.timeout, "timeout", s3.DefaultTimeout, "give up after `DURATION` without an answer from the remote"))
}

// sizeVariable has the largest session that a remote may make us read in a variable, in bytes.
func (c *config) sizeVariable() cli.Flag {
	return cli.Variable("SESS_MAX_SIZE", cli.Bytes(&c.maxSize, "max-size", 4<<30, "refuse sessions of more than `BYTES` in the remote"))
}

// with opens a remote for as long as do takes.
func (c *config) with(ctx context.Context, s *cli.Streams, address string, create bool, do func(remote.Log) error) (err error) {
	if c.timeout <= 0 {
		return cli.UsageError("the variable SESS_TIMEOUT is %v: want more than 0", c.timeout)
	}
	l, err := c.open(ctx, s, address, create)
	if err != nil {
		return explained(err)
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	err = do(l)
	tell(ctx, s, l, "")
	return explained(err)
}

func (c *config) changes() []cli.Flag {
	return []cli.Flag{
		cli.String(&c.remote, "remote", "", "use the remote at `ADDRESS` instead of $SESS_REMOTE"),
		cli.Bool(&c.all, "all, a", "take all sessions"),
		cli.Bool(&c.dryRun, "dry-run, n", "print what would be done, and write nothing"),
		c.sizeVariable(),
		address.WaitVariable(&c.wait),
		address.GraceVariable(&c.grace),
	}
}

// tries is how often a push is tried again if other machines are faster: each time one of them has got its lines in.
const tries = 500

// options are those of a push or pull.
func (c *config) options(s *cli.Streams, l remote.Log) replica.Options {
	o := replica.Options{
		Log: l, ExpectLeaf: c.expectLeaf, Tries: tries, MaxSize: c.maxSize, Wait: c.wait, Grace: c.grace,
		Reseed: c.reseed, DryRun: c.dryRun, Warn: s.Warnf, Price: (&pricer{}).begin,
	}
	if o.Wait == 0 {
		o.Wait = -1 // no wait at all
	}
	if o.Grace == 0 {
		o.Grace = -1
	}
	o.Host, _ = os.Hostname()
	return o
}

// explained gives the errors of remotes their statuses, and says what to do: of several
// sessions each.
func explained(err error) error {
	var list []error
	for _, e := range cli.Split(err) {
		list = append(list, explainedOne(e))
	}
	return errors.Join(list...)
}

func explainedOne(err error) error {
	hint := func(status int, text string) error {
		if status != 0 {
			err = cli.WithStatus(err, status)
		}
		return cli.WithHint(err, "%s", text)
	}
	switch {
	case errors.Is(err, replica.ErrConflict):
		return hint(0, "sess-sync cat ID > theirs.jsonl, then sess-merge --on-conflict both")
	case errors.Is(err, replica.ErrTooMuch):
		return hint(0, "the variable SESS_MAX_SIZE allows more, in bytes")
	case errors.Is(err, remote.ErrMoved):
		return hint(cli.ExitBusy, "other machines were faster every time; push again")
	case errors.Is(err, remote.ErrWentBack):
		return hint(cli.ExitMalformed, "if it was restored from a backup, sess-sync push --reseed appends what it lost")
	case errors.Is(err, remote.ErrGap):
		return hint(cli.ExitMalformed, "the parts before the gap were read; push --reseed fills it from a machine that has the lines; if no machine has them, delete the parts after it")
	case errors.Is(err, remote.ErrVersion):
		return hint(cli.ExitMalformed, "a newer sess-sync can read it")
	case errors.Is(err, remote.ErrSilent):
		return hint(0, "push or pull again when it answers: nothing is lost or doubled; the variable SESS_TIMEOUT waits longer")
	case errors.Is(err, jsonl.ErrOpen):
		return hint(0, "end it, or have it close the session; otherwise it continues to write to a file that is gone")
	case errors.Is(err, remote.ErrDamaged):
		return hint(cli.ExitMalformed, "sess-sync check names what is damaged; nothing may delete or expire objects under v1/s")
	case errors.Is(err, remote.ErrNoRemote):
		return hint(0, "sess-sync init makes a remote")
	case errors.Is(err, remote.ErrUnsafe):
		return hint(0, "such a place would lose lines; use another one, or git with sess-merge")
	case errors.Is(err, remote.ErrFull):
		return hint(0, "nothing that was pushed before is lost; push again when there is room")
	case errors.Is(err, remote.ErrTooLarge):
		return hint(0, "a line is never cut; leave it out, or use a remote that takes larger parts")
	}
	return err
}

// named puts a session and the remote in front of an error.
func named(err error, session string, l remote.Log) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s in %s: %w", session, l.Name(), err)
}
