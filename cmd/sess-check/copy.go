package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/check"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// repairOne writes the repaired copy of one session, and beside it the bytes
// that could not be kept.
func (c *config) repairOne(ctx context.Context, s *cli.Streams, operands []string) error {
	r, err := c.repaired(ctx, s, operands)
	if err != nil {
		return err
	}
	for _, change := range r.Changes {
		s.Infof("%s", change)
	}
	if len(r.Rejected) == 0 || c.dest.DryRun {
		return c.dest.Write(s, r.Lines)
	}
	rej := c.dest.File + ".rej"
	if _, err := os.Lstat(c.dest.File); err == nil && !c.dest.Force {
		return exists(c.dest.File)
	}
	err = jsonl.Create(rej, bytes.NewReader(r.Rejected), c.dest.Durable())
	switch {
	case errors.Is(err, fs.ErrExist):
		return exists(rej)
	case err != nil:
		return err
	}
	if err := c.dest.Write(s, r.Lines); err != nil {
		return errors.Join(err, os.Remove(rej))
	}
	s.Infof("what could not be kept is in %s", rej)
	return nil
}

func exists(name string) error {
	return cli.WithHint(fmt.Errorf("creating %s: %w", name, fs.ErrExist), "--force replaces it, and a file beside it never")
}

// repaired reads the operand and repairs it in memory.
func (c *config) repaired(ctx context.Context, s *cli.Streams, operands []string) (*check.Repaired, error) {
	name, err := address.One(operands)
	if err != nil {
		return nil, err
	}
	in, err := address.Open(ctx, s, name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	c.dest.Read = []string{in.Path()}
	fragments, err := saved(in.File)
	if err != nil {
		return nil, err
	}
	r, err := check.Repair(in, check.RepairOptions{Relink: c.relink, Migrate: c.migrate, Fragments: fragments, Header: newHeader})
	if err != nil {
		err = address.Locate(cmp.Or(in.File, in.Name), err)
	}
	if _, located := session.AsProblem(err); errors.Is(err, session.ErrVersion) && !located {
		err = cli.WithHint(err, "add --migrate to repair it as version 3")
	}
	return r, err
}

// maxSaved bounds the fragments that are read, in bytes.
const maxSaved = 64 << 20

// saved returns the fragments that appends have saved beside a session's file.
func saved(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	name := jsonl.TornFile(path)
	fi, err := os.Lstat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return nil, nil
	}
	if fi.Size() > maxSaved {
		return nil, fmt.Errorf("reading %s: %d MiB are more than the %d that are looked at", name, fi.Size()>>20, maxSaved>>20)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"), nil
}

// newHeader makes a header for a session that has lost its own.
func newHeader(ms int64) (string, error) {
	cwd, err := address.CWD("")
	return session.NewHeader(session.HeaderFields{ID: session.NewSessionID(), Time: ms, CWD: cwd}), err
}

// migrateOne writes a copy of one session as version 3. A session with lines
// that would be lost is refused.
func (c *config) migrateOne(ctx context.Context, s *cli.Streams, operands []string) error {
	name, err := address.One(operands)
	if err != nil {
		return err
	}
	src, err := address.Read(ctx, s, name)
	if err != nil {
		return err
	}
	for _, p := range src.Problems {
		if lost[p.Kind] {
			return cli.WithHint(src.Strict([]session.Problem{p}), "add --repair to keep what can be kept")
		}
	}
	lines := src.Lead()
	for _, e := range src.Entries {
		lines = append(lines, e.Raw())
	}
	c.dest.Read = []string{src.Path}
	return c.dest.Write(s, lines)
}

// lost are the kinds of problems of lines that are not among the entries.
var lost = map[session.Kind]bool{
	session.NotJSON: true, session.NotObject: true, session.Fused: true, session.NUL: true,
	session.Torn: true, session.LaterHeader: true,
}
