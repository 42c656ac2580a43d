package seg

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
)

// intent returns an error if a rollback has not come to its end.
func (c *scan) intent() error {
	_, err := c.v.s.d.Lstat(joined(c.v.s.dir, intentFile))
	if missing(err) {
		return nil
	}
	return errors.Join(err, errors.New("a rollback was not finished: the next writer has to"))
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
	b, err := readFile(d, joined(dir, intentFile), maxDocument)
	if err == nil {
		err = decode(b, &in)
	}
	if err == nil && in.Schema != intentSchema {
		err = fmt.Errorf("%w: schema %.60q", ErrCorrupt, in.Schema)
	}
	if err != nil {
		return in, fmt.Errorf("reading %s: %w", base(intentFile), disk.Cause(err))
	}
	return in, nil
}

// replayIndex gives the index its new content, unless it has it.
func (w *writer) replayIndex(in *intent) error {
	name := joined(w.s.dir, indexFile)
	if err := w.s.dropIDs(); err != nil {
		return err
	}
	if has, err := w.hasSum(joined(w.s.dir, stageFile), in); err != nil || has {
		if err == nil {
			if err = w.s.d.Rename(joined(w.s.dir, stageFile), name); err == nil {
				err = w.s.d.SyncDir(joined(w.s.dir, "index"))
			}
		}
		if err != nil {
			return about("replacing the index", err)
		}
		return nil
	}
	has, err := w.hasSum(name, in)
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

// replayDocuments verifies what is left, and says so in manifest, ledger and
// state.
func (w *writer) replayDocuments(in *intent) error {
	v, err := w.s.view()
	if err != nil {
		return err
	}
	defer v.close()
	c := newScan(v, &Report{})
	if err := c.full(); err != nil {
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
	told := slices.ContainsFunc(events, func(e event) bool { return e.Migration == in.Migration && e.Phase == "rollback" })
	if !told {
		e := w.newEvent("rollback", in.Checkpoint.Snapshot, base(w.s.dir))
		e.Migration, e.Correlation = in.Migration, in.Correlation
		if err := addEvent(w.s.d, w.s.dir, &e); err != nil {
			return err
		}
	}
	w.m, w.last, w.size, w.st.ordered = m, c.last, v.size, c.ordered()
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
	if err := w.s.d.Remove(joined(w.s.dir, intentFile)); err != nil {
		return about("removing "+base(intentFile), err)
	}
	return nil
}
