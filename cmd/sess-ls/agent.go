package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/homes"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// An owner is what a row is known by. Two agents may have one store.
type owner struct{ path, id string }

// owned returns a row with the agent it is from, and what other tools take for it: its path,
// or the address that the importer has for it.
func (c *config) owned(r store.Row) listing.Row {
	if c.remote() {
		return c.shared[r.ID]
	}
	if out, ok := c.owners[owner{r.Path, r.ID}]; ok {
		out.Row = r
		return out
	}
	return listing.Row{Row: r, Address: r.Path}
}

// full is owned with the line that resumes the session, which takes system calls.
func (c *config) full(r store.Row) listing.Row {
	out := c.owned(r)
	if !c.remote() {
		out.Resume = address.ResumeLine(out.Agent, r.ID, r.CWD)
	}
	return out
}

// nameOf returns what other tools take for the session, its path if they take nothing.
func (c *config) nameOf(r store.Row) string { return cmp.Or(c.owned(r).Address, r.Path) }

// listAgents prints the sessions of another agent, or of all, where they are kept or
// in the places named.
func (c *config) listAgents(ctx context.Context, s *cli.Streams, places []string, keep func(store.Row) (bool, error)) error {
	o, err := c.agentScope(places)
	if err != nil {
		return err
	}
	agents := c.sessions.Present(ctx)
	if c.several() {
		if _, err := subprocess.Find(address.Importer); err != nil {
			return err // said once
		}
	}
	var found []agentRows
	for one := range parallel.Map(ctx, max(2, runtime.GOMAXPROCS(0)), slices.Values(agents), func(ctx context.Context, agent string) agentRows {
		one := agentRows{agent: agent}
		one.err = c.gather(ctx, &one, places, o)
		return one
	}) {
		found = append(found, one)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := c.merge(s, found, o)
	serr := c.show(ctx, s, rows, keep)
	if err != nil && cli.Status(serr) == cli.ExitNo {
		return err // why there is nothing
	}
	return errors.Join(serr, err)
}

// agentScope is scope for the stores of agents: all of a store, unless a working
// directory is named.
func (c *config) agentScope(places []string) (o store.Options, err error) {
	if c.several() && len(places) > 0 {
		return store.Options{}, cli.UsageError("unexpected operand %q: --agent %s looks where agents keep their sessions", places[0], strings.Join(c.sessions.Agents, ","))
	}
	o = store.Options{Recursive: true, Subagents: true, Count: c.exact, Order: c.order(), Skip: c.old()}
	if c.sessions.CWD != "" {
		o.CWD, err = address.CWD(c.sessions.CWD)
	}
	return o, err
}

// agentRows are the sessions of an agent.
type agentRows struct {
	agent string
	rows  []listing.Row
	said  []subprocess.Message
	err   error // the rows are not all there are
}

// gather lists the sessions of an agent.
func (c *config) gather(ctx context.Context, found *agentRows, places []string, o store.Options) error {
	o.Warn = func(path string, err error) {
		if isEmpty(err) {
			err = errors.New(cli.Empty)
		}
		found.said = append(found.said, subprocess.Message{Text: fmt.Sprintf("%s: %v", path, err), Warning: true})
	}
	if home := homes.Native(found.agent); home != nil { // as fast as ours, and not by sess-import
		return c.gatherNative(ctx, found, home, places, o)
	}
	if len(places) == 0 {
		return c.gatherForeign(ctx, found, o)
	}
	for _, place := range places {
		if err := c.gatherForeign(ctx, found, o, "--", place); err != nil {
			return err
		}
	}
	return nil
}

func (c *config) gatherNative(ctx context.Context, found *agentRows, where func(homes.Env) (string, error), places []string, o store.Options) error {
	if len(places) == 0 {
		place, err := where(homes.Here())
		if err != nil {
			return err
		}
		if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
			return cli.No("no session of %s: %s does not exist", found.agent, place)
		}
		places = []string{place}
	}
	if err := checkDirs(places); err != nil {
		return err
	}
	rows, err := c.list(ctx, places, o, func() (string, bool) { return "", false })
	for _, row := range rows {
		found.rows = append(found.rows, listing.Row{Row: row, Address: row.Path})
	}
	return err
}

