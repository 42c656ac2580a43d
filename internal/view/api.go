package view

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// An api is what an API demands of the parts of a request.
type api struct {
	maxID   int             // bytes
	idByte  func(byte) bool // may stand in the id of a call
	maxName int             // bytes
	media   func(string) bool
	empty   func(text string) bool // a text block the API refuses
}

var openAI = api{
	maxID: 40, idByte: func(c byte) bool { return ' ' < c && c < 0x7F }, maxName: 64,
	media: func(media string) bool { return strings.HasPrefix(media, "image/") && isToken(media[len("image/"):]) },
	empty: func(text string) bool { return text == "" },
}

var anthropic = api{
	maxID: 64, idByte: isNameByte, maxName: 128,
	media: func(media string) bool {
		switch media {
		case "image/jpeg", "image/png", "image/gif", "image/webp":
			return true
		}
		return false
	},
	empty: func(text string) bool { return js.Trim(text) == "" },
}

// isNameByte reports whether c may stand in the name of a tool.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
}

// isToken reports whether s can be a media subtype, so that a data URL with it
// stays one.
func isToken(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) && s[i] != '.' && s[i] != '+' {
			return false
		}
	}
	return s != ""
}
