package usage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// Options say how a session is read.
type Options struct {
	Agent    string // whose session it is, "" for ours
	Strict   bool   // every line is looked at, so that all damage is found
	Branches bool   // find out which calls are on the path to the leaf
}

// A Damage is a line that may have had a call and cannot be read.
type Damage struct {
	Line int // counted from 1
	Err  error
	Torn bool // it is the last one, and has no line feed
}

// ErrDamaged is matched by the error of a [Damage].
var ErrDamaged = errors.New("damaged line")

// A Content is what Read finds in a session.
type Content struct {
	Header session.Header
	Calls  []Call   // in the order of their lines
	Damage []Damage // the first of it

	Damaged int // lines, those of Damage among them
}

// mostDamage is how many damaged lines of a session are described.
const mostDamage = 10

// Read reads the calls of a session. Its errors are those of [session.ReadHeader], and of
// r; what came before an error of r is returned.
//
// A line without the bytes "usage", in quotation marks, is no call and is not decoded, unless it
// has the escape of a character below U+0100: in JSON, those letters cannot be spelled otherwise.
// Such a line is looked at for damage if o asks for it, and if it is the last one and has no line
// feed. Unless o asks for it, strings and numbers of the others are not checked.
func Read(r io.Reader, o Options) (Content, error) {
	rd := reader{Options: o, interned: map[string]string{}}
	rd.pick = js.NewPick(append(rd.fields.wants(), js.Want{Name: "message", Into: &rd.said}), "message", rd.message.wants())
	if o.Branches {
		rd.tree, rd.leaf = session.NewSkeleton(0), -1
	}
	for b, err := range jsonl.Blocks(r) {
		if err != nil {
			return rd.Content, err
		}
		if rd.lines == 0 {
			if rd.Header, err = header(b.Data); err != nil {
				return rd.Content, err
			}
			rd.begun, _ = js.ParseTime(rd.Header.Timestamp)
		}
		for l := range b.Lines() {
			rd.line(l)
		}
		b.Free()
	}
	if rd.lines == 0 {
		_, err := session.ReadHeader(r) // which says that there is nothing
		return rd.Content, err
	}
	rd.finish()
	return rd.Content, nil
}

// header reads the header in front of a session: the first line of nearly all, which takes
// no reader to find.
func header(data []byte) (session.Header, error) {
	first, _, _ := bytes.Cut(data, []byte{'\n'})
	if h, err := session.HeaderOf(first); err == nil && (h.Origin().Harness != "" || !bytes.Contains(data, []byte(`"`+session.MemberKept+`"`))) {
		return h, nil
	}
	return session.ReadOrigin(bytes.NewReader(data))
}

// A reader is the state of reading one session.
type reader struct {
	Options
	Content
	begun int64 // when the session was
	lines int

	provider, model string // of the reply before
	interned        map[string]string

	pick    *js.Pick
	fields  fields   // of the line, which is borrowed
	message fields   // of its message
	said    js.Value // the message

	unpaid int // the first call of the run of an agent whose cost stands behind it, if anywhere

	tree *session.Skeleton
	leaf int   // the last entry with an id, -1 if there is none
	at   []int // the entries of the calls
}

// fields are the members of an entry, or of its message, that tell a call.
type fields struct {
	typ, id, parent, timestamp, provider, model, usage, kind, purpose, stop, role, response, content, tier, details, custom, answered, thread js.Value
}

func (f *fields) wants() []js.Want {
	return []js.Want{
		{Name: "type", Into: &f.typ},
		{Name: "id", Into: &f.id},
		{Name: "parentId", Into: &f.parent},
		{Name: "timestamp", Into: &f.timestamp},
		{Name: "provider", Into: &f.provider},
		{Name: "model", Into: &f.model},
		{Name: "usage", Into: &f.usage},
		{Name: "kind", Into: &f.kind},
		{Name: "purpose", Into: &f.purpose},
		{Name: "stopReason", Into: &f.stop},
		{Name: "role", Into: &f.role},
		{Name: "responseId", Into: &f.response},
		{Name: "content", Into: &f.content},
		{Name: "serviceTier", Into: &f.tier},
		{Name: "details", Into: &f.details},
		{Name: "customType", Into: &f.custom},
		{Name: "responseModel", Into: &f.answered},
		{Name: session.MemberThread, Into: &f.thread},
	}
}

var (
	usageKey = []byte(`"usage"`)
	escape   = []byte(`\u00`)
	runKey   = []byte(`"` + session.CustomRun + `"`)
	movedKey = []byte(typed.MovedHere)
)

