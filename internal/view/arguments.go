package view

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// deepest is how deep the arguments of a call may nest: what JSON readers
// accept without the levels that a request puts around them.
const deepest = js.MaxDepth - 10

// arguments returns the arguments of a call as a JSON object, as
// JSON.stringify writes it. Nothing and null become {}; a string that holds the
// text of an object becomes that object, as streams that were cut off and
// other agents leave behind; any other value becomes the only member of one.
func (r *request) arguments(number int, c *call) string {
	raw := c.Arguments
	if raw == "" || raw == "null" {
		return "{}"
	}
	if text, ok := stringOf(raw); ok {
		if text = js.Trim(text); strings.HasPrefix(text, "{") && js.Valid([]byte(text)) {
			raw = text
		}
	}
	if depth(raw) > deepest {
		r.report(number, "arguments of call %q nest too deep: left out", c.ID)
		return "{}"
	}
	object := wellFormed(js.Stringify(raw))
	if !strings.HasPrefix(object, "{") {
		r.report(number, "arguments of call %q are no object: put into one", c.ID)
		return `{"arguments":` + object + "}"
	}
	return object
}

// depth returns how deep a JSON text nests.
func depth(json string) int {
	level, most := 0, 0
	inString := false
	for i := 0; i < len(json); i++ {
		switch c := json[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// wellFormed replaces the escapes of lone surrogates in a text from
// js.Stringify, which escapes no others.
func wellFormed(json string) string {
	if !strings.Contains(json, `\ud`) {
		return json
	}
	var b strings.Builder
	for i := 0; i < len(json); i++ {
		switch {
		case json[i] != '\\':
			b.WriteByte(json[i])
		case strings.HasPrefix(json[i:], `\ud`):
			b.WriteString("\uFFFD")
			i += len(`\ud800`) - 1
		default:
			b.WriteString(json[i : i+2])
			i++
		}
	}
	return b.String()
}
