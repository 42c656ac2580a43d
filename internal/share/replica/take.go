package replica

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// own are lines, with their line feeds.
type own [][]byte

// lines returns what the file has behind the base, and what the remote has.
func (d *diff) lines() (mine, theirs own, err error) {
	if mine, err = linesOf(d.f.section(d.size, d.f.size())); err != nil {
		return nil, nil, err
	}
	for _, b := range d.rest {
		for line := range bytes.Lines(b) {
			theirs = append(theirs, line)
		}
	}
	return mine, theirs, nil
}

func linesOf(r io.Reader) (list own, err error) {
	data, err := io.ReadAll(r)
	for line := range bytes.Lines(data) {
		list = append(list, line)
	}
	return list, err
}

// without returns the lines that others do not hold, in order. A line that is there
// twice has to be held twice. The error is ErrConflict if an entry has other bytes
// there; of collected lines such entries are left out, and counted.
func (mine own) without(others own, collected bool) (left own, differ int, err error) {
	if len(mine) == 0 || len(others) == 0 {
		return mine, 0, nil
	}
	held, ids := map[[sha256.Size]byte]int{}, map[string]bool{}
	for _, line := range others {
		held[sha256.Sum256(line)]++
		if id := idOf(bytes.TrimSuffix(line, []byte("\n"))); id != "" {
			ids[id] = true
		}
	}
	for _, line := range mine {
		sum := sha256.Sum256(line)
		times, same := held[sum]
		if times > 0 {
			held[sum]--
			continue
		}
		id := idOf(bytes.TrimSuffix(line, []byte("\n")))
		switch {
		case id == "" || !ids[id]:
		case collected:
			if !same {
				differ++
			}
			continue
		case !same:
			return nil, 0, fmt.Errorf("%w in the entry %.80q", ErrConflict, id)
		}
		left = append(left, line)
	}
	return left, differ, nil
}

// take brings the lines of the remote into the file: at its end, or in front of the lines behind
// the base that the remote lacks.
func (s *transfer) take(ctx context.Context, d *diff) (err error) {
	// A torn tail goes behind everything, as it is.
	a, err := jsonl.OpenAppender(ctx, s.path, jsonl.Options{Tail: jsonl.EndLine, Wait: s.Wait, Grace: s.Grace})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if fi, err := os.Stat(d.f.real); err != nil || !os.SameFile(fi, d.f.info) || a.Size() < d.f.info.Size() {
		return errors.Join(err, errAgain)
	}
	end, err := wholeEnd(a, a.Size())
	if err != nil {
		return err
	}
	at := d.f.lead + d.size
	mine, err := linesOf(io.NewSectionReader(a, at, end-at))
	if err != nil {
		return err
	}
	_, theirs, err := d.lines()
	if err != nil {
		return err
	}
	left, differ, err := mine.without(theirs, s.Collected)
	if err != nil {
		return err
	}
	s.suspect(theirs, io.NewSectionReader(a, d.f.lead, at-d.f.lead))
	s.step("take")
	if len(mine) == 0 && end == a.Size() {
		err = s.append(a, theirs)
	} else {
		err = jsonl.ErrInvalid
	}
	if errors.Is(err, jsonl.ErrInvalid) {
		tail := make([]byte, a.Size()-end)
		if _, err := a.ReadAt(tail, end); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(left) == 0 && begins(theirs[0], tail) {
			tail = nil // an earlier run was killed while it wrote this line
		}
		err = a.Replace(&joined{a: a, keep: at, lines: []own{theirs, left, {tail}}}, true)
	}
	if err != nil {
		return err
	}
	s.result.Got, s.result.Differ = s.result.Got+len(theirs), s.result.Differ+differ
	// The file has the lines of the remote now.
	for _, b := range d.rest {
		d.sum.Write(b)
	}
	d.size += d.bytes
	d.rest, d.bytes = nil, 0
	return nil
}

