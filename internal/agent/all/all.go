// Package all lists the formats there are. It is apart from the formats' frame,
// package formats, because each format imports that.
package all

import (
	"slices"

	"github.com/sess-tools/sess/internal/agent/aider"
	"github.com/sess-tools/sess/internal/agent/chat"
	"github.com/sess-tools/sess/internal/agent/claude"
	"github.com/sess-tools/sess/internal/agent/codex"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/jqmap"
	"github.com/sess-tools/sess/internal/agent/opencode"
	"github.com/sess-tools/sess/internal/agent/openoxide"
	"github.com/sess-tools/sess/internal/agent/pi"
	"github.com/sess-tools/sess/internal/agent/zeroclaw"
)

// Formats returns the formats in the order in which a file of unknown format is
// shown to them: those that know their own by sure signs first, pi after
// oh-my-pi, whose files are pi's as well, maps before claude, which Qwen Code's lines look like,
// and chat messages last.
func Formats() []formats.Format {
	return slices.Concat([]formats.Format{
		zeroclaw.ZeroClaw,
		openoxide.OpenOxide,
		opencode.Format,
		pi.Omp,
		pi.Pi,
		codex.Format,
	}, jqmap.Embedded(), []formats.Format{
		claude.Claude,
		aider.Aider,
		chat.Anthropic,
		chat.OpenAI,
	})
}
