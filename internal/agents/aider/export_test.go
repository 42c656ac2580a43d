package aider

// Readers is what aider's reader gives, as pairs of role and text.
func Readers(history string, tools bool) (out [][2]string) {
	names := map[role]string{user: "user", assistant: "assistant", tool: "tool"}
	for _, m := range readers(history, tools) {
		out = append(out, [2]string{names[m.role], m.text})
	}
	return out
}

// Kind names the kind of a file.
func Kind(text string) string { return []string{"chat", "input"}[kindOf([]byte(text))] }

// LineEnd is the length of a text's first line, and LineEnds what ends it.
func LineEnd(text string) int { return lineEnd(text) }

const LineEnds = "\n\r" + ends
