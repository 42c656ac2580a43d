package jqmap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/typed"
)

// A conversion is the reading of one session.
type conversion struct {
	*program
	r     reader
	tree  *formats.Tree
	kinds formats.Kinds
	said  any // by info
	name  string

	limits *limits
	size   int // bytes of the value
	ctx    context.Context

	kind    string // of the value
	acts    int    // of the value
	became  string // the value, see [formats.Kinds]
	unnamed bool   // the value has no id, where others name it as their parent
	after   []func()
}

// kindEnd is the kind of the value null, which is given to the map at the end.
const kindEnd = "end"

// read reads a session.
func (r reader) read(ctx context.Context, src *formats.Source, f *formats.File, info formats.Info, b *formats.Builder) error {
	err := b.Header(session.HeaderFields{ID: info.ID, Time: info.Created.UnixMilli(), CWD: info.CWD, ParentSession: info.ParentSession})
	if err != nil {
		return err
	}
	ahead, err := r.ahead(ctx, src, f)
	if err != nil {
		return err
	}
	lines, err := r.lines(ctx, src, maxLines)
	if err != nil {
		return err
	}
	first, said, err := r.info(ctx, src, f, ahead, lines)
	if err != nil {
		return err
	}
	return r.convert(ctx, b, info, first.Name, said, func(c *conversion) error { return c.values(ctx, src, f, b) })
}

// convert gives values to the map, which has said something of their session.
func (r reader) convert(ctx context.Context, b *formats.Builder, info formats.Info, title string, said any, values func(*conversion) error) error {
	p, err := r.m.take()
	if err != nil {
		return err
	}
	defer r.m.give(p)
	b.Defaults = session.Defaults{API: r.h.api, Provider: r.h.provider}
	c := &conversion{program: p, r: r, tree: b.Tree(r.h.agent.Zero), kinds: b.Kinds, said: said, name: r.m.about.Name, limits: r.m.limited(), ctx: ctx}
	p.tree = c.tree
	if title != "" && b.Growth == formats.Whole { // it stands beside the log, and may change
		name := []js.Field{js.StringField("name", title)}
		if err := c.tree.Add(formats.Entry{Type: session.TypeSessionInfo, Fields: name, Time: info.Created.UnixMilli()}); err != nil {
			return err
		}
	}
	return values(c)
}

// values gives the values of a file to the map, and then null.
func (c *conversion) values(ctx context.Context, src *formats.Source, f *formats.File, b *formats.Builder) error {
	number := 0
	if c.r.h.each != "" {
		elements, err := document(ctx, src, f, c.r.h.each, b)
		if err != nil {
			return err
		}
		if n := len(elements); b.Growth == formats.Closed && n > 0 {
			elements = elements[:n-1] // which the agent may write anew
		}
		for _, text := range elements {
			where := src.Name()
			if number++; number > 1 {
				where = strings.TrimSuffix(fmt.Sprintf("%s: element %d of %s", src.Name(), number-1, c.r.h.each), " of "+itself)
			}
			if err := c.value(ctx, where, text, number); err != nil {
				return err
			}
		}
		if elements != nil {
			return c.end(src, number+1, b)
		}
	}
	for l, err := range jsonl.Lines(f.Reader(ctx)) {
		if err != nil {
			return src.Located(err)
		}
		for v := range b.Objects(src, l) {
			number++
			if b.Cut(v.Offset + v.Size) {
				if err := c.ends(src, number); err != nil {
					return err
				}
			}
			if err := c.value(ctx, src.At(v.Number), v.Text, number); err != nil {
				return err
			}
		}
	}
	return c.end(src, number+1, b)
}

// value gives a value to the map, and does the acts that the map returns.
func (c *conversion) value(ctx context.Context, where, text string, number int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	step := c.step(js.DictOf(js.Value(text), nil))
	step.Where, step.Text, step.Number = where, text, number
	c.kind, c.acts, c.size, c.became = step.Kind, 0, len(text), ""
	c.unnamed = step.Tree && step.ID == ""
	c.tree.Value(step)
	switch {
	case c.r.h.skip[c.kind]:
		c.kinds.Count(c.kind, "skipped")
		return nil
	case c.r.h.keepKind[c.kind]:
		c.kinds.Count(c.kind, "kept aside")
		return c.tree.Keep("")
	}
	v, err := c.line.Decode(text)
	if err != nil {
		c.kinds.Count(c.kind, "damaged")
		return c.tree.Fail("%v", err)
	}
	if err := c.ask(v); err != nil {
		return err
	}
	if c.acts == 0 {
		c.kinds.Count(c.kind, "unknown")
		return c.tree.Unknown()
	}
	c.kinds.Count(c.kind, cmp.Or(c.became, "read"))
	return nil
}

