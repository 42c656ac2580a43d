package opencode

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// put takes up a message, as opencode has to have it: complete, with ids, and behind the
// one before it.
func (x *exporter) put(m message, first, last int) {
	assistant := m.role() == "assistant"
	if assistant && x.user == "" && str(m.info, "parentID") == "" {
		x.answerTo(m)
	}
	old, at := m.id(), num(m.info, "time", "created")
	id := old
	if x.fresh || !strings.HasPrefix(old, "msg") {
		id = x.newID("msg", at, cmp.Or(old, fmt.Sprint("message ", len(x.out))))
	}
	if n := len(x.out); n > 0 {
		if before := x.out[n-1]; at < before.created || at == before.created && id <= before.id() {
			if x.late++; at < before.created {
				at = before.created
			}
			if id <= before.id() {
				at++
			}
		}
	}
	if old != "" {
		x.ids[old] = id
	}
	m.info = within(m.info, "time", "created", formats.Int(at))
	m.info = formats.With(formats.With(m.info, "id", js.Quote(id)), "sessionID", js.Quote(x.id))
	if assistant {
		m.info = formats.With(m.info, "parentID", js.Quote(x.renamed(cmp.Or(str(m.info, "parentID"), x.user))))
		m.info = mendAssistant(m.info, x.model.known())
	} else {
		m.info = mendUser(m.info, x.model.known())
	}
	m.parts = x.parts(m, id, at)
	if !assistant {
		x.user = id
	}
	x.out = append(x.out, written{m, at, first, last})
	x.noted(first)
}

// answerTo writes a message in which the user says nothing, for a reply that answers none.
func (x *exporter) answerTo(m message) {
	of := x.model.known()
	x.put(message{info: js.Object(
		js.StringField("role", "user"),
		js.Field{Name: "time", Raw: js.Object(js.RawField("created", formats.Int(num(m.info, "time", "created"))))},
		js.StringField("agent", "build"),
		js.RawField("model", js.Object(js.StringField("providerID", of.provider), js.StringField("modelID", of.id))))}, -1, -1) // no tail begins with it
}

// renamed returns the id that a message has now.
func (x *exporter) renamed(id string) string { return cmp.Or(x.ids[id], id) }

// parts completes the parts of a message, and gives those ids that have none of opencode's, or
// all of them if they would not be in order.
func (x *exporter) parts(m message, id string, at int64) []string {
	fresh, before := x.fresh, ""
	var out []string
	for _, p := range m.parts {
		p, ok := mendPart(p, at)
		if !ok {
			x.t.Lose("message "+id, formats.KindEntry, "a part of type %q, which opencode does not import, left out", str(p, "type"))
			continue
		}
		part := str(p, "id")
		fresh = fresh || !strings.HasPrefix(part, "prt") || part <= before
		before = part
		out = append(out, p)
	}
	for i, p := range out {
		if fresh {
			p = formats.With(p, "id", js.Quote(x.partID(at, i, len(out), id)))
		}
		p = formats.With(formats.With(p, "sessionID", js.Quote(x.id)), "messageID", js.Quote(id))
		out[i] = x.attachments(p, id, at)
	}
	return out
}

// attachments gives files that came with a result their ids.
func (x *exporter) attachments(p, id string, at int64) string {
	files := attached(p)
	if len(files) == 0 {
		return p
	}
	for i, f := range files {
		if part := str(f, "id"); x.fresh || !strings.HasPrefix(part, "prt") {
			f = formats.With(f, "id", js.Quote(x.partID(at, i, len(files), id+str(p, "id"))))
		}
		files[i] = formats.With(formats.With(f, "sessionID", js.Quote(x.id)), "messageID", js.Quote(id))
	}
	return within(p, "state", "attachments", formats.Array(files...))
}

// An idCounter counts the ids of a millisecond.
type idCounter struct {
	at int64
	n  int64
}

// newID returns an id for something that was made at a time: one behind the last of that time.
func (x *exporter) newID(prefix string, at int64, key string) string {
	if x.taken.at != at {
		x.taken = idCounter{at: at}
	}
	x.taken.n++
	return makeID(prefix, at<<12+x.taken.n, x.id, key)
}

// partID returns the id of the n-th of several parts, so that they are in order.
func (x *exporter) partID(at int64, n, of int, key string) string {
	low := at << 12 & idMask
	if low+int64(of) > idMask {
		low = idMask - int64(of) // no wrapping around within a message
	}
	return makeID("prt", low+int64(n), x.id, key)
}

// idMask is what of a time is in an id: 48 bits.
const idMask = 1<<48 - 1

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// makeID returns an id as opencode makes them, but that chance is replaced by what the thing is
// known by.
func makeID(prefix string, count int64, keys ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(keys, "\x00")))
	var tail [14]byte
	for i := range tail {
		tail[i] = base62[int(sum[i])%len(base62)]
	}
	return fmt.Sprintf("%s_%012x%s", prefix, count&idMask, tail[:])
}

// What opencode imports has no null, whole times, and all members that it must have. What
// it exports is like that, and comes out as it was.

