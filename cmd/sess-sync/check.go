package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

var checkCommand = command("check", "[ID...]", "read every part, and bring the listing up to date",
	`sess-sync check
sess-sync check --probe 01a1fc13-4173-73d3-8273-e3e1ca1285c1`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			cli.Bool(&c.probe, "probe", "test, as init does, that no two writers get the same number"),
			cli.Bool(&c.dryRun, "dry-run, n", "print what is wrong with the listing, and write nothing"),
		}
	},
	(*config).checkRemote)

func (c *config) checkRemote(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	if err := l.Exists(ctx); err != nil {
		return fmt.Errorf("%s: %w", l.Name(), err)
	}
	if c.probe {
		if err := l.Probe(ctx); err != nil {
			return fmt.Errorf("%s: %w", l.Name(), err)
		}
	}
	keys, err := keysOf(ctx, l, operands)
	if err != nil {
		return err
	}
	_, err = each(ctx, s, keys, func(ctx context.Context, key string, moved func(int)) (struct{}, error) {
		return struct{}{}, named(c.checkOne(ctx, s, l, key, moved), nameOf(key), l)
	}, func(string, struct{}) {})
	if len(operands) == 0 && ctx.Err() == nil {
		err = errors.Join(err, lostSessions(ctx, l, keys), litter(ctx, s, l))
		if !c.dryRun { // the next push and pull look at all sessions
			err = errors.Join(err, replica.ForgetMarks(l.Name()))
		}
	}
	return err
}

// keysOf returns the keys of the sessions that are named, or of all.
func keysOf(ctx context.Context, l remote.Log, operands []string) (keys []string, err error) {
	for _, name := range operands {
		id, err := resolve(ctx, l, name)
		if err != nil {
			return nil, named(err, name, l)
		}
		keys = append(keys, remote.KeyOf(id))
	}
	if len(operands) > 0 {
		return keys, nil
	}
	for head, err := range l.Heads(ctx) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name(), err)
		}
		keys = append(keys, head.Key)
	}
	return keys, nil
}

// nameOf returns what a session is called whose key is known.
func nameOf(key string) string {
	if id, ok := remote.IDOf(key); ok {
		return id
	}
	return key
}

// lostSessions returns an error for each session that the listing has and of which there is no
// part.
func lostSessions(ctx context.Context, l remote.Log, keys []string) error {
	there := map[string]bool{}
	for _, key := range keys {
		there[key] = true
	}
	var errs []error
	for card, err := range remote.ReadCards(ctx, l, "") {
		switch {
		case errors.Is(err, remote.ErrNoCard): // the listing tells of it
			continue
		case err != nil:
			return errors.Join(append(errs, fmt.Errorf("%s: %w", l.Name(), err))...)
		case there[card.Key()] || card.N == 0:
			continue
		}
		if has, err := l.Has(ctx, card.Key()); err != nil || !has { // it may have come meanwhile
			lost := fmt.Errorf("the listing has %d parts of it, and there is none: %w", card.N, remote.ErrDamaged)
			errs = append(errs, named(errors.Join(err, lost), nameOf(card.Key()), l))
		}
	}
	return errors.Join(errs...)
}

// litter names the files that killed writers have left. Only their owner may know that they
// are not at work any more, so nothing is removed.
func litter(ctx context.Context, s *cli.Streams, l remote.Log) error {
	count, first := 0, ""
	for name, err := range l.Litter(ctx) {
		if err != nil {
			return fmt.Errorf("%s: %w", l.Name(), err)
		}
		if count++; count == 1 {
			first = name
		}
	}
	if count > 0 {
		s.Warnf("%s: unfinished files of writers that are at work or were killed: %d, such as %s; those that are a day old can be removed", l.Name(), count, first)
	}
	return nil
}

// checkOne reads a session and compares its card with what was read.
func (c *config) checkOne(ctx context.Context, s *cli.Streams, l remote.Log, key string, moved func(int)) error {
	var card remote.Card
	info, rerr, err := session.ScanWritten(func(w io.Writer) (err error) {
		card, err = stream(ctx, l, key, w, moved)
		return err
	})
	if err := cmp.Or(rerr, err); err != nil {
		return err
	}
	want := replica.CardOf(store.Row{Info: info}, card.Made)
	want.Bytes, want.N, want.Pos, want.Leaf = card.Bytes, card.N, card.Pos, card.Leaf
	have, err := l.Card(ctx, key, card.Made)
	if err != nil && !errors.Is(err, remote.ErrNoCard) {
		return err
	}
	if err == nil && have.N > want.N {
		// The listing has seen more parts than there are. It is the proof of that, and stays, unless others have pushed since
		// the parts were read.
		last, err := l.Last(ctx, key)
		if err == nil && last.N < have.N {
			err = fmt.Errorf("the listing has seen part %d, and the last one is part %d: %w", have.N, max(last.N, want.N), remote.ErrDamaged)
		}
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