// end tells the map that there are no more values, unless there may be.
func (c *conversion) end(src *formats.Source, number int, b *formats.Builder) error {
	if b.Growth != formats.Closed {
		if err := c.ends(src, number); err != nil {
			return err
		}
	}
	if b.Growth == formats.Whole {
		return c.tree.End()
	}
	c.tree.Tell()
	return b.Settle()
}

// ends gives the map null, behind which more values may come.
func (c *conversion) ends(src *formats.Source, number int) error {
	c.kind, c.unnamed = kindEnd, false
	c.tree.Value(formats.Step{Where: src.Name(), Number: number})
	return c.ask(nil)
}

// step returns what the header of the map says of a value.
func (c *conversion) step(v js.Dict) formats.Step {
	h := c.r.h
	s := formats.Step{ID: at(v, h.id).Str(), Track: at(v, h.track).Str(), Parent: at(v, h.parent).Str(), Tree: h.parent != nil}
	s.Root = s.Tree && s.ID != "" && isNull(v, h.parent)
	s.Kind = h.kindOf(v)
	for _, path := range h.time {
		s.Time = cmp.Or(s.Time, milliseconds(at(v, path)))
	}
	return s
}

// kindOf returns the kind of a value.
func (h *header) kindOf(v js.Dict) string {
	var kinds []string
	for _, member := range h.kind {
		switch value := at(v, member.path); {
		case member.itself && value != "":
			kinds = append(kinds, strings.Join(member.path, "."))
		case !member.itself && value.IsString():
			kinds = append(kinds, value.Str())
		}
	}
	return strings.Join(kinds, "/")
}

// isNull reports whether the member at a path is null, which [at] takes for none.
func isNull(v js.Dict, path []string) bool {
	for _, name := range path[:len(path)-1] {
		v = js.DictOf(v.Own(name), nil)
	}
	return v.Own(path[len(path)-1]) == "null"
}

// at returns the member at a path, "" if there is none, or no path.
func at(v js.Dict, path []string) js.Value {
	if len(path) == 0 {
		return ""
	}
	return v.Get(path...)
}

// ask gives a value to the map, and does its acts. Their changes of the state count from the next value on. If a map
// fails, the acts before the failure remain.
func (c *conversion) ask(v any) error {
	if c.limits != nil {
		c.limits.bytes = 0
	}
	ctx, limit := c.limits.watch(c.ctx)
	err := c.run(ctx, "value", c.kind, v, c.said, c.name, c.act)
	if over := limit(); over != nil {
		return over
	}
	for _, change := range c.after {
		change()
	}
	c.after = c.after[:0]
	c.line.Reset()
	if failed, ok := errors.AsType[*mapError](err); ok {
		c.acts++
		c.became = "damaged"
		return c.tree.Fail("the map %s fails at a value %.60q, which is kept aside: %v", c.name, c.kind, failed)
	}
	return err
}

// act does one act of the map.
func (c *conversion) act(v any) error {
	act, ok := v.(map[string]any)
	if !ok {
		return &mapError{fmt.Errorf("an act is an object, not %s", c.encode(nil, v))}
	}
	c.acts++
	if c.limits != nil {
		if err := c.limits.act(c.acts, len(c.encode(nil, act)), c.size); err != nil {
			return err
		}
	}
	if typ, ok := act["type"].(string); ok {
		c.became = "read"
		if c.limits != nil {
			c.limits.entry = time.Now()
		}
		return c.add(typ, act)
	}
	text := func(name string) string { s, _ := act[name].(string); return s }
	switch {
	case act["skip"] == true:
		c.became = cmp.Or(c.became, "skipped")
		return nil
	case act["keep"] != nil:
		if c.became != "read" {
			c.became = "kept aside"
		}
		return c.tree.Keep(text("keep"))
	case act["lose"] != nil:
		c.tree.Lose(cmp.Or(text("kind"), formats.KindEntry), "%s", text("lose"))
	case act["before"] != nil:
		c.tree.Before(text("before"))
	case act["leaf"] != nil:
		c.tree.Leaf(text("leaf"))
	case act["total"] != nil:
		return c.total(map[string]any{text("model"): act["total"]})
	case act["run"] == true:
		c.tree.Run()
	case act["totals"] != nil:
		return c.total(act["totals"])
	case act["set"] != nil, act["push"] != nil:
		return c.change(act)
	default:
		return &mapError{fmt.Errorf("no act: %.80s", c.encode(nil, v))}
	}
	return nil
}

