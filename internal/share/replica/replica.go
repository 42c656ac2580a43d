// Package replica keeps the file of a session and its log in a remote alike.
//
// The log is the only order. The file is P, lines that the remote has, and behind them
// L, lines that it has not yet. If the remote has lines R behind P, the file becomes
// P R L, and a push appends L. No line is ever changed: an entry keeps its parent, so
// two machines that went on at one place make two branches. See docs/adr/0035.
//
// A title slot in front of the header is overwritten in place by its owner. It is
// neither sent nor compared.
package replica

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var (
	// ErrConflict means: file and remote have different lines for one entry, or for the header.
	ErrConflict = fmt.Errorf("%w: file and remote differ", session.ErrMalformed)
	// ErrTooMuch means: the session in the remote is larger than the caller allows.
	ErrTooMuch = errors.New("larger than allowed")
)

// MaxPart is the size in bytes at which lines are cut into parts. A longer line is a part by
// itself.
const MaxPart = 8 << 20

// Options say how to push and pull.
type Options struct {
	Log     remote.Log
	Listing remote.Listing // of the remote, where it saves requests
	Host    string         // for the card
	// Price begins to find out what a session used and cost, and returns a function that puts it into a card. It may be nil.
	Price      func(ctx context.Context, path string) func(*remote.Card)
	ExpectLeaf string        // what has to be the leaf of the remote, "null" for none; "" is anything
	Tries      int           // how often a push goes on after another one came first
	MaxSize    int64         // of a session in the remote, in bytes
	Wait       time.Duration // as in [jsonl.Options]
	Grace      time.Duration
	Reseed     bool // the remote lost parts, or has a gap: append the lines that it lacks
	DryRun     bool // change nothing

	// Collected says that the file is a copy that a program made of a session that is kept elsewhere: an entry that the
	// remote has with other bytes, which another version of the program or other rules made, is no conflict. The remote's counts.
	Collected bool

	Warn  func(format string, args ...any)
	Moved func(bytes int)   // called for each part that was read or sent; may be nil
	Step  func(step string) // called in front of every effect; for tests
}

// A Result says what was done, or with DryRun what there is to do.
type Result struct {
	Sent, Got int // lines
	Differ    int // entries of a collected file that the remote has with other bytes
	N         uint64
}

// Nothing reports that there was nothing to do.
func (r Result) Nothing() bool { return r.Sent == 0 && r.Got == 0 }

// tries is how often a file is looked at again that changed meanwhile.
const tries = 16

// errAgain: the file changed since it was compared.
var errAgain = fmt.Errorf("the file kept changing: %w", jsonl.ErrChanged)

// Pull brings the file of a session up to date.
func Pull(ctx context.Context, path string, o Options) (Result, error) {
	return o.run(ctx, path, false)
}

// Push brings the file of a session up to date, and then the remote.
func Push(ctx context.Context, path string, o Options) (Result, error) {
	return o.run(ctx, path, true)
}

func (o Options) run(ctx context.Context, path string, push bool) (Result, error) {
	s := &transfer{Options: o, path: path, push: push, listed: true}
	changed, moved := 0, 0
	for {
		err := s.once(ctx)
		switch listed := s.listed; {
		case errors.Is(err, remote.ErrMoved) && listed: // since the listing
			s.listed = false
		case errors.Is(err, errAgain) && changed < tries:
			changed++
		case errors.Is(err, remote.ErrMoved) && moved < o.Tries:
			if err := bucket.Pause(ctx, moved); err != nil {
				return s.result, err
			}
			moved++
		default:
			return s.result, err
		}
	}
}

// A transfer is one run of Pull or Push.
type transfer struct {
	Options
	path   string
	push   bool
	result Result
	kept   *diff // of an earlier round, in which another push came first
	sent   bool  // a part of ours is in the remote
	listed bool  // the listing counts: nothing is known to have come since
}

func (s *transfer) step(name string) {
	if s.Step != nil {
		s.Step(name)
	}
}

func (o Options) moved(part []byte) {
	if o.Moved != nil {
		o.Moved(len(part))
	}
}

// once compares and does what there is to do.
func (s *transfer) once(ctx context.Context) error {
	d := &diff{}
	if err := s.open(d); err != nil {
		return err
	}
	defer func() { d.f.Close() }()
	if err := s.compare(ctx, d); err != nil {
		return err
	}
	if s.push {
		if err := s.expected(d); err != nil {
			return err
		}
	}
	if s.DryRun {
		own, got, err := d.lines()
		if err != nil {
			return err
		}
		left, _, err := own.without(got, s.Collected)
		if err != nil {
			return err
		}
		s.result = Result{Got: len(got), N: d.n}
		if s.push {
			s.result.Sent = len(left)
		}
		return nil
	}
	if d.bytes > 0 {
		if err := s.take(ctx, d); err != nil {
			return err
		}
		if err := s.open(d); err != nil {
			return err
		}
	}
	if s.push && (d.gap == nil || s.Reseed) {
		if err := s.send(ctx, d); err != nil {
			return err
		}
		d.gap = nil
	}
	s.result.N = d.n
	s.step("state")
	tag := s.Log.Tag(d.key, d.n)
	if tag == "" && !s.sent {
		tag = d.head.TagOf(d.n)
	}
	return errors.Join(d.gap, d.save(s.Log.Name(), tag))
}

// open opens the file, again if it has been changed.
func (s *transfer) open(d *diff) error {
	f, err := openFile(s.path)
	if err != nil {
		return err
	}
	if d.f != nil {
		d.f.Close()
	}
	d.f = f
	return nil
}

// expected compares the leaf of the remote with the one that the caller wants. Once a
// part of this push is there, others may follow.
func (s *transfer) expected(d *diff) error {
	if s.ExpectLeaf == "" || s.sent {
		return nil
	}
	leaf, err := d.leaf()
	if err != nil {
		return err
	}
	if leaf == "" {
		leaf = "null"
	}
	if leaf != s.ExpectLeaf {
		return fmt.Errorf("%w: in the remote it is %s, not %s", session.ErrLeafMoved, leaf, s.ExpectLeaf)
	}
	return nil
}
