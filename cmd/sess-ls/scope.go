package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/jq"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// listFiles prints the sessions of the store, or of the files and directories that are named.
func (c *config) listFiles(ctx context.Context, s *cli.Streams, operands []string, keep func(store.Row) (bool, error)) error {
	files, places := filesOf(operands)
	dirs, o, err := c.scope(s, operands, places)
	if err != nil {
		return err
	}
	dirs, stores := segmented(dirs, operands)
	remembered := false
	rows, err := c.list(ctx, dirs, o, func() (path string, ok bool) {
		if len(operands) > 0 || o.CWD == "" {
			return "", false // a terminal remembers one session of one working directory
		}
		path, remembered = address.Continue(ctx, s, o.CWD)
		return path, remembered
	})
	if err != nil {
		return err
	}
	if rows, err = c.stored(ctx, s, rows, o); err != nil {
		return err
	}
	if c.recent && !remembered {
		rows = c.newer(ctx, s, rows, dirs, o)
	}
	if rows, err = c.withSegmented(ctx, s, rows, stores, o); err == nil {
		rows, err = c.withFiles(ctx, s, rows, files, o)
	}
	if err != nil {
		return err
	}
	return c.show(ctx, s, rows, keep)
}

// scope says where to look: in the directories named, else in the store, there
// for the sessions of one working directory or for all.
func (c *config) scope(s *cli.Streams, operands, dirs []string) (_ []string, o store.Options, err error) {
	o = store.Options{
		Recursive: c.sessions.All, Count: c.exact, Order: c.order(),
		Omit: c.unseen(), Skip: c.old(), Newest: c.newest(), Old: selection.Old,
		Warn: func(path string, err error) {
			if isEmpty(err) {
				s.PassOver(path)
			} else {
				s.Warn(cli.Unseen, "%s: %v", path, err)
			}
		},
	}
	c.inStore = len(operands) == 0
	if c.sessions.CWD != "" || c.inStore && !c.sessions.All {
		if o.CWD, err = address.CWD(c.sessions.CWD); err != nil {
			return nil, o, err
		}
	}
	if len(operands) > 0 {
		return dirs, o, checkDirs(dirs)
	}
	root, err := address.StoreDir()
	if err != nil {
		return nil, o, err
	}
	st := store.Open(root)
	dirs = []string{st.Project(o.CWD)}
	if c.sessions.All {
		dirs = []string{st.Dir()}
	}
	warn := o.Warn
	o.Warn = func(path string, err error) {
		if path == dirs[0] && errors.Is(err, fs.ErrNotExist) {
			return // nothing has been stored yet
		}
		warn(path, err)
	}
	return dirs, o, nil
}

// isEmpty reports whether an error is that of a file of no bytes.
func isEmpty(err error) bool {
	p, ok := session.AsProblem(err)
	return ok && p.Kind == session.Empty
}

// old returns the test for files that --since leaves out, since they were written to before; nil for none.
func (c *config) old() func(path string) bool {
	if c.since.IsZero() || c.exact {
		return nil
	}
	return selection.Old(c.since)
}

// newest returns how many of the newest sessions of the store are enough, 0 if all are to be read.
func (c *config) newest() int {
	if c.exact || c.heads || c.recent || c.sessions.NoSelf || c.order() != store.ByModified || c.sort == byCost || !c.narrowest() {
		return 0
	}
	return c.limit
}

// filesOf parts the operands that are files from the directories.
func filesOf(operands []string) (files, dirs []string) {
	for _, name := range operands {
		if fi, err := os.Stat(name); err == nil && fi.Mode().IsRegular() {
			files = append(files, name)
		} else {
			dirs = append(dirs, name)
		}
	}
	return files, dirs
}

