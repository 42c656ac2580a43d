package claude

import "github.com/sess-tools/sess/internal/formats"

// what says what is lost of a kind: of one, and of several.
var what = map[string][2]string{
	formats.KindThinking: {
		"a block of thinking without a signature of Anthropic's, or a level of thinking, left out",
		"%d blocks of thinking without a signature of Anthropic's, or levels of thinking, left out",
	},
	formats.KindSystem:  {"a system message, left out", "%d system messages, left out"},
	formats.KindContext: {"an edit of the context, without effect there", "%d edits of the context, without effect there"},
	formats.KindRole:    {"a message of another role, which became a message of the user", "%d messages of other roles, which became messages of the user"},
	formats.KindTool:    {"a result that answers no call, or one that has its result, left out", "%d results that answer no call, or one that has its result, left out"},
	formats.KindEntry:   {"an entry that means nothing there, left out", "%d entries that mean nothing there, left out"},
	formats.KindText:    {"a reply without content, left out", "%d replies without content, left out"},
}