// gatherForeign has sess-import list a store.
func (c *config) gatherForeign(ctx context.Context, found *agentRows, o store.Options, place ...string) error {
	args := []string{found.agent, "--list"}
	if !c.json && c.title == "" && c.where == "" && !c.exact && !c.heads && !c.recent && len(c.named) == 0 { // which want words of messages, or all anew
		args = append(args, "--remembered=said")
	}
	here := store.SameDir(o.CWD)
	if c.recent { // by the rules of the agent
		args, here = append(args, "--recent"), store.SameDir("")
	} else {
		args = append(args, c.narrowed(o)...)
	}
	if o.CWD != "" {
		args = append(args, "--cwd="+o.CWD)
	}
	if len(c.named) == 1 && !c.recent && (c.named[0].newest || len(c.named[0].id) >= session.MinPrefix) { // the others need not be read
		said := len(found.said)
		err := c.rowsOf(ctx, found, o, here, append(append(args, "--session="+c.named[0].id), place...))
		if err != nil && err.Error() == "no such session "+c.named[0].id {
			found.said, err = found.said[:said], nil // a listing may have no row
		}
		return err
	}
	return c.rowsOf(ctx, found, o, here, append(args, place...))
}

// rowsOf has sess-import list sessions.
func (c *config) rowsOf(ctx context.Context, found *agentRows, o store.Options, here func(string) bool, args []string) error {
	p, err := subprocess.Program{
		Name: address.Importer, Args: args,
		Say: func(m subprocess.Message) { found.said = append(found.said, m) },
	}.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	for row, err := range listing.Rows(p) {
		if cli.Status(err) == cli.ExitNo && (o.CWD != "" || !c.since.IsZero()) && err.Error() == "no session" {
			return nil // there may be others, which are not asked for
		}
		if err != nil {
			return err
		}
		if here(row.CWD) || row.CWD == "" { // the agent knows it by a hash of the directory
			found.rows = append(found.rows, row)
		}
	}
	return nil
}

// narrowed are the words for sess-import that save reading sessions, and leave the rows as they are.
func (c *config) narrowed(o store.Options) (args []string) {
	if len(c.named) > 0 {
		return nil
	}
	if c.exact {
		return []string{"--exact"}
	}
	if c.heads || c.since.IsZero() && o.Order == store.ByWritten && c.narrowest() && (c.nul || c.paths) {
		args = append(args, "--beginnings")
	}
	if !c.since.IsZero() {
		args = append(args, "--since="+js.FormatTime(c.since.UnixMilli()))
	}
	if c.limit > 0 && !c.heads && o.CWD == "" && o.Order == store.ByModified && c.sort != byCost && c.narrowest() {
		args = append(args, "--limit="+strconv.Itoa(c.limit))
	}
	return args
}

// narrowest reports whether no other flag than --since leaves sessions out.
func (c *config) narrowest() bool {
	return c.title == "" && c.where == "" && c.sessions.Until == "" && c.sessions.Subagents == selection.WithSubagents
}

// merge puts the sessions of agents together, in order, and says what there is to
// say. The error is that of the only agent; if there are more, one that cannot be
// listed does not hide the others.
func (c *config) merge(s *cli.Streams, found []agentRows, o store.Options) ([]store.Row, error) {
	say := address.Say(s, cli.Unseen)
	var rows []store.Row
	c.owners = map[owner]listing.Row{}
	for _, f := range found {
		for _, m := range f.said {
			say(m)
		}
		if len(found) > 1 && f.err != nil && cli.Status(f.err) != cli.ExitNo {
			s.Warn(cli.Unseen, "%s: %v", f.agent, f.err)
		}
		for _, row := range f.rows {
			key := owner{row.Path, row.ID}
			if other, ok := c.owners[key]; ok && other.Agent != f.agent {
				continue
			}
			c.owners[key] = listing.Row{Agent: f.agent, Address: row.Address, Unread: row.Unread}
			rows = append(rows, row.Row)
		}
	}
	store.Sort(rows, o.Order)
	if c.recent && len(rows) > 1 {
		rows = []store.Row{slices.MaxFunc(rows, listing.Later)}
	}
	if len(found) == 1 {
		return rows, found[0].err
	}
	return rows, nil
}
