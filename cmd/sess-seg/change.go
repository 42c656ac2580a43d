package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

var checkpointCommand = command("checkpoint", "SESSION", "mark the last entry as a point to roll back to",
	`sess-seg checkpoint s.v2
sess-seg checkpoint --list --json s.v2`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			cli.Bool(&c.list, "list", "list the checkpoints, and make nothing"),
			jsonFlag(c, "print a JSON object for each checkpoint, not its number"),
			waitVariable(c),
		}
	},
	(*config).checkpoint)

func (c *config) checkpoint(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.open(ctx, operands[0])
	if err != nil {
		return err
	}
	var points []storev2.Checkpoint
	if c.list {
		if points, err = store.Checkpoints(); err == nil && len(points) == 0 {
			return cli.No("")
		}
	} else {
		points = make([]storev2.Checkpoint, 1)
		points[0], err = store.Checkpoint(ctx, "manual")
	}
	if err != nil {
		return err
	}
	for _, p := range points {
		if err := c.printCheckpoint(s, p); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) printCheckpoint(s *cli.Streams, p storev2.Checkpoint) (err error) {
	switch {
	case c.json:
		err = printRow(s, checkpointRow{
			CheckpointSeq: p.Seq, Timestamp: row.TimeOf(p.At), HeadEntrySeq: p.HeadSeq, HeadEntryID: p.HeadID, SnapshotRef: p.Snapshot,
			ChainHash: p.Chain, Reason: p.Reason,
		})
	case c.list:
		_, err = fmt.Fprintf(s.Out, "%d\t%s\t%d\t%s\t%s\n", p.Seq, p.At, p.HeadSeq, tty.Clean(p.HeadID), p.Reason)
	default:
		_, err = fmt.Fprintln(s.Out, p.Seq)
	}
	return err
}

var rollbackToCommand = command("rollback-to", "CHECKPOINT SESSION", "roll a store back to a checkpoint",
	`sess-seg rollback-to 3 s.v2`,
	func(c *config) []cli.Flag { return []cli.Flag{waitVariable(c)} },
	(*config).rollbackTo)

func (c *config) rollbackTo(ctx context.Context, s *cli.Streams, operands []string) error {
	n, err := strconv.ParseInt(operands[0], 10, 64)
	if err != nil || n < 1 {
		return cli.WithHint(cli.UsageError("%q is no number of a checkpoint", operands[0]), "sess-seg checkpoint --list %s prints them", operands[1])
	}
	store, err := c.open(ctx, operands[1])
	if err != nil {
		return err
	}
	before, err := store.Status()
	if err != nil {
		return err
	}
	if err := store.RollbackTo(ctx, n); err != nil {
		return err
	}
	after, err := store.Status()
	if err == nil {
		s.Infof("%s: %d entries left the store, %d stay; the bytes are kept in files ending in .bak", store.Dir(), before.Entries-after.Entries, after.Entries)
	}
	return err
}

var rebuildCommand = command("rebuild-index", "SESSION", "rebuild the index of a store from its segments",
	`sess-seg rebuild-index s.v2`,
	func(c *config) []cli.Flag { return []cli.Flag{waitVariable(c)} },
	(*config).rebuildIndex)

func (c *config) rebuildIndex(ctx context.Context, s *cli.Streams, operands []string) error {
	store, err := c.open(ctx, operands[0])
	if err != nil {
		return err
	}
	r, err := store.Rebuild(ctx)
	if err != nil {
		return err
	}
	if r.Torn > 0 {
		s.Warnf("%s: %d bytes at the end of the last segment are no frame, and were moved to %s/tmp", store.Dir(), r.Torn, store.Dir())
	}
	if _, err := fmt.Fprintln(s.Out, r.Entries); err != nil {
		return err
	}
	if !r.Matches {
		return cli.WithHint(cli.No("%s: the segments have another hash chain than the manifest: the store is %s", store.Dir(), storev2.Failed),
			"sess-seg recover %s decides what becomes of it", store.Dir())
	}
	return nil
}

var appendCommand = command("append", "SESSION", "append the entries on standard input to a store",
	`sess-seg append s.v2 < entries.jsonl
sess-path a.jsonl --no-header | sess-seg append s.v2`,
	func(c *config) []cli.Flag {
		return []cli.Flag{
			extendedVariable(c),
			cli.Variable("SESS_SYNC", cli.Choice(&c.sync, "sync", []string{"always", "never"}, "`WHEN` to sync writes to disk")),
			cli.Private(cli.Bool(&c.hold, "hold", "lock the store and print its end before input is read, for programs"))[0],
			waitVariable(c),
			segmentFlag(c),
		}
	},
	(*config).append)

func (c *config) append(ctx context.Context, s *cli.Streams, operands []string) error {
	if c.segment < 1 {
		return cli.UsageError("--segment %d: want at least one byte", c.segment)
	}
	if c.hold {
		return c.appendHeld(ctx, s, operands[0])
	}
	lines, ids, err := entries(s) // before the lock: standard input may take its time
	if err != nil {
		return err
	}
	store, err := c.reader(ctx, s, operands[0])
	if err != nil {
		return err
	}
	if err := store.Append(ctx, lines...); err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := fmt.Fprintln(s.Out, id); err != nil {
			return err
		}
	}
	return nil
}

// entries reads whole entries from standard input, and their ids.
func entries(s *cli.Streams) (lines [][]byte, ids []string, err error) {
	in, err := s.OpenInput("-")
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	for l, err := range jsonl.Lines(in) {
		if err != nil {
			return nil, nil, fmt.Errorf("reading standard input: %w", err)
		}
		if len(bytes.Trim(l.Data, " \t\r")) == 0 {
			continue
		}
		e, err := session.ParseEntry(l.Text())
		if err == nil && e.ID() == "" {
			err = cli.WithHint(fmt.Errorf("%w: an entry without an id", session.ErrMalformed), "sess-append gives entries their ids")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("standard input:%d: %w", l.Number, err)
		}
		lines, ids = append(lines, bytes.Clone(l.Data)), append(ids, e.ID())
	}
	if len(lines) == 0 {
		return nil, nil, cli.No("nothing to append")
	}
	return lines, ids, nil
}
