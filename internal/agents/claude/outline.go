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
	attachment                                                         js.Value
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
		{Name: "attachment", Into: &o.attachment},
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

// A said is what a line of a reply says of which reply it is of.
type said struct {
	key   string // what the lines of one reply have in common; lines with one key are of one reply, "" says nothing
	short string // the id of a reply of which key has the counters as well; "" if the key does not change while the reply comes in
	stop  bool   // it says why the reply ended
	none  bool   // it counts no output: it is an estimate
}

// longID is how many characters an id has at least that is given once. Gateways hand on shorter ones, which come again.
const longID = 16

// said returns of which reply a line is. The API gave one id to several replies, so the request belongs to it. Where no request is
// named, as by gateways and other clouds, a long id is enough. A short one comes with what was counted before the first word, which a
// gateway may correct on the way, see [said.same].
func (o *outline) said() said {
	id := o.id.Str()
	s := said{stop: o.stop.Str() != "", none: o.usage.Get("output_tokens").Int() == 0}
	switch request := o.request.Str(); {
	case id == "":
	case request != "":
		s.key = id + "\x00" + request
	case len(id) >= longID:
		s.key = strings.Clone(id)
	default:
		s.short = strings.Clone(id)
		s.key = strings.Join([]string{
			id, string(o.usage.Get("input_tokens")), string(o.usage.Get("cache_read_input_tokens")), string(o.usage.Get("cache_creation_input_tokens")),
		}, "\x00")
	}
	return s
}

// same reports whether a line is of the reply of the one before it, which has its short id, though their counters differ: it hangs
// directly from that, or the reply was not over.
func (s said) same(before said, direct bool) bool {
	return s.short != "" && s.short == before.short && (direct || before.none || s.stop && !before.stop)
}
