package formats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/agents/api"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// What an agent's source says beside its entries travels with them, in a last member of the
// entry that it came with, so that an export gives the source back byte for byte:
//
//	"kept":{"AGENT":{"of":[ID,…],"sum":HEX,"n":[12,…],"lines":[LINE,…]}}
//
// "of" are the other entries that the lines became. A value of a line that one of the
// entries has is a reference to it there, an object with one member:
//
//	{"$same":PATH}  the same value
//	{"$text":PATH}  the value as a JSON text, in a string
//	{"$json":PATH}  the JSON text that is in that string
//	{"$url":PATH}   the data URL of that image
//
// A path names members and indices in the message of the entry, or in the entry itself if it
// is no message, and begins with "K/" in the K-th entry of "of". So an edit of a text changes
// the text in the line. "sum" is a digest of what else the entries say: if they say something
// else by now, the lines are no longer theirs.
const keptMember = session.MemberKept

// A KeptLine is a line of a source: JSON on one line, or any text, which has no references.
type KeptLine struct {
	N     int // its place among the lines, 0 if their entries are in order
	Text  string
	Words bool // it is no JSON, whatever it begins with
	Fact  bool // it stays true whatever its entry says: it has no references, and no part in the sum
}

// The kinds of references.
const (
	refSame = "$same"
	refText = "$text"
	refJSON = "$json"
	refURL  = "$url"
)

var refKinds = []string{refSame, refText, refJSON, refURL}

// leastRef is from how many bytes on a value becomes a reference. Texts do at any length:
// who edits one means all that was made of it.
const leastRef = 48

// textual are the members of sources whose strings are texts.
var textual = map[string]bool{
	`"text"`: true, `"content"`: true, `"thinking"`: true, `"output"`: true, `"message"`: true, `"arguments"`: true, `"input"`: true,
	`"summary"`: true, `"data"`: true, `"url"`: true, `"image_url"`: true, `"last_agent_message"`: true, `"prompt"`: true, `"error"`: true,
}

// A body is what an entry says: a JSON object, and those of its values that references may
// mean.
type body struct {
	raw    string
	values []bodyValue    // in the order of the text; one may be in the one before it
	places map[string]int // of the values, by their paths; made when it is needed
}

type bodyValue struct {
	path       string
	start, end int
}

// bodyOf returns what an entry says.
func bodyOf(line string) body {
	v := js.Value(line)
	if message := v.Get("message"); message.IsObject() && v.Get("type").Str() == session.TypeMessage {
		return newBody(string(message))
	}
	var fields []js.Field
	for name, value := range v.Members() {
		switch name {
		case "id", "parentId", "timestamp", keptMember:
		default:
			fields = append(fields, js.RawField(name, value))
		}
	}
	return newBody(js.Object(fields...))
}

func newBody(raw string) body {
	b := body{raw: raw}
	js.WalkObject(raw, 0, func(key string, at int) int {
		name := js.Unquote(key)
		if raw[at] == '[' && name == "content" {
			n := 0
			return js.WalkArray(raw, at, func(at int) int {
				path := name + "." + strconv.Itoa(n)
				n++
				return b.block(path, at)
			})
		}
		return b.add(name, at)
	})
	return b
}

// block adds the values of a block.
func (b *body) block(path string, at int) int {
	if b.raw[at] != '{' {
		return js.ValueEnd(b.raw, at)
	}
	return js.WalkObject(b.raw, at, func(key string, at int) int {
		name := js.Unquote(key)
		switch {
		case name == "arguments" && b.raw[at] == '{':
			return b.arguments(path+".arguments", at)
		case name == "mimeType":
			b.values = append(b.values, bodyValue{path + ".mimeType", at, js.ValueEnd(b.raw, at)})
			return js.ValueEnd(b.raw, at)
		}
		return b.add(path+"."+name, at)
	})
}

