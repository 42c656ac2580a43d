// Package all lists the formats there are. It is apart from the formats' frame,
// package formats, because each format imports that.
package all

import (
	"slices"

	"github.com/sess-tools/sess/internal/agents/aider"
	"github.com/sess-tools/sess/internal/agents/chat"
	"github.com/sess-tools/sess/internal/agents/claude"
	"github.com/sess-tools/sess/internal/agents/entire"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/agents/openoxide"
	"github.com/sess-tools/sess/internal/agents/written"
	"github.com/sess-tools/sess/internal/agents/zeroclaw"
)

// Formats returns the formats in the order in which a file of unknown format is
// shown to them: databases first, those that are written as [written.Formats] has them, maps before claude,
// which Qwen Code's lines look like, and chat messages last.
// The user's own maps are not among them, see [Known].
func Formats() []formats.Format {
	list := append([]formats.Format{zeroclaw.ZeroClaw, openoxide.OpenOxide}, written.Formats()...)
	list = slices.Insert(list, slices.Index(list, claude.Claude), jqmap.Embedded()...)
	list = append(jqmap.Liken(list), aider.Aider, chat.Anthropic, chat.OpenAI)
	return append(list, entire.New(func() []formats.Format { return list }))
}

// Known returns the formats and the maps in a directory of the user's: those stand before the
// maps of the program, and one of the same name in its place.
func Known(dir string) []formats.Format {
	return jqmap.Merged(Formats(), jqmap.Own(dir), jqmap.Embedded()[0])
}
