package page

import (
	"bytes"
	"encoding/base64"
	"image"
	_ "image/gif"  // its size
	_ "image/jpeg" // its size
	_ "image/png"  // its size
	"strings"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// rasters are the media types that a page shows, by how their data begins. SVG is a program.
var rasters = []struct {
	media constant
	magic string
}{
	{"image/png", "\x89PNG\r\n\x1a\n"}, {"image/jpeg", "\xff\xd8\xff"}, {"image/gif", "GIF8"}, {"image/webp", "RIFF"},
}

// image writes an image, or a note with its type and size.
func (p *page) image(b session.Block) {
	data := b.Str("data")
	note := func(why string) {
		media := b.Str("mimeType")
		if media == "" {
			media = "an image"
		}
		p.raw(`<p class="note">[`)
		p.text(media, ", ", why)
		p.raw("]</p>")
	}
	switch {
	case strings.HasPrefix(data, "blob:"):
		note("kept outside of the session: " + data)
		return
	case p.o.MaxImage > 0 && int64(len(data))*3/4 > p.o.MaxImage:
		note(convo.SizeText(int64(len(data))*3/4) + ", too large for this page")
		return
	}
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		note("its data is no base64")
		return
	}
	for _, r := range rasters {
		if !bytes.HasPrefix(raw, []byte(r.magic)) {
			continue
		}
		p.raw(`<img loading="lazy" decoding="async" alt="image, `)
		p.text(convo.SizeText(int64(len(raw))))
		p.raw(`"`)
		// Only the header is read: a picture may be large when it is drawn.
		if c, _, err := image.DecodeConfig(bytes.NewReader(raw)); err == nil && c.Width > 0 && c.Height > 0 {
			p.raw(` width="`)
			p.number(int64(c.Width))
			p.raw(`" height="`)
			p.number(int64(c.Height))
			p.raw(`"`)
		}
		p.raw(` src="data:`, r.media, ";base64,")
		p.text(base64.StdEncoding.EncodeToString(raw))
		p.raw(`">`)
		return
	}
	note("not of a kind that is shown")
}