// mostRun is more bytes than the line has that begins the run of an agent.
const mostRun = 1 << 10

// line reads a line.
func (rd *reader) line(l jsonl.Line) {
	rd.lines++
	data := l.Data
	if rd.lines == 1 {
		data = bytes.TrimPrefix(data, []byte(jsonl.ByteOrderMark))
	}
	if bytes.Contains(data, movedKey) {
		rd.handedOver(data)
	}
	calls := bytes.Contains(data, usageKey) || bytes.Contains(data, escape) || len(data) < mostRun && bytes.Contains(data, runKey)
	if !calls && !rd.Strict && !rd.Branches && !l.Torn {
		return
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	if (rd.Strict || l.Torn || !rd.pick.Walk(data)) && !rd.pick.Valid(data) {
		rd.damaged("is no JSON", l.Torn)
		return
	}
	if rd.fields.typ == "" && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		rd.damaged("is no JSON object", l.Torn)
		return
	}
	rd.entry()
}

// handedOver leaves out the replies in front of the note of a hand-off: those that it carried are of another session, which has their
// calls. It carries no usage, so a call with one is none of them.
func (rd *reader) handedOver(data []byte) {
	e, err := session.ParseEntry(string(data))
	if err != nil {
		return
	}
	if _, ok := typed.Moved(e); !ok {
		return
	}
	kept := 0
	for i := range rd.Calls {
		if rd.Calls[i].Silent() {
			continue
		}
		if rd.Calls[kept] = rd.Calls[i]; rd.tree != nil {
			rd.at[kept] = rd.at[i]
		}
		kept++
	}
	rd.Calls, rd.unpaid = rd.Calls[:kept], min(rd.unpaid, kept)
	if rd.tree != nil {
		rd.at = rd.at[:kept]
	}
}

// damaged takes note of a line that cannot be read.
func (rd *reader) damaged(what string, torn bool) {
	if rd.Damaged++; rd.Damaged > mostDamage {
		return
	}
	rd.Damage = append(rd.Damage, Damage{Line: rd.lines, Err: fmt.Errorf("%w: it %s, so what it says was not counted", ErrDamaged, what), Torn: torn})
}

// intern returns the text of a string; of equal strings one text is kept.
func (rd *reader) intern(v js.Value) string {
	if !v.IsString() {
		return ""
	}
	if s, ok := rd.interned[string(v)]; ok {
		return s
	}
	s := text(v)
	rd.interned[strings.Clone(string(v))] = s
	return s
}

// text returns the text of a string that is not likely to come again.
func text(v js.Value) string { return strings.Clone(v.Str()) }

// entry takes the call that an entry is, if it is one.
func (rd *reader) entry() {
	f := &rd.fields
	typ := rd.intern(f.typ)
	if typ == session.TypeSession || typ == session.TypeTitle { // which are no entries
		return
	}
	if rd.tree != nil {
		id := f.id.Str()
		if rd.tree.Add([]byte(id), []byte(f.parent.Str())); id != "" {
			rd.leaf = rd.tree.Len() - 1
		}
	}
	c := Call{Purpose: Side}
	from := f
	switch typ {
	case session.TypeMessage:
		if !rd.said.IsObject() {
			return
		}
		if from, c.Purpose = &rd.message, Reply; rd.intern(rd.message.role) == session.RoleToolResult {
			c.Purpose = Tool
		}
	case session.TypeCompaction:
		c.Purpose = Compaction
	case session.TypeBranchSummary:
		c.Purpose = BranchSummary
	case session.TypeCustom:
		if f.custom.Str() == session.CustomRun {
			rd.unpaid = len(rd.Calls)
		}
		return
	default:
		if !session.MayCall(typ) {
			return
		}
		if kind := rd.intern(f.kind) + rd.intern(f.purpose); kind != "" {
			c.Purpose += ":" + kind
		}
	}
	if !from.usage.IsObject() {
		return
	}
	c.ID, c.Stop, c.response, c.thread = text(f.id), rd.intern(from.stop), text(from.response), rd.intern(from.thread)
	c.Provider, c.Model = rd.intern(from.provider), rd.intern(from.model)
	if model := rd.intern(from.answered); model != "" { // what was asked for may be an alias
		c.Model = model
	}
	if from.tier != "" {
		c.Price.Add("serviceTier", from.tier)
	}
	if c.usage(string(from.usage)); c.Purpose == Tool {
		c.agents = agentRuns(from.details)
	}
	rd.date(&c, f, from)
	rd.emit(c, from)
}

