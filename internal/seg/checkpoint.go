package seg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/disk"
)

// Checkpoint marks the last entry as a point to which the store can be rolled
// back. The reason is one of periodic, manual, pre_migration, post_migration and
// recovery. An empty store has nothing to mark, [ErrNotFound].
func (s *Store) Checkpoint(ctx context.Context, reason string) (Checkpoint, error) {
	var c Checkpoint
	if !slices.Contains(reasons, reason) {
		return c, s.named(fmt.Errorf("%w: %q is no reason for a checkpoint: %s", ErrContract, reason, strings.Join(reasons, ", ")))
	}
	err := s.change(ctx, func(w *writer) (err error) {
		c, err = w.checkpoint(reason)
		return err
	})
	return c, err
}

// Checkpoints returns the checkpoints in their order.
func (s *Store) Checkpoints() ([]Checkpoint, error) {
	points, err := checkpoints(s.d, s.dir)
	return points, s.named(err)
}

func (w *writer) checkpoint(reason string) (Checkpoint, error) {
	if w.last.seq == 0 {
		return Checkpoint{}, fmt.Errorf("an entry to mark: %w", ErrNotFound)
	}
	if err := w.toIndexed("checkpoint"); err != nil {
		return Checkpoint{}, err
	}
	points, err := checkpoints(w.s.d, w.s.dir)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{
		Schema: checkpointSchema, Seq: 1, At: w.s.o.now(), HeadSeq: w.last.seq, HeadID: w.last.id,
		Chain: w.m.Integrity.Chain, Reason: reason,
	}
	if w.last.extended {
		c.Schema = checkpointExtended
	}
	if n := len(points); n > 0 {
		c.Seq = points[n-1].Seq + 1
		if points[n-1].HeadSeq > c.HeadSeq {
			return c, fmt.Errorf("%w: checkpoint %d is at entry %d of %d", ErrCorrupt, points[n-1].Seq, points[n-1].HeadSeq, c.HeadSeq)
		}
	}
	c.Snapshot = checkpointName(c.Seq)
	name := joined(w.s.dir, c.Snapshot)
	err = replaceFile(w.s.d, joined(w.s.dir, "tmp", base(name)+".tmp"), name, pretty(&c))
	if err == nil {
		err = w.s.d.SyncDir(joined(w.s.dir, "checkpoints"))
	}
	if err != nil {
		return c, about("writing "+c.Snapshot, err)
	}
	return c, w.become(Checkpointed, reason)
}

// toIndexed takes the store to INDEXED, with all that this says made durable.
func (w *writer) toIndexed(reason string) error {
	if w.st.to == Indexed {
		return nil
	}
	if err := w.toDirty(reason); err != nil {
		return err
	}
	if w.last.segment > 0 {
		if err := w.s.syncFile(w.s.segmentPath(w.last.segment)); err != nil {
			return about(fmt.Sprintf("syncing segment %d", w.last.segment), err)
		}
	}
	if err := w.toSealed(reason); err != nil {
		return err
	}
	if err := w.s.syncFile(joined(w.s.dir, indexFile)); err != nil {
		return about("syncing the index", err)
	}
	return w.become(Indexed, reason)
}

// aside renames a file out of the way: name.bak, or name.bak.1 and so on.
func (s *Store) aside(name string) error {
	for n := 0; ; n++ {
		to := name + ".bak"
		if n > 0 {
			to = fmt.Sprintf("%s.%d", to, n)
		}
		_, err := s.d.Lstat(to)
		if missing(err) {
			err = s.d.Rename(name, to)
			if missing(err) {
				return nil
			}
			return err
		}
		if err != nil {
			return err
		}
	}
}

// keep saves bytes that will be cut off a segment as aside would keep a whole
// one. Bytes that are kept already are not kept twice.
func (s *Store) keep(name string, b []byte) error {
	for n := 0; ; n++ {
		to := name + ".bak"
		if n > 0 {
			to = fmt.Sprintf("%s.%d", to, n)
		}
		old, err := readFile(s.d, to, maxFrame+defaultSegment)
		switch {
		case err == nil && string(old) == string(b):
			return nil
		case err == nil && !strings.HasPrefix(string(b), string(old)):
			continue
		case err != nil && !missing(err) && !errors.Is(err, ErrCorrupt):
			return err
		case errors.Is(err, ErrCorrupt):
			continue
		}
		f, err := openFile(s.d, to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
		if err != nil {
			return err
		}
		if err = disk.Write(f, b); err == nil {
			err = f.Sync()
		}
		return disk.Closing(f, err)
	}
}
