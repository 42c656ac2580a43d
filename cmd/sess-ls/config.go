package main

import (
	"context"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/listing"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/internal/tool/sources"
	"github.com/sess-tools/sess/pkg/store"
)

type config struct {
	sessions                               sources.Selection
	title, where, sort, color              string
	recent, exact, usage, json, paths, nul bool
	limit                                  int
	inStore                                bool    // and not in directories, or where agents keep them
	named                                  []named // addresses among the operands

	// Of agents:
	owners    map[owner]string // the agents whose sessions are listed
	elsewhere bool             // not where the agent keeps them

	shared map[string]listing.Row // those of the remote, by their ids
}

func (c *config) flags() []clikit.Flag {
	return append(c.sessions.Flags(),
		clikit.Bool(&c.recent, "recent", ", or that this terminal last used"),
		clikit.String(&c.title, "title", "", ""),
		clikit.String(&c.where, "where", "", "sessions whose JSON object is one"),
		clikit.Choice(&c.sort, "sort", []string{"modified", "created", "size", "messages", "title"}, ""),
		clikit.Count(&c.limit, "limit", "sessions"),
		clikit.Bool(&c.exact, "exact", "read all of large files, for exact counts"),
		clikit.Bool(&c.usage, "usage", ", in tokens (input, output, cache read, cache write) and money"),
		clikit.Bool(&c.json, "json", "each session"),
		clikit.Bool(&c.paths, "paths", ""),
		clikit.Bool(&c.nul, "null, 0", ", and only addresses are printed"),
		clikit.Choice(&c.color, "color", []string{"auto", "always", "never"}, ""),
	)
}

// check refuses flags that contradict each other.
func (c *config) check() error {
	return clikit.Exclusive(clikit.NameIf(c.json, "--json"), clikit.NameIf(c.paths || c.nul, "a list of paths"))
}

// several reports whether the sessions of more than one agent are listed.
func (c *config) several() bool { return len(c.sessions.Named()) > 1 }

// A named operand is an address: of an agent or the remote, of the sessions of a directory or of
// those whose ids begin so.
type named struct {
	name, id string
	here     func(cwd string) bool
}

// addresses takes the addresses among the operands for what they name, and returns the others.
func (c *config) addresses(operands []string) (places []string, err error) {
	for _, op := range operands {
		name, dir, id, ok := operand.Address(op)
		if !ok {
			places = append(places, op)
			continue
		}
		if dir != "" {
			if dir, err = operand.CWD(dir); err != nil {
				return nil, err
			}
		}
		c.named = append(c.named, named{name, id, store.SameDir(dir)})
		if name != operand.Remote {
			c.sessions.Agents = append(c.sessions.Agents, name)
		}
	}
	if len(c.named) > 0 && (len(places) > 0 || c.remote() && len(c.sessions.Agents) > 0) {
		return nil, clikit.UsageError("an agent, the remote, and files and directories are listed apart")
	}
	return places, nil
}

// remote reports whether the sessions of the remote are listed.
func (c *config) remote() bool { return len(c.named) > 0 && c.named[0].name == operand.Remote }

// isNamed reports whether an address means the session, or none says which ones are meant.
func (c *config) isNamed(r store.Row) bool {
	return len(c.named) == 0 || slices.ContainsFunc(c.named, func(n named) bool {
		return (n.name == operand.Remote || n.name == c.owned(r).Agent) && strings.HasPrefix(r.ID, n.id) && n.here(r.CWD)
	})
}

// listRemote prints what sess-sync lists.
func (c *config) listRemote(ctx context.Context, s *clikit.Streams, keep func(store.Row) (bool, error)) error {
	o, err := c.agentScope(nil)
	if err != nil {
		return err
	}
	p, err := sibling.Program{Name: operand.Syncer, Args: []string{"ls", "--json"}, Say: operand.Say(s)}.Start(ctx)
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
