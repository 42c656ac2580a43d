package seg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
)

const (
	intentFile   = "tmp/rollback.intent.json"
	stageFile    = "tmp/offsets.rollback.stage"
	intentSchema = "pi.session_store_v2.rollback_intent.v1"
)

// An intent says that a rollback was begun, and how it ends. Whoever writes next
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
	sum := sha256.Sum256(stage)
	in := intent{
		intentSchema, points[at], migration, correlation, hex.EncodeToString(sum[:]), int64(len(stage)),
		identity{w.m.SessionID, w.m.SourceFormat, w.m.CreatedAt},
	}
	if err := disk.WriteFile(w.s.d, joined(w.s.dir, stageFile), stage, true); err != nil {
		return about("staging the index", err)
	}
	if err := replaceFile(w.s.d, joined(w.s.dir, intentFile+".tmp"), joined(w.s.dir, intentFile), pretty(&in)); err != nil {
		return about("writing "+base(intentFile), err)
	}
	if err := w.s.d.SyncDir(joined(w.s.dir, "tmp")); err != nil {
		return about("syncing tmp", err)
	}
	return w.replay()
}

// retained returns the rows of the index up to a checkpoint, after checking the
// frames they lead to.
func (w *writer) retained(p *Checkpoint) ([]byte, error) {
	v, err := w.s.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	if v.f == nil {
		return nil, fmt.Errorf("%w: the index is missing", ErrCorrupt)
	}
	cut := int64(0)
	for offset, r := range v.rows(0) {
		if r.err != nil {
			return nil, r.err
		}
		if r.seq > p.HeadSeq {
			cut = offset
			break
		}
		cut = v.size
	}
	v.size = cut
	c := newScan(v, &Report{})
	c.run(0)
	if err := c.verdict(); err != nil {
		return nil, err
	}
	if c.m.Head.Entry != p.HeadSeq || c.m.Head.ID != p.HeadID || c.m.Integrity.Chain != p.Chain {
		return nil, fmt.Errorf("%w: checkpoint %d has another head or hash chain than entry %d", ErrCorrupt, p.Seq, p.HeadSeq)
	}
	b := make([]byte, cut)
	if n, err := v.f.ReadAt(b, 0); n < len(b) {
		return nil, about("reading the index", err)
	}
	return b, nil
}
