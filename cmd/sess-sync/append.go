package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/share/replica"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var appendCommand = command("append", "ID", "append the messages and entries on standard input, without a file",
	`echo '{"role":"user","content":"run 17 failed"}' | sess-sync append 01a1fc13
sess-sync append --expect-leaf 0d6f9a51 01a1fc13 < entries.jsonl`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			cli.String(&c.expectLeaf, "expect-leaf", "", "append only if `REF` is the leaf; otherwise status 4"),
		}
	},
	(*config).append)

func (c *config) append(ctx context.Context, s *cli.Streams, l remote.Log, operands []string) error {
	if err := cli.Operands(operands, "ID"); err != nil {
		return err
	}
	a := &addition{config: c, log: l}
	if err := a.input(s); err != nil {
		return err
	}
	id, err := resolve(ctx, l, operands[0])
	if err != nil {
		return named(err, operands[0], l)
	}
	a.key = remote.KeyOf(id)
	batch, err := a.run(ctx)
	if err != nil {
		return named(err, id, l)
	}
	if err := a.card(ctx); err != nil {
		s.Warnf("%s in %s: the listing is not up to date: %v; sess-sync check repairs it", id, l.Name(), err)
	}
	return s.Acknowledge(address.Appended(batch.Entries), func() error {
		return address.PrintEntries(s, batch.Entries, false)
	})
}

// An addition has the lines to append to a session in the remote.
type addition struct {
	*config
	log   remote.Log
	key   string
	lines []string
	own   bool // a line names itself or its parent: the whole session has to be known
	last  remote.Part
	size  int64 // of what was appended
	count int
}

// input reads standard input.
func (a *addition) input(s *cli.Streams) error {
	in, err := s.OpenInput("-")
	if err != nil {
		return err
	}
	defer in.Close()
	for l, err := range jsonl.Lines(in) {
		if err != nil {
			return fmt.Errorf("reading standard input: %w", err)
		}
		if len(bytes.Trim(l.Data, " \t\r")) == 0 {
			continue
		}
		e, err := session.ParseEntry(l.Text())
		if err != nil {
			return fmt.Errorf("standard input:%d: %w", l.Number, err)
		}
		a.own = a.own || e.Get("id") != "" || e.Get("parentId") != ""
		a.lines = append(a.lines, e.Raw())
	}
	if len(a.lines) == 0 {
		return cli.No("nothing to append")
	}
	return nil
}

// run appends behind the last part, again if others were faster.
func (a *addition) run(ctx context.Context) (*session.Batch, error) {
	for try := 0; ; try++ {
		b, err := a.batch(ctx)
		if err != nil {
			return nil, err
		}
		part := append(bytes.Join(b.Lines(), []byte("\n")), '\n')
		pos, err := a.log.Append(ctx, a.key, a.last.Pos, a.last.N+1, part)
		if err == nil {
			a.last, a.size, a.count = remote.Part{Pos: pos, N: a.last.N + 1, Data: part}, int64(len(part)), len(b.Entries)
			return b, nil
		}
		if !errors.Is(err, remote.ErrMoved) || try >= tries {
			return nil, err
		}
		if err := bucket.Pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

// batch makes the entries, behind the leaf that the remote has now.
func (a *addition) batch(ctx context.Context) (*session.Batch, error) {
	var err error
	if a.last, err = a.log.Last(ctx, a.key); err != nil {
		return nil, err
	}
	if a.last.N == 0 {
		return nil, errors.New("no such session")
	}
	b := &session.Batch{
		Leaf: replica.LeafOf(a.last.Data), Now: time.Now().UnixMilli(),
		NewID: func(func(string) bool) (string, error) { return session.UniqueEntryID(), nil },
	}
	known := map[string]bool{b.Leaf: b.Leaf != ""}
	if a.own || b.Leaf == "" {
		if b.Leaf, err = a.ids(ctx, known); err != nil {
			return nil, err
		}
	}
	b.Known = func(id string) bool { return known[id] }
	if leaf := b.Leaf; a.expectLeaf != "" && a.expectLeaf != leaf && (leaf != "" || a.expectLeaf != "null") {
		return nil, fmt.Errorf("%w: it is %q, not %s", session.ErrLeafMoved, leaf, a.expectLeaf)
	}
	for i, line := range a.lines {
		if _, err := b.AddJSON(line); err != nil {
			return nil, fmt.Errorf("standard input, value %d: %w", i+1, err)
		}
	}
	return b, nil
}

// ids reads all of the session, and returns its leaf.
func (a *addition) ids(ctx context.Context, known map[string]bool) (leaf string, err error) {
	for part, err := range a.log.Read(ctx, a.key, 0) {
		if err != nil {
			return "", err
		}
		for line := range bytes.Lines(part.Data) {
			e, err := session.ParseEntry(string(bytes.TrimSuffix(line, []byte("\n"))))
			if err == nil && e.ID() != "" && e.Type() != session.TypeSession {
				known[e.ID()], leaf = true, e.ID()
			}
		}
		part.Data = append(a.last.Data[:0], part.Data...) // it is valid only here
		a.last = part
	}
	return leaf, nil
}

// card brings the card up to date. It stands where the header says, which is in the
// first part.
func (a *addition) card(ctx context.Context) error {
	for part, err := range a.log.Read(ctx, a.key, 0) {
		if err != nil {
			return err
		}
		h, err := replica.CheckFirst(part.Data, a.key)
		if err != nil {
			return err
		}
		card, err := a.log.Card(ctx, a.key, h.Timestamp)
		if err != nil {
			return err
		}
		if card.N > a.last.N {
			return nil // another writer's is newer
		}
		if card.N+1 != a.last.N {
			card.Exact = false
		}
		card.N, card.Pos, card.Leaf = a.last.N, a.last.Pos, replica.LeafOf(a.last.Data)
		card.Bytes, card.Entries = card.Bytes+a.size, card.Entries+a.count
		card.Modified = js.FormatTime(time.Now().UnixMilli())
		card.Tokens, card.Cost, card.Unpriced, card.Prices = remote.Tokens{}, "", 0, "" // which the next push knows
		return a.log.PutCard(ctx, card)
	}
	return nil
}
