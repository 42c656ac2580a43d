// Sess-record copies the output of an agent or of a model's API to standard output and
// records it in a session while it passes.
//
// Usage:
//
//	sess-record [flags] SESSION [-- COMMAND [ARG...]]
//
// With a command it runs the command and ends with its status; without one it is a filter,
// as tee(1) is. See sess-record(1).
package main

import (
	"context"
	"runtime/debug"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
)

var tool = cli.Tool{
	Name:    "sess-record",
	Writes:  true,
	Summary: "record what an agent or an API prints, and pass it on",
	Args:    "SESSION [-- COMMAND [ARG...]]",
	Command: true,
	Examples: `sess-record s.jsonl -- claude -p --output-format stream-json --verbose 'hi'
sess-record s.jsonl --create --prompt-file prompt.md -- codex exec --json -
pi --mode json 'fix it' | sess-record s.jsonl > events.jsonl
curl -sN "$url" -d @request.json | sess-record --reply openai s.jsonl`,
	Common:   commonFlags,
	Complete: complete.Writer,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	name, err := address.One(operands)
	if err != nil {
		return s.Dashes(err)
	}
	if err := c.check(s, name); err != nil {
		return err
	}
	// Signals do not end a recording as they end other tools: see source.
	ctx = context.WithoutCancel(ctx)
	src, err := c.source(s, name)
	if err != nil {
		return err
	}
	if c.create {
		c.sayThere(s, name)
		if err := address.Ensure(ctx, name, c.target.Sync, c.agent(s.Command)); err != nil {
			return err
		}
	}
	// Decoded entries are garbage as soon as they are written, and little else is alive.
	debug.SetGCPercent(200)
	w, err := c.open(ctx, s, name)
	if err != nil {
		return address.Creatable(err, c.create)
	}
	return w.record(src)
}
