package opencode

import (
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

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
