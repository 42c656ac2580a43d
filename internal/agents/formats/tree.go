package formats

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/agent"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// A Tree places the entries of a session by the names that their source uses. It knows the ends of
// tracks, the entries that values became, the calls that were made and answered, and the usage
// counted so far. A source is a row of values: [Tree.Value] begins one, and entries that are added
// until the next stand at its place.
type Tree struct {
	b      *Builder
	losses Tally

	spots  map[string]*spot  // what values and entries became, by their names
	tracks map[string]string // the last entry of each track
	calls  map[string]*call
	count  Count               // of what entries used
	above  map[string]string   // the nearest named entry, at or above each entry
	same   map[string][]saying // what entries with names of their own say, by the one above and the name
	torn   bool                // a parent that is not known has been told
	tips   map[string]*spot    // what a value became that stands at the end of each track, of those that name their parents
	system map[string]prompt   // the system prompt in force at each entry, of those that are told anew

	zero []string // see [agent.Agent.Zero]

	value   Step
	at      string // the entry that the next one stands behind, "" for none
	track   string // of that entry
	last    string // the track of the entry added last
	entries int    // of the value
	kept    bool   // the value is kept
}

// A Step is a value of a source.
type Step struct {
	ID     string // what the source calls it, "" for nothing
	Parent string // the name of the value it follows; "" is the last of its track
	Root   bool   // it follows none
	Tree   bool   // values of the source name their parents, so a name that comes again goes on from there, and one without a name is passed by none
	Track  string // the branch it is on, "" for the main one
	Time   int64  // when it was made, in milliseconds since the epoch; 0 if it does not say
	Number int    // which value it is
	Where  string // as [Loss.Where] has it
	Kind   string // the kind under which it is kept
	Text   string // its JSON text, "" for none
}

// A spot is what a name became: entries from first to last, or none, and the entry in front.
type spot struct{ before, first, last string }

// A saying is an entry and a digest of its words.
type saying struct {
	entry string
	sum   [sha256.Size]byte
}

// A prompt is a system prompt: the entry that has it, and a digest of its text.
type prompt struct {
	entry string
	sum   [sha256.Size]byte
}

type call struct {
	tool     string
	answered bool
}

// An Entry is what a value becomes, or one of several.
type Entry struct {
	Type    string
	Message session.Message // of an entry of the type message
	Fields  []js.Field      // of any other; a firstKeptEntryId and a targetId are names

	ID     string // the entry's id and its name, "" for those of the value, which its first entry has
	As     string // a name without being the id, "" for none
	Parent string // the name of the entry it stands behind, "" for the value's place
	Root   bool   // it stands behind none
	Time   int64  // in milliseconds since the epoch; 0 is that of the value
	Track  string // "" is that of the value

	// Again says that a message with an ID may be there: if that stands behind the same message with
	// the same texts and calls, the place moves there and nothing is added. Else it is added, without usage. Of a system message it says
	// that it is all of the system prompt, told anew: if that says the same where it stands nothing is added, else it takes the place of the other.
	Again bool
}

// Tree returns a tree that adds to the session of b, which has its header. Zero are the tools of [agent.Agent.Zero].
func (b *Builder) Tree(zero []string) *Tree {
	return &Tree{
		b: b, zero: zero, spots: map[string]*spot{}, tracks: map[string]string{}, calls: map[string]*call{}, above: map[string]string{},
		same: map[string][]saying{}, system: map[string]prompt{}, tips: map[string]*spot{},
	}
}

// Value begins a value. Its entries stand at the end of its track, or behind its parent.
func (t *Tree) Value(v Step) {
	t.value, t.entries, t.kept = v, 0, false
	t.enter(v.Track)
	known, again := t.spots[v.ID]
	parent, ok := t.spots[v.Parent]
	switch {
	case again && v.ID != "" && v.Tree:
		t.at = known.last
		return
	case v.Root:
		t.at = ""
	case v.Parent != "" && ok:
		t.at = parent.last
	case v.Parent != "" && !t.torn:
		t.torn = true
		t.losses.Add(v.Where, KindTree, NoParent+"source: it stands behind the value before it")
	}
	if v.ID != "" && !again {
		s := &spot{before: t.at, last: t.at}
		t.spots[strings.Clone(v.ID)] = s // the name is a part of a line, which may be large
		if v.Tree {
			t.tips[t.track] = s
		}
	}
}

