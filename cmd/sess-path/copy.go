package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/index"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
)

// copyLarge copies the path of a large session. It reports false, and has done
// nothing, if more is wanted than a copy, or if the session is not plain.
func (c *config) copyLarge(s *clikit.Streams, in *operand.Input) (bool, error) {
	if c.need() != ranges {
		return false, nil
	}
	f, size, ok := in.Large(largeSession)
	if !ok {
		return false, nil
	}
	x, err := index.New(f, size)
	if err != nil {
		return unlessOdd(in, err)
	}
	leaf := x.Len() - 1
	if c.leaf != "last" && c.leaf != "." {
		if leaf, ok = x.Find(c.leaf); !ok {
			return false, nil
		}
	}
	path, ended, err := x.Path(leaf)
	if err != nil {
		return unlessOdd(in, err)
	}
	if c.noHeader {
		path[0].Start = x.Start()
	}
	if n := x.Fragment(); n > 0 {
		s.Warnf("%s:%d: torn last line of %d bytes skipped", in.Name, x.Len()+2, n)
	}
	return true, c.copyRanges(s, in, f, path, ended)
}

// unlessOdd leaves a session that is not plain to the other way.
func unlessOdd(in *operand.Input, err error) (bool, error) {
	if errors.Is(err, index.ErrNotPlain) {
		return false, nil
	}
	return false, fmt.Errorf("reading %s: %w", in.Name, err)
}

// copyRanges copies a path, and the line feed that its last line may lack.
func (c *config) copyRanges(s *clikit.Streams, in *operand.Input, f *os.File, path []index.Range, ended bool) error {
	var unread error
	err := s.Unbuffered(func(w io.Writer) error {
		err := index.Copy(w, f, path)
		if errors.Is(err, index.ErrSource) {
			unread, err = fmt.Errorf("%s: %w", in.Name, err), nil
		}
		return err
	})
	if err = errors.Join(unread, err); err == nil && !ended {
		_, err = io.WriteString(s.Out, "\n")
	}
	return err
}