// withFiles adds the rows of sessions that were named themselves, as ls does with files.
func (c *config) withFiles(ctx context.Context, s *cli.Streams, rows []store.Row, files []string, o store.Options) ([]store.Row, error) {
	here := store.SameDir(o.CWD)
	for _, name := range files {
		row, err := store.Stat(ctx, name, c.exact)
		if p, ok := session.AsProblem(err); ok && p.Kind == session.NoHeader && address.Format(name) != "" {
			row, err = scannedRow(ctx, s, name, name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if o.CWD == "" || here(row.CWD) {
			rows = append(rows, row)
		}
	}
	if len(files) > 0 {
		store.Sort(rows, o.Order)
		if c.recent && len(rows) > 1 {
			rows = []store.Row{slices.MaxFunc(rows, listing.Later)}
		}
	}
	return rows, nil
}

// checkDirs refuses an operand that is no directory, or cannot be read.
func checkDirs(dirs []string) error {
	for _, dir := range dirs {
		if _, err := os.ReadDir(dir); err != nil {
			if pe, ok := errors.AsType[*fs.PathError](err); ok {
				err = pe.Err
			}
			return address.Mistaken(dir, fmt.Errorf("listing %s: %w", disk.Subject(dir), err))
		}
	}
	return nil
}

// unseen are the details that nothing shows or asks for.
func (c *config) unseen() session.Details {
	switch {
	case c.json || c.where != "":
		return 0
	case c.usage:
		return session.LastMessage
	}
	return session.LastMessage | session.Expenses
}

// list returns the sessions in order; with --recent at most one, that of the
// breadcrumb if there is one.
func (c *config) list(ctx context.Context, dirs []string, o store.Options, crumb func() (string, bool)) ([]store.Row, error) {
	if !c.recent {
		return store.List(ctx, dirs, o)
	}
	path, ok := crumb()
	var err error
	if !ok {
		path, err = store.Recent(ctx, dirs, o)
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	row, err := store.Stat(ctx, path, c.exact)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []store.Row{row}, nil
}

// selection returns the test for rows that the flags describe, or the error of the flags.
func (c *config) selection(ctx context.Context, s *cli.Streams) (func(store.Row) (bool, error), error) {
	if err := cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.paths || c.nul, "a list of paths")); err != nil {
		return nil, err
	}
	now := time.Now()
	since, err := listing.When(c.sessions.Since, now)
	if err != nil {
		return nil, cli.UsageError("--since: %v", err)
	}
	c.since = since
	before, err := listing.When(c.sessions.Until, now)
	if err != nil {
		return nil, cli.UsageError("--until: %v", err)
	}
	where, err := jq.Flag("--where", c.where)
	if err != nil {
		return nil, err
	}
	text, self := strings.ToLower(c.title), c.sessions.Without(s)
	return func(row store.Row) (bool, error) {
		modified := row.Modified
		if c.heads {
			modified = row.WrittenAt()
		}
		switch {
		case !since.IsZero() && modified.Before(since),
			!before.IsZero() && !modified.Before(before),
			text != "" && !mentions(text, row), !c.isNamed(row), self != nil && self(row.ID, row.Path, row.ParentSession), !c.takes(ctx, s, row):
			return false, nil
		case where == nil:
			return true, nil
		}
		ok, err := where.Match(ctx, listing.JSON(c.full(row)))
		if err != nil {
			return false, fmt.Errorf("%s: --where: %w", c.nameOf(row), err)
		}
		return ok, nil
	}, nil
}

// takes reports whether --subagents takes a session. One that cannot be read is no sub-agent's, as
// far as is known, and a warning.
func (c *config) takes(ctx context.Context, s *cli.Streams, row store.Row) bool {
	which := c.sessions.Subagents
	if which == selection.WithSubagents {
		return true
	}
	in, err := address.Open(ctx, s, c.nameOf(row))
	if err != nil {
		s.Warn(cli.Unseen, "%v", err)
		return which.Takes(false)
	}
	defer in.Close()
	sub, err := selection.OfSubagent(row.Path, session.Header{ID: row.ID, ParentSession: row.ParentSession}, disk.Reader{Ctx: ctx, R: in})
	if err != nil {
		s.Warn(cli.Unseen, "%v", address.Locate(in.Name, err))
	}
	return which.Takes(sub)
}

// mentions reports whether the title, the first message or the id of a session has text in it, which is in lower case.
func mentions(text string, row store.Row) bool {
	title, _ := row.Title()
	return slices.ContainsFunc([]string{title, row.FirstMessage, row.ID}, func(s string) bool {
		return strings.Contains(strings.ToLower(s), text)
	})
}
