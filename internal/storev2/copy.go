package storev2

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"strconv"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// copyChunk is how many bytes go to a file with one write.
const copyChunk = 256 << 10

// A newFile is a file that is being written and is not in service yet.
type newFile struct {
	f disk.File
	*bufio.Writer
}

func (s *Store) newFile(name string) (*newFile, error) {
	f, err := openFile(s.d, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return nil, about("making "+base(name), err)
	}
	return &newFile{f, bufio.NewWriterSize(f, copyChunk)}, nil
}

// close makes the file durable, unless there was an error.
func (n *newFile) close(err error) error {
	if err == nil {
		err = n.Flush()
	}
	if err == nil {
		err = n.f.Sync()
	}
	return disk.Closing(n.f, err)
}

// A sink writes the segments and the index of a store that is not in service yet.
type sink struct {
	s        *Store
	most     int64 // bytes of a segment
	seg, idx *newFile
	last     row
	line     []byte // of the index
}

// add numbers a frame and writes it.
func (k *sink) add(f *frame) error {
	line, r, err := place(f, k.last, k.most)
	if err != nil {
		return err
	}
	if r.segment != k.last.segment {
		if err := k.seal(nil); err != nil {
			return err
		}
		if k.seg, err = k.s.newFile(k.s.segmentPath(r.segment)); err != nil {
			return err
		}
	}
	k.line, k.last = r.encode(k.line[:0]), r
	if _, err = k.seg.Write(line); err != nil {
		return about(fmt.Sprintf("writing segment %d", r.segment), err)
	}
	_, err = k.idx.Write(k.line)
	return about("writing the index", err)
}

// seal ends a segment: it is durable and never written again.
func (k *sink) seal(err error) error {
	if k.seg == nil {
		return err
	}
	seg := k.seg
	if k.seg = nil; err != nil {
		return seg.close(err)
	}
	return about(fmt.Sprintf("sealing segment %d", k.last.segment), seg.close(nil))
}

// copy writes the entries of the file into the store.
func (b *build) copy() error {
	k := &sink{s: b.s, most: b.o.maxSegment()}
	var err error
	if k.idx, err = b.s.newFile(joined(b.s.dir, indexFile)); err != nil {
		return err
	}
	ids := sha256.New()
	b.pre.strict = !b.o.Extended
	b.out.Blank, err = b.readSource(true, func(l jsonl.Line) error {
		f, err := newFrame(l.Data, b.o.Extended)
		if err != nil {
			return err
		}
		b.out.Entries++
		b.out.Unfit.note(&f)
		addID(ids, f.id)
		f.at = b.o.now()
		return k.add(&f)
	})
	b.ids, b.w.last = ids.Sum(nil), k.last
	b.out.Unfit.Session = sessionFits(b.pre.header.ID) != nil
	return k.idx.close(k.seal(err))
}

// addID tells one id apart from the next by its length.
func addID(h hash.Hash, id string) {
	h.Write(append(strconv.AppendInt(make([]byte, 0, 64), int64(len(id)), 10), ':'))
	io.WriteString(h, id) //nolint:errcheck // a hash takes everything
}

// verify reads the copy and the file once more, compares them, and writes the
// manifest.
func (b *build) verify() (verification, error) {
	v, err := b.s.snapshot()
	if err != nil {
		return verification{}, err
	}
	defer v.close()
	c := b.s.newScan()
	c.names = sha256.New()
	file := make(chan totals, 1) // counts and chains the entries of the file without any help from the store
	go func() { file <- totalsOf(b.ctx, io.NewSectionReader(b.a, 0, b.print.Bytes), b.o.Extended) }()
	err = c.full(v)
	own := <-file
	if err != nil {
		p := c.rep.Problems[0]
		if p.Kind == "parent" || p.Kind == "cycle" || p.Kind == "duplicate" { // which the file has, too
			return verification{}, fmt.Errorf("%w: %s", ErrContract, p.Text)
		}
		return verification{Index: false}, nil
	}
	b.w.m = c.merged(newManifest(b.pre.header.ID, b.o.now(), b.o.Extended && sessionFits(b.pre.header.ID) != nil))
	b.w.st.ordered = c.ordered()
	if err := writeManifest(b.d, b.s.dir, &b.w.m, b.o.now()); err != nil {
		return verification{}, err
	}
	if own.err != nil {
		return verification{}, own.err
	}
	out := verification{
		Count: own.entries == c.m.Counters.Entries && bytes.Equal(own.ids, c.names.Sum(nil)) && bytes.Equal(own.ids, b.ids),
		Chain: own.chain == c.m.Integrity.Chain,
		Index: true,
	}
	b.out.EntryCountMatch, b.out.HashChainMatch, b.out.IndexConsistent = out.Count, out.Chain, out.Index
	return out, nil
}

// Totals are what the entries of a JSONL file come to.
type totals struct {
	entries int64
	chain   string
	ids     []byte // hash over all of them
	preface string
	err     error
}

// totalsOf reads a JSONL file.
func totalsOf(ctx context.Context, r io.Reader, extended bool) totals {
	a := totals{chain: genesis}
	h := sha256.New()
	p := preface{}
	_, a.err = p.session(ctx, r, false, func(l jsonl.Line) error {
		f, err := newFrame(l.Data, extended)
		if err == nil {
			a.entries, a.chain = a.entries+1, link(a.chain, f.sha)
			addID(h, f.id)
		}
		return err
	})
	a.ids, a.preface = h.Sum(nil), p.lines
	return a
}
