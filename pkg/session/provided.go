package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// BlockProvided is the type of a block for what the provider of a model did by itself while the model replied: a search,
// code in a container of the provider's, advice of another model. It has the members of a call ("id", "name",
// "arguments") and, once there is a result, "content" with the blocks of it, "isError" and perhaps "details", as the
// message of a result has them. It is shown to people and never sent to a model.
const BlockProvided = "providerCall"

// blockServerTool is oh-my-pi's spelling: the block of Anthropic's API in a member, call and result in a block each.
const blockServerTool = "anthropicServerTool"

// A Provided is a call that the provider of a model made by itself.
type Provided struct {
	ToolCall

	Result Message // as of a tool; without a role if there is none
}

// Ended reports whether the call has its result.
func (p Provided) Ended() bool { return p.Result.Role() != "" }

// Provided returns what the provider did by itself in a reply, in order.
func (m Message) Provided() (all []Provided) {
	if m.Role() != RoleAssistant || !strings.Contains(m.Get("content"), BlockProvided) && !strings.Contains(m.Get("content"), blockServerTool) {
		return nil
	}
	var blocks []string
	for b := range m.Blocks() {
		if made := b.provided(); made != "" {
			blocks = append(blocks, made)
		}
	}
	for _, block := range joined(blocks) {
		p, _ := NewBlock(block).Provided()
		all = append(all, p)
	}
	return all
}

// provided returns a block as one of [BlockProvided], "" for one of another kind.
func (b Block) provided() string {
	switch b.Type {
	case BlockProvided:
		return b.Raw()
	case blockServerTool:
		return AnthropicProvided(js.Value(b.Get("block")))
	}
	return ""
}

// Provided returns the call of a block that is one of the provider's. A block that is a result alone has a call without
// arguments. ok is false for any other block.
func (b Block) Provided() (p Provided, ok bool) {
	made := b.provided()
	if made == "" {
		return p, false
	}
	b = NewBlock(made)
	p.ToolCall = ToolCall{ID: b.Str("id"), Name: b.Str("name"), Arguments: b.Get("arguments")}
	if content := b.Get("content"); content != "" {
		p.Result = NewMessage(js.Object(js.StringField("role", RoleToolResult), js.StringField("toolCallId", p.ID), js.StringField("toolName", p.Name),
			js.RawField("content", content), js.RawField("isError", cmp.Or(b.Get("isError"), "false")), js.RawField("details", cmp.Or(b.Get("details"), "null"))))
	}
	return p, true
}

// ProvidedCall returns a block for a call of the provider's that has no result yet. Arguments is the JSON text of an
// object.
func ProvidedCall(id, name, arguments string) string {
	return js.Object(js.StringField("type", BlockProvided), js.StringField("id", id), js.StringField("name", name), js.RawField("arguments", arguments))
}

// ProvidedResult returns a block, as [ProvidedCall] makes it or "" for a call that is elsewhere, with the result that
// the provider tells: every text in it, at any depth, is a line of it. Failed says that it is an error.
func ProvidedResult(block, id, name string, result js.Value, failed bool, details ...js.Field) string {
	if block == "" {
		block = js.Object(js.StringField("type", BlockProvided), js.StringField("id", id), js.StringField("name", name))
	}
	content := "[]"
	if all := texts(result); len(all) > 0 {
		content = "[" + TextBlock(js.Quote(strings.Join(all, "\n"))) + "]"
	}
	return string(js.Value(block).Add(append([]js.Field{js.RawField("content", content), js.RawField("isError", strconv.FormatBool(failed))}, details...)...))
}

// texts returns the texts of a value at any depth, without types, ids, media types and data that is encrypted or encoded.
func texts(v js.Value) (all []string) {
	v.Strings(func(name string, of js.Value) bool {
		return name == "" && of.Get("type").Str() == "base64" || unread(name)
	}, func(literal js.Value) bool {
		if text := literal.Str(); text != "" {
			all = append(all, text)
		}
		return true
	})
	return all
}

// unread reports whether a member of this name is not for reading.
func unread(name string) bool {
	return name == "type" || name == "media_type" || name == "page_age" || name == "id" || strings.HasSuffix(name, "_id") || strings.HasPrefix(name, "encrypted")
}

// AnthropicProvided returns a block for a block of Anthropic's API that is a call of a tool which the API runs itself, or
// the result of one, whatever the tool is called; "" for any other block. A code of an error, a page, an answer
// of an adviser stand in members of several names: all of their texts are the result.
func AnthropicProvided(b js.Value) string {
	typ, content := b.Get("type").Str(), b.Get("content")
	switch result, ok := strings.CutSuffix(typ, "_tool_result"); {
	case typ == "server_tool_use", typ == "mcp_tool_use":
		name := b.Get("name").Str()
		if server := b.Get("server_name").Str(); server != "" {
			name = "mcp__" + server + "__" + name
		}
		input := b.Get("input")
		if !input.IsObject() {
			input = js.Value(js.Object(js.RawField("input", cmp.Or(input, "null"))))
		}
		return ProvidedCall(b.Get("id").Str(), name, string(input))
	case ok:
		failed := b.Get("is_error").Truthy() || strings.HasSuffix(content.Get("type").Str(), "_error")
		var details []js.Field
		if code := content.Get("return_code"); code.IsNumber() {
			details = append(details, js.RawField("details", js.Object(js.RawField("exitCode", code))))
		}
		return ProvidedResult("", b.Get("tool_use_id").Str(), result, content, failed, details...)
	}
	return ""
}

// JoinProvided puts results that stand alone to their calls, among the blocks of a message that are made here.
func JoinProvided(blocks []string) []string {
	if !slices.ContainsFunc(blocks, func(b string) bool { return strings.HasPrefix(b, `{"type":"`+BlockProvided) }) {
		return blocks
	}
	return joined(blocks)
}

// joined is [JoinProvided] for blocks of any spelling.
func joined(blocks []string) (out []string) {
	open := map[string]int{}
	for _, raw := range blocks {
		b := NewBlock(raw)
		if b.Type == BlockProvided {
			at, called := open[b.Str("id")]
			if called && b.Get("arguments") == "" {
				call := js.Value(out[at])
				for _, name := range []string{"content", "isError", "details"} {
					if v := b.Get(name); v != "" {
						call = call.Add(js.RawField(name, v))
					}
				}
				out[at] = string(call)
				delete(open, b.Str("id"))
				continue
			}
			if b.Get("content") == "" {
				open[b.Str("id")] = len(out)
			}
		}
		out = append(out, raw)
	}
	return out
}
