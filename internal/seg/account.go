package seg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"

	"github.com/sess-tools/sess/pkg/jsonl"
)

// An account is what the entries of the file come to.
type account struct {
	entries int64
	chain   string
	ids     []byte // hash over all of them
	preface string
	err     error
}

// recomputing counts and chains the entries of the file without any help from the
// store, while the caller does the same with the store.
func (b *build) recomputing() <-chan account {
	out := make(chan account, 1)
	go func() { out <- accountOf(b.ctx, io.NewSectionReader(b.a, 0, b.print.Bytes), b.o.Extended) }()
	return out
}

// accountOf reads a JSONL file.
func accountOf(ctx context.Context, r io.Reader, extended bool) account {
	a := account{chain: genesis}
	h := sha256.New()
	p := preface{}
	for l, err := range jsonl.Lines(r) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return account{err: err}
		}
		if p.header.Raw() == "" {
			if err := p.read(l.Text()); err != nil {
				return account{err: err}
			}
			continue
		}
		if len(bytes.Trim(l.Data, " \t\r")) == 0 {
			continue
		}
		f, err := newFrame(l.Data, extended)
		if err != nil {
			return account{err: err}
		}
		a.entries, a.chain = a.entries+1, link(a.chain, f.sha)
		addID(h, f.id)
	}
	a.ids, a.preface = h.Sum(nil), p.lines
	return a
}