// enter goes to the end of a track. A new one begins at the end of the main one.
func (t *Tree) enter(track string) {
	end, ok := t.tracks[track]
	if !ok {
		track, end = strings.Clone(track), t.tracks[""]
		t.tracks[track] = end
	}
	t.at, t.track = end, track
}

// Add adds an entry at the place of the value. One that is refused is told as damage, and the
// value is kept in its stead.
func (t *Tree) Add(e Entry) error {
	if e.Track != "" && e.Track != t.track {
		t.enter(e.Track)
	}
	if s, ok := t.spots[e.Parent]; e.Root || e.Parent != "" && ok {
		t.at = ""
		if !e.Root {
			t.at = s.last
		}
	}
	told, edited := prompt{}, ""
	if e.Again && e.Type == session.TypeMessage && e.Message.Role() == session.RoleSystem {
		told.sum = digest(e.Message.Text("\x00"))
		before, ok := t.system[t.at]
		if ok && before.sum == told.sum {
			return nil
		}
		edited, e.Again = before.entry, false
	}
	key, sum := t.at, [sha256.Size]byte{}
	if e.ID != "" {
		key, sum = t.above[t.at]+"\x00"+e.ID, sumOfEntry(e)
		for _, s := range t.same[key] {
			if e.Again && s.sum == sum {
				t.at, t.last, t.tracks[t.track] = s.entry, t.track, s.entry
				return nil
			}
		}
	}
	if before := t.spots[e.ID]; e.Again && e.Type == session.TypeMessage && before != nil && before.first != "" {
		e.Message = session.NewMessage(string(js.Value(e.Message.Raw()).Without("usage")))
	}
	id, err := t.add(e)
	switch {
	case t.b.err != nil:
		return t.b.err
	case err != nil:
		return t.Fail("an entry is refused: %v", err)
	}
	t.follow(id, e.Type)
	if told.sum != (prompt{}).sum {
		told.entry = id
		t.system[id] = told
	}
	if e.ID != "" {
		t.above[id], t.same[key] = id, append(t.same[key], saying{id, sum})
	}
	t.stand(id, cmp.Or(e.ID, e.As), e.ID == "")
	if edited != "" {
		id, err = t.b.Add(t.place("", e.Time), session.TypeContextEdit, js.StringField("targetId", edited), js.RawField("replacement", "null"))
		if err != nil {
			return err
		}
		t.follow(id, session.TypeContextEdit)
		t.stand(id, "", true)
	}
	return nil
}

// follow hands on to an entry the named entry above it and, unless it takes that out of the context, the system prompt in force.
func (t *Tree) follow(id, typ string) {
	t.above[id] = t.above[t.at]
	if p, ok := t.system[t.at]; ok && typ != session.TypeCompaction && typ != session.TypeResetBoundary { // which take it out of the context
		t.system[id] = p
	}
}

// sumOfEntry returns a digest of what an entry says: its texts and calls.
func sumOfEntry(e Entry) [sha256.Size]byte {
	parts := []string{e.Type, e.Message.Role(), e.Message.Text("\x00"), e.Message.Str("toolCallId")}
	for _, c := range e.Message.ToolCalls() {
		parts = append(parts, c.ID, c.Name, c.Arguments)
	}
	for _, f := range e.Fields {
		parts = append(parts, f.Name, f.Raw)
	}
	return digest(parts...)
}

// stand makes an entry that was added the place of the next one, and gives it its names: that of the value
// as well, if it is what that became.
func (t *Tree) stand(id, name string, became bool) {
	if name != "" {
		t.spots[strings.Clone(name)] = &spot{before: t.at, first: id, last: id}
	}
	if s := t.spots[t.value.ID]; became && s != nil && t.value.ID != "" && name != t.value.ID {
		if s.first == "" {
			s.before, s.first = t.at, id
		}
		s.last = id
	}
	if s := t.tips[t.track]; s != nil && t.value.ID == "" && s.last == t.at { // what names the value before stands behind this one as well
		s.last = id
	}
	t.entries++
	t.at, t.last, t.tracks[t.track] = id, t.track, id
}

// place returns where the next entry stands.
func (t *Tree) place(id string, ms int64) Place {
	p := Place{ID: id, Parent: t.at, Root: t.at == "", Time: cmp.Or(ms, t.value.Time)}
	if id == "" && t.entries == 0 {
		p.ID = t.value.ID
	}
	p.Key = "value " + strconv.Itoa(t.value.Number) + " " + strconv.Itoa(t.entries)
	return p
}

