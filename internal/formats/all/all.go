// Package all lists the formats there are. It is apart from the formats' frame,
// package formats, because each format imports that.
package all

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/aider"
	"github.com/sess-tools/sess/internal/formats/chat"
	"github.com/sess-tools/sess/internal/formats/claude"
	"github.com/sess-tools/sess/internal/formats/codex"
	"github.com/sess-tools/sess/internal/formats/opencode"
	"github.com/sess-tools/sess/internal/formats/openoxide"
	"github.com/sess-tools/sess/internal/formats/pi"
	"github.com/sess-tools/sess/internal/formats/zeroclaw"
)

// Formats returns the formats in the order in which a file of unknown format is
// shown to them: those that know their own by sure signs first, pi after
// oh-my-pi, whose files are pi's as well, and chat messages last.
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
		chat.Anthropic,
		chat.OpenAI,
	}
}
