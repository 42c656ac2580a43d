// Package all lists the formats there are. It is apart from the formats' frame,
// package formats, because each format imports that.
package all

import (
	"slices"

	"github.com/sess-tools/sess/internal/agent/chat"
	"github.com/sess-tools/sess/internal/agent/claude"
	"github.com/sess-tools/sess/internal/agent/formats"
	"github.com/sess-tools/sess/internal/agent/jqmap"
	"github.com/sess-tools/sess/internal/agent/written"
)

// Formats returns the formats in the order in which a file of unknown format is
// shown to them: those that are written as [written.Formats] has them, maps before claude,
// which Qwen Code's lines look like, and chat messages last.
func Formats() []formats.Format {
	list := written.Formats()
	list = slices.Insert(list, slices.Index(list, claude.Claude), jqmap.Embedded()...)
	return append(list, chat.Anthropic, chat.OpenAI)
}
