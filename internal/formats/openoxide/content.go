package openoxide

import (
	"encoding/hex"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A message is a row of messages.
type message struct {
	id, role string
	ms       int64
	content  []byte
}

func (m message) place() formats.Place {
	p := formats.Place{ID: m.id, Key: m.id}
	if timely(m.ms) {
		p.Time = m.ms
	}
	return p
}

// entryIn returns the entry that the content of a message holds, "" if none.
func entryIn(text string) string {
	if string(js.Value(text).Get("v")) != "1" {
		return ""
	}
	raw, entry := js.Value(text).Get("raw").Str(), string(js.Value(text).Get("entry"))
	if raw != "" && js.Valid([]byte(raw)) && strings.HasPrefix(raw, "{") && !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	if strings.HasPrefix(entry, "{") {
		return entry
	}
	return ""
}

// foreign returns the message that a content says in one of the ways that come to
// mind: a text, or a map with "content" or "text", or with "content" or "parts" that are
// blocks of text.
func foreign(role, text string) (session.Message, bool) {
	blocks, ok := texts(text)
	if !ok && strings.HasPrefix(text, "{") {
		for _, name := range []string{"content", "text", "parts"} {
			if blocks, ok = texts(string(js.Value(text).Get(name))); ok {
				break
			}
		}
	}
	if !ok {
		return session.Message{}, false
	}
	switch role {
	case "user":
		return formats.User(blocks), true
	case "assistant":
		return formats.Assistant(blocks), true
	case "tool":
		call := js.Value(text).Get("tool_call_id").Str()
		return formats.ToolResult(call, "unknown", blocks, false), true
	}
	return session.Message{}, false
}

// texts returns the blocks of a text, or of an array of blocks of text.
func texts(raw string) ([]string, bool) {
	if strings.HasPrefix(raw, `"`) {
		return []string{formats.Text(js.Value(raw).Str())}, true
	}
	if !strings.HasPrefix(raw, "[") || raw == "[]" {
		return nil, false
	}
	var blocks []string
	for part := range js.Elements(raw) {
		text := string(js.Value(part).Get("text"))
		if js.Value(part).Get("type").Str() != "text" || !strings.HasPrefix(text, `"`) {
			return nil, false
		}
		blocks = append(blocks, formats.Text(js.Value(text).Str()))
	}
	return blocks, true
}

// opaque keeps a message as it is, beside the entry that was made of it.
func (c *conversion) opaque(m message, entry string) error {
	c.now = max(c.now, m.ms)
	p := m.place()
	p.ID, p.Key = "", "content "+m.id
	_, err := c.b.Custom(p, customContent, js.Object(
		formats.Str("entry", entry), js.StringField("id", m.id), js.StringField("role", m.role),
		js.RawField("time_created", formats.Int(m.ms)), js.StringField("hex", hex.EncodeToString(m.content))))
	return err
}
