package claude

import (
	"strings"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A glance is what of a line says where it stands in the tree, and which reply it is of: found in one pass over the line, where
// the index looks at each. The values are parts of the line.
type glance struct {
	pick *js.Pick

	typ, uuid, parent, logical, timestamp, request, sidechain, message js.Value
	id, usage, stop, content                                           js.Value // of the message
}

func newGlance() *glance {
	g := &glance{}
	g.pick = js.NewPick([]js.Want{
		{Name: "type", Into: &g.typ},
		{Name: "uuid", Into: &g.uuid},
		{Name: "parentUuid", Into: &g.parent},
		{Name: "logicalParentUuid", Into: &g.logical},
		{Name: "timestamp", Into: &g.timestamp},
		{Name: "requestId", Into: &g.request},
		{Name: "isSidechain", Into: &g.sidechain},
		{Name: "message", Into: &g.message},
	}, "message", []js.Want{
		{Name: "id", Into: &g.id},
		{Name: "usage", Into: &g.usage},
		{Name: "stop_reason", Into: &g.stop},
		{Name: "content", Into: &g.content},
	})
	return g
}

// at looks at a line that is a JSON object.
func (g *glance) at(text string) { g.pick.Walk(unsafe.Slice(unsafe.StringData(text), len(text))) }

// isMessage is [line.isMessage].
func (g *glance) isMessage() bool {
	return g.uuid.Str() != "" && (g.typ.Str() == "user" || g.typ.Str() == "assistant") && g.message.IsObject()
}

// isFinal reports whether a line of a reply says that the reply ends with it: its stop reason is final, and its last block a text.
func (g *glance) isFinal() bool {
	switch g.stop.Str() {
	case "", "tool_use", "pause_turn":
		return false
	}
	last := ""
	for b := range g.content.Elements() {
		last = b.Get("type").Str()
	}
	return last == session.BlockText
}

// replyID returns what the lines of one reply have in common, "" for a line that does not say. Gateways hand on ids that are
// short numbers, and the API gave one id to several replies: so the request, or what was counted before the first
// word, belongs to it. All lines of a reply have the same of both.
func (g *glance) replyID() string {
	id := g.id.Str()
	if id == "" {
		return ""
	}
	if request := g.request.Str(); request != "" {
		return id + "\x00" + request
	}
	return strings.Join([]string{
		id, string(g.usage.Get("input_tokens")), string(g.usage.Get("cache_read_input_tokens")), string(g.usage.Get("cache_creation_input_tokens")),
	}, "\x00")
}