// arguments adds the arguments of a call, and the text that codex hands to a custom tool.
func (b *body) arguments(path string, at int) int {
	n := len(b.values)
	b.values = append(b.values, bodyValue{path: path, start: at})
	end := js.WalkObject(b.raw, at, func(key string, at int) int {
		if key == `"input"` && b.raw[at] == '"' {
			return b.add(path+".input", at)
		}
		return js.ValueEnd(b.raw, at)
	})
	b.values[n].end = end
	return end
}

// add adds a value that is large enough, or the text of a block.
func (b *body) add(path string, at int) int {
	end := js.ValueEnd(b.raw, at)
	if end-at >= leastRef || b.raw[at] == '"' && textual[`"`+path[strings.LastIndexByte(path, '.')+1:]+`"`] {
		b.values = append(b.values, bodyValue{path, at, end})
	}
	return end
}

// at returns the value of a path, "" if there is none.
func (b *body) at(path string) js.Value {
	if b.places == nil {
		b.places = make(map[string]int, len(b.values))
		for i, v := range b.values {
			b.places[v.path] = i
		}
	}
	if i, ok := b.places[path]; ok {
		return js.Value(b.raw[b.values[i].start:b.values[i].end])
	}
	return js.Value(b.raw).Get(path) // one that has become short
}

// A referrer finds the values of lines that entries have.
type referrer struct {
	refs    map[string][]string // by the text of the value; in order
	lengths map[int]bool
	used    map[string]int // of the refs, in the line at hand
	found   []foundRef
	paths   []map[string]bool // that were referred to, in each body
}

type foundRef struct {
	start, end int
	ref        string
}

// newReferrer returns a referrer to the values of bodies, the last of which is that of the
// entry that keeps the lines.
func newReferrer(bodies []body) *referrer {
	r := &referrer{refs: map[string][]string{}, lengths: map[int]bool{}, used: map[string]int{}, paths: make([]map[string]bool, len(bodies))}
	for i := range bodies {
		b := &bodies[i]
		r.paths[i] = map[string]bool{}
		prefix := ""
		if i < len(bodies)-1 {
			prefix = strconv.Itoa(i+1) + "/"
		}
		for _, v := range b.values {
			r.value(b, v, prefix)
		}
	}
	return r
}

func (r *referrer) value(b *body, v bodyValue, prefix string) {
	raw, path := b.raw[v.start:v.end], prefix+v.path
	parent, name := "", v.path
	if dot := strings.LastIndexByte(v.path, '.'); dot >= 0 {
		parent, name = v.path[:dot], v.path[dot+1:]
	}
	switch {
	case name == "arguments":
		r.put(js.Quote(raw), refText, path)
	case name == "thinkingSignature":
		r.put(js.Unquote(raw), refJSON, path)
	case name == "data" && parent != "":
		if media := b.at(parent + ".mimeType"); media.IsString() {
			r.put(js.Quote(api.FormatDataURL(media.Str(), js.Unquote(raw))), refURL, prefix+parent)
		}
	}
	r.put(raw, refSame, path)
}

func (r *referrer) put(raw, kind, path string) {
	r.refs[raw] = append(r.refs[raw], `{"`+kind+`":`+js.Quote(path)+`}`)
	r.lengths[len(raw)] = true
}

// line returns a line with references in place of the values that the bodies have.
func (r *referrer) line(l KeptLine) string {
	raw := l.Text
	if l.Words || !strings.HasPrefix(raw, "{") || strings.Contains(raw, `{"$`) && slices.ContainsFunc(refKinds, func(kind string) bool { return strings.Contains(raw, `{"`+kind+`":`) }) {
		return js.Quote(raw) // no JSON, or what looks like a reference and is none
	}
	if len(r.refs) == 0 {
		return raw
	}
	clear(r.used)
	r.found = r.found[:0]
	r.walk(raw, 0, "", 0)
	if len(r.found) == 0 {
		return raw
	}
	var b strings.Builder
	at := 0
	for _, f := range r.found {
		b.WriteString(raw[at:f.start])
		b.WriteString(f.ref)
		at = f.end
		body, path, _ := splitRef(f.ref, len(r.paths))
		r.paths[body][path] = true
	}
	b.WriteString(raw[at:])
	return b.String()
}

