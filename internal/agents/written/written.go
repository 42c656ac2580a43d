// Package written lists the formats that sessions can be exported to. It is apart from package
// all, so that an exporter does not link what only reads.
package written

import (
	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/codex"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/agents/pi"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
)

// Formats returns the formats in the order in which a file of unknown format is shown to them:
// those that know their own by sure signs first, pi after oh-my-pi, whose files are pi's as well.
func Formats() []formats.Format {
	return []formats.Format{
		zeroclaw.ZeroClaw,
		openoxide.OpenOxide,
		opencode.Format,
		pi.Omp,
		pi.Pi,
		codex.Format,
		claude.Claude,
		aider.Aider,
	}
}
