package session

import "strings"

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

// verbatim reports whether a provider checks every byte of the object n when it
// is sent back, so that nothing in it may be cut: what is signed or encrypted,
// and a provider's own history.
func (p *persister) verbatim(n *node, key string) bool {
	typ := p.str(n, "type")
	switch typ {
	case "thinking":
		return p.has(n, "thinkingSignature")
	case "text":
		return p.has(n, "textSignature")
	case "toolCall":
		return p.has(n, "thoughtSignature")
	case "redactedThinking":
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