// maxDeep is how deep in a line values are looked for.
const maxDeep = 16

// walk looks for references in the value at a place, and returns its end.
func (r *referrer) walk(raw string, at int, key string, depth int) (end int) {
	before := len(r.found)
	switch {
	case raw[at] == '{' && depth < maxDeep:
		end = js.WalkObject(raw, at, func(key string, at int) int { return r.walk(raw, at, key, depth+1) })
	case raw[at] == '[' && depth < maxDeep:
		end = js.WalkArray(raw, at, func(at int) int { return r.walk(raw, at, key, depth+1) })
	default:
		end = js.ValueEnd(raw, at)
	}
	if end <= at || !r.lengths[end-at] || depth == 0 || end-at < leastRef && (raw[at] != '"' || !textual[key]) {
		return end
	}
	value := raw[at:end]
	if list := r.refs[value]; len(list) > 0 {
		n := min(r.used[value], len(list)-1)
		r.used[value]++
		r.found = append(r.found[:before], foundRef{at, end, list[n]})
	}
	return end
}

// splitRef takes the path of a reference apart: the body it is in, of so many, and the path of
// the value there that has to be blanked for it.
func splitRef(ref string, bodies int) (body int, path, kind string) {
	kind, ref, _ = strings.Cut(strings.TrimPrefix(ref, `{"`), `":`)
	path = js.Unquote(strings.TrimSuffix(ref, "}"))
	body = bodies - 1
	if k, rest, ok := strings.Cut(path, "/"); ok {
		if n, err := strconv.Atoi(k); err == nil && n >= 1 && n < bodies {
			body, path = n-1, rest
		}
	}
	if kind == refURL {
		path += ".data"
	}
	return body, path, kind
}

// nextRef finds the first reference in a text from a place on.
func nextRef(text string, from int) (start, end int, ok bool) {
	for {
		i := strings.Index(text[from:], `{"$`)
		if i < 0 {
			return 0, 0, false
		}
		start = from + i
		name := js.ValueEnd(text, start+1)
		kind := strings.Trim(text[start+1:name], `"`)
		if slices.Contains(refKinds, kind) && strings.HasPrefix(text[name:], `:"`) {
			if end = js.ValueEnd(text, name+1); end < len(text) && text[end] == '}' {
				return start, end + 1, true
			}
		}
		from = start + 1
	}
}

// fill returns a line with the values in place of the references, and notes their paths. ok is
// false if one is not there.
func fill(text string, bodies []body, paths []map[string]bool) (line string, ok bool) {
	var b strings.Builder
	at := 0
	for {
		start, end, more := nextRef(text, at)
		if !more {
			break
		}
		b.WriteString(text[at:start])
		at = end
		n, path, kind := splitRef(text[start:end], len(bodies))
		v := bodies[n].at(path)
		switch {
		case v == "":
			return "", false
		case kind == refText:
			v = js.Value(js.Quote(string(v)))
		case kind == refJSON:
			if v = js.Value(v.Str()); !js.Valid([]byte(v)) {
				return "", false
			}
		case kind == refURL:
			media := bodies[n].at(strings.TrimSuffix(path, "data") + "mimeType")
			v = js.Value(js.Quote(api.FormatDataURL(media.Str(), v.Str())))
		}
		b.WriteString(string(v))
		paths[n][path] = true
	}
	if at == 0 {
		return text, true
	}
	b.WriteString(text[at:])
	return b.String(), true
}

