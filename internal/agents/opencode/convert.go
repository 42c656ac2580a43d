package opencode

import (
	"cmp"
	"context"
	"sort"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// agent is the name of the format, which begins the types of its custom entries.
const agent = "opencode"

// Types of custom entries, behind "opencode:".
const (
	customSession = "session" // facts about the session
	customMessage = "message" // a message that became no entry
	customRevert  = "revert"  // {"revert":…,"leaf":id}: the last reverted entry
)

// A conversion is the reading of one session.
type conversion struct {
	b    *formats.Builder
	doc  document
	refs []ref

	summaryOf map[string]string // of messages that are in force as compactions
	tails     map[string]string // ids of messages that begin a tail to the entries that do
	waiting   *message          // a compaction whose summary is still to come
	pruned    []prune
	tokens    int64         // that the context had when it was last known
	count     formats.Count // of what its messages used
	differs   bool          // a message said that its total is less than that of its steps
	spender   [2]string     // provider and model that used something last
	model     string        // as the last entry says it
	child     bool          // another session started it, and speaks in the user's name
}

// A prune is a result that opencode took out of the context.
type prune struct {
	at   int64
	part string
	id   string // of the entry
}

// convert gives a session to b.
func convert(ctx context.Context, doc document, header session.HeaderFields, b *formats.Builder) error {
	c := &conversion{b: b, doc: doc, refs: doc.refs(), tails: map[string]string{}}
	grows := b.Growth != formats.Whole
	if grows {
		header.Title = "" // it may become another one, and stands beside the log
	}
	if err := b.Header(header); err != nil {
		return err
	}
	if b.Growth == formats.Closed {
		if err := c.close(ctx); err != nil || len(c.refs) == 0 {
			return err
		}
	}
	b.BeginKeeping()
	doc.damage(b.Lose)
	for _, r := range c.refs {
		if r.tail != "" {
			c.tails[r.tail] = ""
		}
	}
	about := doc.info()
	c.child = about.Get("parentID").Str() != ""
	if grows {
		about = begun(about)
	}
	if _, err := b.Custom(formats.Place{Key: "session"}, customSession, string(about)); err != nil {
		return err
	}
	if header.Title != "" {
		name := js.StringField("name", header.Title)
		if _, err := b.Add(formats.Place{Key: "title"}, session.TypeSessionInfo, name); err != nil {
			return err
		}
	}
	return c.messages(ctx, about)
}

// begun returns the facts about a session that stay as they are from its first message on.
func begun(about js.Value) js.Value {
	var fields []js.Field
	for _, name := range []string{"id", "slug", "projectID", "workspaceID", "directory", "path", "parentID", "version"} {
		if v := about.Get(name); v != "" {
			fields = append(fields, js.RawField(name, v))
		}
	}
	if created := about.Get("time", "created"); created != "" {
		fields = append(fields, js.RawField("time", js.Object(js.RawField("created", created))))
	}
	return object(fields...)
}

// close leaves out the last turn. Its messages are open: opencode adds parts to them, and sums up in the user's what has changed.
func (c *conversion) close(ctx context.Context) error {
	for n := len(c.refs) - 1; n >= 0; n-- {
		m, err := c.doc.message(ctx, c.refs[n])
		if err != nil {
			return err
		}
		if m.role() == "user" {
			c.refs = c.refs[:n]
			return nil
		}
	}
	c.refs = nil
	return nil
}

// messages gives all messages to b, and goes back to where the session stands if the last
// of them have been reverted.
func (c *conversion) messages(ctx context.Context, about js.Value) error {
	revert := about.Get("revert", "messageID").Str()
	from := len(c.refs)
	for i, r := range c.refs {
		if revert != "" && r.id == revert {
			from = i
		}
	}
	if err := c.readAll(ctx, c.refs[:from]); err != nil {
		return err
	}
	if from == len(c.refs) {
		return c.total(about)
	}
	stand := c.b.Leaf()
	if err := c.readAll(ctx, c.refs[from:]); err != nil {
		return err
	}
	if err := c.revert(ctx, about, stand, c.refs[from]); err != nil {
		return err
	}
	return c.total(about)
}

// uses counts the tokens and the cost of a message, or of a step of one, as they are: sums of them add up counters, whatever these
// mean.
func (c *conversion) uses(tokens, cost, info js.Value) {
	c.spender = [2]string{cmp.Or(info.Get("providerID").Str(), "unknown"), cmp.Or(info.Get("modelID").Str(), "unknown")}
	c.count.Add(asIs(tokens, cost), c.spender[1])
}

// asIs returns the usage for tokens of which nothing says whether those for reasoning are within the output.
func asIs(tokens, cost js.Value) js.Value {
	usage, _, _ := parts.Usage(tokens.Without("total"), cost)
	return js.Value(usage)
}

// total adds usage entries for what the session counts in all and no message says: of messages that are gone, perhaps.
func (c *conversion) total(about js.Value) error {
	usage, total, err := parts.Usage(about.Get("tokens").Without("total"), about.Get("cost"))
	if err != nil || total == 0 {
		return nil // an earlier release, which did not count
	}
	lose := func(kind, format string, args ...any) { c.b.Lose("session", kind, format, args...) }
	if c.spender[1] == "" { // nothing is known of who used it but what the session names
		c.spender = [2]string{about.Get("model", "providerID").Str(), about.Get("model", "id").Str()}
	}
	for i, fields := range c.count.Rest(map[string]js.Value{c.spender[1]: js.Value(usage)}, formats.Of(cmp.Or(c.spender[0], "unknown")), lose) {
		if c.differs && js.Value(fields[len(fields)-1].Raw).Get(metering.UsageTotals) != "" {
			continue // it was said with both numbers
		}
		if _, err := c.b.Add(formats.Place{Key: "total " + strconv.Itoa(i)}, session.TypeUsage, fields...); err != nil {
			return err
		}
	}
	return nil
}

// readAll takes over a row of messages.
func (c *conversion) readAll(ctx context.Context, refs []ref) error {
	c.summaryOf = summaries(refs)
	for _, r := range refs {
		if err := c.read(ctx, r); err != nil {
			return err
		}
	}
	if err := c.release(); err != nil {
		return err
	}
	return c.prune(1 << 62)
}

// revert goes back to the entry stand. Of the message at which the session was reverted, what
// was in front of the part that the revert names stays.
func (c *conversion) revert(ctx context.Context, about js.Value, stand string, r ref) error {
	undone := c.b.Leaf()
	place := formats.Place{Key: "revert", Parent: stand}
	if part := about.Get("revert", "partID").Str(); part != "" {
		m, err := c.doc.message(ctx, r)
		if err != nil {
			return err
		}
		for i, p := range m.parts {
			if p.Get("id").Str() == part {
				m.parts = m.parts[:i]
				break
			}
		}
		if len(m.parts) > 0 {
			e := &messageReader{conversion: c, message: m, key: "kept", parent: stand}
			if err := e.add(); err != nil {
				return err
			}
			if err := c.prune(1 << 62); err != nil {
				return err
			}
			place.Parent = ""
		}
	}
	_, err := c.b.Custom(place, customRevert, js.Object(
		js.RawField("revert", about.Get("revert")), js.StringField("leaf", undone), js.StringField("stand", stand)))
	return err
}

// read takes over one message.
func (c *conversion) read(ctx context.Context, r ref) error {
	m, err := c.doc.message(ctx, r)
	if err != nil {
		return err
	}
	if c.waiting != nil && c.summaryOf[c.waiting.id()] == r.id {
		return c.compaction(m)
	}
	if err := c.release(); err != nil {
		return err
	}
	if err := c.prune(r.created); err != nil {
		return err
	}
	if c.summaryOf[r.id] != "" && r.compacted { // and not another message of its id
		c.waiting = &m
		return nil
	}
	return (&messageReader{conversion: c, message: m}).add()
}

// release takes over a compaction that has come to nothing: to the model it is what
// the user said.
func (c *conversion) release() error {
	if c.waiting == nil {
		return nil
	}
	m := *c.waiting
	c.waiting = nil
	c.b.Lose("message "+m.id(), formats.KindContext, "a compaction whose summary does not follow it, so that it does not count here")
	return (&messageReader{conversion: c, message: m}).add()
}

// compaction takes over a compaction, which waits, and its summary.
func (c *conversion) compaction(summary message) error {
	m := *c.waiting
	c.waiting = nil
	first := ""
	for _, p := range m.parts {
		if tail := p.Get("tail_start_id").Str(); tail != "" {
			first = c.tails[tail]
		}
	}
	(&messageReader{conversion: c, message: m}).missed()
	var text strings.Builder
	for _, p := range summary.parts {
		if p.Get("type").Str() == "text" {
			text.WriteString(p.Get("text").Str())
		}
	}
	place := formats.Place{ID: summary.id(), Time: parts.Int(summary.info, "time", "created")}
	spent := js.Field{Name: "usage"}
	if usage, total, err := parts.Usage(summary.spent(), summary.info.Get("cost")); err == nil && total > 0 {
		spent.Raw = usage
		c.uses(summary.spentAsIs(), summary.info.Get("cost"), summary.info)
	}
	id, err := c.b.Compaction(place, text.String(), first, c.tokens, spent)
	if err != nil {
		return err
	}
	for _, one := range []message{m, summary} {
		(&messageReader{conversion: c, message: one}).begins(id)
	}
	return c.b.Keep(nil, m.kept(), summary.kept())
}

// spent returns what all steps of a message used: it says itself what the last one did.
func (m message) spent() js.Value {
	return m.steps(func(tokens js.Value) js.Value { return tokens })
}

// spentAsIs returns the sum of the counters, see [asIs].
func (m message) spentAsIs() js.Value {
	return m.steps(func(tokens js.Value) js.Value { return tokens.Without("total") })
}

func (m message) steps(of func(tokens js.Value) js.Value) js.Value {
	all := m.told()
	if len(all) == 1 {
		return of(all[0])
	}
	var input, output, read, write int64
	for _, tokens := range all {
		in, out, r, w := parts.Counts(of(tokens))
		input, output, read, write = input+in, output+out, read+r, write+w
	}
	return object(js.IntField("input", input), js.IntField("output", output),
		js.RawField("cache", js.Object(js.IntField("read", read), js.IntField("write", write))))
}

// prune adds the edits for results that had been taken out of the context by then.
func (c *conversion) prune(now int64) error {
	var later []prune
	for _, p := range c.pruned {
		if p.at > now {
			later = append(later, p)
			continue
		}
		_, err := c.b.Add(formats.Place{Key: "pruned " + p.part, Time: p.at}, session.TypeContextEdit,
			js.StringField("targetId", p.id),
			js.RawField("replacement", js.Object(js.StringField("content", textPruned))))
		if err != nil {
			return err
		}
	}
	c.pruned = later
	return nil
}

// compaction writes a compaction as opencode has them: what the user says to bring it
// about, and the summary as an answer.
func (x *exporter) compaction(i int, e session.Entry) {
	if e.Get("systemMessage") != "" {
		x.t.Lose(formats.At(e), formats.KindSystem, "opencode does not know the system message that a compaction keeps")
	}
	removed := i == x.hiddenTo && len(x.projected[i]) == 0 // which has been told
	if messages := x.keptBy(e); !removed && len(messages) == 2 {
		x.sum(i, messages[0], messages[1])
		return
	}
	x.changed = true
	if removed {
		return
	}
	if i >= x.hiddenFrom && i < x.hiddenTo {
		x.t.Lose(formats.At(e), formats.KindContext, "a compaction in what a later one keeps left out, for opencode would show it")
		return
	}
	part := object(js.RawField("type", `"compaction"`), js.RawField("auto", "false"),
		api.Str("tail_start_id", x.tail(i, x.kept(i))))
	user := x.user
	x.put(message{x.userInfo(e, x.modelFor(i)), []js.Value{part}}, i, i)
	info := x.assistantInfo(e, "compaction", js.Value(e.Get("usage")), "stop", "")
	info = info.With("parentID", quote(x.out[len(x.out)-1].id()))
	text := textOf(e.Get("summary"))
	x.put(message{info.With("summary", "true"), []js.Value{text}}, i, i)
	x.user = user // the turn goes on
}

// tail returns the id of the first message that a compaction at i keeps, "" if it keeps none: that
// of the first message made of kept entries.
func (x *exporter) tail(i, from int) string {
	if from >= i {
		return ""
	}
	n := sort.Search(len(x.furthest), func(n int) bool { return x.furthest[n] >= from })
	for k := n - 1; k >= 0 && x.out[k].last >= from; k-- {
		if x.path[from].Role() == session.RoleAssistant {
			x.t.Lose(formats.At(x.path[from]), formats.KindContext, "a compaction keeps a part of a message, of which opencode shows nothing")
		}
	}
	if n == len(x.out) {
		return ""
	}
	return x.out[n].id()
}
