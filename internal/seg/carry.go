package seg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// carryBatch is how many bytes of entries are appended to the file at once.
const carryBatch = 8 << 20

// carry appends the entries to the file that it has not, and returns their number.
// Who dies in between leaves a beginning of them there, and a store that still is
// the session: the next one goes on behind it.
func (w *writer) carry(ctx context.Context, a *jsonl.Appender) (int, error) {
	if w.allMigrated() {
		return 0, nil
	}
	if a == nil {
		return 0, ErrNoTarget
	}
	file := io.NewSectionReader(a, 0, a.Size())
	if err := w.carriable(ctx, file); err != nil { // all or none of them
		return 0, err
	}
	_, _ = file.Seek(0, io.SeekStart) // cannot fail
	var batch [][]byte
	n, size := 0, 0
	flush := func() error {
		err := a.Append(batch...)
		n, batch, size = n+len(batch), nil, 0
		return err
	}
	err := w.s.own(ctx, file, func(v *view, r *row) error {
		f, err := v.frameOf(r)
		if err != nil {
			return err
		}
		batch, size = append(batch, []byte(f.line)), size+len(f.line)
		if size < carryBatch {
			return nil
		}
		return flush()
	})
	if err == nil && len(batch) > 0 {
		err = flush()
	}
	if err == nil && n > 0 {
		err = a.Sync()
	}
	return n, err
}

// allMigrated reports whether the store has nothing but what was migrated, so that
// it need not be read.
func (w *writer) allMigrated() bool {
	man, err := readManifest(w.s.d, w.s.dir)
	m, merr := readMarker(w.s.d, w.s.dir)
	return err == nil && merr == nil && man.Counters.Entries == m.Entries
}

// carriable says whether the entries that the file has not can be read.
func (w *writer) carriable(ctx context.Context, file io.Reader) error {
	var lost []string
	var first error
	err := w.s.own(ctx, file, func(v *view, r *row) error {
		_, err := v.frameOf(r)
		if err == nil {
			return nil
		}
		if lost = append(lost, r.id); first == nil {
			first = err
		}
		if errors.Is(err, ErrCorrupt) {
			return nil
		}
		return err
	})
	if err == nil && first != nil {
		err = fmt.Errorf("%w: %s cannot be appended to the file: %w", ErrUnsaved, someOf(lost), first)
	}
	return err
}

// someOf names a few ids.
func someOf(ids []string) string {
	const most = 5
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
