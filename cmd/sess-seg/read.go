package main

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/pkg/session"
)

func none(*config) []cli.Flag { return nil }

var catCommand = command("cat", "SESSION", "print all of a store as a session",
	`sess-seg cat s.v2 > copy.jsonl`, none, (*config).cat)

func (c *config) cat(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.reader(ctx, s, operands[0])
	if err != nil {
		return err
	}
	_, err = store.WriteTo(s.Out)
	return err
}

func printEntry(s *cli.Streams, e storev2.Entry) error {
	_, err := io.WriteString(s.Out, e.Line+"\n")
	return err
}

var tailCommand = command("tail", "N SESSION", "print the last entries",
	`sess-seg tail 100 s.v2`, none, (*config).tail)

func (c *config) tail(ctx context.Context, s *cli.Streams, operands []string) error {
	n, err := strconv.Atoi(operands[0])
	if err != nil || n < 0 {
		return cli.UsageError("%q is no number of entries", operands[0])
	}
	store, err := c.reader(ctx, s, operands[1])
	if err != nil {
		return err
	}
	entries, err := store.Tail(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := printEntry(s, e); err != nil {
			return err
		}
	}
	return nil
}

var getCommand = command("get", "REF SESSION", "print one entry",
	`sess-seg get 0d6f9a51 s.v2
sess-seg get .^ s.v2`, none, (*config).get)

func (c *config) get(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.reader(ctx, s, operands[1])
	if err != nil {
		return err
	}
	e, err := entryOf(store, operands[0], func(all *session.Session) (int, error) {
		leaf, _ := all.Leaf()
		return all.Resolve(operands[0], leaf)
	})
	if errors.Is(err, storev2.ErrNotFound) || errors.Is(err, session.ErrNotFound) {
		return cli.No("%v", err)
	}
	if err != nil {
		return err
	}
	return printEntry(s, e)
}
