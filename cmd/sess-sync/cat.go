package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/session"
)

var catCommand = command("cat", "ID", "print a session as it is in the remote",
	`sess-sync cat 01a1fc13-4173-73d3-8273-e3e1ca1285c1 | sess-path --as text`,
	func(c *config) []cli.Flag {
		return append(cli.Private(
			cli.Int(&c.after, "after", 0, "print only what is behind `WHERE`, which cat -v printed"),
			cli.Bool(&c.each, "each", "run the arguments in each line of standard input, a JSON array, and answer in frames: for programs"),
		), c.sizeVariable())
	},
	(*config).cat)

func (c *config) cat(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	k := &catalog{config: c, log: l}
	if !c.each {
		return k.cat(ctx, s, operands)
	}
	if len(operands) > 0 {
		return cli.UsageError("--each takes no operands")
	}
	one := cli.Tool{Name: address.Syncer, Commands: []cli.Tool{{Name: "cat", New: func() ([]cli.Flag, cli.Action) {
		return nil, func(ctx context.Context, s *cli.Streams, operands []string) error {
			c.speak.Store(s)
			return explained(k.cat(ctx, s, operands))
		}
	}}}}
	return subprocess.AnswerEach(s.In, s.Out, s.Flush, func(out, errs io.Writer, args []string) int {
		return cli.Run(ctx, one, strings.NewReader(""), out, errs, args)
	})
}

// A catalog prints sessions, one after the other.
type catalog struct {
	*config
	log     remote.Log
	count   int
	listing remote.Listing
}

// head returns the head of a session. The first sessions have none; then all are listed, by as many requests as there were
// sessions, and if that is not enough once more when there are twice as many.
func (k *catalog) head(ctx context.Context, key string) remote.Head {
	if k.count++; bits.OnesCount(uint(k.count)) == 1 && !k.listing.Whole() {
		k.listing, _ = remote.List(ctx, k.log, k.count, nil)
	}
	h := k.listing.Head(key)
	h.Whole = h.Whole && h.N > 0 // that there is none is asked for
	return h
}

func (k *catalog) cat(ctx context.Context, s *cli.Streams, operands []string) error {
	if err := cli.Operands(operands, "ID"); err != nil {
		return err
	}
	if k.after < 0 {
		return cli.UsageError("--after %d: want 0 or more", k.after)
	}
	name := operands[0]
	if k.after == 0 && session.ValidSessionID(name) { // a whole id takes no other request
		if some, err := k.print(ctx, s, name); some || err != nil {
			return named(err, name, k.log)
		}
	}
	id, err := resolve(ctx, k.log, name)
	if err != nil {
		return named(err, name, k.log)
	}
	some, err := k.print(ctx, s, id)
	if err == nil && !some && k.after == 0 {
		err = errors.New("no such session")
	}
	return named(err, id, k.log)
}

// print prints a session, and reports whether there was anything to print.
func (k *catalog) print(ctx context.Context, s *cli.Streams, id string) (some bool, err error) {
	var size int64
	pos, key := remote.Pos(k.after), remote.KeyOf(id)
	for part, err := range k.head(ctx, key).Read(ctx, k.log, pos) {
		if err == nil && part.N == 1 {
			_, err = replica.CheckFirst(part.Data, key)
		}
		if err == nil && size+int64(len(part.Data)) > k.maxSize {
			err = fmt.Errorf("more than %d bytes: %w", k.maxSize, replica.ErrTooMuch)
		}
		if err != nil {
			return size > 0, err
		}
		size, pos = size+int64(len(part.Data)), part.Pos
		if _, err := s.Out.Write(part.Data); err != nil {
			return true, err
		}
	}
	if size > 0 || k.after > 0 {
		s.Notef("position %d", pos)
	}
	return size > 0, nil
}
