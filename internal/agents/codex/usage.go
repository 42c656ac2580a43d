package codex

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/metering"
	"github.com/sess-tools/sess/pkg/session"
)

// counts are tokens, each counted once: codex counts those from a cache as input, and
// those for reasoning as output.
type counts struct{ input, output, read, write, reasoning, total int64 }

// usageOf reads a usage of codex.
func usageOf(v js.Value) counts {
	n := func(name string) int64 { return api.Tokens(v.Get(name)) }
	read := n("cached_input_tokens")
	return counts{
		input:  max(n("input_tokens")-read-n("cache_write_input_tokens"), 0),
		output: n("output_tokens"), read: read, write: n("cache_write_input_tokens"),
		reasoning: n("reasoning_output_tokens"), total: n("total_tokens"),
	}
}

// plus returns the sum of two usages.
func (u counts) plus(v counts) counts {
	return counts{u.input + v.input, u.output + v.output, u.read + v.read, u.write + v.write, u.reasoning + v.reasoning, u.total + v.total}
}

// beyond returns how much each counter is above that of another usage.
func (u counts) beyond(v counts) counts {
	return counts{max(u.input-v.input, 0), max(u.output-v.output, 0), max(u.read-v.read, 0), max(u.write-v.write, 0), max(u.reasoning-v.reasoning, 0), max(u.total-v.total, 0)}
}

// equals reports whether all counters but the total are those of v.
func (u counts) equals(v counts) bool { return u.within(v) && v.within(u) }

// within reports whether no counter is above that of v. The total is none: codex also puts estimates there.
func (u counts) within(v counts) bool {
	return u.input <= v.input && u.output <= v.output && u.read <= v.read && u.write <= v.write && u.reasoning <= v.reasoning
}

// all is the number of tokens: reasoning is a part of the output.
func (u counts) all() int64 { return u.input + u.output + u.read + u.write }

// none reports whether nothing was used.
func (u counts) none() bool { return u.within(counts{}) }

// usage returns the usage as codex writes it.
func (u counts) usage() string {
	return js.Object(js.IntField("input_tokens", u.input+u.read+u.write), js.IntField("cached_input_tokens", u.read),
		js.IntField("cache_write_input_tokens", u.write), js.IntField("output_tokens", u.output),
		js.IntField("reasoning_output_tokens", u.reasoning), js.IntField("total_tokens", u.total))
}

