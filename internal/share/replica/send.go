package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// send appends to the remote the lines that it lacks, then writes the card.
func (s *transfer) send(ctx context.Context, d *diff) error {
	if d.size == d.f.size() {
		return nil
	}
	if d.sum == nil {
		if err := d.digest(ctx, d.f); err != nil {
			return err
		}
	}
	c := cutter{most: min(MaxPart, s.Log.Limits().MaxPart)}
	price := func(*remote.Card) {}
	if s.Price != nil {
		price = s.Price(ctx, s.path)
	}
	part, err := c.part(d.f.section(d.size, d.f.size()))
	for err == nil && len(part) > 0 {
		if part, err = s.sendPart(ctx, d, part, &c); err != nil && errors.Is(err, remote.ErrMoved) {
			s.kept = d
		}
	}
	if err != nil {
		return err
	}
	s.step("card")
	return s.card(ctx, d, price)
}

// sendable returns an error for lines that would be damage for everybody: a second header, and
// bytes of zero, as a power failure leaves them. The first line of a session is its header.
func sendable(part []byte, first bool) error {
	n := 0
	for line := range bytes.Lines(part) {
		n++
		why := odd(line)
		if why == "" || first && n == 1 && why == secondHeader {
			continue
		}
		return fmt.Errorf("line %d of what is to be pushed is %s, and stays here; sess-check --repair leaves it out: %w", n, why, session.ErrMalformed)
	}
	return nil
}

// sendPart appends a part. Meanwhile it reads the next one, which it returns.
func (s *transfer) sendPart(ctx context.Context, d *diff, part []byte, c *cutter) (next []byte, err error) {
	if err := sendable(part, d.size == 0); err != nil {
		return nil, err
	}
	s.step("append")
	hashed := d.hashing(part)
	end := d.size + int64(len(part))
	read := make(chan error, 1)
	go func() {
		var err error
		if end < d.f.size() {
			next, err = c.part(d.f.section(end, d.f.size()))
		}
		read <- err
	}()
	pos, err := s.Log.Append(ctx, d.key, d.pos, d.n+1, part)
	rerr := <-read
	if err != nil {
		<-hashed.end
		return nil, err
	}
	hashed.done()
	s.moved(part)
	s.step("appended")
	d.pos, d.n, d.size = pos, d.n+1, end
	s.sent, s.result.Sent = true, s.result.Sent+bytes.Count(part, []byte("\n"))
	return next, rerr
}

// A cutter cuts lines into parts. Two have room at a time: one that is sent, and the
// next one.
type cutter struct {
	most  int64
	room  [2][]byte
	which int
}

// part returns the first lines of r, of most bytes or, if the first one is longer,
// only that. They stand where the part before the last one stood.
func (c *cutter) part(r *io.SectionReader) ([]byte, error) {
	c.which = 1 - c.which
	n := min(c.most, r.Size())
	if int64(len(c.room[c.which])) < n {
		c.room[c.which] = make([]byte, n)
	}
	part := c.room[c.which][:n]
	if _, err := io.ReadFull(r, part); err != nil {
		return nil, err
	}
	if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
		return part[:end+1], nil
	}
	for l, err := range jsonl.Lines(io.NewSectionReader(r, 0, r.Size())) {
		if err != nil {
			return nil, err
		}
		return append(bytes.Clone(l.Data), '\n'), nil
	}
	return nil, io.ErrUnexpectedEOF
}

// card writes the card of what was pushed.
func (s *transfer) card(ctx context.Context, d *diff, price func(*remote.Card)) error {
	row, err := store.Stat(ctx, s.path, false)
	if err != nil {
		return err
	}
	leaf, err := d.leaf()
	if err != nil {
		return err
	}
	c := CardOf(row, d.f.header.Timestamp)
	c.Bytes, c.N, c.Pos, c.Leaf, c.Host = d.size, d.n, d.pos, leaf, s.Host
	price(&c)
	if err := s.Log.PutCard(ctx, c); err != nil {
		return fmt.Errorf("the lines are in the remote, but their card is not: %w", err)
	}
	return nil
}

// CardOf returns what a card says of a session besides its place in the remote. The time made
// is the header's.
func CardOf(row store.Row, made string) remote.Card {
	title, _ := row.Title()
	return remote.Card{
		ID: row.ID, Title: title, CWD: row.CWD, Made: made, Modified: js.FormatTime(row.Modified.UnixMilli()),
		Entries: row.Entries, Messages: row.Messages, Exact: row.Exact,
		Agent: row.Origin.Harness, User: row.Origin.User, Repo: row.Origin.Repo(),
	}
}
