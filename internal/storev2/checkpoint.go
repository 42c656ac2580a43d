package storev2

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
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
	if err := writeDocument(w.s.d, w.s.dir, c.Snapshot, &c, true); err != nil {
		return c, err
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

// backups iterates over the names under which a file is put aside: name.bak,
// name.bak.1 and so on.
func backups(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n, to := 1, name+".bak"; yield(to); n++ {
			to = fmt.Sprintf("%s.bak.%d", name, n)
		}
	}
}

// aside renames a file out of the way.
func (s *Store) aside(name string) error {
	for to := range backups(name) {
		if _, err := s.d.Lstat(to); err == nil {
			continue
		} else if !missing(err) {
			return err
		}
		if err := s.d.Rename(name, to); !missing(err) {
			return err
		}
		break
	}
	return nil
}

// keep saves bytes that will be cut off a segment as aside would keep a whole
// one. Bytes that are kept already are not kept twice.
func (s *Store) keep(name string, b []byte) error {
	for to := range backups(name) {
		old, err := readFile(s.d, to, maxFrame+defaultSegment)
		switch {
		case unread(err):
			return err
		case err == nil && string(old) == string(b):
			return nil
		case missing(err), err == nil && strings.HasPrefix(string(b), string(old)): // half of it, by one that died
			return disk.WriteFile(s.d, to, b, true)
		}
	}
	return nil
}

const (
	intentFile   = "tmp/rollback.intent.json"
	stageFile    = "tmp/offsets.rollback.stage"
	intentSchema = "pi.session_store_v2.rollback_intent.v1"
)

// An intent says that a rollback was begun, and how it ends. The next writer
// brings it to its end; pi has the same file.
type intent struct {
	Schema      string     `json:"schema"`
	Checkpoint  Checkpoint `json:"checkpoint"`
	Migration   string     `json:"migrationId"`
	Correlation string     `json:"correlationId"`
	IndexSHA    string     `json:"retainedIndexSha256"`
	IndexBytes  int64      `json:"retainedIndexBytes"`
	Manifest    identity   `json:"manifest"`
}

type identity struct {
	SessionID    string `json:"sessionId"`
	SourceFormat string `json:"sourceFormat"`
	CreatedAt    string `json:"createdAt"`
}

// RollbackTo takes the store back to a checkpoint. The entries after it leave the
// store; their bytes stay beside the segments, in files ending in ".bak", as do
// the checkpoints after it. Before anything is changed, hash chain and head of
// the remaining part are compared with the checkpoint.
//
// It is done in steps that a crash interrupts without harm: the next writer goes
// on where it stopped. Errors: [ErrNotFound] for an unknown checkpoint,
// [ErrCorrupt], and those of [Store.Append].
func (s *Store) RollbackTo(ctx context.Context, checkpoint int64) error {
	return s.change(ctx, func(w *writer) error {
		e := w.newEvent("rollback", "", "")
		return w.rollbackTo(checkpoint, e.Migration, e.Correlation)
	})
}

func (w *writer) rollbackTo(seq int64, migration, correlation string) error {
	points, err := checkpoints(w.s.d, w.s.dir)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(points, func(c Checkpoint) bool { return c.Seq == seq })
	if at < 0 {
		return fmt.Errorf("checkpoint %d: %w", seq, ErrNotFound)
	}
	stage, err := w.retained(&points[at])
	if err != nil {
		return err
	}
	if w.st.to != Checkpointed {
		if _, err := w.checkpoint("recovery"); err != nil {
			return err
		}
	}
	in := intent{
		intentSchema, points[at], migration, correlation, hexSum(string(stage)), int64(len(stage)),
		identity{w.m.SessionID, w.m.SourceFormat, w.m.CreatedAt},
	}
	if err := disk.WriteFile(w.s.d, joined(w.s.dir, stageFile), stage, true); err != nil {
		return about("staging the index", err)
	}
	if err := writeDocument(w.s.d, w.s.dir, intentFile, &in, true); err != nil {
		return err
	}
	return w.replay()
}

// retained returns the rows of the index up to a checkpoint, after checking the
// frames they lead to.
func (w *writer) retained(p *Checkpoint) ([]byte, error) {
	v, err := w.s.snapshot()
	if err != nil {
		return nil, err
	}
	defer v.close()
	c := w.s.newScan()
	c.v, c.until = v, p.HeadSeq
	c.run(0)
	if err := c.verdict(); err != nil {
		return nil, err
	}
	if c.m.Head.Entry != p.HeadSeq || c.m.Head.ID != p.HeadID || c.m.Integrity.Chain != p.Chain {
		return nil, fmt.Errorf("%w: checkpoint %d has another head or hash chain than entry %d", ErrCorrupt, p.Seq, p.HeadSeq)
	}
	b := make([]byte, v.size)
	if n, err := v.f.ReadAt(b, 0); n < len(b) {
		return nil, about("reading the index", err)
	}
	return b, nil
}

