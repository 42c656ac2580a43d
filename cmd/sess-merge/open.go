package main

import (
	"context"
	"io"

	"github.com/sess-tools/sess/internal/share/copies"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
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
	in.closers = append(in.closers, opened)
	spool, err := opened.Spool(ctx)
	if err != nil {
		return err
	}
	in.closers = append(in.closers, spool)
	in.add(opened.Name, spool, spool.Size)
	return nil
}

func (in *inputs) add(name string, r io.ReaderAt, size int64) {
	in.sources = append(in.sources, copies.Source{Name: name, R: r, Size: size})
}