// text returns the usage as a message has it. Its cost is not known.
func (u counts) text() string {
	n, reasoning := api.Int, ""
	if u.reasoning > 0 {
		reasoning = `,"reasoning":` + n(u.reasoning)
	}
	return `{"input":` + n(u.input) + `,"output":` + n(u.output) + `,"cacheRead":` + n(u.read) + `,"cacheWrite":` + n(u.write) + reasoning +
		`,"totalTokens":` + n(u.total) + `,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
}

// A report is a line that says what was used: a record of one request, or an event with a total of the thread.
type report struct {
	record   bool
	response string // the id of the request, "" if it is not named
	thread   string // that made it, "" if the line does not say
	provider string // who answered, "" if the line does not say
	model    string
	part     js.Value // what the request used, "" if the line does not say
	total    js.Value // what the thread used so far, "" if the line does not say
	price    []js.Field
	other    bool // it is of another thread than that which is read
}

// recordOf reads a token_usage_record. turn_token_usage is one more total, which is not read.
func recordOf(v js.Value) report {
	return report{
		record: true, response: v.Get("response_id").Str(), thread: strings.ToLower(v.Get("thread_id").Str()),
		provider: v.Get("model_provider").Str(), model: v.Get("model").Str(), part: v.Get("usage"), total: v.Get("thread_token_usage"),
		price: priceOf(v.Get("usage"), v, recordFree),
	}
}

// eventOf reads a token_count.
func eventOf(v js.Value) report {
	info := v.Get("info")
	u := report{provider: v.Get("model_provider").Str(), model: v.Get("model").Str(), part: info.Get("last_token_usage"), total: info.Get("total_token_usage")}
	counted := u.part
	if !counted.IsObject() {
		counted = u.total
	}
	u.price = priceOf(counted, v, eventFree)
	return u
}

// Members of a line beside its counters that change no price: names, totals, limits, and sizes. The lists are of codex'
// source, of releases up to 0.171 and its main branch.
var (
	recordFree = []string{
		"type", "response_id", "usage", "thread_id", "session_id", "turn_id", "root_turn_id", "turn_token_usage", "thread_token_usage", "model",
		"model_provider", "context_length",
	}
	eventFree = []string{"type", "info", "rate_limits", "model", "model_provider"}
	infoFree  = []string{"total_token_usage", "last_token_usage", "last_usage_includes_reasoning", "model_context_window"}
)

// priceOf returns what decides the price of a usage: its own members, and those of the line that it stands on, but for free ones.
func priceOf(usage, line js.Value, free []string) []js.Field {
	var beside []js.Field
	for name, v := range line.Members() {
		if !slices.Contains(free, name) {
			beside = append(beside, js.RawField(name, string(v)))
		}
	}
	if info := line.Get("info"); info.IsObject() {
		if rest := info.Without(infoFree...); rest != "{}" {
			beside = append(beside, js.RawField("info", string(rest)))
		}
	}
	if !usage.IsObject() {
		usage = "{}"
	}
	for _, f := range beside {
		usage = usage.With(f.Name, js.Value(f.Raw))
	}
	return metering.PriceFields(usage)
}

// A counter is a total that grows, of one kind of line and one thread. Two counters are never one: after a compaction, the records
// of codex have its request in their total, and the events have not.
type counter struct {
	told   bool
	total  counts              // as it was told last
	past   map[counts]struct{} // all totals that were told
	fallen []fall              // totals that were told before, and may be of a count that began anew: the next total decides
	held   *spent              // what a reply has of such a total, until then
	before counts              // the total in front of the newest fall
	since  []spent             // calls that were counted since the total grew, the newest last
	parts  int64               // tokens of all lines of this counter
	grew   int64               // tokens that it grew by
	said   formats.Gap
}

// A fall is a total that is lower than the one before.
type fall struct{ total, part counts }

// A spent is a call that was counted.
type spent struct {
	used  counts
	reply *pending // that it was counted for, nil for none
	line  int
}

// mostSince bounds the calls that a counter remembers.
const mostSince = 256

// copied returns the counter for a second use.
func (k *counter) copied() *counter {
	c := *k
	c.past, c.fallen, c.since = maps.Clone(k.past), slices.Clone(k.fallen), slices.Clone(k.since)
	return &c
}

// A growth is the news of a total.
type growth struct {
	by    counts // how much it grew
	more  counts // what grew in front of it, which is known only now
	again bool   // it was told before, and adds nothing
	fell  bool   // it was told before, and is less than the one in front of it
	anew  bool   // it counts from a beginning that is not told: only the part of its line is new
}

// tells takes note of a total, whose line says of a part if has is true.
//
// A total that falls begins anew. If it was told before, it may have been told once more: then it adds nothing, and the next total says
// which it was, by the total that it grows from. Where both would do, it is the one that the part agrees with.
func (k *counter) tells(total, part counts, has bool) (g growth) {
	key := total
	key.total = 0
	_, known := k.past[key]
	defer func() {
		if k.past == nil {
			k.past = map[counts]struct{}{}
		}
		k.past[key], k.told = struct{}{}, true
	}()
	from := func(base counts) bool { // the total grew from a base by the part of its line
		return base.within(total) && total.beyond(base).equals(part)
	}
	anew := func() growth {
		k.before, k.total, k.fallen = k.total, total, nil
		return growth{by: total, anew: true}
	}
	last := len(k.fallen) - 1
	switch {
	case total.equals(k.total):
		return growth{again: true}
	case last >= 0 && total.equals(k.fallen[last].total), known && k.total.within(total) && !(has && from(k.total)):
		return growth{again: true}
	case known && !k.total.within(total):
		if !has {
			part = total
		}
		k.fallen = append(k.fallen, fall{total, part})
		return growth{again: true, fell: true}
	case last >= 0 && k.fallen[last].total.within(total) && (!has && !k.total.within(total) || has && !from(k.total) && from(k.fallen[last].total)):
		for _, f := range k.fallen {
			g.more = g.more.plus(f.part)
		}
		g.by = total.beyond(k.fallen[last].total)
		k.before, k.held = k.total, nil
	case !k.total.within(total):
		return anew()
	case has && !from(k.total) && k.before != (counts{}) && from(k.before): // the fall was none
		g.by, k.before = part, counts{}
	case has && !part.within(total.beyond(k.total)) && total.equals(part):
		return anew()
	default:
		g.by = total.beyond(k.total)
	}
	k.total, k.fallen = total, nil
	return g
}

// spend takes note of a call that another line counted.
func (k *counter) spend(s spent) {
	if s.used.none() {
		return
	}
	if len(k.since) == mostSince {
		k.since = slices.Delete(k.since, 0, 1)
	}
	k.since = append(k.since, s)
}

// named finds the call among those counted which a part is of, and forgets it and those in front of it, which it returns: they may be in
// the growth as well.
func (k *counter) named(part counts) (of *spent, before []spent) {
	for i, s := range slices.Backward(k.since) {
		if s.used.equals(part) {
			before, k.since = slices.Clone(k.since[:i]), slices.Delete(k.since, 0, i+1)
			return &s, before
		}
	}
	before, k.since = k.since, nil
	return nil, before
}

// missing returns the tokens of a growth that are in no call: none if some calls add up to it. Else a call that is larger than the rest is
// not in the growth.
func missing(by counts, of []spent) counts {
	if addUp(by, of[max(0, len(of)-mostSums):]) {
		return counts{}
	}
	for _, s := range slices.Backward(of) {
		if s.used.within(by) {
			by = by.beyond(s.used)
		}
	}
	return by
}

// mostSums is of how many calls all sums are tried.
const mostSums = 10

// addUp reports whether some calls are exactly what a counter grew by.
func addUp(by counts, of []spent) bool {
	if by.none() {
		return true
	}
	for i, s := range slices.Backward(of) {
		if s.used.within(by) && addUp(by.beyond(s.used), of[:i]) {
			return true
		}
	}
	return false
}

// events is the counter of token_counts. Those of records are by their threads.
const events = "events"

// counterOf returns the counter that a line tells.
func (c *conv) counterOf(u report) *counter {
	name := events
	if u.record {
		name = "records of " + u.thread
	}
	if c.counters[name] == nil {
		c.counters[name] = &counter{}
	}
	return c.counters[name]
}

// foreign reports whether a thread is another than this one, and than those that this one comes from.
func (c *conv) foreign(thread string) bool { return thread != "" && !c.kin[thread] }

// counted counts the request that a line names: a record is one, whose id is its identity; the part of an event is one, unless a record is of
// it. Totals are checks: tokens in their growth that are in no request become a usage entry. Where a line has no part, the growth of its
// total is the request.
func (c *conv) counted(l line, u report) {
	used, has := usageOf(u.part), u.part.IsObject()
	if !has && !u.total.IsObject() {
		return
	}
	u.other = u.record && c.foreign(u.thread)
	if used.total > 0 && !u.other {
		c.tokens = used.total
	}
	if c.x != nil && !u.other {
		c.x.sealed = true
	}
	if u.response != "" {
		id := u.thread + "\x00" + u.response
		if c.requests[id] {
			return
		}
		c.requests[strings.Clone(id)] = true
	}
	k, rest, fresh := c.counterOf(u), counts{}, true
	switch {
	case !u.total.IsObject():
		k.total = k.total.plus(used)
		if !u.record {
			if of, _ := k.named(used); of != nil {
				c.complete(of, u)
				fresh = false
			}
		}
	case u.record:
		used, rest, fresh = recordSays(k, u, used, has)
	default:
		used, rest, fresh = c.eventSays(k, u, used, has)
	}
	if u.record && fresh {
		used = c.unlessTold(l, u, used)
	}
	if fresh {
		c.spend(l, u, k, used, rest)
	}
}

// recordSays returns what a record with a total of its thread says: what the request used, and what else the total has. The first total of a
// thread may have in it what other files say. A record without an id that repeats a total is told again.
func recordSays(k *counter, u report, part counts, has bool) (used, rest counts, fresh bool) {
	begun, since := k.told, k.since
	g := k.tells(usageOf(u.total), part, has)
	if g.again && u.response == "" {
		return used, rest, false
	}
	k.since = nil
	if !has {
		return missing(g.by, since), rest, true
	}
	if k.parts += part.all(); !begun || g.anew {
		k.grew += part.all()
		return part, rest, true
	}
	k.grew += g.by.all()
	more := g.by.beyond(part)
	k.parts += more.all()
	return part, missing(more, since), true
}

// eventSays returns what an event with a total says: what a request used that no record is of, and what else the total has. A thread that
// comes from another begins with the total of that one: in front of its first reply nothing of it is new, and behind it the part.
func (c *conv) eventSays(k *counter, u report, part counts, has bool) (used, rest counts, fresh bool) {
	first := c.forked && !k.told
	g := k.tells(usageOf(u.total), part, has)
	c.forked = false
	switch m := c.newestReply(); {
	case g.fell && has && m != nil && m.usage == "":
		// The reply has nothing else that is told yet.
		m.usage = string(js.Value(part.text()).Add(u.price...))
		k.held, k.fallen[len(k.fallen)-1].part = &spent{used: part, reply: m}, counts{}
		return used, rest, false
	case g.again:
		if has && part.none() { // an estimate, behind a request that is not in this total
			k.since = nil
		}
		return used, rest, false
	case first && !c.spoken:
		k.since = nil
		return used, rest, false
	}
	if rest = g.more; k.held != nil { // that total was told once more
		if m := k.held.reply; m == c.newestReply() {
			m.usage = ""
		} else {
			k.since = append(k.since, *k.held)
		}
		k.held = nil
	}
	if !has {
		used, k.since = missing(g.by, k.since), nil
		return used, rest, true
	}
	of, before := k.named(part)
	if used = part; of != nil {
		used = counts{}
		c.complete(of, u)
	}
	if k.parts += part.all(); first || g.anew {
		k.grew += part.all()
		return used, rest, true
	}
	k.grew += g.by.all()
	more := g.by.beyond(part)
	k.parts += more.all()
	return used, rest.plus(missing(more, before)), true
}

// unlessTold returns what a record used, nothing if the line in front of it is the event of its request.
func (c *conv) unlessTold(l line, u report, used counts) counts {
	of := c.unnamed
	if of == nil || u.other || of.line != l.number-1 || !of.used.equals(used) {
		return used
	}
	c.complete(of, u)
	return counts{}
}

// complete adds to a reply what a second line says of its request, as long as the reply is not an entry.
func (c *conv) complete(of *spent, u report) {
	m := of.reply
	if m == nil || c.x == nil || !slices.Contains(c.x.messages, m) {
		return
	}
	m.response, m.thread = cmp.Or(m.response, u.response), cmp.Or(m.thread, c.notOwn(u.thread))
	m.provider, m.model = cmp.Or(m.provider, u.provider), cmp.Or(m.model, u.model)
	for _, f := range u.price {
		if js.Member(m.usage, f.Name) == "" {
			m.usage = string(js.Value(m.usage).Add(f))
		}
	}
}

// notOwn returns the session of a thread, "" for that which is read.
func (c *conv) notOwn(thread string) string {
	if thread == "" || sessionID(thread) == c.session {
		return ""
	}
	return sessionID(thread)
}

// spend counts a request, for the reply before it or as a usage entry, and the rest of a total.
func (c *conv) spend(l line, u report, k *counter, used, rest counts) {
	text := func(n counts) string { return string(js.Value(n.text()).Add(u.price...)) }
	m := c.newestReply()
	of, aside := spent{used: used, line: l.number}, ""
	switch {
	case used.none():
	case u.other:
		aside = "agent"
	case m != nil && m.usage == "":
		m.usage, of.reply = text(used), m
		m.response, m.thread, m.provider, m.model = u.response, c.notOwn(u.thread), u.provider, u.model
	case u.record:
		aside = "request"
	case u.total.IsObject():
		rest = rest.plus(used)
	default:
		used, of.used = counts{}, counts{} // it was told twice
	}
	for _, other := range c.counters {
		if other != k && !u.other { // what another thread used is in no total of this one
			other.spend(spent{used: rest, line: l.number})
			other.spend(of)
		}
	}
	if c.unnamed = nil; !u.record && !used.none() {
		c.unnamed = &of
	}
	differ := k.said.Grows(k.parts, k.grew)
	if aside == "" && rest.none() && !differ {
		return
	}
	c.flush()
	c.put(len(c.batch))
	provider, model := cmp.Or(u.provider, c.provider), cmp.Or(u.model, c.model)
	if aside == "agent" { // whose turn is in no line here
		provider, model = cmp.Or(u.provider, "unknown"), cmp.Or(u.model, "unknown")
	}
	if aside != "" {
		fields := []js.Field{js.StringField("kind", aside), js.StringField("provider", provider), js.StringField("model", model)}
		if u.response != "" {
			fields = append(fields, js.StringField("responseId", u.response))
		}
		if thread := c.notOwn(u.thread); thread != "" {
			fields = append(fields, js.StringField(session.MemberThread, thread))
		}
		c.rest(l, aside, append(fields, js.RawField("usage", text(used))))
	}
	if !rest.none() {
		c.rest(l, "rest", []js.Field{js.StringField("kind", "rest"), js.StringField("provider", c.provider), js.StringField("model", c.model), js.RawField("usage", text(rest))})
	}
	if differ {
		c.rest(l, "differ", k.said.Differ(c.provider, c.model, k.parts, k.grew, func(kind, format string, args ...any) { c.lose(l, kind, format, args...) }))
	}
}

// rest adds a usage entry of these members.
func (c *conv) rest(l line, key string, fields []js.Field) {
	c.add(session.TypeUsage, key+":"+api.Int(l.offset), l.time, 0, func(b *strings.Builder) {
		object := js.Object(fields...)
		b.WriteString(object[1 : len(object)-1])
	})
}
