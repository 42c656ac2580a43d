package replica

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/session"
)

// Fetch makes the file of a session that is only in the remote. Create makes it of its first
// lines and returns its path, which Fetch returns; of a large session the rest is
// appended. The path is "" if the remote does not have the session, and with DryRun.
func Fetch(ctx context.Context, key string, o Options, create func(session.Header, io.WriterTo) (string, error)) (path string, r Result, err error) {
	var b bytes.Buffer
	var h session.Header
	base := fresh()
	for part, err := range o.Log.Read(ctx, key, 0) {
		if err == nil && part.N == 1 {
			h, err = CheckFirst(part.Data, key)
		}
		if err == nil && base.size+int64(len(part.Data)) > o.MaxSize {
			err = fmt.Errorf("the session in the remote has more than %d bytes: %w", o.MaxSize, ErrTooMuch)
		}
		if err != nil {
			return "", r, err
		}
		base.sum.Write(part.Data)
		base.pos, base.n, base.size = part.Pos, part.N, base.size+int64(len(part.Data))
		r.Got, r.N = r.Got+bytes.Count(part.Data, []byte("\n")), part.N
		if !o.DryRun {
			b.Write(part.Data)
		}
		if b.Len() >= flush {
			break
		}
	}
	if base.n == 0 || o.DryRun {
		return "", r, nil
	}
	all := b.Len() < flush
	if path, err = create(h, &b); err != nil {
		return "", Result{}, err
	}
	d := &diff{base: base}
	if d.f, err = openFile(path); err != nil {
		return path, r, err
	}
	err = d.save(o.Log.Name())
	d.f.Close()
	if err != nil || all {
		return path, r, err
	}
	rest, err := Pull(ctx, path, o)
	rest.Got += r.Got
	return path, rest, err
}