// types are those that entries have.
var types = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for _, typ := range session.Types() {
		known[typ] = true
	}
	return known
})

func (t *Tree) add(e Entry) (id string, err error) {
	p := t.place(e.ID, e.Time)
	if !types()[e.Type] {
		return "", fmt.Errorf("no entry has the type %q", e.Type)
	}
	switch e.Type {
	case session.TypeMessage:
		return t.message(p, e.Message)
	case session.TypeCompaction:
		return t.compaction(p, e.Fields)
	}
	usage, kind, model := js.Value(""), "", ""
	for i, f := range e.Fields {
		switch v := js.Value(f.Raw); f.Name {
		case "usage":
			usage = v
		case "kind":
			kind = v.Str()
		case "model":
			model = v.Str()
		case "targetId":
			if s, ok := t.spots[v.Str()]; ok {
				e.Fields[i] = js.StringField("targetId", s.last)
			}
		}
	}
	if e.Type != session.TypeUsage {
		return t.b.Add(p, e.Type, e.Fields...)
	}
	full, err := usageOf(usage, kind != usageRest)
	if err != nil {
		return "", err
	}
	for i := range e.Fields {
		if e.Fields[i].Name == "usage" {
			e.Fields[i].Raw = full
		}
	}
	if id, err = t.b.Add(p, e.Type, e.Fields...); err == nil && kind != usageCompaction && kind != usageRest {
		t.count.Add(js.Value(full), model)
	}
	return id, err
}

// The kinds of usage entries that a tree tells apart from others.
const (
	usageCompaction = "compaction" // what a summary cost: a source counts it apart
	usageRest       = "rest"       // what a source counts in all and says of no reply: it is counted already
)

// message adds a message. A result has the name of its call, and of a tool that has the name of another agent's it says that what the
// command ended with is not known, unless the source tells it.
func (t *Tree) message(p Place, m session.Message) (id string, err error) {
	if what := m.Foreign(); what != "" {
		return "", errors.New(what)
	}
	answers := m.Str("toolCallId")
	if m.Role() == session.RoleToolResult && m.Str("toolName") == "" {
		tool := "unknown"
		if c := t.calls[answers]; c != nil {
			tool = cmp.Or(c.tool, tool)
		}
		m = session.NewMessage(string(js.Value(m.Raw()).With("toolName", js.Value(js.Quote(tool)))))
	}
	if tool := m.Str("toolName"); m.Role() == session.RoleToolResult && agent.EndsWithZero(tool) && !slices.Contains(t.zero, tool) {
		details := js.Value(m.Get("details"))
		if (details == "" || details == "null" || details.IsObject()) && details.Get("exitCode") == "" && details.Get("exit") == "" {
			m = session.NewMessage(string(js.Value(m.Raw()).With("details", details.With("exitCode", "null"))))
		}
	}
	if usage := js.Value(m.Get("usage")); usage.Get(reported) != "" {
		full, err := usageOf(usage, true)
		if err != nil {
			return "", err
		}
		m = session.NewMessage(string(js.Value(m.Raw()).With("usage", js.Value(full))))
	}
	if id, err = t.b.Message(p, m); err != nil {
		return "", err
	}
	switch m.Role() {
	case session.RoleToolResult:
		if c := t.calls[answers]; c != nil {
			c.answered = true
		} else {
			t.losses.Add(t.value.Where, KindTool, "a result that answers no call")
		}
	case session.RoleAssistant:
		for _, c := range m.ToolCalls() {
			t.calls[strings.Clone(c.ID)] = &call{tool: strings.Clone(c.Name)}
		}
		t.count.Add(js.Value(m.Get("usage")), m.Str("model"))
	}
	return id, nil
}

// reported is the member of a usage with the usage as the source has it, from which comes what decides its price.
const reported = "reported"

// usageOf returns a usage with all counters, and what a source reports of its price: of all that a call used also the total.
func usageOf(v js.Value, all bool) (string, error) {
	if usage := v.Get(reported); usage != "" {
		v = v.Without(reported).Add(metering.PriceFields(usage)...)
		if total := metering.OwnTotal(usage); all && total > 0 && v.Get("totalTokens") == "" {
			n := spentIn(v).tokens
			output := metering.Output(total, n[0]+n[2]+n[3], n[1], n[4])
			v = v.With("output", js.Value(api.Int(output))).Add(js.IntField("totalTokens", total))
		}
	}
	return metering.CompleteUsage(string(v))
}

