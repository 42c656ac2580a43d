package stream

import (
	"cmp"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
)

// isResponses reports whether a value is a response of OpenAI's Responses API, or the first
// event of one.
func isResponses(v js.Dict) bool {
	switch v.Get("type").Str() {
	case "response.created", "response.queued", "response.in_progress":
		return v.Get("response").IsObject()
	}
	return api.IsResponse(v.Value)
}

// A responsesReader puts the events of a response together.
type responsesReader struct {
	rec      *recorder
	response js.Value // as the last event had it that has it
	items    []*responseItem
	keys     map[string]*responseItem
	pieces   pieces
	failure  string
	finished bool
}

// A responseItem is an item of the output as far as it came.
type responseItem struct {
	raw   js.Value
	done  bool // raw is the whole
	parts []*responsePart
	at    map[partKey]*responsePart
}

// A responsePart is a text of an item that comes in deltas.
type responsePart struct {
	of delta
	*piece
}

type partKey struct {
	of    delta
	index int64
}

// A delta says what the pieces of a kind are of: of an item of a type, there of a member, or
// of an element of the type part in the list of that name.
type delta struct{ item, list, part, member, at string }

var deltas = map[string]delta{
	"response.output_text.delta":             {"message", "content", "output_text", "text", "content_index"},
	"response.refusal.delta":                 {"message", "content", "refusal", "refusal", "content_index"},
	"response.reasoning_text.delta":          {"reasoning", "content", "reasoning_text", "text", "content_index"},
	"response.reasoning_summary_text.delta":  {"reasoning", "summary", "summary_text", "text", "summary_index"},
	"response.function_call_arguments.delta": {item: "function_call", member: "arguments"},
	"response.custom_tool_call_input.delta":  {item: "custom_tool_call", member: "input"},
}

func (r *responsesReader) value(v js.Dict, _ string) verdict {
	typ := v.Get("type").Str()
	switch {
	case r.response != "" && isResponses(v) && r.another(v):
		return other
	case api.IsResponse(v.Value):
		r.response, r.finished = v.Value, true
		return over
	case typ == "error" || v.Get("error") != "":
		if r.response == "" && len(r.items) == 0 {
			r.rec.refuse(v.Value)
			return over
		}
		r.failure = cmp.Or(v.Get("message").Str(), errorText(v.Value))
		return over
	case v.Value == done:
		return over
	case v.Get("response").IsObject():
		if r.whole(strings.TrimPrefix(typ, "response."), v.Get("response")) {
			return over
		}
	case typ == "response.output_item.added", typ == "response.output_item.done":
		if item := r.item(v); r.pieces.room(len(v.Value)) {
			item.raw, item.done = v.Get("item"), typ == "response.output_item.done"
		}
	case deltas[typ] != delta{}:
		r.delta(v, deltas[typ])
	case !strings.HasPrefix(typ, "response."):
		return other
	}
	return more
}

// another reports whether a value begins another response than this one.
func (r *responsesReader) another(v js.Dict) bool {
	return api.IsResponse(v.Value) || v.Get("response", "id").Str() != r.response.Get("id").Str()
}

// whole takes an event that has all of the response that there is.
func (r *responsesReader) whole(status string, response js.Value) (ended bool) {
	switch r.response = response; status {
	case "completed", "failed", "incomplete", "cancelled":
		r.finished = true
		if response.Get("status") == "" {
			r.response = response.With("status", js.Value(js.Quote(status)))
		}
		return true
	}
	return false
}

// item returns the item that an event is about.
func (r *responsesReader) item(v js.Dict) *responseItem {
	key := cmp.Or(string(v.Get("output_index")), v.Get("item_id").Str(), v.Get("item", "id").Str())
	if have := r.keys[key]; have != nil {
		return have
	}
	made := &responseItem{at: map[partKey]*responsePart{}}
	if r.pieces.room(len(key)) {
		r.items = append(r.items, made)
		r.keys[key] = made
	}
	return made
}

// delta takes a piece of a text.
func (r *responsesReader) delta(v js.Dict, of delta) {
	item, key := r.item(v), partKey{of: of}
	if item.raw == "" {
		item.raw = js.Value(js.Object(js.StringField("type", of.item)))
	}
	if of.at != "" {
		key.index = v.Get(of.at).Int()
	}
	part := item.at[key]
	if part == nil {
		if !r.pieces.room(0) {
			return
		}
		part = &responsePart{of, &piece{of: &r.pieces}}
		item.parts = append(item.parts, part)
		item.at[key] = part
	}
	part.write(v.Get("delta").Str())
	if v.Get("type").Str() == "response.output_text.delta" {
		r.rec.hear(v.Get("delta").Str())
	}
}

// value returns an item as far as it came.
func (i *responseItem) value() js.Value {
	if i.done {
		return i.raw
	}
	raw, lists := i.raw, map[string][]string{}
	for _, part := range i.parts {
		text := js.StringField(part.of.member, part.text.String())
		if part.of.list == "" {
			raw = raw.With(text.Name, js.Value(text.Raw))
			continue
		}
		lists[part.of.list] = append(lists[part.of.list], js.Object(js.StringField("type", part.of.part), text))
	}
	for _, name := range []string{"summary", "content"} {
		if len(lists[name]) > 0 {
			raw = raw.With(name, js.Value(api.Array(lists[name]...)))
		}
	}
	return raw
}

func (r *responsesReader) end() {
	if r.response == "" && len(r.items) == 0 {
		return
	}
	if r.response == "" {
		r.response = "{}"
	}
	if output := r.response.Get("output"); !r.finished || output == "" || output == "[]" {
		var items []js.Value // some servers leave them out at the end
		for _, item := range r.items {
			if v := item.value(); v != "" {
				items = append(items, v)
			}
		}
		r.response = r.response.With("output", js.Value(api.Array(items...)))
	}
	m := r.rec.mapping("openai", r.response.Get("id").Str(), endingOf(r.failure, r.finished))
	r.rec.respond(m.Response(r.response), seconds(r.response.Get("created_at")), r.pieces.size)
}
