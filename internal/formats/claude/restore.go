package claude

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A keeping is what an entry "claude:line" keeps.
type keeping struct {
	of    []string
	lines []keptLine
}

type keptLine struct {
	n, form, blocks int
	details         bool
	sum, line       string
}

// keptIn returns what an entry keeps; ok is false if it keeps nothing.
func keptIn(e session.Entry) (k keeping, ok bool) {
	if formats.CustomName(e, "claude") != customLine {
		return k, false
	}
	data := e.Get("data")
	for id := range js.Elements(cmp.Or(string(js.Value(data).Get("of")), "[]")) {
		k.of = append(k.of, js.Value(id).Str())
	}
	for raw := range js.Elements(cmp.Or(string(js.Value(data).Get("lines")), "[]")) {
		l := keptLine{n: number(string(js.Value(raw).Get("n")), 0), form: number(string(js.Value(raw).Get("form")), none), blocks: number(string(js.Value(raw).Get("blocks")), none)}
		l.details = string(js.Value(raw).Get("details")) == "true"
		l.sum, l.line = js.Value(raw).Get("sum").Str(), string(js.Value(raw).Get("line"))
		if !strings.HasPrefix(l.line, "{") {
			return k, false
		}
		k.lines = append(k.lines, l)
	}
	return k, len(k.lines) > 0
}

// messages returns the messages of the entries that k is kept for; ok is false if
// not all of them are there.
func (x *exporter) messages(k keeping) (out []session.Message, ok bool) {
	for _, id := range k.of {
		i, there := x.index[id]
		if !there {
			return nil, false
		}
		if m, is := x.s.Entries[i].Message(); is {
			out = append(out, m)
		}
	}
	return out, true
}

// intact reports whether what is kept still belongs to what the entries say.
func (x *exporter) intact(k keeping) bool {
	messages, ok := x.messages(k)
	if !ok {
		return false
	}
	from := 0
	for _, l := range k.lines {
		own := messages
		if l.blocks != none {
			if len(messages) != 1 {
				return false
			}
			own = []session.Message{part(messages[0], from, l.blocks)}
			from += l.blocks
		}
		if l.sum != "" && sum(own) != l.sum || l.form != none && len(own) == 0 {
			return false
		}
	}
	return k.lines[0].blocks == none || from == blockCount(messages)
}

// restore writes lines that are kept.
func (x *exporter) restore(e session.Entry, k keeping) {
	messages, _ := x.messages(k)
	from := 0
	for _, l := range k.lines {
		text := l.line
		if l.form != none {
			own := messages
			if l.blocks != none {
				own = []session.Message{part(messages[0], from, l.blocks)}
			}
			details := ""
			if l.details {
				details = messages[0].Get("details")
			}
			text = filled(text, spelled(own, l.form), details, "null", present(details, "null"))
		}
		from += max(l.blocks, 0)
		if x.moved {
			text = withSession(text, x.session)
		}
		x.out = append(x.out, written{l.n, text})
		x.at = max(x.at, l.n)
		if name := js.Value(text).Get("uuid").Str(); name != "" {
			for _, id := range k.of {
				x.called(id, name)
			}
			x.called(e.ID(), name)
		}
	}
	if _, named := x.uuids[e.ID()]; !named {
		x.uuids[e.ID()] = x.parent(e)
	}
}

// called says that a line for an entry has this uuid.
func (x *exporter) called(id, name string) {
	x.uuids[id] = name
	if x.firsts[id] == "" {
		x.firsts[id] = name
	}
}

// part returns a message of n blocks of m.
func part(m session.Message, from, n int) session.Message {
	var own []string
	i := 0
	for b := range m.Blocks() {
		if i >= from && i < from+n {
			own = append(own, b.Raw())
		}
		i++
	}
	return formats.Assistant(own)
}

func withSession(text, id string) string {
	if string(js.Value(text).Get("sessionId")) == "" {
		return text
	}
	var fields []js.Field
	for key, value := range js.Members(text) {
		if js.Unquote(key) == "sessionId" {
			value = js.Quote(id)
		}
		fields = append(fields, js.RawField(js.Unquote(key), value))
	}
	return js.Object(fields...)
}
