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
	c := w.s.newScan(m.Head.Entry)
	e, err := w.index(c)
	if err != nil {
		_ = w.s.d.Remove(joined(w.s.dir, rebuiltFile)) // of no use, and harmless
		return out, err
	}
	out.Torn = len(e.bytes)
	if err := w.seal(e, false, "rebuilding the index"); err != nil {
		return out, err
	}
	if err := w.replaceIndex(joined(w.s.dir, rebuiltFile)); err != nil {
		return out, err
	}
	c.lineage()
	if err := c.verdict(); err != nil {
		return out, w.fail(err)
	}
	w.last, w.st.ordered = c.last, c.ordered()
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

const rebuiltFile = "tmp/offsets.rebuild.tmp"

// index is a scan of the segments: it writes their rows to a new index, which is not put
// in place, and returns how the last segment ends.
func (w *writer) index(c *scan) (*tail, error) {
	segs, err := w.s.segments()
	if err != nil {
		return nil, err
	}
	out, err := w.s.newFile(joined(w.s.dir, rebuiltFile))
	if err != nil {
		return nil, err
	}
	e, err := &tail{}, error(nil)
	for i, g := range segs {
		e = &tail{}
		if err = w.indexSegment(out, c, e, g); err != nil {
			break
		}
		if !e.clean() && i < len(segs)-1 {
			err = fmt.Errorf("%w: segment %d is not the last one and has no proper end", ErrCorrupt, g.number)
			break
		}
	}
	return e, out.close(err)
}

// indexSegment writes the rows of one segment. What cannot be read at its end
// must be without a line feed, that is, not have been finished.
func (w *writer) indexSegment(out *newFile, c *scan, e *tail, g segment) error {
	name := joined(w.s.dir, "segments", g.name)
	f, err := openFile(w.s.d, name, os.O_RDONLY)
	if err != nil {
		return about(base(name), err)
	}
	defer f.Close()
	at := row{segment: g.number, seq: c.last.seq}
	var b []byte
	err = e.read(f, &at, name, func(g *frame, r *row) error {
		c.order(r)
		c.add(r, g)
		b = r.encode(b[:0])
		_, err := out.Write(b)
		return err
	})
	if err != nil {
		return about(base(name), err)
	}
	if line, _, whole := bytes.Cut(e.bytes, []byte("\n")); whole {
		_, err := nextFrame(string(line), &at)
		return fmt.Errorf("%w: %s at byte %d: %w", ErrCorrupt, base(name), e.at, err)
	}
	return nil
}

func (w *writer) replaceIndex(temp string) error {
	err := w.s.d.Rename(temp, joined(w.s.dir, indexFile))
	if err == nil {
		err = w.s.d.SyncDir(joined(w.s.dir, "index"))
	}
	return about("replacing the index", err)
}
