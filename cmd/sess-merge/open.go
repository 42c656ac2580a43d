package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/copies"
	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/operand"
)

// inputs are sessions that are open to be read anywhere.
type inputs struct {
	sources []copies.Source
	closers []io.Closer
}

// close closes what was opened for reading.
func (in *inputs) close() {
	for _, c := range in.closers {
		c.Close()
	}
}

// open opens a session. What is no file is copied into one that has no name.
func (in *inputs) open(ctx context.Context, s *clikit.Streams, name string) error {
	opened, err := operand.Open(ctx, s, name)
	if err != nil {
		return err
	}
	if f, size, ok := opened.Large(0); ok {
		in.closers = append(in.closers, opened)
		in.add(opened.Name, f, size)
		return nil
	}
	return errors.Join(in.spool(ctx, opened.Name, opened), opened.Close())
}

func (in *inputs) add(name string, r io.ReaderAt, size int64) {
	in.sources = append(in.sources, copies.Source{Name: name, R: r, Size: size})
}

// spool copies a session that can be read once.
func (in *inputs) spool(ctx context.Context, name string, r io.Reader) error {
	f, err := os.CreateTemp("", "sess-merge-")
	if err != nil {
		return err
	}
	in.closers = append(in.closers, f)
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	source := &failing{r: disk.Reader{Ctx: ctx, R: r}}
	size, err := io.Copy(f, source)
	if source.err != nil {
		return operand.Locate(name, source.err)
	}
	in.add(name, f, size)
	return err
}

// failing tells an error of r from one of the file that it is copied to.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}