func (t *Tree) compaction(p Place, fields []js.Field) (string, error) {
	summary, first, before := "", "", int64(0)
	more := fields[:0:0]
	for _, f := range fields {
		switch v := js.Value(f.Raw); f.Name {
		case "summary":
			summary = v.Str()
		case "tokensBefore":
			before = api.Tokens(v)
		case "firstKeptEntryId":
			if s := t.spots[v.Str()]; s != nil {
				first = s.first
			}
		case "usage":
			full, err := usageOf(v, true)
			if err != nil {
				return "", err
			}
			more = append(more, js.RawField("usage", full))
		default:
			more = append(more, f)
		}
	}
	return t.b.Compaction(p, summary, first, before, more...)
}

// Run begins a run of the source's program. What was said before it is not in a total that counts the run alone, even if the
// run before was killed and told none.
func (t *Tree) Run() { t.count.Run() }

// Total adds usage entries for what the source counts in all, by the model, and no entry says. A source counts its
// compactions apart, so they are not among it.
func (t *Tree) Total(usage map[string]js.Value, provider string) error {
	lose := func(kind, format string, args ...any) { t.losses.Add(t.value.Where, kind, format, args...) }
	for _, fields := range t.count.Rest(usage, Of(provider), lose) {
		if err := t.Add(Entry{Type: session.TypeUsage, Fields: fields}); err != nil {
			return err
		}
	}
	return nil
}

// Keep keeps the value in a custom entry, byte for byte, which is called name if that is not "".
// A value is kept once.
func (t *Tree) Keep(name string) error {
	if t.kept || t.value.Text == "" {
		return nil
	}
	id, err := t.b.Custom(t.place("", 0), cmp.Or(t.value.Kind, "value"), t.value.Text)
	if err != nil {
		return err
	}
	t.kept = true
	t.follow(id, session.TypeCustom)
	t.stand(id, name, true)
	return nil
}

// Fail keeps the value as it is, and tells why it became no entry of the usual kind.
func (t *Tree) Fail(format string, args ...any) error {
	t.losses.Add(t.value.Where, KindDamage, format, args...)
	return t.Keep("")
}

// Unknown keeps a value of a kind that is not known, and tells of it once for each kind.
func (t *Tree) Unknown() error {
	t.losses.Add(t.value.Where, KindEntry, "a value of the unknown kind %.60q, kept aside", t.value.Kind)
	return t.Keep("")
}

// Lose tells of a loss at the value. Those that are alike are told as one.
func (t *Tree) Lose(kind, format string, args ...any) {
	t.losses.Add(t.value.Where, kind, format, args...)
}

// Leaf makes the end of what a name became the place of the next entry.
func (t *Tree) Leaf(name string) {
	if s, ok := t.spot(name); ok {
		t.at, t.tracks[t.track] = s.last, s.last
	}
}

// Before makes the place in front of what a name became the place of the next entry.
func (t *Tree) Before(name string) {
	if s, ok := t.spot(name); ok {
		t.at, t.tracks[t.track] = s.before, s.before
	}
}

// spot returns what a name became. That it is not known is told.
func (t *Tree) spot(name string) (*spot, bool) {
	s, ok := t.spots[name]
	if !ok {
		t.Lose(KindTree, "it goes back to what is not in the source: it stands where it is")
	}
	return s, ok
}

// Known says what a name is: of a value or an entry, of a call, of a call that was answered.
func (t *Tree) Known(name string) (node, called, answered bool) {
	_, node = t.spots[name]
	c := t.calls[name]
	return node, c != nil, c != nil && c.answered
}

// End ends the session. If the entry added last is not on the main track, a custom entry at the end
// of that is, so that it is the leaf. Then the losses are told.
func (t *Tree) End() (err error) {
	if end := t.tracks[""]; t.last != "" && end != "" && t.b.err == nil {
		_, err = t.b.Custom(Place{Key: "leaf", Parent: end}, "leaf", "{}")
	}
	t.Tell()
	return err
}

// Tell tells the losses, of which those that are alike are one.
func (t *Tree) Tell() { t.losses.Tell(t.b.Lost) }