// keptText returns the member "kept" for lines that became the entries of bodies.
func keptText(of []string, bodies []body, lines []KeptLine, more ...js.Field) string {
	r := newReferrer(bodies)
	texts, places := make([]string, len(lines)), make([]string, len(lines))
	placed, bound := false, false
	for i, l := range lines {
		if texts[i], places[i] = l.Text, strconv.Itoa(l.N); !l.Fact {
			texts[i], bound = r.line(l), len(bodies) > 0
		}
		placed = placed || l.N != 0
	}
	var fields []js.Field
	if len(of) > 0 {
		ids := make([]string, len(of))
		for i, id := range of {
			ids[i] = js.Quote(id)
		}
		fields = append(fields, js.RawField("of", api.Array(ids...)))
	}
	if bound {
		fields = append(fields, js.StringField("sum", sumOf(bodies, r.paths)))
	}
	if placed {
		fields = append(fields, js.RawField("n", api.Array(places...)))
	}
	return js.Object(append(append(fields, more...), js.RawField("lines", api.Array(texts...)))...)
}

func sumOf(bodies []body, paths []map[string]bool) string {
	h := sha256.New()
	for i, b := range bodies {
		at := 0
		for _, v := range b.values {
			if paths[i][v.path] && v.start >= at {
				h.Write([]byte(b.raw[at:v.start]))
				at = v.end
			}
		}
		h.Write([]byte(b.raw[at:]))
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// A Keeper gives back the lines that the entries of a session keep for an agent.
type Keeper struct {
	lines   map[int][]KeptLine // by the entries that keep them
	of      map[int][]string
	covered map[string]bool
}

// Keeper collects the agent's own lines that the entries of s carry since they were imported. An entry that was edited since
// then, in more than the texts that it shares with its lines, counts as having none.
func (t *Target) Keeper(s *session.Session, agent string) *Keeper {
	k := &Keeper{lines: map[int][]KeptLine{}, of: map[int][]string{}, covered: map[string]bool{}}
	for i, e := range s.Entries {
		kept := js.Value(e.Get(keptMember)).Get(agent)
		if !kept.IsObject() {
			continue
		}
		t.crlf, t.bom = t.crlf || kept.Get("ends").Str() == "\r\n", t.bom || kept.Get("bom") == "true"
		var of []string
		var bodies []body
		whole := true
		for id := range kept.Get("of").Elements() {
			n, ok := s.Index(id.Str())
			if whole = whole && ok; ok {
				of, bodies = append(of, id.Str()), append(bodies, bodyOf(t.inlined(s.Entries[n]).Raw()))
			}
		}
		if !whole {
			continue
		}
		bodies = append(bodies, bodyOf(t.inlined(e).Raw()))
		if lines, ok := keptLines(kept, bodies); ok {
			k.lines[i], k.of[i] = lines, of
			for _, id := range append(of, e.ID()) {
				k.covered[id] = true
			}
		}
	}
	return k
}

// inlined returns an entry with the data of its images, silently.
func (t *Target) inlined(e session.Entry) session.Entry {
	if t.Blobs == "" || !refersToBlob(e) {
		return e
	}
	return resolve(e, t.Blobs, func(string, string, string, ...any) {})
}

// keptLines returns the lines that are kept; ok is false if the entries have changed since.
func keptLines(kept js.Value, bodies []body) (lines []KeptLine, ok bool) {
	paths := make([]map[string]bool, len(bodies))
	for i := range paths {
		paths[i] = map[string]bool{}
	}
	places := slices.Collect(kept.Get("n").Elements())
	for v := range kept.Get("lines").Elements() {
		l := KeptLine{Text: v.Str()}
		if !v.IsString() {
			if l.Text, ok = fill(string(v), bodies, paths); !ok {
				return nil, false
			}
		}
		if len(lines) < len(places) {
			n, _ := api.Whole(places[len(lines)])
			l.N = int(n)
		}
		lines = append(lines, l)
	}
	return lines, len(lines) > 0 && (kept.Get("sum") == "" || kept.Get("sum").Str() == sumOf(bodies, paths))
}

// Lines returns the lines that the i-th entry keeps, and the ids of the other entries made of them;
// none if it keeps none, or if the entries have changed since.
func (k *Keeper) Lines(i int) (lines []KeptLine, of []string) { return k.lines[i], k.of[i] }

// Covers reports whether the lines of an entry are kept, with it or with another one.
func (k *Keeper) Covers(id string) bool { return k.covered[id] }

func (b *Builder) unkept() bool { return b.Unkept || b.UsageOnly }

// BeginKeeping says that lines of the source will be kept. From here on the entries added since
// the last of them are in memory, and the one added last is given out with the one behind
// it, or by [Builder.Read].
func (b *Builder) BeginKeeping() {
	if !b.unkept() {
		b.recent = map[string]string{}
	}
}

// Keep keeps lines of the source with the entry added last; of are the entries that they became
// beside it, which have been added since lines were kept before. Further lines for the same
// entry stand behind them.
func (b *Builder) Keep(of []string, lines ...KeptLine) error {
	if b.unkept() {
		return nil
	}
	if b.held == nil {
		return errors.New("keeping a line: no entry was added before it")
	}
	for _, id := range of {
		raw, ok := b.recent[id]
		if !ok {
			return fmt.Errorf("keeping a line: %q is none of the entries at hand", id)
		}
		if !b.held.has[id] {
			b.held.has[id] = true
			b.held.of = append(b.held.of, id)
			b.held.bodies = append(b.held.bodies, bodyOf(raw))
		}
	}
	b.held.lines = append(b.held.lines, lines...)
	clear(b.recent)
	return nil
}

// Aside adds an entry that says nothing, of the type "FORMAT:name", and keeps lines of the
// source that became no entry. data is the JSON text of what else it has to tell an export, or "".
func (b *Builder) Aside(p Place, name, data string, lines ...KeptLine) (id string, err error) {
	id, err = b.Add(p, session.TypeCustom, js.StringField("customType", b.format+":"+name), js.Field{Name: "data", Raw: data})
	if err != nil || b.unkept() {
		return id, err
	}
	if b.held == nil {
		return "", errors.New("keeping a line aside: BeginKeeping was not called")
	}
	b.held.aside, b.held.lines = true, lines
	clear(b.recent)
	return id, nil
}

// A heldEntry is the entry added last, which may yet get lines to keep.
type heldEntry struct {
	line   string
	aside  bool // it says nothing that lines could refer to
	of     []string
	has    map[string]bool // those, and itself
	bodies []body          // of those
	lines  []KeptLine
}

// release gives out the entry that is held.
func (b *Builder) release() error {
	h := b.held
	b.held = nil
	switch {
	case h == nil:
		return b.err
	case len(h.lines) == 0:
		return b.emit(h.line)
	}
	if !h.aside {
		h.bodies = append(h.bodies, bodyOf(h.line))
	}
	kept := keptText(h.of, h.bodies, h.lines, b.style.tell()...)
	if others := js.Value(h.line).Get(keptMember); others.IsObject() { // an entry that came through another agent before
		return b.emit(string(js.Value(h.line).With(keptMember, others.With(b.format, js.Value(kept)))))
	}
	return b.emit(string(js.Value(h.line).Add(js.RawField(keptMember, js.Object(js.RawField(b.format, kept))))))
}

// Settle says that the source is closed up to here: no later line of it changes an entry, or is kept with one.
func (b *Builder) Settle() error { return b.release() }

// Read gives a session of an archive to b, all of it, or what [Builder.Growth] says.
func (b *Builder) Read(ctx context.Context, a Archive, info Info) error {
	defer sparing(info.Size)()
	err := a.Read(ctx, info, b)
	kept := b.recent != nil
	if b.Growth == Closed {
		b.held = nil
	}
	if last := b.release(); err == nil {
		err = last
	}
	if err == nil {
		err = b.unread()
	}
	if n := b.style.mixed(); kept && n > 0 {
		b.Lost(Many(n, "", KindText, "1 line ends otherwise than the first, LF or CR LF, and comes back like that one", "%d lines end otherwise than the first, LF or CR LF, and come back like that one"))
	}
	return err
}