// whole returns an object without members that are null, and those named as whole
// numbers.
func whole(raw string, integers ...string) string {
	list := formats.Fields(raw)
	for i, f := range list {
		if f.Raw == "null" {
			list[i].Raw = ""
		}
		for _, name := range integers {
			if f.Name != name || f.Raw == "" || !strings.ContainsAny(f.Raw, ".eE\"[{n") {
				continue
			}
			n, ok := integer(f.Raw)
			if list[i].Raw = ""; ok {
				list[i].Raw = formats.Int(n)
			}
		}
	}
	return js.Object(list...)
}

// mendTime returns an object whose time has whole numbers.
func mendTime(raw string, names ...string) string {
	if t := get(raw, "time"); isObject(t) {
		return formats.With(raw, "time", whole(t, names...))
	}
	return raw
}

func mendUser(info string, m model) string {
	info = mendTime(whole(info), "created")
	info = orElse(info, "agent", `"build"`)
	if str(info, "model", "providerID") == "" || str(info, "model", "modelID") == "" {
		info = formats.With(info, "model", js.Object(js.StringField("providerID", m.provider), js.StringField("modelID", m.id)))
	}
	return info
}

func mendAssistant(info string, m model) string {
	info = mendTime(whole(info), "created", "completed")
	agent := `"build"`
	for _, name := range []string{"agent", "mode"} {
		if raw := get(info, name); raw != "" {
			agent = raw
		}
	}
	for _, f := range []js.Field{
		js.StringField("modelID", m.id), js.StringField("providerID", m.provider),
		{Name: "mode", Raw: agent},
		{Name: "agent", Raw: agent},
		{Name: "path", Raw: `{"cwd":"/","root":"/"}`},
		{Name: "cost", Raw: "0"},
		{Name: "tokens", Raw: noTokens},
	} {
		info = orElse(info, f.Name, f.Raw)
	}
	return info
}

// needs are the members that parts must have beside their ids, with what they are if nothing is known.
// Types that are not here opencode does not know.
var needs = map[string][]js.Field{
	"text":        {{Name: "text", Raw: `""`}},
	"reasoning":   {{Name: "text", Raw: `""`}},
	"file":        {{Name: "mime", Raw: `"application/octet-stream"`}, {Name: "url", Raw: `"data:,"`}},
	"tool":        {{Name: "callID", Raw: `"` + unnamed + `"`}, {Name: "tool", Raw: `"` + unnamed + `"`}},
	"step-start":  nil,
	"step-finish": {{Name: "reason", Raw: `"stop"`}, {Name: "cost", Raw: "0"}, {Name: "tokens", Raw: noTokens}},
	"patch":       {{Name: "hash", Raw: `""`}, {Name: "files", Raw: "[]"}},
	"snapshot":    {{Name: "snapshot", Raw: `""`}},
	"agent":       {{Name: "name", Raw: `"build"`}},
	"retry":       {{Name: "attempt", Raw: "1"}, {Name: "error", Raw: `{"name":"APIError","data":{"message":"unknown","isRetryable":false}}`}, {Name: "time", Raw: `{"created":0}`}},
	"subtask":     {{Name: "prompt", Raw: `""`}, {Name: "description", Raw: `""`}, {Name: "agent", Raw: `"general"`}},
	"compaction":  {{Name: "auto", Raw: "false"}},
}

// mendPart returns a part as opencode has to have it; ok is false for one of a type that it
// does not know.
func mendPart(p string, at int64) (mended string, ok bool) {
	typ := str(p, "type")
	need, ok := needs[typ]
	if !ok {
		return p, false
	}
	p = mendTime(whole(p), "start", "end", "created")
	for _, f := range need {
		p = orElse(p, f.Name, f.Raw)
	}
	switch typ {
	case "reasoning":
		p = orElse(p, "time", span{at, at}.times())
	case "tool":
		p = formats.With(p, "state", mendState(get(p, "state"), at))
	}
	return p, true
}

// mendState returns the state of a tool as opencode has to have it.
func mendState(state string, at int64) string {
	state = mendTime(whole(state), "start", "end", "compacted")
	if input := get(state, "input"); !isObject(input) {
		value := "{}"
		if input != "" {
			value = js.Object(js.RawField("input", input))
		}
		state = formats.With(state, "input", value)
	}
	times := func(end bool) {
		t := get(state, "time")
		if t == "" {
			t = "{}"
		}
		t = orElse(t, "start", formats.Int(max(at, 0)))
		if end {
			t = orElse(t, "end", get(t, "start"))
		}
		state = formats.With(state, "time", t)
	}
	switch str(state, "status") {
	case "pending":
		state = orElse(state, "raw", `""`)
	case "running":
		times(false)
	case "completed":
		if raw := get(state, "output"); !strings.HasPrefix(raw, `"`) {
			state = formats.With(state, "output", js.Quote(raw))
		}
		state = orElse(orElse(state, "title", `""`), "metadata", "{}")
		times(true)
	default:
		state = orElse(formats.With(state, "status", `"error"`), "error", js.Quote(textInterrupted))
		times(true)
	}
	return state
}