// agentRuns returns the agents that the result of a call sums up, if the details name their sessions, as those of the extension pi-subagents
// do.
func agentRuns(details js.Value) (list []agentRun) {
	for r := range details.Get("results").Elements() {
		file := r.Get("sessionFile").Str()
		if file == "" {
			continue
		}
		var used Call
		used.usage(string(r.Get("usage")))
		list = append(list, agentRun{strings.Clone(file), used.Tokens, used.Stored})
	}
	return list
}

// date finds out when a call was made: what the entry says, else its message, else the
// header.
func (rd *reader) date(c *Call, f, from *fields) {
	if c.Time, c.Timed = js.ParseTime(f.timestamp.Str()); c.Timed {
		return
	}
	if v := from.timestamp; v.IsNumber() && v.Int() > 0 {
		c.Time, c.Timed = v.Int(), true
		return
	}
	c.Time = rd.begun
}

// emit adds a call, unless it is none.
func (rd *reader) emit(c Call, from *fields) {
	switch {
	case c.Model != "":
		rd.provider, rd.model = c.Provider, c.Model
	case c.Purpose == Compaction || c.Purpose == BranchSummary: // by the model in use
		c.Provider, c.Model = rd.provider, rd.model
	}
	if c.unanswered() {
		return
	}
	if byPayload(rd.Agent) {
		b := append(append([]byte(from.content), 0), c.Model...)
		c.payload = max(1, hashed(c.appendUsage(b))[0])
	}
	c.line = rd.lines
	rd.Calls = append(rd.Calls, c)
	// The cost is that of a run, of a turn of a run, or of a model in all, and pays for the replies in front of this call, which
	// have none.
	result := from.details.Get("usageFrom").Str() == "result"
	if c.Stored != 0 && (result || c.Purpose == Rest) {
		for i := range rd.Calls[rd.unpaid:] {
			of := &rd.Calls[rd.unpaid+i]
			if of.Stored == 0 && of.Purpose != Compaction && of.Purpose != BranchSummary && (result || of.Model == c.Model) {
				of.Billed = true
			}
		}
	}
	if c.Stored != 0 && result {
		rd.unpaid = len(rd.Calls)
	}
	if rd.tree != nil {
		rd.at = append(rd.at, rd.tree.Len()-1)
	}
}

// finish leaves out further parts of replies, and finds out which calls are on the path to the leaf. In a
// session without ids, all are.
func (rd *reader) finish() {
	rd.once()
	rd.untold()
	if rd.tree == nil || rd.leaf < 0 {
		return
	}
	on := make([]bool, rd.tree.Len())
	path, _ := rd.tree.Path(rd.leaf)
	for _, s := range path {
		for n := s.First; n <= s.Last; n++ {
			on[n] = true
		}
	}
	for i, at := range rd.at {
		rd.Calls[i].Abandoned = !on[at]
	}
}

// untold finds the replies of Copilot whose input is not told: a reply has its output alone, and the rest of
// a run comes when the run is shut down, which one that was killed, or goes on, has not been.
func (rd *reader) untold() {
	told := map[string]bool{} // the models with a rest behind
	for i := len(rd.Calls) - 1; i >= 0; i-- {
		c := &rd.Calls[i]
		told[c.Model] = told[c.Model] || c.Purpose == Rest
		if c.Provider == "github-copilot" && c.Tokens.Output > 0 && c.Tokens.Output == c.Tokens.Total() && !told[c.Model] {
			c.Price.Add("inputTokens", `"not told"`)
		}
	}
}

// once leaves one call for each reply: of the entries that a reply was split into, the one with its usage.
func (rd *reader) once() {
	counted := map[[2]string]bool{} // the replies with a usage, by id and model
	for i := range rd.Calls {
		if c := &rd.Calls[i]; c.response != "" && !c.empty() {
			counted[[2]string{c.request(), c.Model}] = true
		}
	}
	var replies session.Replies
	kept := 0
	for i := range rd.Calls {
		c, t := &rd.Calls[i], rd.Calls[i].Tokens
		if c.empty() && counted[[2]string{c.request(), c.Model}] || replies.Again(c.request(), c.Model, t.Input, t.Output, t.CacheRead, t.CacheWrite) {
			continue
		}
		if rd.Calls[kept] = *c; rd.tree != nil {
			rd.at[kept] = rd.at[i]
		}
		kept++
	}
	rd.Calls = rd.Calls[:kept]
	if rd.tree != nil {
		rd.at = rd.at[:kept]
	}
}
