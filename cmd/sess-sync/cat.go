package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

var catCommand = command("cat", "ID", "print a session as it is in the remote",
	`sess-sync cat 01a1fc13-4173-73d3-8273-e3e1ca1285c1 | sess-path --as text
sess-sync cat --after 7 01a1fc13`,
	func(c *config) []clikit.Flag {
		return []clikit.Flag{
			clikit.Int(&c.after, "after", 0, "print only what is behind the position `POS`, as an earlier cat -v printed it"),
			clikit.Int(&c.maxSize, "max-size", 4<<30, "refuse sessions of more than `BYTES` in the remote"),
		}
	},
	(*config).cat)

func (c *config) cat(ctx context.Context, s *clikit.Streams, l remote.Log, operands []string) error {
	if err := clikit.Operands(operands, "ID"); err != nil {
		return err
	}
	if c.after < 0 {
		return clikit.UsageError("--after %d: want 0 or more", c.after)
	}
	id, err := resolve(ctx, l, operands[0])
	if err != nil {
		return named(err, operands[0], l)
	}
	return named(c.print(ctx, s, l, remote.KeyOf(id)), id, l)
}

func (c *config) print(ctx context.Context, s *clikit.Streams, l remote.Log, key string) error {
	var size int64
	pos := remote.Pos(c.after)
	for part, err := range l.Read(ctx, key, remote.Pos(c.after)) {
		if err == nil && part.N == 1 {
			_, err = replica.CheckFirst(part.Data, key)
		}
		if err == nil && size+int64(len(part.Data)) > c.maxSize {
			err = fmt.Errorf("more than %d bytes: %w", c.maxSize, replica.ErrTooMuch)
		}
		if err != nil {
			return err
		}
		size, pos = size+int64(len(part.Data)), part.Pos
		if _, err := s.Out.Write(part.Data); err != nil {
			return err
		}
	}
	if size == 0 && c.after == 0 {
		return errors.New("no such session")
	}
	s.Notef("position %d", pos)
	return nil
}