// begins reports whether a torn tail is the beginning of a line and of no other: it reaches
// beyond the line's id. All entries begin alike, and the writer of a shorter tail may come back.
func begins(line, tail []byte) bool {
	id := idOf(bytes.TrimSuffix(line, []byte("\n")))
	return id != "" && bytes.HasPrefix(line, tail) && bytes.Contains(tail, []byte(js.Quote(id)))
}

// append adds the lines of the remote at the end. The error is [jsonl.ErrInvalid] if one
// of them is no JSON: damage travels, too, or the copies would differ.
func (s *transfer) append(a *jsonl.Appender, lines own) error {
	bare := make([][]byte, len(lines))
	for i, l := range lines {
		bare[i] = bytes.TrimSuffix(l, []byte("\n"))
	}
	if err := a.Append(bare...); err != nil {
		return err
	}
	return a.Sync()
}

// joined is the new content of a file: its beginning, and lines.
type joined struct {
	a     *jsonl.Appender
	keep  int64
	lines []own
}

func (j *joined) WriteTo(w io.Writer) (int64, error) {
	n, err := io.Copy(w, io.NewSectionReader(j.a, 0, j.keep))
	if err != nil {
		return n, err
	}
	var b bytes.Buffer
	for _, list := range j.lines {
		for _, line := range list {
			b.Write(line)
			if b.Len() > 1<<20 {
				m, err := b.WriteTo(w)
				if n += m; err != nil {
					return n, err
				}
			}
		}
	}
	m, err := b.WriteTo(w)
	return n + m, err
}

// Fetch makes the file of a session that is only in the remote. Create makes it, whole or not at
// all, and returns its path, which Fetch returns. The path is "" if the remote does not have the
// session, and with DryRun. With [remote.ErrGap] there is a file of the lines in front of the gap.
func Fetch(ctx context.Context, key string, o Options, create func(session.Header, io.WriterTo) (string, error)) (path string, r Result, err error) {
	head := o.Listing.Head(key)
	head.Whole = head.Whole && head.N > 0 // that there is none is asked for
	next, stop := iter.Pull2(head.Read(ctx, o.Log, 0))
	defer stop()
	first, err, ok := next()
	if !ok || err != nil {
		return "", Result{}, err
	}
	h, err := CheckFirst(first.Data, key)
	if err != nil {
		return "", Result{}, err
	}
	f := &fetched{part: first, next: next, o: o, base: fresh()}
	if o.DryRun {
		_, err = f.WriteTo(io.Discard)
		return "", f.result, errors.Join(err, f.gap)
	}
	if path, err = create(h, f); err != nil {
		return "", Result{}, errors.Join(err, f.err)
	}
	d := &diff{base: f.base}
	if d.f, err = openFile(path); err != nil {
		return path, f.result, err
	}
	defer d.f.Close()
	return path, f.result, errors.Join(f.gap, d.save(o.Log.Name(), cmp.Or(o.Log.Tag(key, d.n), head.TagOf(d.n))))
}

// A fetched session is its parts, as content of a file.
type fetched struct {
	part   remote.Part // the one to be written next
	next   func() (remote.Part, error, bool)
	o      Options
	base   base
	result Result
	err    error
	gap    error // why there may be more
}

func (f *fetched) WriteTo(w io.Writer) (int64, error) {
	for more := true; more; {
		p := f.part
		if f.base.size+int64(len(p.Data)) > f.o.MaxSize {
			return f.base.size, fmt.Errorf("the session in the remote has more than %d bytes: %w", f.o.MaxSize, ErrTooMuch)
		}
		hashed := f.base.hashing(p.Data)
		_, err := w.Write(p.Data)
		hashed.done()
		if err != nil {
			return f.base.size, err
		}
		f.o.moved(p.Data)
		f.base.pos, f.base.n, f.base.size = p.Pos, p.N, f.base.size+int64(len(p.Data))
		f.result.Got, f.result.N = f.result.Got+bytes.Count(p.Data, []byte("\n")), p.N
		if f.part, err, more = f.next(); errors.Is(err, remote.ErrGap) {
			f.gap, more = err, false
		} else if err != nil {
			return f.base.size, err
		}
	}
	return f.base.size, nil
}
