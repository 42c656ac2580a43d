package opencode

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
)

// put takes up a message, as opencode has to have it: complete, with ids, and behind the
// one before it.
func (x *exporter) put(m message, first, last int) {
	assistant := m.role() == "assistant"
	if assistant && x.user == "" && m.info.Get("parentID").Str() == "" {
		// A message in which the user says nothing, for a reply that answers none. No tail begins with it.
		x.put(message{info: object(
			js.StringField("role", "user"),
			js.RawField("time", js.Object(js.IntField("created", parts.Int(m.info, "time", "created")))),
			js.StringField("agent", "build"),
			js.RawField("model", x.model.known().value()))}, -1, -1)
	}
	old, at := m.id(), parts.Int(m.info, "time", "created")
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
	m.info = m.info.With("time", m.info.Get("time").With("created", intValue(at)))
	m.info = m.info.With("id", quote(id)).With("sessionID", quote(x.id))
	if assistant {
		m.info = m.info.With("parentID", quote(x.renamed(cmp.Or(m.info.Get("parentID").Str(), x.user))))
		m.info = mendAssistant(m.info, x.model.known())
	} else {
		m.info = mendUser(m.info, x.model.known())
	}
	m.parts = x.parts(m, id, at)
	if !assistant {
		x.user = id
	}
	x.out = append(x.out, written{m, at, first, last})
	if n := len(x.furthest); n > 0 {
		first = max(first, x.furthest[n-1])
	}
	x.furthest = append(x.furthest, first)
}

// renamed returns the id that a message has now.
func (x *exporter) renamed(id string) string { return cmp.Or(x.ids[id], id) }

// parts completes the parts of a message, and gives those ids that have none of opencode's, or
// all of them if they would not be in order.
func (x *exporter) parts(m message, id string, at int64) []js.Value {
	fresh, before := x.fresh, ""
	var out []js.Value
	for _, p := range m.parts {
		p, ok := mendPart(p, at)
		if !ok {
			x.t.Lose("message "+id, formats.KindEntry, "a part of type %q, which opencode does not import, left out", p.Get("type").Str())
			continue
		}
		part := p.Get("id").Str()
		fresh = fresh || !strings.HasPrefix(part, "prt") || part <= before
		before = part
		out = append(out, p)
	}
	for i, p := range out {
		if fresh {
			p = p.With("id", quote(x.partID(at, i, len(out), id)))
		}
		p = p.With("sessionID", quote(x.id)).With("messageID", quote(id))
		out[i] = x.attachments(p, id, at)
	}
	return out
}

// attachments gives files that came with a result their ids.
func (x *exporter) attachments(p js.Value, id string, at int64) js.Value {
	state := p.Get("state")
	files := parts.Attached(state)
	if len(files) == 0 {
		return p
	}
	for i, f := range files {
		if part := f.Get("id").Str(); x.fresh || !strings.HasPrefix(part, "prt") {
			f = f.With("id", quote(x.partID(at, i, len(files), id+p.Get("id").Str())))
		}
		files[i] = f.With("sessionID", quote(x.id)).With("messageID", quote(id))
	}
	return p.With("state", state.With("attachments", list(files)))
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

// A session that opencode imports has no null, whole times, and all members that it must have. An
// export of opencode is like that, and comes out as it was.

// whole returns an object without members that are null, and those named as whole
// numbers.
func whole(v js.Value, integers ...string) js.Value {
	var out []js.Field
	for name, value := range v.Members() {
		if slices.Contains(integers, name) && strings.ContainsAny(string(value), ".eE\"[{n") {
			n, ok := parts.Integer(value)
			if !ok {
				continue
			}
			value = intValue(n)
		}
		if value != "null" {
			out = append(out, js.RawField(name, value))
		}
	}
	return object(out...)
}

// mendTime returns an object whose time has whole numbers.
func mendTime(v js.Value, names ...string) js.Value {
	if t := v.Get("time"); t.IsObject() {
		return v.With("time", whole(t, names...))
	}
	return v
}

func mendUser(info js.Value, m model) js.Value {
	info = withDefaults(mendTime(whole(info), "created"), `{"agent":"build"}`)
	if info.Get("model", "providerID").Str() == "" || info.Get("model", "modelID").Str() == "" {
		info = info.With("model", m.value())
	}
	return info
}

func mendAssistant(info js.Value, m model) js.Value {
	info = mendTime(whole(info), "created", "completed")
	agent := cmp.Or(info.Get("mode"), info.Get("agent"), `"build"`)
	return withDefaults(info, object(
		js.StringField("modelID", m.id), js.StringField("providerID", m.provider),
		js.RawField("mode", agent), js.RawField("agent", agent), js.RawField("path", `{"cwd":"/","root":"/"}`),
		js.RawField("cost", "0"), js.RawField("tokens", noTokens)))
}

// needs are the members that parts must have beside their ids, with their values if nothing is known. opencode does not
// know types that are not here.
var needs = map[string]js.Value{
	"text":        `{"text":""}`,
	"reasoning":   `{"text":""}`,
	"file":        `{"mime":"application/octet-stream","url":"data:,"}`,
	"tool":        `{"callID":"` + parts.Unnamed + `","tool":"` + parts.Unnamed + `"}`,
	"step-start":  `{}`,
	"step-finish": `{"reason":"stop","cost":0,"tokens":` + noTokens + `}`,
	"patch":       `{"hash":"","files":[]}`,
	"snapshot":    `{"snapshot":""}`,
	"agent":       `{"name":"build"}`,
	"retry":       `{"attempt":1,"error":{"name":"APIError","data":{"message":"unknown","isRetryable":false}},"time":{"created":0}}`,
	"subtask":     `{"prompt":"","description":"","agent":"general"}`,
	"compaction":  `{"auto":false}`,
}

// mendPart returns a part as opencode has to have it; ok is false for one of a type that it
// does not know.
func mendPart(p js.Value, at int64) (mended js.Value, ok bool) {
	typ := p.Get("type").Str()
	need, ok := needs[typ]
	if !ok {
		return p, false
	}
	p = withDefaults(mendTime(whole(p), "start", "end", "created"), need)
	switch typ {
	case "reasoning":
		p = withDefaults(p, object(js.RawField("time", span{at, at}.times())))
	case "tool":
		p = p.With("state", mendState(p.Get("state"), at))
	}
	return p, true
}

// mendState returns the state of a tool as opencode has to have it.
func mendState(state js.Value, at int64) js.Value {
	state = mendTime(whole(state), "start", "end", "compacted")
	if input := state.Get("input"); !input.IsObject() {
		state = state.With("input", object(js.RawField("input", input)))
	}
	start := withDefaults(state.Get("time"), object(js.IntField("start", max(at, 0))))
	times := withDefaults(start, object(js.RawField("end", start.Get("start"))))
	switch state.Get("status").Str() {
	case "pending":
		return withDefaults(state, `{"raw":""}`)
	case "running":
		return state.With("time", start)
	case "completed":
		if raw := state.Get("output"); !raw.IsString() {
			state = state.With("output", quote(string(raw)))
		}
		return withDefaults(state, `{"title":"","metadata":{}}`).With("time", times)
	}
	return withDefaults(state.With("status", `"error"`), object(js.StringField("error", parts.Interruption))).With("time", times)
}
