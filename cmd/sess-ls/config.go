package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/known"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/store"
)

type config struct {
	sessions                               selection.Selection
	title, where, sort                     string
	recent, exact, usage, json, paths, nul bool
	heads                                  bool
	limit                                  int
	since                                  time.Time // what sessions.Since says
	inStore                                bool      // and not in directories, or where agents keep them
	named                                  []named   // addresses among the operands

	// Of agents:
	owners map[owner]listing.Row // the agents and addresses of sessions, without the rows
	costs  map[string]cost       // of sessions, by what other tools take for them; nil if nothing has asked

	shared map[string]listing.Row // those of the remote, by their ids
}

func (c *config) flags() []cli.Flag {
	return append(c.sessions.Flags(selection.AllBelow, selection.Agent, selection.CWD, selection.WhichSubagents, selection.Since, selection.Until, selection.NoSelf),
		cli.Bool(&c.recent, "recent", "only the session that was written last, or that this terminal last used"),
		cli.String(&c.title, "title", "", "only sessions with `TITLE` in the title, the first message or the id"),
		cli.String(&c.where, "where", "", "only sessions with a JSON object for which the gojq expression `EXPR` is true"),
		cli.Choice(&c.sort, "sort", []string{"modified", "created", "size", "messages", "title", "written", byCost}, "sort by `KEY`"),
		cli.Count(&c.limit, "limit, n", "print at most `N` sessions"),
		cli.Bool(&c.exact, "exact", "read all of large files, for exact counts"),
		cli.Private(cli.Bool(&c.heads, "beginnings", "with --agent: print what the beginnings of files and the file system say"))[0],
		cli.Bool(&c.usage, "usage", "print what calls used and cost, in tokens (input, output, cache read, cache write) and money"),
		cli.Bool(&c.json, "json", "print a JSON object for each session"),
		cli.Bool(&c.paths, "paths", "print only the address of each session"),
		cli.Bool(&c.nul, "null, 0", "end names and rows with a NUL, and print only addresses"),
	)
}

// several reports whether the sessions of more than one agent are listed.
func (c *config) several() bool { return len(c.sessions.Named()) > 1 }

// A named operand is an address: of the session of an agent, or of those in the remote, whose ids begin so.
type named struct {
	name, id string
	newest   bool // the id is whole
}

// addresses takes the addresses among the operands as flags, and returns the other operands. NAME: is the newest session
// here, and no others: on a terminal it is said what lists them.
func (c *config) addresses(ctx context.Context, s *cli.Streams, operands []string) (places []string, err error) {
	for _, op := range operands {
		if _, _, _, ok := address.Address(op); !ok {
			places = append(places, op)
			continue
		}
		found, err := address.Newest(ctx, s, op, c.sessions.CWD)
		if err != nil {
			return nil, err
		}
		name, _, id, ok := address.Address(found)
		if !ok {
			places = append(places, found) // the running session is one of ours
			continue
		}
		if found != op {
			c.sessions.CWD = "" // which the address had
			if tty.IsTerminal(s.OutFile()) && s.Once(name) {
				s.Infof("sess-ls --agent %s lists all of %s", name, known.ProgramName(name))
			}
		}
		c.named = append(c.named, named{name, id, found != op})
		if name != address.Remote {
			c.sessions.Agents = append(c.sessions.Agents, name)
		}
	}
	if len(c.named) > 0 && (len(places) > 0 || c.remote() && len(c.sessions.Agents) > 0) {
		return nil, cli.UsageError("an agent, the remote, and files and directories are listed apart")
	}
	return places, nil
}

// remote reports whether the sessions of the remote are listed.
func (c *config) remote() bool { return len(c.named) > 0 && c.named[0].name == address.Remote }

// isNamed reports whether an address means the session, or none says which ones are meant.
func (c *config) isNamed(r store.Row) bool {
	return len(c.named) == 0 || slices.ContainsFunc(c.named, func(n named) bool {
		return (n.name == address.Remote || n.name == c.owned(r).Agent) && (strings.HasPrefix(r.ID, n.id) || r.Path == n.id)
	})
}

// listRemote prints what sess-sync lists.
func (c *config) listRemote(ctx context.Context, s *cli.Streams, keep func(store.Row) (bool, error)) error {
	o, err := c.agentScope(nil)
	if err != nil {
		return err
	}
	p, err := subprocess.Program{Name: address.Syncer, Args: []string{"ls", "--json"}, Say: address.Say(s, cli.Unseen)}.Start(ctx)
	if err != nil {
		return err
	}
	defer p.Close()
	here := store.SameDir(o.CWD)
	var rows []store.Row
	c.shared = map[string]listing.Row{}
	for row, err := range listing.Rows(p) {
		if err != nil {
			return err
		}
		if here(row.CWD) {
			c.shared[row.ID] = row
			rows = append(rows, row.Row)
		}
	}
	store.Sort(rows, o.Order)
	if c.recent && len(rows) > 1 {
		rows = []store.Row{slices.MaxFunc(rows, listing.Later)}
	}
	return c.show(ctx, s, rows, keep)
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
all: take the sessions of every project
agent: only sessions of the agents NAME,NAME
cwd
since: modified since WHEN: 90m, 7d, 2w, a date
until
recent: only the session that was written last
limit
usage: print what calls used and cost
json
paths
null: print only addresses, which end with a NUL
`
