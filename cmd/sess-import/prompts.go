package main

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/agent/history"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/pkg/js"
)

// others does what has nothing to do with the sessions of a format, if that was asked for.
func (c *config) others(ctx context.Context, s *clikit.Streams, operands []string) (done bool, err error) {
	switch {
	case c.homes:
		return true, printHomes(s)
	case c.prompts:
		return true, printPrompts(ctx, s, operands[0])
	}
	return false, nil
}

// printPrompts prints the prompts of a database of oh-my-pi as JSON objects, the newest
// first. It is how sess-history reads it, which links no database.
func printPrompts(ctx context.Context, s *clikit.Streams, path string) error {
	some := false
	for p, err := range history.Read(ctx, path) {
		if err != nil {
			return err
		}
		some = true
		line := row.Object("prompt", row.Text("session", p.Session), row.Timestamp(p.Time*1000, true),
			row.Text("cwd", p.CWD), js.StringField("text", js.ValidText(p.Text)))
		if _, err := fmt.Fprintln(s.Out, line); err != nil {
			return err
		}
	}
	if !some {
		return clikit.No("")
	}
	return nil
}
