package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/sibling"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// lister is the program that knows which sessions were written when, and those of
// other agents.
const lister = "sess-ls"

var (
	errNotHere    = errors.New("of another working directory")
	errUnsearched = errors.New("not all sessions were searched")
)

// A source is a session to search.
type source struct {
	name  string // what other tools take for it
	agent string // whose it is, "" for ours
	cwd   string // the working directory its header must have, "" for any
	named bool   // by the user, who wants to know what is wrong with it
	plain bool   // a file that was found in a directory
}

// Sources are the sessions to search, in their order, and what it is that failed of the
// list of them.
type sources struct {
	list   []source
	single bool // one session that was named: its rows need no name
	failed error
}

// sources finds the sessions that operands and flags select.
func (c *config) sources(ctx context.Context, s *clikit.Streams, operands []string) (sources, error) {
	selects := c.agent != "" || c.since != "" || c.until != ""
	switch {
	case len(operands) == 0 && !selects && !c.all && c.cwd == "" && isInput(s):
		operands = []string{"-"}
	case selects:
		return c.listed(ctx, s, operands)
	case len(operands) == 0:
		return c.stored(s)
	}
	var out sources
	for _, op := range operands {
		if err := operand.Named(op); err != nil {
			return out, err
		}
		fi, err := os.Stat(op)
		if err != nil || !fi.IsDir() || operand.Segmented(op) {
			out.list = append(out.list, source{name: op, named: true})
			continue
		}
		if err := c.directory(s, &out, op); err != nil {
			return out, err
		}
	}
	out.single = len(operands) == 1 && len(out.list) == 1 && out.list[0].named
	return out, nil
}

// isInput reports whether standard input is something to search: a pipe or a file.
func isInput(s *clikit.Streams) bool {
	f := s.InFile()
	if f == nil {
		return true
	}
	fi, err := f.Stat()
	return err == nil && (fi.Mode().IsRegular() || fi.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0)
}

// stored adds the sessions of the store.
func (c *config) stored(s *clikit.Streams) (sources, error) {
	var out sources
	root, err := operand.StoreDir()
	if err != nil {
		return out, err
	}
	st := store.Open(root)
	if c.all {
		return out, c.directory(s, &out, st.Dir())
	}
	if c.cwd, err = operand.CWD(c.cwd); err != nil {
		return out, err
	}
	return out, c.directory(s, &out, st.Project(c.cwd))
}

// directory adds the sessions of a directory, the newest first.
func (c *config) directory(s *clikit.Streams, out *sources, dir string) (err error) {
	cwd := c.cwd
	if cwd != "" {
		if cwd, err = operand.CWD(cwd); err != nil {
			return err
		}
	}
	warn := func(path string, err error) {
		if !errors.Is(err, fs.ErrNotExist) {
			s.Warnf("%s: %v", path, err)
			out.failed = errUnsearched
		}
	}
	for _, path := range store.Files([]string{dir}, store.Options{Recursive: c.all, Warn: warn}) {
		out.list = append(out.list, source{name: path, cwd: cwd, plain: true})
	}
	return nil
}

// listed has the sessions listed, those of each agent by a process of its own: one that
// cannot be listed does not hide the others.
func (c *config) listed(ctx context.Context, s *clikit.Streams, operands []string) (sources, error) {
	agents := []string{c.agent}
	if c.agent == everyAgent {
		if len(operands) > 0 {
			return sources{}, clikit.UsageError("--agent %s looks where agents keep their sessions: it takes no directories", everyAgent)
		}
		agents = operand.Agents()
	}
	found := make([]sources, len(agents))
	var wg sync.WaitGroup
	for i, agent := range agents {
		wg.Go(func() { found[i].failed = c.listAgent(ctx, s, &found[i], agent, operands) })
	}
	wg.Wait()
	var all sources
	seen := map[string]bool{}
	for i, f := range found {
		for _, src := range f.list {
			if !seen[src.name] {
				all.list = append(all.list, src)
			}
			seen[src.name] = true
		}
		switch {
		case f.failed == nil || clikit.Status(f.failed) == clikit.ExitNo:
		case len(agents) == 1:
			return all, f.failed
		default:
			s.Warnf("%s: %v", agents[i], f.failed)
			all.failed = errUnsearched
		}
	}
	return all, ctx.Err()
}

// listAgent adds the sessions of an agent, of our store if it is "".
func (c *config) listAgent(ctx context.Context, s *clikit.Streams, out *sources, agent string, operands []string) error {
	args := []string{"-0"} // the names that other tools take
	for _, f := range [][2]string{{"--agent", agent}, {"--cwd", c.cwd}, {"--since", c.since}, {"--older-than", c.until}} {
		if f[1] != "" {
			args = append(args, f[0]+"="+f[1])
		}
	}
	if c.all {
		args = append(args, "--all")
	}
	p, err := sibling.Program{Name: lister, Args: append(append(args, "--"), operands...), Say: operand.Say(s)}.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	names, err := io.ReadAll(p)
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		out.list = append(out.list, source{name: name, agent: agent})
	}
	return nil
}

// here returns errNotHere if the session is of another working directory than the one
// wanted.
func (src source) here(h session.Header) error {
	if src.cwd == "" || store.SameDir(src.cwd)(h.CWD) {
		return nil
	}
	return errNotHere
}
