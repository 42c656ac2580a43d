package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/session"
)

// A base is what file and remote have in common.
type base struct {
	pos  remote.Pos // of the last part that was read
	n    uint64
	size int64     // of the file's lines, from the header on, that are in the parts
	sum  hash.Hash // of them; nil if it is as in the state
	was  state
}

// A diff is a base, and what the remote has behind it.
type diff struct {
	base
	f     *file
	key   string
	head  remote.Head // what the listing says
	rest  [][]byte    // whole lines
	bytes int64       // in rest
	gap   error       // why the remote could not be read behind that
}

// flush is how much of a remote is read before it is appended to a file without lines that the
// remote lacks.
const flush = 16 << 20

// compare reads what the remote has behind the part that was seen last.
func (s *transfer) compare(ctx context.Context, d *diff) (err error) {
	if d.key, err = d.f.key(); err != nil {
		return err
	}
	if d.head = (remote.Head{Key: d.key}); s.listed {
		d.head = s.Listing.Head(d.key)
		s.listed = d.head.Whole || d.head.N > 0
	}
	if d.base, err = s.start(ctx, d.f); err != nil {
		return err
	}
	err = s.read(ctx, d)
	if errors.Is(err, remote.ErrWentBack) && s.Reseed {
		d.base, d.rest, d.bytes = fresh(), nil, 0
		err = s.read(ctx, d)
	}
	if errors.Is(err, remote.ErrGap) { // the parts in front of it are as good as ever
		d.gap, err = err, nil
	}
	if err == nil && d.size == 0 && d.bytes > 0 {
		err = fmt.Errorf("%w in the header", ErrConflict)
	}
	if err == nil && d.f.torn && s.push {
		s.Warn("%s: the last line is not complete, and left out", s.path)
	}
	return err
}

func fresh() base { return base{sum: sha256.New()} }

// start returns the base that an earlier run or round left, if it fits the file.
func (s *transfer) start(ctx context.Context, f *file) (base, error) {
	if k := s.kept; k != nil {
		s.kept = nil
		if os.SameFile(k.f.info, f.info) && k.size <= f.size() {
			return k.base, nil
		}
	}
	return common(ctx, f, s.Log.Name())
}

// common returns what a file has in common with a remote, by its state, if that fits the file.
func common(ctx context.Context, f *file, remote string) (base, error) {
	st, ok := loadState(f.real, remote)
	switch {
	case !ok || st.Size > f.size() || st.N == 0:
		return fresh(), nil
	case st.File != nil && *st.File == disk.StampOf(f.info):
		return base{pos: st.Pos, n: st.N, size: st.Size, was: st}, nil
	}
	b := base{pos: st.Pos, n: st.N, size: st.Size, sum: sha256.New(), was: st}
	if err := b.digest(ctx, f); err != nil {
		return b, err
	}
	if hex.EncodeToString(b.sum.Sum(nil)) != st.SHA256 {
		return fresh(), nil
	}
	return b, nil
}

// digest makes the hash of the common part.
func (b *base) digest(ctx context.Context, f *file) error {
	b.sum = sha256.New()
	_, err := io.Copy(b.sum, disk.Reader{Ctx: ctx, R: f.section(0, b.size)})
	return err
}

// read reads the parts behind the base. As long as they equal the file, the base grows. The last
// part that was seen is read once more: a remote that was restored from a backup has another one
// there, once a machine has pushed to it. A listing in which it has the tag that it had says as much.
func (s *transfer) read(ctx context.Context, d *diff) error {
	from, seen, head := d.pos, d.n == 0, d.head
	switch tag := d.was.ETag; {
	case seen:
	case tag != "" && tag == head.Tag && d.n == d.was.N:
		return nil
	case d.n == d.was.N && head.Has(d.n, tag):
		seen = true
	default:
		from, head.Whole = from-1, false
	}
	for part, err := range head.Read(ctx, s.Log, from) {
		if err != nil {
			return err
		}
		if part.N == 1 {
			if _, err := CheckFirst(part.Data, d.key); err != nil {
				return err
			}
		}
		if !seen {
			if err := d.sameLast(part); err != nil {
				return err
			}
			seen = true
			continue
		}
		if err := s.readPart(ctx, d, part); err != nil {
			return err
		}
	}
	if !seen {
		return fmt.Errorf("part %d is missing: %w", d.n, remote.ErrWentBack)
	}
	return nil
}

