package view

import (
	"fmt"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A part is a text, or the image that media and data tell.
type part struct {
	text        string // valid UTF-8
	media, data string // of an image; the data is base64
}

func (p part) image() bool { return p.media != "" }

// parts returns the texts and images of a user message or a tool result.
func (r *request) parts(number int, m session.Message) []part {
	var parts []part
	for b := range m.Blocks() {
		switch b.Type {
		case "text":
			if text := js.ValidText(b.Str("text")); !r.api.empty(text) {
				parts = append(parts, part{text: text})
			}
		case "image":
			parts = append(parts, r.image(number, b))
		default:
			r.leftOut(number, b)
		}
	}
	return parts
}

// leftOut reports a block that neither API has a form for.
func (r *request) leftOut(number int, b session.Block) {
	r.report(number, "block of type %q left out", b.Type)
}

// image returns an image block, or a text in its place if the API would refuse
// the whole request for its sake.
func (r *request) image(number int, b session.Block) part {
	media, data := b.Str("mimeType"), b.Str("data")
	why := ""
	switch {
	case strings.HasPrefix(data, "blob:"):
		why = "its data is kept outside the session"
	case !isBase64(data):
		why = "its data is no base64"
	case !r.api.media(media):
		why = fmt.Sprintf("the API does not take the media type %q", media)
	default:
		return part{media: media, data: data}
	}
	r.report(number, "a note put in the place of an image: %s", why)
	return part{text: "[image left out: " + why + "]"}
}

// isBase64 reports whether s is standard base64 with padding, and not empty.
func isBase64(s string) bool {
	body := strings.TrimRight(s, "=")
	if s == "" || len(s)%4 != 0 || len(s)-len(body) > 2 {
		return false
	}
	for i := range len(body) {
		c := body[i]
		if !isNameByte(c) && c != '+' && c != '/' || c == '_' || c == '-' {
			return false
		}
	}
	return true
}
