package codex

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A restored is a line as it came from codex.
type restored struct {
	line
	covers []string // ids of entries that it stands for
}

// A restorer puts values back into lines.
type restorer struct {
	s      *session.Session
	id     string // of the entry that was asked last
	blocks []session.Block
}

// restore returns the line that an element of an entry "codex:lines" is. ok is false if a
// message that it refers to is not in the session.
func (r *restorer) restore(element string) (out restored, ok bool) {
	if strings.HasPrefix(element, "{") {
		return restored{line: parseLine(element)}, true
	}
	raw := ""
	var refs []string
	for value := range js.Elements(element) {
		switch {
		case raw == "":
			raw = value
		case strings.HasPrefix(value, `"`):
			refs = append(refs, js.Unquote(value))
		default:
			return out, false
		}
	}
	if !strings.HasPrefix(raw, "{") {
		return out, false
	}
	var b strings.Builder
	at := 0
	var slots []slot
	if len(refs) > 0 && strings.Contains(refs[0], "/") { // else a 0 in the line is its own
		slots = parseLine(raw).slots()
	}
	for _, s := range slots {
		if !isPlaceholder(raw, s.span) {
			continue
		}
		if len(refs) == 0 {
			return out, false
		}
		value, id, ok := r.value(refs[0], s.kind)
		if !ok {
			return out, false
		}
		b.WriteString(raw[at:s.start])
		b.WriteString(value)
		at, refs = s.end, refs[1:]
		out.covers = append(out.covers, id)
	}
	b.WriteString(raw[at:])
	out.line = parseLine(b.String())
	out.covers = append(out.covers, refs...)
	return out, true
}

// value returns what a reference means in a slot, and the entry it is in.
func (r *restorer) value(ref string, kind byte) (value, id string, ok bool) {
	cut := strings.LastIndexByte(ref, '/')
	if cut < 0 {
		return "", "", false
	}
	id = ref[:cut]
	n, err := strconv.Atoi(ref[cut+1:])
	if err != nil || !r.find(id) || n < 0 || n >= len(r.blocks) {
		return "", "", false
	}
	b := r.blocks[n]
	switch kind {
	case slotText:
		value = b.Get("text")
	case slotImage:
		value = js.Quote(formats.FormatDataURL(b.Str("mimeType"), b.Str("data")))
	case slotArguments:
		value = js.Quote(b.Get("arguments"))
	case slotInput:
		value = string(js.Value(b.Get("arguments")).Get("input"))
	case slotAction:
		value = b.Get("arguments")
	case slotReasoning:
		if value = b.Str("thinkingSignature"); !strings.HasPrefix(value, "{") || !js.Valid([]byte(value)) {
			return "", "", false
		}
	}
	return value, id, value != ""
}

// find loads the blocks of an entry.
func (r *restorer) find(id string) bool {
	if r.id == id {
		return r.blocks != nil
	}
	i, ok := r.s.Index(id)
	if r.id, r.blocks = id, nil; !ok {
		return false
	}
	e := r.s.Entries[i]
	m, ok := e.Message()
	if e.Type() == session.TypeCustomMessage {
		m, ok = session.NewMessage(js.Object(js.RawField("content", e.Get("content")))), true
	}
	if ok {
		r.blocks = slices.Collect(m.Blocks())
	}
	return r.blocks != nil
}
