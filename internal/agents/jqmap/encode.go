package jqmap

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/itchyny/gojq"

	"github.com/sess-tools/sess/pkg/js"
)

// first are the members that objects begin with, in the order in which entries have them. Others
// follow by their names.
var first = []string{
	"type", "role", "toolCallId", "toolName", "customType", "kind", "id", "name", "content", "text", "thinking", "thinkingSignature",
	"data", "mimeType", "arguments", "api", "provider", "model", "modelId", "responseId", "usage", "input", "output", "stopReason",
}

var ranks = sync.OnceValue(func() map[string]int {
	out := map[string]int{}
	for i, name := range first {
		out[name] = i - len(first)
	}
	return out
})

// fields returns the members of an object that a map made, in the order they are written in.
// Members that are null are left out.
func (p *program) fields(object map[string]any) []js.Field {
	out := make([]js.Field, 0, len(object))
	for name, v := range object {
		if v != nil {
			out = append(out, js.RawField(name, string(p.encode(nil, v))))
		}
	}
	slices.SortFunc(out, func(a, b js.Field) int { return order(a.Name, b.Name) })
	return out
}

func order(a, b string) int {
	rank := ranks()
	if d := rank[a] - rank[b]; d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// encode appends the JSON text of a value: that which it was decoded from, if it is as it was.
func (p *program) encode(dst []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return js.AppendQuote(dst, v)
	case json.Number:
		return append(dst, v...)
	case map[string]any:
		if text, ok := p.text(v); ok {
			return append(dst, text...)
		}
		return p.object(dst, v)
	case []any:
		if text, ok := p.text(v); ok {
			return append(dst, text...)
		}
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = p.encode(dst, element)
		}
		return append(dst, ']')
	}
	text, err := gojq.Marshal(v)
	if err != nil {
		return append(dst, "null"...) // as gojq writes values that it made
	}
	return append(dst, text...)
}

func (p *program) object(dst []byte, object map[string]any) []byte {
	names := make([]string, 0, len(object))
	for name, v := range object {
		if v != nil {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, order)
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(js.AppendQuote(dst, name), ':')
		dst = p.encode(dst, object[name])
	}
	return append(dst, '}')
}