// total counts what the source counts in all, by the model.
func (c *conversion) total(v any) error {
	totals, ok := v.(map[string]any)
	if !ok {
		return &mapError{errors.New("totals wants an object")}
	}
	of := map[string]js.Value{}
	for model, usage := range totals {
		of[model] = js.Value(c.encode(nil, usage))
	}
	return c.tree.Total(of, cmp.Or(c.r.h.provider, "unknown"))
}

// change notes what an act changes of the state.
func (c *conversion) change(act map[string]any) error {
	for word, apply := range map[string]func(string, any){"set": c.set, "push": c.push} {
		members, ok := act[word].(map[string]any)
		if act[word] != nil && !ok {
			return &mapError{fmt.Errorf("%s wants an object", word)}
		}
		for name, v := range members {
			c.after = append(c.after, func() { apply(name, v) })
		}
	}
	return nil
}

// add adds an entry of the map.
func (c *conversion) add(typ string, act map[string]any) error {
	text := func(name string) string { s, _ := act[name].(string); return s }
	parent, named := act["parentId"]
	e := formats.Entry{
		Type: typ, ID: text("id"), As: text("as"), Parent: text("parentId"), Root: named && parent == nil, Track: text("track"),
		Time: milliseconds(js.Value(c.encode(nil, act["timestamp"]))), Again: act["again"] == true,
	}
	if typ == session.TypeMessage {
		message, ok := act["message"].(map[string]any)
		if !ok {
			return &mapError{errors.New("an entry of the type message has no message")}
		}
		if message["join"] == true {
			message = joined(message)
		}
		if c.unnamed {
			c.tree.Lose(formats.KindTree, "a message without an id: it stands behind the one before it")
		}
		e.Message = framed(session.NewMessage(js.Object(c.fields(message)...)), c.name)
		return c.tree.Add(e)
	}
	for _, f := range c.fields(act) {
		if !place[f.Name] {
			e.Fields = append(e.Fields, f)
		}
	}
	if v, named := act["replacement"]; named && v == nil { // it takes the message away
		e.Fields = append(e.Fields, js.RawField("replacement", "null"))
	}
	return c.tree.Add(e)
}

// framed marks what an agent has put around the words of the user.
func framed(m session.Message, agent string) session.Message {
	if m.Role() != session.RoleUser {
		return m
	}
	var blocks []string
	n := 0
	for b := range m.Blocks() {
		n++
		blocks = append(blocks, typed.FramedBlocks(b.Raw(), agent)...)
	}
	if len(blocks) == n && !slices.ContainsFunc(blocks, func(b string) bool { return session.BlockHarness(b) != "" }) {
		return m
	}
	return m.WithContent("[" + strings.Join(blocks, ",") + "]")
}

// joined returns a message in which texts that follow each other are one, and thoughts.
func joined(message map[string]any) map[string]any {
	out := maps.Clone(message)
	delete(out, "join")
	blocks, _ := message["content"].([]any)
	content := make([]any, 0, len(blocks))
	var text strings.Builder
	for i, v := range blocks {
		member := joinable(v)
		if member == "" {
			content = append(content, v)
			continue
		}
		block, _ := v.(map[string]any)
		said, _ := block[member].(string)
		if text.WriteString(said); i+1 < len(blocks) && joinable(blocks[i+1]) == member {
			continue
		}
		content = append(content, map[string]any{"type": block["type"], member: text.String()})
		text.Reset()
	}
	out["content"] = content
	return out
}

// joinable returns the member of a block that has its text, "" for one that is more than a text or a thought.
func joinable(v any) string {
	block, _ := v.(map[string]any)
	member, _ := block["type"].(string)
	if _, ok := block[member].(string); !ok || len(block) != 2 || member != session.BlockText && member != session.BlockThinking {
		return ""
	}
	return member
}

// place are the members of an act that say where its entry stands.
var place = map[string]bool{"type": true, "id": true, "as": true, "parentId": true, "timestamp": true, "track": true, "again": true}
