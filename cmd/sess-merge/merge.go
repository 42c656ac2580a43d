package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/internal/share/copies"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// filter prints the merged session, or makes a file of it.
func (c *config) filter(ctx context.Context, s *clikit.Streams, operands []string) error {
	in := &inputs{}
	defer in.close()
	for _, name := range operands {
		if err := in.open(ctx, s, name); err != nil {
			return err
		}
	}
	r, err := c.merge(ctx, s, in.sources, nil)
	switch {
	case err != nil:
		return err
	case c.dest.DryRun:
		return nothingToDo(r)
	case c.dest.File == "":
		if err := s.Flush(); err != nil {
			return err
		}
		return writing(ctx, s, r)
	}
	c.dest.Read = operands
	if err := c.dest.Make(r.Content(ctx)); err != nil || c.json {
		return err
	}
	return s.Acknowledge("made "+c.dest.File, func() error {
		_, err := fmt.Fprintln(s.Out, c.dest.File)
		return err
	})
}

// writing writes to standard output. An error of a copy is not one of the output.
func writing(ctx context.Context, s *clikit.Streams, r *copies.Result) error {
	var broken *copies.SourceError
	err := s.Unbuffered(func(w io.Writer) error {
		_, err := r.Content(ctx).WriteTo(w)
		if errors.As(err, &broken) {
			return nil
		}
		return err
	})
	if broken != nil {
		return broken
	}
	return err
}

// intoFirst merges into the first session.
func (c *config) intoFirst(ctx context.Context, s *clikit.Streams, operands []string) (err error) {
	in := &inputs{sources: make([]copies.Source, 1)}
	defer in.close()
	for _, name := range operands[1:] { // before the lock is taken: standard input may be slow
		if err := in.open(ctx, s, name); err != nil {
			return err
		}
	}
	t, err := operand.OpenTarget(ctx, s, operands[0], c.target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if r, size, ok := t.File(); ok {
		in.sources[0] = copies.Source{Name: t.Name, R: r, Size: size}
	} else {
		stream := t.Stream()
		spool, err := operand.Spooled(ctx, t.Name, stream)
		if err := errors.Join(err, stream.Close()); err != nil {
			return err
		}
		defer func() { _ = spool.Close() }()
		in.sources[0] = copies.Source{Name: t.Name, R: spool, Size: spool.Size}
	}
	r, err := c.merge(ctx, s, in.sources, nil)
	if err != nil {
		return err
	}
	if !r.Changed || c.dest.DryRun {
		return nothingToDo(r)
	}
	if !r.Rewrite {
		if done, err := appended(t, r); done || err != nil {
			return err
		}
	}
	return t.Replace(r.Content(ctx))
}

// appended adds what is new at the end; done is false if that is more than entries.
func appended(t *operand.Target, r *copies.Result) (done bool, err error) {
	for line, err := range r.Added() {
		if err != nil {
			return false, err
		}
		e, err := session.ParseEntry(string(line))
		if err != nil {
			return false, nil
		}
		t.Batch.Entries = append(t.Batch.Entries, e)
	}
	return true, t.Commit()
}

// gitDriver merges as git asks for it: the base may be empty, and the result takes the
// place of the second operand.
func (c *config) gitDriver(ctx context.Context, s *clikit.Streams, operands []string) (err error) {
	in, names := &inputs{}, slices.Clone(operands[:3])
	if len(operands) == 4 { // a file has other names in the work tree than for its driver
		for i, side := range []string{"base", "ours", "theirs"} {
			names[i] = operands[3] + " (" + side + ")"
		}
	}
	defer in.close()
	for _, i := range []int{0, 2} {
		f, err := os.Open(operands[i])
		if err != nil {
			return fmt.Errorf("opening %s: %w", disk.Subject(operands[i]), disk.Cause(err))
		}
		in.closers = append(in.closers, f)
		fi, err := f.Stat()
		if err == nil {
			err = disk.Regular(fi)
		}
		if err != nil {
			return fmt.Errorf("opening %s: %w", disk.Subject(operands[i]), err)
		}
		in.add(names[i], f, fi.Size())
	}
	// What is torn is in git's history, and git keeps no other file.
	ours, err := jsonl.OpenAppender(ctx, operands[1], jsonl.Options{Tail: jsonl.EndLine, Wait: c.target.Wait, Grace: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	base := in.sources[0]
	in.sources[0] = copies.Source{Name: names[1], R: ours, Size: ours.Size()}
	r, err := c.merge(ctx, s, in.sources, &base)
	if err != nil || !r.Changed || c.dest.DryRun {
		return err
	}
	return ours.Replace(r.Content(ctx), c.dest.Sync == "always")
}

// merge merges and reports.
func (c *config) merge(ctx context.Context, s *clikit.Streams, sources []copies.Source, base *copies.Source) (*copies.Result, error) {
	o, tally := c.options(s)
	o.Base = base
	r, err := copies.Merge(ctx, sources, o)
	tally.More("", "")
	if r != nil {
		if rerr := c.report(s, r.Report); rerr != nil {
			return nil, errors.Join(err, rerr)
		}
	}
	return r, err
}

func nothingToDo(r *copies.Result) error {
	if r.Changed {
		return nil
	}
	return clikit.No("")
}