// sameLast returns an error unless a part is the last one that was seen: the base ends with it.
func (d *diff) sameLast(part remote.Part) error {
	size := int64(len(part.Data))
	if part.Pos == d.pos && part.N == d.n && size <= d.size {
		own := make([]byte, size)
		if _, err := io.ReadFull(d.f.section(d.size-size, d.size), own); err != nil {
			return err
		}
		if bytes.Equal(own, part.Data) {
			return nil
		}
	}
	return fmt.Errorf("part %d is another one than was seen: %w", d.n, remote.ErrWentBack)
}

// readPart takes in a part behind the base.
func (s *transfer) readPart(ctx context.Context, d *diff, part remote.Part) (err error) {
	if d.sum == nil {
		if err := d.digest(ctx, d.f); err != nil {
			return err
		}
	}
	rest := part.Data
	if d.bytes == 0 {
		if rest, err = d.common(rest); err != nil {
			return err
		}
	}
	d.pos, d.n = part.Pos, part.N
	s.moved(part.Data)
	if len(rest) > 0 {
		d.rest, d.bytes = append(d.rest, bytes.Clone(rest)), d.bytes+int64(len(rest))
	}
	if d.size+d.bytes > s.MaxSize {
		return fmt.Errorf("the session in the remote has more than %d bytes: %w", s.MaxSize, ErrTooMuch)
	}
	if d.bytes >= flush && d.size == d.f.size() && d.size > 0 && !d.f.torn && !s.DryRun && s.ExpectLeaf == "" {
		if err := s.take(ctx, d); err != nil {
			return err
		}
		return s.open(d)
	}
	return nil
}

// common takes the lines of a part that the file has at this place into the base, and
// returns the rest.
func (d *diff) common(part []byte) ([]byte, error) {
	n := min(int64(len(part)), d.f.size()-d.size)
	own := make([]byte, n)
	if _, err := io.ReadFull(d.f.section(d.size, d.size+n), own); err != nil {
		return nil, err
	}
	same := len(own)
	if !bytes.Equal(own, part[:n]) {
		same = 0
		for same < len(own) && own[same] == part[same] {
			same++
		}
	}
	same = bytes.LastIndexByte(part[:same], '\n') + 1
	d.sum.Write(part[:same])
	d.size += int64(same)
	return part[same:], nil
}

// save writes the state, with the tag of the last part, if that is known.
func (d *diff) save(name, tag string) error {
	if tag == "" && d.n == d.was.N {
		tag = d.was.ETag
	}
	st := state{Remote: name, Pos: d.pos, N: d.n, Size: d.size, SHA256: d.was.SHA256, ETag: tag}
	if d.n == 0 {
		return nil
	}
	if d.sum != nil {
		st.SHA256 = hex.EncodeToString(d.sum.Sum(nil))
	}
	if fi, err := os.Stat(d.f.real); err == nil && os.SameFile(fi, d.f.info) && fi.Size() == d.f.info.Size() {
		st.File = stampOf(fi)
	}
	old := d.was
	same := old.ETag == tag && d.n == old.N
	if same && (d.sum == nil || old.File != nil && st.File != nil && *old.File == *st.File && old.SHA256 == st.SHA256) {
		return nil // it is there
	}
	return saveState(d.f.real, st)
}

// leaf returns the leaf of what the remote has, "" if it has none.
func (d *diff) leaf() (string, error) {
	for i := len(d.rest) - 1; i >= 0; i-- {
		if id := LeafOf(d.rest[i]); id != "" {
			return id, nil
		}
	}
	e, err := session.LastEntry(d.f.section(0, d.size), d.size)
	return e.ID(), err
}

// LeafOf returns the id of the last entry of some lines, "" if none has one.
func LeafOf(lines []byte) string {
	e, _ := session.LastEntry(bytes.NewReader(lines), int64(len(lines))) // memory has no errors
	return e.ID()
}

// idOf returns the id of an entry, "" for another line. The header is no entry.
func idOf(line []byte) string {
	e, err := session.ParseEntry(string(line))
	if err != nil || e.Type() == session.TypeSession {
		return ""
	}
	return e.ID()
}
