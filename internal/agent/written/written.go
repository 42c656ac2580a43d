// Package written lists the formats that sessions can be exported to. It is apart from package
// all, so that an exporter does not link what only reads.
package written

import (
	"github.com/sess-tools/sess/internal/agent/aider"
	"github.com/sess-tools/sess/internal/agent/claude"
	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/opencode"
	"github.com/sess-tools/sess/internal/agent/openoxide"
	"github.com/sess-tools/sess/internal/agent/pi"
	"github.com/sess-tools/sess/internal/agent/zeroclaw"
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
