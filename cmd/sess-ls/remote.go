package main

import (
	"context"
	"slices"

	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/listing"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/sibling"
	"github.com/sess-tools/sess/pkg/store"
)

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
