package main

import (
	"context"
	"fmt"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/formats/history"
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
		fields := []js.Field{
			js.StringField("time", time.Unix(p.Time, 0).UTC().Format(time.RFC3339)),
			js.StringField("session", p.Session), js.StringField("cwd", p.CWD), js.StringField("text", p.Text),
		}
		if _, err := fmt.Fprintln(s.Out, js.Object(fields...)); err != nil {
			return err
		}
	}
	if !some {
		return clikit.No("")
	}
	return nil
}
