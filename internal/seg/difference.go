package seg

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// fileEntries calls visit with the lines of a JSONL file that are entries. What is
// no entry, the header and a torn last line among it, is passed over: it has no id.
func fileEntries(ctx context.Context, r io.Reader, visit func(id string, l jsonl.Line)) error {
	for l, err := range jsonl.Lines(r) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if l.Torn || len(bytes.Trim(l.Data, " \t\r")) == 0 {
			continue
		}
		if e, err := session.ParseEntry(l.Text()); err == nil && e.ID() != "" && e.Type() != session.TypeSession {
			visit(e.ID(), l)
		}
	}
	return nil
}

// without returns the ids that are in the file but not in the store, in the order of
// the file. It reads the index.
func (v *view) without(ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = false
	}
	for r := range v.consecutive(v.rows(0), 1) {
		if r.err != nil {
			return nil, r.err
		}
		if _, ok := known[r.id]; ok {
			known[r.id] = true
		}
	}
	var out []string
	for _, id := range ids {
		if !known[id] {
			out = append(out, id)
			known[id] = true // once
		}
	}
	return out, nil
}

// A Foreign tells what another program did to the JSONL file beside a store that is
// the session.
type Foreign struct {
	Path string
	IDs  []string // of entries that the store has not, in the order of the file
}

// Foreign looks for entries that were added to the JSONL file since the store was
// made of it. It costs the reading of the commit marker as long as the file has the
// size it had then; a change that leaves the size alone is not noticed.
func (s *Store) Foreign(ctx context.Context) (Foreign, error) {
	out := Foreign{Path: Source(s.dir)}
	m, err := readMarker(s.d, s.dir)
	if err != nil {
		return out, nil //nolint:nilerr // whoever reads the session says so, and not every store has one
	}
	fi, err := os.Stat(out.Path)
	if missing(err) || err == nil && fi.Size() == m.Source.Bytes {
		return out, nil
	}
	if err != nil {
		return out, about("looking at "+base(out.Path), err)
	}
	f, err := os.Open(out.Path)
	if err != nil {
		return out, about("opening "+base(out.Path), err)
	}
	defer f.Close()
	var ids []string
	// A file that has only grown is read from there on.
	begin, last := m.Source.Bytes, make([]byte, 1)
	if n, err := f.ReadAt(last, begin-1); err != nil && begin > 0 && n == 0 || last[0] != '\n' {
		begin = 0
	}
	err = fileEntries(ctx, io.NewSectionReader(f, begin, fi.Size()-begin), func(id string, _ jsonl.Line) { ids = append(ids, id) })
	if err != nil {
		return out, about("reading "+base(out.Path), err)
	}
	v, err := s.view()
	if err != nil {
		return out, s.named(err)
	}
	defer v.close()
	out.IDs, err = v.without(ids)
	return out, s.named(err)
}

// own calls visit with the rows of the entries that the JSONL file has not.
func (s *Store) own(ctx context.Context, file io.Reader, visit func(v *view, r *row) error) error {
	ids := map[string]bool{}
	if err := fileEntries(ctx, file, func(id string, _ jsonl.Line) { ids[id] = true }); err != nil {
		return about("reading "+base(Source(s.dir)), err)
	}
	v, err := s.reading()
	if err != nil {
		return err
	}
	defer v.close()
	for r := range v.consecutive(v.rows(0), 1) {
		if r.err != nil {
			return r.err
		}
		if ids[r.id] {
			continue
		}
		if err := visit(v, &r.row); err != nil {
			return err
		}
	}
	return nil
}
