package summarize

import "strings"

const (
	// promptMark stands for a passage of the prompt.
	promptMark = "[prompt left out]"
	// passage is how many bytes, white space not counted, make a passage. API
	// keys and tokens are longer; the stock phrases of error messages, which
	// may well stand in a transcript too, are shorter.
	passage = 24
	// passageMin is the same for a prompt that is shorter as a whole.
	passageMin = 8
)

// withoutPrompt replaces every passage of text that also stands in the prompt by
// promptMark; source is the prompt as essence returns it. White space is ignored in the comparison, so that an echo that
// indents or wraps the lines is found too, and so is one whose beginning or end
// is missing. Text that has no passage in common is returned as it is.
func withoutPrompt(text, source string) string {
	said := squeeze(text)
	if said == "" {
		return text
	}
	size := min(passage, len(source))
	if size < passageMin {
		return text
	}
	echoed := common(said, source, size)
	var b strings.Builder
	var (
		until int    // bytes of said below this one belong to a passage
		k     int    // position in said
		held  []byte // white space since the last byte of a passage
		cut   bool   // the last byte of said belonged to one
	)
	for i := range len(text) {
		if isSpace(text[i]) {
			if cut {
				held = append(held, text[i])
			} else {
				b.WriteByte(text[i])
			}
			continue
		}
		if k+size <= len(said) && echoed[said[k:k+size]] {
			until = k + size
		}
		if k < until && !cut {
			b.WriteString(promptMark)
		}
		if k >= until {
			b.Write(held)
			b.WriteByte(text[i])
		}
		cut, held = k < until, held[:0]
		k++
	}
	b.Write(held)
	return strings.ToValidUTF8(b.String(), "") // a passage may begin inside a character
}

// essence returns prompt as text that was printed is compared with it.
func essence(prompt string) string { return squeeze(plain(prompt)) }

// common tells which stretches of size bytes of said stand in source. Only those
// of said, which is small, are remembered.
func common(said, source string, size int) map[string]bool {
	stretches := make(map[string]bool, len(said))
	for i := 0; i+size <= len(said); i++ {
		stretches[said[i:i+size]] = false
	}
	for i := 0; i+size <= len(source); i++ {
		if found, asked := stretches[source[i:i+size]]; asked && !found {
			stretches[source[i:i+size]] = true
		}
	}
	return stretches
}

// squeeze returns s without white space.
func squeeze(s string) string {
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		if !isSpace(s[i]) {
			b = append(b, s[i])
		}
	}
	return string(b)
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }
