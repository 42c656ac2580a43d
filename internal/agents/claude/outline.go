package claude

import (
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// An outline is what of a line says where it stands in the tree, and which reply it is of: found in one pass over the line, where
// the index looks at each. The values are parts of the line.
type outline struct {
	pick *js.Pick

	typ, uuid, parent, logical, timestamp, request, sidechain, message js.Value
	id, usage, stop, content                                           js.Value // of the message
}

func newOutline() *outline {
	o := &outline{}
	o.pick = js.NewPick([]js.Want{
		{Name: "type", Into: &o.typ},
		{Name: "uuid", Into: &o.uuid},
		{Name: "parentUuid", Into: &o.parent},
		{Name: "logicalParentUuid", Into: &o.logical},
		{Name: "timestamp", Into: &o.timestamp},
		{Name: "requestId", Into: &o.request},
		{Name: "isSidechain", Into: &o.sidechain},
		{Name: "message", Into: &o.message},
	}, "message", []js.Want{
		{Name: "id", Into: &o.id},
		{Name: "usage", Into: &o.usage},
		{Name: "stop_reason", Into: &o.stop},
		{Name: "content", Into: &o.content},
	})
	return o
}

// isFinal reports whether a line of a reply says that the reply ends with it: its stop reason is final, and its last block a text.
func (o *outline) isFinal() bool {
	switch o.stop.Str() {
	case "", "tool_use", "pause_turn":
		return false
	}
	last := ""
	for b := range o.content.Elements() {
		last = b.Get("type").Str()
	}
	return last == session.BlockText
}

// replyID returns what the lines of one reply have in common, "" for a line that does not say. Gateways hand on ids that are
// short numbers, and the API gave one id to several replies: so the request, or what was counted before the first
// word, belongs to it. All lines of a reply have the same of both.
func (o *outline) replyID() string {
	id := o.id.Str()
	if id == "" {
		return ""
	}
	if request := o.request.Str(); request != "" {
		return id + "\x00" + request
	}
	return strings.Join([]string{
		id, string(o.usage.Get("input_tokens")), string(o.usage.Get("cache_read_input_tokens")), string(o.usage.Get("cache_creation_input_tokens")),
	}, "\x00")
}
