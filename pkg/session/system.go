package session

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// FoldSystem replays the system messages among messages into one that says the
// same: contents joined by blank lines, the last text of each section, the tools
// in force (docs/formats/pi.md, system messages). ok is false if there are none.
func FoldSystem(messages []Message) (m Message, ok bool) {
	var content []string
	var sections, tools ordered
	timestamp := ""
	for _, m := range messages {
		if m.role != RoleSystem {
			continue
		}
		if !ok {
			timestamp, ok = m.Get("timestamp"), true
		}
		if text := m.Text(""); text != "" {
			content = append(content, text)
		}
		foldSections(&sections, m.Get("sections"))
		foldTools(&tools, m.Get("toolsRemoved"), m.Get("toolsAdded"))
	}
	if !ok {
		return Message{}, false
	}
	o := new(object).str("role", RoleSystem).str("content", strings.Join(content, "\n\n"))
	if len(sections.keys) > 0 {
		s := new(object)
		for _, k := range sections.keys {
			s.raw(js.Unquote(k), sections.values[k])
		}
		o.raw("sections", s.String())
	}
	if len(tools.keys) > 0 {
		o.raw("toolsAdded", "["+strings.Join(tools.list(), ",")+"]")
	}
	if timestamp == "" {
		timestamp = "0"
	}
	return newMessage(o.raw("timestamp", timestamp).String()), true
}

func foldSections(into *ordered, raw string) {
	if !strings.HasPrefix(raw, "{") {
		return
	}
	for name, value := range js.Members(raw) {
		if value == "null" {
			into.delete(name)
		} else {
			into.set(name, value)
		}
	}
}

func foldTools(into *ordered, removed, added string) {
	for tool := range blocks(arrayOnly(removed)) {
		into.delete(tool.Get("name"))
	}
	for tool := range blocks(arrayOnly(added)) {
		into.set(tool.Get("name"), tool.raw)
	}
}

func arrayOnly(raw string) string {
	if strings.HasPrefix(raw, "[") {
		return raw
	}
	return ""
}

// ordered is a map that keeps the order of first insertion, as a JavaScript
// Map does.
type ordered struct {
	keys   []string
	values map[string]string
}

func (o *ordered) set(key, value string) {
	if o.values == nil {
		o.values = map[string]string{}
	}
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *ordered) delete(key string) {
	if _, ok := o.values[key]; !ok {
		return
	}
	delete(o.values, key)
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i], o.keys[i+1:]...)
			return
		}
	}
}

func (o *ordered) list() []string {
	out := make([]string, len(o.keys))
	for i, k := range o.keys {
		out[i] = o.values[k]
	}
	return out
}
