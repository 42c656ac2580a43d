package stream

import (
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// A reader makes entries of the values of one document: of one run of an agent, or of one
// response.
type reader interface {
	// value takes the next value, with the name of the event that it is if it has one, and
	// says whose it is. One that is not the document's changes nothing.
	value(v js.Dict, event string) verdict

	// end takes the end of the document, or of the stream in the midst of it.
	end()
}

// A verdict says whether a value belongs to a document.
type verdict int

const (
	more  verdict = iota // it does, and is not the end
	over                 // it does, and is the end
	other                // it does not: another document begins, or it means nothing here
)

// A format is a kind of stream.
type format struct {
	name  string
	is    func(v js.Dict) bool // of a first value
	read  func(*recorder) reader
	says  bool   // the stream has the user's words
	about string // the command that prints it
}

// formatList are the formats, those with the plainest signs first.
func formatList() []format {
	return []format{
		{"pi", isPi, readPi, true, "pi --mode json"},
		{"qwen", isQwen, readCountedQwen, false, "qwen -o stream-json"},
		{"claude", isClaude, readClaude, false, "claude -p --output-format stream-json --verbose"},
		{"codex", isCodex, readCodex, false, "codex exec --json"},
		{"opencode", isOpencode, readOpencode, false, "opencode run --format json"},
		{"gemini", isGemini, readGemini, true, "gemini -o stream-json"},
		{"copilot", isCopilot, readCopilot, true, "copilot -p --output-format json"},
		{"grok", isGrok, readGrok, false, "grok -p PROMPT --output-format streaming-json"},
		{"omp", func(js.Dict) bool { return false }, readPi, true, "omp --mode json -p"},
		{"openai", isOpenAI, readOpenAI, false, "a chat completion or a response of OpenAI's API"},
		{"anthropic", isMessages, readMessages, false, "a message of Anthropic's API"},
		{"gemini-api", isGeminiAPI, readGeminiAPI, false, "a response of Gemini's generateContent"},
		{"ollama", isOllama, readOllama, false, "a response of Ollama's /api/chat"},
	}
}

// Names returns the words for Options.From: Auto, the formats in order, Text.
func Names() []string {
	var names []string
	for _, f := range formatList() {
		names = append(names, f.name)
	}
	slices.Sort(names)
	return slices.Concat([]string{Auto}, slices.Compact(names), []string{Text})
}

// detect returns the format that a first value belongs to, nil for none.
func detect(v js.Dict) *format {
	for _, f := range formatList() {
		if f.is(v) {
			return &f
		}
	}
	return nil
}

// entryTypes are types of lines of session files that no stream has.
var entryTypes = []string{"message", "custom", "model_change", "thinking_level_change", "label", "session_info", "compaction", "title"}

// reasonAgainst says why a value begins no stream, and what to do.
func reasonAgainst(v js.Value) string {
	typ := v.Get("type").Str()
	switch {
	case v.Get("parentId") != "" && slices.Contains(entryTypes, typ), typ == "title" && v.Get("pad") != "":
		return "it is a session file, not a stream: sess-append --entries takes entries"
	case v.Get("id") != "" && v.Get("msg", "type") != "":
		return "it is a stream of a codex from before October 2025, which is not read: use a newer codex"
	case v.Get("response") != "" && v.Get("done") != "":
		return "it is an answer of Ollama's /api/generate: ask /api/chat"
	case v.Get("error") != "":
		return "it is an error, not an answer: " + errorText(v)
	case strings.HasPrefix(typ, "response."):
		return "it is the middle of a stream of OpenAI's Responses API"
	}
	return "it is no stream that is known: it begins " + short(string(v))
}

// errorText returns the words of an error of an API.
func errorText(v js.Value) string {
	e := v.Get("error")
	for _, name := range []string{"message", "error", "type"} {
		if text := e.Get(name).Str(); text != "" {
			return short(text)
		}
	}
	if e.IsString() {
		return short(e.Str())
	}
	return short(string(v))
}

// short returns the beginning of a text.
func short(text string) string { return js.Head(text, 200) }
