package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/remote"
	"github.com/sess-tools/sess/internal/replica"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

var checkCommand = command("check", "[ID...]", "read every part, and bring the listing up to date",
	`sess-sync check
sess-sync check --probe 01a1fc13-4173-73d3-8273-e3e1ca1285c1`,
	func(c *config) []clikit.Flag {
		return []clikit.Flag{
			clikit.Bool(&c.probe, "probe", "test as init does that no two writers get one number"),
			clikit.Bool(&c.dryRun, "dry-run, n", "say what is wrong with the listing, and change nothing"),
		}
	},
	(*config).checkRemote)

func (c *config) checkRemote(ctx context.Context, s *clikit.Streams, l remote.Log, operands []string) error {
	if c.probe {
		if err := l.Probe(ctx); err != nil {
			return fmt.Errorf("%s: %w", l.Name(), err)
		}
	}
	var keys []string
	for _, name := range operands {
		id, err := resolve(ctx, l, name)
		if err != nil {
			return named(err, name, l)
		}
		keys = append(keys, remote.KeyOf(id))
	}
	if len(operands) == 0 {
		for key, err := range l.Keys(ctx) {
			if err != nil {
				return fmt.Errorf("%s: %w", l.Name(), err)
			}
			keys = append(keys, key)
		}
	}
	_, err := each(ctx, s, keys, func(ctx context.Context, key string, moved func(int)) (struct{}, error) {
		err := c.checkOne(ctx, s, l, key, moved)
		if id, ok := remote.IDOf(key); ok {
			key = id
		}
		return struct{}{}, named(err, key, l)
	}, func(string, struct{}) {})
	return err
}

// checkOne reads a session and compares its card with what was read.
func (c *config) checkOne(ctx context.Context, s *clikit.Streams, l remote.Log, key string, moved func(int)) error {
	r, w := io.Pipe()
	var card remote.Card
	read := make(chan error, 1)
	go func() {
		var err error
		card, err = stream(ctx, l, key, w, moved)
		w.CloseWithError(err)
		read <- err
	}()
	info, err := session.ScanInfo(r)
	r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
	if rerr := <-read; rerr != nil && !errors.Is(rerr, io.ErrClosedPipe) {
		return rerr
	}
	if err != nil {
		return err
	}
	want := replica.CardOf(store.Row{Info: info}, card.Made)
	want.Bytes, want.N, want.Pos, want.Leaf = card.Bytes, card.N, card.Pos, card.Leaf
	have, err := l.Card(ctx, key, card.Made)
	if err != nil && !errors.Is(err, remote.ErrNoCard) {
		return err
	}
	if err == nil && have.N == want.N && have.Leaf == want.Leaf && have.Bytes == want.Bytes && have.Pos == want.Pos {
		return nil
	}
	if c.dryRun {
		s.Infof("%s: the listing is not up to date", want.ID)
		return nil
	}
	want.Host, _ = os.Hostname()
	if err := l.PutCard(ctx, want); err != nil {
		return fmt.Errorf("the parts are whole; writing the card: %w", err)
	}
	s.Infof("%s: brought the listing up to date", want.ID)
	return nil
}

// stream writes all parts to w, and returns what a card says of them.
func stream(ctx context.Context, l remote.Log, key string, w io.Writer, moved func(int)) (card remote.Card, err error) {
	for part, err := range l.Read(ctx, key, 0) {
		if err != nil {
			return card, err
		}
		if part.N == 1 {
			h, err := replica.CheckFirst(part.Data, key)
			if err != nil {
				return card, err
			}
			card.Made = h.Timestamp
		}
		if leaf := replica.LeafOf(part.Data); leaf != "" {
			card.Leaf = leaf
		}
		card.N, card.Pos, card.Bytes = part.N, part.Pos, card.Bytes+int64(len(part.Data))
		if _, err := w.Write(part.Data); err != nil {
			return card, err
		}
		moved(len(part.Data))
	}
	return card, nil
}
