package main

import (
	"context"

	"github.com/sess-tools/sess/internal/agent/all"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/complete"
)

// completing adds the formats that are written, and the versions of the one on the line.
func completing(ctx context.Context, at clikit.Place, add func(clikit.Candidate)) {
	switch at.Kind {
	case "FORMAT":
		for _, f := range all.Formats() {
			if about := f.About(); !about.ReadOnly {
				at.Match(func(c clikit.Candidate) { add(clikit.Candidate{Value: c.Value, Text: about.Summary}) }, about.Name)
			}
		}
	case "VERSION":
		if len(at.Operands) > 0 {
			if f, ok := formats.Lookup(all.Formats(), at.Operands[0]); ok {
				at.Match(add, f.About().Versions...)
			}
		}
	default:
		complete.Reader(ctx, at, add)
	}
}
