package seg

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// takeIn appends the entries of the file to the store in place that it has not.
// Then the file counts as migrated as it is.
func (b *build) takeIn(old *Store) error {
	st, err := old.Status()
	if err != nil {
		return err
	}
	old.o.Extended = b.o.Extended || st.Extended
	h, err := old.Hold(b.ctx)
	if err != nil {
		return err
	}
	err = b.append(h)
	unlockInto(&err, h.Close)
	if err != nil {
		return fmt.Errorf("migrating %s: %w", b.path, disk.Cause(err))
	}
	if b.o.DryRun {
		b.out.EntryCountMatch, b.out.HashChainMatch, b.out.IndexConsistent = true, true, true
		return nil
	}
	rep, err := old.Verify(b.ctx)
	if err != nil {
		return err
	}
	for _, p := range rep.Problems {
		if p.Kind != "state" { // which the next writer mends
			err = old.named(fmt.Errorf("%w: %s", ErrCorrupt, p.Text))
			break
		}
	}
	ok := err == nil
	b.out.EntryCountMatch, b.out.HashChainMatch, b.out.IndexConsistent = ok, ok, ok
	return err
}

func (b *build) append(h *Hold) error {
	lines, err := b.foreign(h.w.s)
	if err != nil {
		return err
	}
	b.out.Taken, b.out.Entries = int64(len(lines)), h.w.m.Counters.Entries+int64(len(lines))
	if b.o.DryRun {
		_, err := h.w.plan(lines)
		return err
	}
	if err := h.Append(lines...); err != nil {
		return err
	}
	m, err := readMarker(b.d, h.w.s.dir)
	if err != nil {
		return err
	}
	// The file is not how the store begins any more.
	m.At, m.Source, m.Entries, m.Chain = b.o.now(), b.print, 0, genesis
	b.out.ID, b.out.Correlation = m.Migration, m.Correlation
	if err := writeMarker(b.d, h.w.s.dir, &m); err != nil {
		return err
	}
	return writeSource(b.d, h.w.s.dir, b.print)
}

// foreign returns the lines of the file that are entries which the store has not.
// Unlike a reader it wants every line to be an entry.
func (b *build) foreign(old *Store) ([][]byte, error) {
	v, err := old.reading()
	if err != nil {
		return nil, err
	}
	defer v.close()
	known := map[string]bool{}
	for r := range v.consecutive(v.rows(0), 1) {
		if r.err != nil {
			return nil, r.err
		}
		known[r.id] = true
	}
	whole := sha256.New()
	size := b.a.Size()
	var out [][]byte
	for l, err := range jsonl.Lines(io.TeeReader(io.NewSectionReader(b.a, 0, size), whole)) {
		if err == nil {
			err = b.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if b.pre.header.Raw() == "" {
			if err := b.pre.read(l.Text()); err != nil {
				return nil, fmt.Errorf("line %d: %w", l.Number, err)
			}
			continue
		}
		if len(bytes.Trim(l.Data, " \t\r")) == 0 {
			b.out.Blank++
			continue
		}
		e, err := session.ParseEntry(l.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", l.Number, err)
		}
		if !known[e.ID()] {
			out = append(out, bytes.Clone(l.Data))
		}
	}
	if b.pre.header.Raw() == "" {
		return nil, errNoHeader
	}
	b.print = fingerprint{Bytes: size, SHA: hex.EncodeToString(whole.Sum(nil))}
	return out, nil
}