// replay brings a rollback to its end, if one was begun.
func (w *writer) replay() error {
	in, err := readIntent(w.s.d, w.s.dir)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := w.replayIndex(&in); err != nil {
		return err
	}
	if err := w.replayFiles(&in); err != nil {
		return err
	}
	return w.replayDocuments(&in)
}

func readIntent(d disk.FS, dir string) (intent, error) {
	var in intent
	err := readDocument(d, joined(dir, intentFile), maxDocument, &in, func() error {
		if in.Schema != intentSchema {
			return fmt.Errorf("%w: schema %.60q", ErrCorrupt, in.Schema)
		}
		return nil
	})
	return in, about("reading "+base(intentFile), err)
}

// replayIndex gives the index its new content, unless it has it.
func (w *writer) replayIndex(in *intent) error {
	name := joined(w.s.dir, indexFile)
	stage := joined(w.s.dir, stageFile)
	has, err := w.hasSum(stage, in)
	if err == nil && has {
		return w.replaceIndex(stage)
	}
	if err == nil {
		has, err = w.hasSum(name, in)
	}
	if err == nil && !has {
		err = fmt.Errorf("%w: neither index nor stage is what the rollback retains", ErrCorrupt)
	}
	return err
}

func (w *writer) hasSum(name string, in *intent) (bool, error) {
	b, err := readFile(w.s.d, name, 1<<40)
	if missing(err) {
		return false, nil
	}
	return err == nil && int64(len(b)) == in.IndexBytes && hexSum(string(b)) == in.IndexSHA, err
}

// replayFiles cuts the segment that holds the checkpoint, and puts later segments
// and checkpoints aside.
func (w *writer) replayFiles(in *intent) error {
	last, err := w.s.lastRow()
	if err != nil {
		return err
	}
	segs, err := w.s.segments()
	if err != nil {
		return err
	}
	for _, g := range segs {
		name := joined(w.s.dir, "segments", g.name)
		switch {
		case g.number > last.segment:
			err = w.s.aside(name)
		case g.number == last.segment && g.size > last.end():
			err = w.keepEnd(name, last.end(), g.size)
		}
		if err != nil {
			return about("rolling back "+g.name, err)
		}
	}
	points, err := checkpoints(w.s.d, w.s.dir)
	if err != nil {
		return err
	}
	for _, p := range points {
		if p.Seq > in.Checkpoint.Seq {
			if err := w.s.aside(joined(w.s.dir, p.Snapshot)); err != nil {
				return about("rolling back "+p.Snapshot, err)
			}
		}
	}
	return errors.Join(w.s.d.SyncDir(joined(w.s.dir, "segments")), w.s.d.SyncDir(joined(w.s.dir, "checkpoints")))
}

func (w *writer) keepEnd(name string, from, to int64) error {
	f, err := openFile(w.s.d, name, os.O_RDONLY)
	if err != nil {
		return err
	}
	b := make([]byte, to-from)
	_, err = f.ReadAt(b, from)
	if err = disk.Closing(f, err); err == nil {
		err = w.s.keep(name, b)
	}
	if err == nil {
		err = w.s.cut(name, from, false)
	}
	return err
}

// replayDocuments verifies the end of the store, and notes the checkpoint in manifest, ledger and
// state.
func (w *writer) replayDocuments(in *intent) error {
	c, err := w.s.scanned()
	if err != nil {
		return w.fail(err)
	}
	if c.m.Integrity.Chain != in.Checkpoint.Chain {
		return w.fail(fmt.Errorf("%w: hash chain mismatch after the rollback to checkpoint %d", ErrCorrupt, in.Checkpoint.Seq))
	}
	m := c.merged(newManifest(in.Manifest.SessionID, in.Manifest.CreatedAt, false))
	m.SourceFormat = in.Manifest.SourceFormat
	if err := writeManifest(w.s.d, w.s.dir, &m, w.s.o.now()); err != nil {
		return err
	}
	events, err := ledger(w.s.d, w.s.dir)
	if err != nil {
		return err
	}
	noted := slices.ContainsFunc(events, func(e event) bool { return e.Migration == in.Migration && e.Phase == "rollback" })
	if !noted {
		e := w.newEvent("rollback", in.Checkpoint.Snapshot, base(w.s.dir))
		e.Migration, e.Correlation = in.Migration, in.Correlation
		if err := addEvent(w.s.d, w.s.dir, &e); err != nil {
			return err
		}
	}
	w.m, w.last, w.size, w.st.ordered = m, c.last, c.v.size, c.ordered()
	if w.st.to != RolledBack {
		if w.st.to != Checkpointed && w.st.to != Failed { // a rollback that pi began
			if err := w.toIndexed("rollback"); err != nil {
				return err
			}
			if err := w.become(Checkpointed, "rollback of another program"); err != nil {
				return err
			}
		}
		if err := w.become(RolledBack, fmt.Sprintf("to checkpoint %d", in.Checkpoint.Seq)); err != nil {
			return err
		}
	}
	return about("removing "+base(intentFile), w.s.d.Remove(joined(w.s.dir, intentFile)))
}
