package convo

import (
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// MaxPersistChars is the limit oh-my-pi has for strings, in UTF-16 units.
const MaxPersistChars = 500_000

// MinPersistChars is the least limit that a cut string can keep, in UTF-16
// units: one unit and the notice that the rest is gone.
const MinPersistChars = 1 + len(cutNotice)

const (
	cutNotice = "\n\n[Session persistence truncated large content]"
	minBlob   = 1024 // UTF-16 units of base64 from which an image is worth a blob
)

// Limits keep large texts and images out of the session, as oh-my-pi 18 does
// (docs/formats/omp.md). The zero value changes nothing.
type Limits struct {
	// MaxChars is the length in UTF-16 units up to which strings stay whole,
	// at any depth. Longer ones are cut, and a notice ends them; both together
	// are MaxChars long, or one less where the cut would split a pair. Members
	// called jsonlEvents are dropped, and a lineCount follows the content beside
	// it if anything in their object changed. 0 is no limit.
	//
	// Signed and encrypted texts stay whole, because a provider refuses a part of
	// one; so do ids and the data of images.
	MaxChars int

	// Blobs puts images of at least 1024 units of base64, and data URLs of
	// images of any length, into blobs.
	Blobs bool
}

// Apply returns the entry as it is to be written, and the blobs it refers to,
// which must be stored before. All bytes of the entry but those of the values
// that change stay as they are.
func (l Limits) Apply(e session.Entry) (session.Entry, []Blob) {
	if l.MaxChars <= 0 && !l.Blobs {
		return e, nil
	}
	p := persister{Limits: l, rewrite: rewrite{raw: e.Raw()}}
	root := parseEntry(e)
	p.value(&root, "")
	return p.entry(e), p.blobs
}

type persister struct {
	Limits
	rewrite
	blobs []Blob
}

// value applies the limits to a value and reports whether it changed. The key is
// that of the member it belongs to; elements of an array have the array's.
func (p *persister) value(n *node, key string) bool {
	switch p.kind(n) {
	case '"':
		return p.literal(n, key)
	case '[':
		changed := false
		for i := range n.kids {
			changed = p.value(&n.kids[i], key) || changed
		}
		return changed
	case '{':
		return p.object(n, key)
	}
	return false
}

func (p *persister) literal(n *node, key string) bool {
	lit := p.text(n)
	if key == "image_url" {
		if url := js.Unquote(lit); isImageURL(url) {
			if p.Blobs {
				p.externalize(n, []byte(js.ValidText(url)))
			}
			return p.Blobs
		}
	}
	if p.MaxChars <= 0 || len(lit)-2 <= p.MaxChars || js.LenLiteral(lit) <= p.MaxChars || isWhole(key) {
		return false
	}
	p.set(n, js.Quote(cutText(js.Unquote(lit), p.MaxChars)))
	return true
}

// isWhole reports whether strings under key are of no use when cut: signatures,
// and what tells entries and calls apart.
func isWhole(key string) bool {
	switch key {
	case "thinkingSignature", "thoughtSignature", "textSignature",
		"id", "parentId", "type", "targetId", "fromId", "firstKeptEntryId", "toolCallId":
		return true
	}
	return false
}

// cutText shortens a text to limit UTF-16 units, the notice included. Like
// oh-my-pi it cuts between any two units and then drops the first half of a pair
// at the end, also one that never had a second.
func cutText(s string, limit int) string {
	limit = max(0, limit-len(cutNotice))
	head := js.Head(s, limit)
	if n := len(head) - 3; n >= 0 && head[n] == 0xED && head[n+1]&0xF0 == 0xA0 && js.Len(head) == limit {
		head = head[:n]
	}
	return head + cutNotice
}

func (p *persister) object(n *node, key string) bool {
	payload := imagePayload(&p.rewrite, n, key)
	if payload.node != nil && payload.placed && p.Blobs && p.image(payload.node) {
		return true
	}
	if p.verbatim(n, key) {
		return false
	}
	changed := p.MaxChars > 0 && p.drop(n, "jsonlEvents")
	for i := range n.kids {
		kid := &n.kids[i]
		if kid == payload.node || p.MaxChars > 0 && kid.key == "jsonlEvents" {
			continue
		}
		changed = p.value(kid, kid.key) || changed
	}
	if changed && p.MaxChars > 0 {
		p.countLines(n)
	}
	return changed
}

// image puts the base64 of an image into a blob, if it is long enough and is
// base64. A reference has a colon, and is none.
func (p *persister) image(n *node) bool {
	if js.LenLiteral(p.text(n)) < minBlob {
		return false
	}
	data, ok := decodeBase64(js.Unquote(p.text(n)))
	if ok {
		p.externalize(n, data)
	}
	return ok
}

func (p *persister) externalize(n *node, data []byte) {
	b := NewBlob(data)
	p.set(n, js.Quote(b.Ref()))
	p.blobs = append(p.blobs, b)
}

// countLines sets the lineCount of an object to the lines of its content.
func (p *persister) countLines(n *node) {
	content, count := n.member("content"), n.member("lineCount")
	if content == nil || count == nil || p.kind(content) != '"' || !strings.ContainsRune("-0123456789", rune(p.kind(count))) {
		return
	}
	text := js.Unquote(p.text(content))
	if js.Len(text) > p.MaxChars {
		text = cutText(text, p.MaxChars) // as it was done
	}
	if lines := strconv.Itoa(strings.Count(text, "\n") + 1); lines != p.text(count) {
		p.set(count, lines)
	}
}

// A payload is the string of an object that holds an image as base64, nil if it
// has none. It is placed if it stands where oh-my-pi 18 looks for references.
type payload struct {
	node   *node
	placed bool
}

// imagePayload finds the image of the object n, which stands under key.
func imagePayload(w *rewrite, n *node, key string) payload {
	if w.is(n, "type", "image_generation_call") {
		if r := n.member("result"); r != nil && w.kind(r) == '"' {
			return payload{r, true}
		}
	}
	data := n.member("data")
	if data == nil || w.kind(data) != '"' {
		return payload{}
	}
	block := w.is(n, "type", "image")
	if !block {
		media := w.str(n, "mimeType")
		if !strings.HasPrefix(strings.ToLower(media), "image/") {
			return payload{}
		}
	}
	return payload{data, key == "images" || key == "frames" || block && key == "content"}
}

// verbatim reports whether a provider checks every byte of the object n when it is sent back, so
// that nothing in it may be cut: signed or encrypted objects, and a provider's history.
func (p *persister) verbatim(n *node, key string) bool {
	typ := p.str(n, "type")
	switch typ {
	case session.BlockThinking:
		return p.has(n, "thinkingSignature")
	case session.BlockText:
		return p.has(n, "textSignature")
	case session.BlockToolCall:
		return p.has(n, "thoughtSignature")
	case session.BlockEncrypted:
		return p.has(n, "data")
	case "reasoning":
		return p.has(n, "encrypted_content")
	case "anthropicCompaction":
		return true
	case "anthropicServerTool":
		if block := n.member("block"); block != nil && p.serverTool(block) {
			return true
		}
	}
	if key != "anthropicCompaction" {
		return false
	}
	content := n.member("content")
	return content != nil && p.kind(content) == '"'
}

// serverTool reports whether n is a call of a tool that Anthropic runs itself,
// or the result of one.
func (p *persister) serverTool(n *node) bool {
	typ := p.str(n, "type")
	switch typ {
	case "server_tool_use":
		name := p.str(n, "name")
		known := name == "web_search" || name == "tool_search_tool_regex" || name == "tool_search_tool_bm25"
		return known && p.has(n, "id")
	case "web_search_tool_result", "tool_search_tool_result":
		return p.has(n, "tool_use_id") && n.member("content") != nil
	}
	return false
}
