package storev2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
)

// A Rebuilt tells what [Store.Rebuild] made of the segments.
type Rebuilt struct {
	Entries int64
	Chain   string
	// Torn is how many bytes at the end of the last segment were no frame. They
	// were moved to a file in tmp.
	Torn int
	// Matches says that the hash chain is that of the manifest as far as the
	// manifest goes. If not, the store is FAILED now.
	Matches bool
}

// Rebuild makes the index anew from the segments. It refuses to, [ErrCorrupt] and
// nothing changed, if the frames are not complete and in order, but for the end of
// the last segment.
//
// The manifest is left as it is, unless it only lacks entries that the index
// lacked: a new index must not bless what was lost or altered.
func (s *Store) Rebuild(ctx context.Context) (out Rebuilt, err error) {
	err = s.locked(ctx, func() (err error) {
		out, err = (&writer{s: s}).rebuild()
		return err
	})
	return out, err
}

func (w *writer) rebuild() (out Rebuilt, err error) {
	if w.st, err = w.s.currentState(); err != nil {
		return out, err
	}
	if w.st.to == MigrationStaging {
		return out, fmt.Errorf("%w: its migration was not finished and must be recovered first", ErrState)
	}
	if err := w.makeDirs(); err != nil {
		return out, err
	}
	m, merr := readManifest(w.s.d, w.s.dir)
	if merr != nil && !errors.Is(merr, ErrCorrupt) {
		return out, merr
	}
	temp := joined(w.s.dir, "tmp", "offsets.rebuild.tmp")
	e, err := w.index(temp)
	if err != nil {
		_ = w.s.d.Remove(temp) // of no use, and harmless
		return out, err
	}
	out.Torn = len(e.bytes)
	if err := w.install(temp, e); err != nil {
		return out, err
	}
	c, err := w.s.scanned(m.Head.Entry)
	if err != nil {
		return out, w.fail(err)
	}
	w.last, w.size, w.st.ordered = c.last, c.v.size, c.ordered()
	out.Entries, out.Chain = c.m.Counters.Entries, c.m.Integrity.Chain
	out.Matches = merr == nil && c.marks[m.Head.Entry] == m.Integrity.Chain
	return out, w.conclude(c, m, out.Matches)
}

// conclude takes the store to INDEXED, or to FAILED if it is not the one that
// the manifest describes.
func (w *writer) conclude(c *scan, m manifest, matches bool) error {
	if !matches {
		if err := w.become(Indexed, "rebuilt"); err != nil {
			return err
		}
		return w.become(Failed, "the rebuilt index and the manifest disagree")
	}
	if w.m = c.merged(m); w.m.Head != m.Head {
		if err := writeManifest(w.s.d, w.s.dir, &w.m, w.s.o.now()); err != nil {
			return err
		}
	}
	return w.become(Indexed, "rebuilt")
}

// index writes the rows of all segments to the file temp, and returns how the
// last segment ends.
func (w *writer) index(temp string) (*tail, error) {
	segs, err := w.s.segments()
	if err != nil {
		return nil, err
	}
	out, err := w.s.newFile(temp)
	if err != nil {
		return nil, err
	}
	e, err := &tail{}, error(nil)
	at := row{}
	for i, g := range segs {
		at = row{segment: g.number, seq: at.seq}
		e = &tail{}
		if err = w.indexSegment(out, e, &at, joined(w.s.dir, "segments", g.name)); err != nil {
			break
		}
		if whole := e.torn == "" && e.unended == "" && len(e.empty) == 0; !whole && i < len(segs)-1 {
			err = fmt.Errorf("%w: segment %d is not the last one and has no proper end", ErrCorrupt, g.number)
			break
		}
	}
	return e, out.close(err)
}

// indexSegment writes the rows of one segment. What cannot be read at its end
// must be without a line feed, that is, not have been finished.
func (w *writer) indexSegment(out *newFile, e *tail, at *row, name string) error {
	f, err := openFile(w.s.d, name, os.O_RDONLY)
	if err != nil {
		return about(base(name), err)
	}
	defer f.Close()
	if err := e.read(f, at, name); err != nil {
		return about(base(name), err)
	}
	if line, _, whole := bytes.Cut(e.bytes, []byte("\n")); whole {
		_, err := nextFrame(string(line), at)
		return fmt.Errorf("%w: %s at byte %d: %w", ErrCorrupt, base(name), e.at, err)
	}
	var b []byte
	for i := range e.rows {
		b = e.rows[i].encode(b[:0])
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	e.frames, e.rows = nil, nil
	return nil
}

// install mends the last segment and puts the new index in place.
func (w *writer) install(temp string, e *tail) error {
	if err := w.seal(e, false, "rebuilding the index"); err != nil {
		return err
	}
	return w.replaceIndex(temp)
}

func (w *writer) replaceIndex(temp string) error {
	err := w.s.d.Rename(temp, joined(w.s.dir, indexFile))
	if err == nil {
		err = w.s.d.SyncDir(joined(w.s.dir, "index"))
	}
	return about("replacing the index", err)
}
