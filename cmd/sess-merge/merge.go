package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/share/merge"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// filter prints the merged session, or makes a file of it.
func (c *config) filter(ctx context.Context, s *cli.Streams, operands []string) error {
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
		// An error of a copy is not one of the output.
		var broken *merge.SourceError
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
	c.dest.Read = operands
	if err := c.dest.Make(r.Content(ctx)); err != nil || c.json {
		return err
	}
	return s.Acknowledge("made "+c.dest.File, func() error {
		_, err := fmt.Fprintln(s.Out, c.dest.File)
		return err
	})
}

// intoFirst merges into the first session.
func (c *config) intoFirst(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	in := &inputs{sources: make([]merge.Source, 1)}
	defer in.close()
	for _, name := range operands[1:] { // before the lock is taken: standard input may be slow
		if err := in.open(ctx, s, name); err != nil {
			return err
		}
	}
	t, err := address.OpenTarget(ctx, s, operands[0], c.target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if r, size, ok := t.File(); ok {
		in.sources[0] = merge.Source{Name: t.Name, R: r, Size: size}
	} else {
		stream, err := t.Stream(ctx)
		if err != nil {
			return err
		}
		spool, err := address.Spooled(ctx, t.Name, stream)
		if err := errors.Join(err, stream.Close()); err != nil {
			return err
		}
		defer func() { _ = spool.Close() }()
		in.sources[0] = merge.Source{Name: t.Name, R: spool, Size: spool.Size}
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

// appended adds the new entries at the end; done is false if the result has more changes than new
// entries.
func appended(t *address.Target, r *merge.Result) (done bool, err error) {
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
func (c *config) gitDriver(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	in, names := &inputs{}, slices.Clone(operands[:3])
	if len(operands) == 4 { // a file has other names in the work tree than for its driver
		for i, side := range []string{"base", "ours", "theirs"} {
			names[i] = operands[3] + " (" + side + ")"
		}
	}
	defer in.close()
	for _, i := range []int{0, 2} {
		f, err := disk.OpenRegular(operands[i])
		if err != nil {
			return fmt.Errorf("opening %s: %w", disk.Subject(operands[i]), disk.Cause(err))
		}
		in.closers = append(in.closers, f)
		fi, err := f.Stat()
		if err != nil {
			return fmt.Errorf("opening %s: %w", disk.Subject(operands[i]), err)
		}
		in.add(names[i], f, fi.Size())
	}
	// A torn end is in git's history, and git keeps no other file.
	ours, err := jsonl.OpenAppender(ctx, operands[1], jsonl.Options{Tail: jsonl.EndLine, Wait: c.target.Wait, Grace: -1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.Close()) }()
	base := in.sources[0]
	in.sources[0] = merge.Source{Name: names[1], R: ours, Size: ours.Size()}
	r, err := c.merge(ctx, s, in.sources, &base)
	if err != nil || !r.Changed || c.dest.DryRun {
		return err
	}
	return ours.Replace(r.Content(ctx), c.dest.Sync == "always")
}

// merge merges and reports.
func (c *config) merge(ctx context.Context, s *cli.Streams, sources []merge.Source, base *merge.Source) (*merge.Result, error) {
	tally := cli.NewTally(s.Warnf)
	r, err := merge.Merge(ctx, sources, merge.Options{
		Base: base, OnConflict: merge.Policy(c.onConflict), Deleted: merge.Deletion(c.deleted), Header: merge.Policy(c.header),
		OwnLast: c.leaf == "ours", Force: c.force, Warn: tally.Warnf,
	})
	tally.More("", "")
	if r != nil {
		if rerr := c.report(s, r.Report); rerr != nil {
			return nil, errors.Join(err, rerr)
		}
	}
	return r, err
}

func nothingToDo(r *merge.Result) error {
	if r.Changed {
		return nil
	}
	return cli.No("")
}

// inputs are sessions that are open to be read anywhere.
type inputs struct {
	sources []merge.Source
	closers []io.Closer
}

// close closes what was opened for reading.
func (in *inputs) close() {
	for _, c := range in.closers {
		c.Close()
	}
}

// open opens a session. Input that is no file is copied into a file without a name.
func (in *inputs) open(ctx context.Context, s *cli.Streams, name string) error {
	opened, err := address.Open(ctx, s, name)
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
	in.sources = append(in.sources, merge.Source{Name: name, R: r, Size: size})
}

// report prints what a merge does.
func (c *config) report(s *cli.Streams, r merge.Report) error {
	if c.json {
		_, err := fmt.Fprintln(s.Out, rowOf(r))
		return err
	}
	if len(r.Clashes) > 0 {
		return nil // the error says it
	}
	how := "nothing to do"
	switch {
	case r.Rewrite:
		how = "a rewrite of the first"
	case r.Changed:
		how = "lines behind the first"
	}
	text := fmt.Sprintf("%s in common, %d of the first alone, %d new to it; heads: %d; leaf: %s; %s",
		tty.Count(r.Common, "line", "lines"), r.Ours, r.Theirs, r.Heads, cmp.Or(r.Leaf, "none"), how)
	if c.dest.DryRun {
		_, err := fmt.Fprintln(s.Out, text)
		return err
	}
	s.Notef("%s", text)
	return nil
}

// rowOf returns the JSON of a report.
func rowOf(r merge.Report) string {
	out := mergeRow{Common: r.Common, Ours: r.Ours, Theirs: r.Theirs, Heads: r.Heads, Leaf: r.Leaf, Changed: r.Changed, Rewrite: r.Rewrite}
	for _, c := range r.Clashes {
		out.Conflicts = append(out.Conflicts, conflictRow{c.ID, c.Ours, c.Theirs, c.Base})
	}
	return row.JSON(out)
}

type config struct {
	into, git, json, force            bool
	leaf, onConflict, header, deleted string
	dest                              address.Destination
	target                            address.TargetOptions
}

func (c *config) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.Bool(&c.into, "into", "merge into the first session, in place; status 1 if there is nothing to do"),
		cli.Bool(&c.git, "git", "be git's merge driver: the operands are %O %A %B, and the result replaces %A"),
		cli.Choice(&c.leaf, "end", []string{"latest", "ours"}, "end with the lines of the side `WHICH` wrote last, or with the first session's own"),
		cli.Choice(&c.onConflict, "on-conflict", []string{"refuse", "ours", "theirs", "both"}, "`WHICH` entry to take if two differ"),
		cli.Choice(&c.deleted, "deleted", []string{"refuse", "keep", "drop"}, "`HOW` to treat lines that one side has removed, with --git"),
		cli.Choice(&c.header, "header", []string{"", "ours", "theirs"}, "take the header of `WHICH` session, without a warning"),
		cli.Bool(&c.force, "unrelated", "merge sessions of different ids"),
		cli.Output(&c.dest.File, "make `FILE`, and print its path; - is standard output"),
		c.dest.ForceFlag(),
		cli.Bool(&c.json, "json", "print a JSON object for the merge, a report"),
		cli.Bool(&c.dest.DryRun, "dry-run, n", "print a report, and write nothing"),
	}
	return append(flags, c.target.Flags()...)
}

// check refuses flags that contradict each other, and operands that are too few.
func (c *config) check(operands []string) error {
	for _, name := range operands {
		if err := address.RefuseEmpty(name); err != nil {
			return err
		}
	}
	if err := c.dest.CheckForce(); err != nil {
		return err
	}
	prints := !c.into && !c.git && c.dest.File == "" && !c.dest.DryRun
	if err := cli.Exclusive(cli.NameIf(c.into, "--into"), cli.NameIf(c.git, "--git"), cli.NameIf(c.dest.File != "", "--output")); err != nil {
		return err
	}
	switch {
	case c.git && len(operands) != 3 && len(operands) != 4:
		return cli.UsageError("--git takes three operands, %%O %%A %%B, and perhaps %%P, and got %d", len(operands))
	case !c.git && len(operands) == 0:
		return cli.WithHint(cli.UsageError("no session to merge"), "- is standard input")
	case !c.git && len(operands) == 1:
		return cli.UsageError("one session alone: there is nothing to merge it with")
	case c.json && prints:
		return cli.UsageError("--json goes with --into, --git, --output or --dry-run: standard output has the session")
	case c.deleted != "refuse" && !c.git:
		return cli.UsageError("--deleted goes with --git: without a base nothing is known to be removed")
	case c.into && operands[0] == "-":
		return cli.UsageError("--into takes a file or the id of a session, not standard input")
	}
	return nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
into: merge into the first session, in place
git: be git's merge driver: the operands are %O %A %B
on-conflict
output
dry-run
`
