// Package written lists the formats that sessions can be exported to. It is apart from package
// all, so that an exporter does not link what only reads.
package written

import (
	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/agents/pi"
)

// Formats returns the formats in the order in which a file of unknown format is shown to them:
// those that know their own by sure signs first, pi after oh-my-pi, whose files are pi's as well.
func Formats() []formats.Format {
	return []formats.Format{
		opencode.Format,
		pi.Omp,
		pi.Pi,
		codex.Format,
		claude.Claude,
	}
}
