package main

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/git"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
)

// How much a survey looks at. Opening 10,000 files takes a third of a second, for which a user waits.
const (
	opened = 500 // files of each agent, those written to last
	latest = 3   // sessions that are described, of all agents
)

// A home is where an agent keeps its sessions on this machine.
type home struct {
	format formats.Format
	env    formats.Env
	path   string
}

// homes yields the homes that there are.
func homes() iter.Seq[home] {
	return func(yield func(home) bool) {
		for h := range places() {
			if h.isThere() && !yield(h) {
				return
			}
		}
	}
}

func (h home) isThere() bool {
	_, err := os.Stat(h.path)
	return err == nil
}

// places yields where agents keep their sessions, whether that is there or not.
func places() iter.Seq[home] {
	return func(yield func(home) bool) {
		user, _ := os.UserHomeDir() // an agent that needs it has no home
		env := formats.Env{Getenv: os.Getenv, Home: user, Git: git.Run}
		for _, f := range readable() {
			place := f.About().Home
			if place == nil {
				continue
			}
			if path, err := place(env); err == nil && !yield(home{f, env, path}) {
				return
			}
		}
	}
}

// printHomes prints the name of each agent that keeps sessions on this machine, and
// where, with a tab between; with --list, rows that also say how many.
func (c *config) printHomes(ctx context.Context, s *cli.Streams) error {
	if c.list {
		return c.printHomeRows(ctx, s)
	}
	found := false
	for h := range places() {
		absent := ""
		if !h.isThere() {
			if !s.Verbose {
				continue
			}
			absent = "\tnot there"
		}
		found = found || absent == ""
		if _, err := fmt.Fprintf(s.Out, "%s\t%s%s\n", h.format.About().Name, h.path, absent); err != nil {
			return err
		}
	}
	if !found {
		return cli.No("")
	}
	return nil
}

// A surveyed archive knows which files of its source are not read.
type surveyed interface {
	Others(ctx context.Context) []formats.Other
}

// printUnread prints the files at the homes of agents, or that of the format named, that are not read: the agent, what
// the file is, and its path, with tabs between.
func printUnread(ctx context.Context, s *cli.Streams, names []string) error {
	found, seen := false, map[string]bool{}
	for h := range homes() {
		name := h.format.About().Name
		if len(names) > 0 && names[0] != name || seen[h.path] { // two agents may have one
			continue
		}
		seen[h.path] = true
		archive, err := h.format.Open(ctx, &formats.Source{Path: h.path, Env: h.env})
		if err != nil {
			s.Warnf("%v", err)
			continue
		}
		if a, ok := archive.(surveyed); ok {
			for _, other := range a.Others(ctx) {
				kind := "unknown"
				if found = true; other.Output {
					kind = "output"
				}
				if _, err := fmt.Fprintf(s.Out, "%s\t%s\t%s\n", name, kind, tty.Clean(other.Path)); err != nil {
					return join(err, archive.Close())
				}
			}
		}
		if err := archive.Close(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil || found {
		return ctx.Err()
	}
	return cli.No("")
}

// A found session is one of an agent's home.
type found struct {
	home   home
	info   formats.Info
	shared bool // others have its id
}

func later(a, b found) int { return listing.Later(b.info.Row, a.info.Row) }

// printHomeRows prints a row for each home, and one for each of the sessions that were written to last.
func (c *config) printHomeRows(ctx context.Context, s *cli.Streams) error {
	if c.cwd == "" {
		c.cwd = "."
	}
	type stock struct {
		row    string
		newest []found
	}
	none := true
	var newest []found
	for one, err := range parallel.MapErr(ctx, runtime.GOMAXPROCS(0), homes(), func(ctx context.Context, h home) (out stock, err error) {
		out.row, out.newest, err = c.count(ctx, s, h)
		return out, err
	}) {
		if err != nil {
			s.Warnf("%v", err)
			continue
		}
		none = false
		newest = append(newest, one.newest...)
		if _, err := fmt.Fprintln(s.Out, one.row); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if none {
		return cli.No("")
	}
	slices.SortStableFunc(newest, later)
	for r, err := range parallel.MapErr(ctx, runtime.GOMAXPROCS(0), slices.Values(newest[:min(latest, len(newest))]), described) {
		if err != nil {
			s.Warnf("%v", err)
		} else if err := printRow(s, r); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// count counts the sessions of a home, and returns those that were written to last.
func (c *config) count(ctx context.Context, s *cli.Streams, h home) (text string, newest []found, err error) {
	here, err := c.here(h.format.About())
	if err != nil {
		return "", nil, err
	}
	cwd, err := address.CWD(c.cwd)
	if err != nil {
		return "", nil, err
	}
	if physical, err := filepath.EvalSymlinks(cwd); err == nil {
		cwd = physical // as programs know where they run
	}
	archive, err := h.format.Open(ctx, &formats.Source{Path: h.path, Env: h.env})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = join(err, archive.Close()) }()
	all, mine, exact, having := 0, 0, true, map[string]int{}
	for info, err := range listed(ctx, s, h.path, archive, formats.Query{Newest: opened, CWD: cwd}) {
		switch all++; {
		case ctx.Err() != nil:
			return "", nil, ctx.Err()
		case err != nil:
			s.Warnf("%v", named(info, err))
			exact = false
			continue
		case info.ID == "":
			exact = exact && info.Elsewhere
			continue
		case here(info):
			mine++
		}
		having[info.ID]++
		newest = append(newest, found{home: h, info: info})
		slices.SortStableFunc(newest, later)
		newest = newest[:min(latest, len(newest))]
	}
	for i := range newest {
		newest[i].shared = having[newest[i].info.ID] > 1
	}
	return row.JSON(homeRow{Agent: h.format.About().Name, Path: h.path, Sessions: all, Here: mine, Exact: exact}), newest, nil
}

// described returns the row of a session that was found.
func described(ctx context.Context, f found) (r listing.Row, err error) {
	about := f.home.format.About()
	archive, err := f.home.format.Open(ctx, &formats.Source{Path: f.home.path, Env: f.home.env})
	if err != nil {
		return r, err
	}
	defer func() { err = join(err, archive.Close()) }()
	info, err := formats.Describe(ctx, archive, f.info)
	r = listing.Row{Row: info.Row, Agent: about.Name, Address: addressOf(about.Name, info, f.shared)}
	if about.Native {
		r.Address = info.Path
	}
	return r, named(info, err)
}
