package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/session"
)

// Fetch makes the file of a session that is only in the remote. Create makes it, whole or
// not at all, and returns its path, which Fetch returns. The path is "" if the remote
// does not have the session, and with DryRun. With [remote.ErrGap] there is a file of what
// is in front of the gap.
func Fetch(ctx context.Context, key string, o Options, create func(session.Header, io.WriterTo) (string, error)) (path string, r Result, err error) {
	next, stop := iter.Pull2(o.Log.Read(ctx, key, 0))
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
	return path, f.result, errors.Join(f.gap, d.save(o.Log.Name()))
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
