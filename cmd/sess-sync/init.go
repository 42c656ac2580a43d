package main

import (
	"context"
	"fmt"

	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

var initCommand = clikit.Tool{
	Name: "init", Args: "ADDRESS", Summary: "make a remote, or test one that is there",
	Examples: `sess-sync init /mnt/team/sessions`,
	New: func() ([]clikit.Flag, clikit.Action) {
		c := &config{}
		flags := []clikit.Flag{clikit.Bool(&c.insecure, "insecure", "speak to another machine without TLS"), c.timeoutFlag()}
		return flags, func(ctx context.Context, s *clikit.Streams, operands []string) error {
			if err := clikit.Operands(operands, "ADDRESS"); err != nil {
				return err
			}
			return c.with(ctx, s, operands[0], true, func(l remote.Log) error {
				if err := l.Init(ctx); err != nil {
					return fmt.Errorf("%s: %w", l.Name(), err)
				}
				s.Notef("%s: ready", l.Name())
				return nil
			})
		}
	},
}
