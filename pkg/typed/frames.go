package typed

import "strings"

const (
	openFile = "Current File Path:\n```" // begins what Gemini's extension for VS Code puts around a prompt: the file that is open, and at times its text
	fence    = "```"

	timeBegin, timeEnd = "<current_datetime>", "</current_datetime>" // what Copilot put behind a prompt until the end of 2025
)

// filesInFront returns what of a text stands behind the files of an editor with which it begins.
func filesInFront(text string) (words string, ok bool) {
	rest := strings.TrimLeft(text, blanks)
	if !strings.HasPrefix(rest, openFile) {
		return "", false
	}
	for {
		behind, ok := section(rest)
		if !ok {
			return rest, true
		}
		rest = strings.TrimLeft(behind, blanks)
	}
}

// section returns what of a text stands behind a fenced block with which it begins, which may have a line in front that ends in a colon.
func section(text string) (behind string, ok bool) {
	if line, rest, found := strings.Cut(text, "\n"); found && strings.HasPrefix(rest, fence) && strings.HasPrefix(line, "Current ") && strings.HasSuffix(strings.TrimRight(line, blanks), ":") {
		text = rest
	}
	if !strings.HasPrefix(text, fence) {
		return "", false
	}
	_, rest, found := strings.Cut(text, "\n")
	for found {
		var line string
		if line, rest, found = strings.Cut(rest, "\n"); strings.TrimRight(line, blanks) == fence {
			return rest, true
		}
	}
	return "", false
}

// withoutEnd returns a text without what programs put behind the words of the user: the time, or the files of an editor.
func withoutEnd(text string) string {
	for {
		words := text
		end := strings.TrimRight(words, blanks)
		if inner, ok := strings.CutSuffix(end, timeEnd); ok {
			if at := strings.LastIndex(inner, timeBegin); at >= 0 {
				words = inner[:at]
			}
		}
		if at := strings.Index(words, "\n"+openFile); at >= 0 && strings.HasSuffix(end, fence) {
			if rest, ok := filesInFront(words[at:]); ok && strings.TrimSpace(rest) == "" {
				words = words[:at]
			}
		}
		if len(words) == len(text) {
			return text
		}
		text = strings.TrimRight(words, blanks)
	}
}

const blanks = " \t\r\n"
