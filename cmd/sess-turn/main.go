// Sess-turn makes one turn of a session with any command that answers a prompt.
//
// Usage:
//
//	sess-turn [flags] SESSION -- COMMAND [ARG...]
//
// The command reads the conversation and the user's text; its answer is printed as it
// comes and, if the command ended well, appended with the text. See sess-turn(1).
package main

import (
	"context"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/complete"
	"github.com/sess-tools/sess/internal/core/redact/rules"
)

var tool = cli.Tool{
	Name:    "sess-turn",
	Writes:  true,
	Summary: "make one turn of a session with any LLM command",
	Args:    "SESSION -- COMMAND [ARG...]",
	Command: true,
	Examples: `sess-turn -t 'why?' s.jsonl -- claude -p --tools "" --no-session-persistence
git diff | sess-turn -f - --system review.txt s.jsonl -- llm
sess-turn --window 200000 --compact -t 'go on' s.jsonl -- my-llm
sess-turn -n -t 'what would it read?' s.jsonl -- my-llm`,
	Common:   commonFlags,
	Complete: complete.Writer,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return c.flags(), c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	_ = ctx.Err() // from now on a signal ends the turn, and not with a trace of this program
	name, err := address.One(operands)
	if err != nil {
		if len(s.Command) > 0 {
			return address.MeantText(err, "sess-turn", operands, append([]string{"--"}, s.Command...)...)
		}
		return s.Dashes(err)
	}
	if err := c.check(s, name); err != nil {
		return err
	}
	t := &turn{config: c, ctx: ctx, streams: s, name: name}
	if c.redact {
		if t.secrets, err = rules.Configured(s); err != nil {
			return err
		}
	}
	if c.create && !c.dryRun {
		if err := address.Ensure(ctx, name, c.target.Sync, ""); err != nil {
			return err
		}
	}
	if err := t.readTexts(); err != nil {
		return err
	}
	return address.Creatable(t.make(), c.create)
}
