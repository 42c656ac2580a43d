package convo

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// FoldSystem replays the system messages among messages into one that says the
// same: contents joined by blank lines, the last text of each section, the tools
// in force (docs/formats/pi.md, system messages). ok is false if there are none.
func FoldSystem(messages []session.Message) (m session.Message, ok bool) {
	var content []string
	var sections, tools insertions
	timestamp := ""
	for _, m := range messages {
		if m.Role() != session.RoleSystem {
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
		return session.Message{}, false
	}
	fields := []js.Field{js.StringField("role", session.RoleSystem), js.StringField("content", strings.Join(content, "\n\n"))}
	if len(sections.keys) > 0 {
		var texts []js.Field
		for _, k := range sections.keys {
			texts = append(texts, js.RawField(js.Unquote(k), sections.values[k]))
		}
		fields = append(fields, js.RawField("sections", js.Object(texts...)))
	}
	if len(tools.keys) > 0 {
		fields = append(fields, js.RawField("toolsAdded", "["+strings.Join(tools.list(), ",")+"]"))
	}
	if timestamp == "" {
		timestamp = "0"
	}
	return session.NewMessage(js.Object(append(fields, js.RawField("timestamp", timestamp))...)), true
}

func foldSections(into *insertions, raw string) {
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

func foldTools(into *insertions, removed, added string) {
	for tool := range session.Blocks(arrayOnly(removed)) {
		into.delete(tool.Get("name"))
	}
	for tool := range session.Blocks(arrayOnly(added)) {
		into.set(tool.Get("name"), tool.Raw())
	}
}

func arrayOnly(raw string) string {
	if strings.HasPrefix(raw, "[") {
		return raw
	}
	return ""
}

// insertions is a map that keeps the order of first insertion, as a JavaScript
// Map does.
type insertions struct {
	keys   []string
	values map[string]string
}

func (o *insertions) set(key, value string) {
	if o.values == nil {
		o.values = map[string]string{}
	}
	if _, ok := o.values[key]; !ok {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

func (o *insertions) delete(key string) {
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

func (o *insertions) list() []string {
	out := make([]string, len(o.keys))
	for i, k := range o.keys {
		out[i] = o.values[k]
	}
	return out
}
