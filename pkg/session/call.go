package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// What a call is about is told by its arguments, whose names are those of the agents. These
// lists are the only ones; the most telling name stands first.
var (
	fileArguments    = []string{"path", "file_path", "filePath", "file", "filename", "notebook_path", "absolute_path", "target_file"}
	commandArguments = []string{"command", "cmd"}
	patternArguments = []string{"pattern", "regex", "query", "url", "uri"}
	wordArguments    = []string{"prompt", "task", "description", "title", "name"}
)

// Files returns the paths that a call names, as they stand in its arguments: of the file that it
// reads, writes or looks into. There may be none.
func (c ToolCall) Files() []string { return c.texts(fileArguments) }

// File returns the first of [ToolCall.Files], "" if there is none.
func (c ToolCall) File() string { return first(c.Files()) }

// Command returns the command that a call runs, "" if it runs none: a text, or as codex
// has it an array of words, of which a shell with -c runs the third.
func (c ToolCall) Command() string {
	arguments := js.Value(js.Trim(c.Arguments))
	for _, name := range commandArguments {
		v := arguments.Get(name)
		if text := v.Str(); text != "" {
			return text
		}
		var words []string
		for w := range v.Elements() {
			if w.IsString() {
				words = append(words, w.Str())
			}
		}
		if len(words) == 3 && (words[1] == "-c" || words[1] == "-lc") {
			return words[2]
		}
		if len(words) > 0 {
			return strings.Join(words, " ")
		}
	}
	return ""
}

// Asks returns what a call looks for: a pattern, words of a search, an address, "" if
// it looks for nothing.
func (c ToolCall) Asks() string { return first(c.texts(patternArguments)) }

// Words returns what a call is told to do in words, such as a task of a sub-agent, "" if
// that is nothing.
func (c ToolCall) Words() string { return first(c.texts(wordArguments)) }

// texts returns the arguments of these names that have a text.
func (c ToolCall) texts(names []string) (texts []string) {
	arguments := js.Value(js.Trim(c.Arguments))
	for _, name := range names {
		if text := arguments.Get(name).Str(); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

func first(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}
