// Package all lists the formats there are. It is apart from the formats' frame,
// package formats, because each format imports that.
package all

import (
	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/internal/formats/chat"
	"github.com/sess-tools/sess/internal/formats/pi"
)

// Formats returns the formats in the order in which a file of unknown format is
// shown to them: those that know their own by sure signs first, pi after
// oh-my-pi, whose files are pi's as well, and chat messages last.
func Formats() []formats.Format {
	return []formats.Format{
		pi.Omp,
		pi.Pi,
		chat.Anthropic,
		chat.OpenAI,
	}
}
