package redact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/secret"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// rounds is how often a line is looked at again: what two replacements leave beside each
// other may look like a secret.
const rounds = 4

// The problems of a line of which a secret cannot be taken out.
const (
	Left    session.Kind = "secret-left"    // it is found again and again
	Damaged session.Kind = "secret-damaged" // the line is no JSON
	Kept    session.Kind = "secret-kept"    // it is in an id, which is not changed
)

var errShape = errors.New("the line would not have the same shape")

// Options choose the rules for secrets, and their replacements.
type Options struct {
	Set        *secret.Set
	Style      Style
	Signatures bool   // signatures become empty
	Images     string // "note": a text stands in place of each image; "drop": nothing
	Damaged    bool   // a line that is no JSON and has a secret is replaced

	Broken func(jsonl.Line) // is told of each line that is no JSON and not blank, by its number, if it is not nil
}

// A Found is a secret that was found, by where it stands. It does not print the secret.
type Found struct {
	secret.Finding
	Entry      string // the id of the entry, "-" of the header, "L7" of the seventh line
	Line       int
	Field      string // path of the string in the entry, "content[0].text"
	Structural bool   // in an id or the like, which is not changed
	Damaged    bool   // in a line that is no JSON
}

// A Redactor takes secrets out of lines. It may not be used by several goroutines.
type Redactor struct {
	o      Options
	tree   tree
	clean  map[string]bool // short strings without a secret
	number int             // of the line that the tree is of
	newest *line           // the only line that may be cut because of others; nil for any
	taken  int
}

// New makes a redactor. It fails if the replacement looks like a secret.
func New(o Options) (*Redactor, error) {
	if len(o.Set.Find(o.Style.Text)) > 0 {
		return nil, errors.New("the replacement looks like a secret itself")
	}
	return &Redactor{o: o, clean: map[string]bool{}}, nil
}

// Text returns a text without its secrets. It fails if one is found again and again.
func (r *Redactor) Text(text string) (string, error) {
	for range rounds {
		found := r.o.Set.Find(text)
		if len(found) == 0 {
			return text, nil
		}
		var b strings.Builder
		done := 0
		for _, f := range found {
			b.WriteString(text[done:f.From])
			b.WriteString(r.o.Style.marker(f))
			done = f.To
		}
		text = b.String() + text[done:]
	}
	return "", errors.New("a secret cannot be taken out of a text")
}

// A line is a line that was looked at, and is kept until the next one was.
type line struct {
	lead        string // a byte order mark in front of it
	text        string
	number      int
	end         string // its line feed
	entry       string
	kind        string // of which it is: lines of one kind may carry one text on
	cuts        map[int][]cut
	literals    map[int]text
	broken      bool // it is no JSON
	panicked    bool // looking at it did
	keys        bool // a key is cut
	found       []Found
	first, last piece
	single      bool // they are of one text
	held        int  // how many pieces of it are kept
}

// A cut is a part of a text that is replaced.
type cut struct {
	secret.Span
	with string
}

// A piece is a part of a text that was said, as one joins it with the next.
type piece struct {
	line     *line
	index    int // of the text in the tree; -1: there is none
	literal  text
	element  int
	from     int // of the part, in the text
	text     string
	cut      bool // there is more of the text
	listed   bool // the text stands in an array by itself
	streamed bool // it is cut anywhere
	kind     string
	field    string
}

func (l *line) cut(index int, x text, s secret.Span, with string) {
	if l.cuts == nil {
		l.cuts, l.literals = map[int][]cut{}, map[int]text{}
	}
	l.cuts[index], l.literals[index] = append(l.cuts[index], cut{s, with}), x
	l.keys = l.keys || x.key
}

// look looks at a line of valid JSON.
func (r *Redactor) look(l *line) {
	t := &r.tree
	t.read(l.text)
	r.number = l.number
	for i, x := range t.texts {
		for _, f := range r.texts(t, x) {
			at := Found{Finding: f, Line: l.number, Field: t.field(x, r.shown, 0), Structural: t.structural(x)}
			l.found = append(l.found, at)
			if !at.Structural {
				l.cut(i, x, f.Span, r.o.Style.marker(f))
			}
		}
	}
	r.joined(l)
	if len(l.found) > 0 || l.last.index >= 0 {
		l.entry, l.kind = r.describe(l.text, l.number)
	}
}

// describe returns what a line is called, and which lines are of its kind.
func (r *Redactor) describe(text string, number int) (entry, kind string) {
	v := js.Value(js.Trim(text))
	typ, id := v.Get("type").Str(), v.Get("id").Str()
	kind = typ + "/" + v.Get("message", "role").Str()
	switch message := v.Get("message"); message.Get("role").Str() { // what another call printed, and another reply, is of another speaker
	case "toolResult":
		kind += "/" + message.Get("toolCallId").Str()
	case "assistant":
		reply := cmp.Or(message.Get("responseId").Str(), message.Get("id").Str())
		if reply == "" && message.Get("stopReason").Str() != "" {
			reply = id // the entry is the whole of it
		}
		kind += "/" + reply
	}
	if typ == session.TypeCustom { // a stream that was kept, of which agents that work side by side have one each
		kind = typ + "/" + v.Get("customType").Str() + "/" + v.Get("data", "parent_tool_use_id").Str()
	}
	switch {
	case typ == session.TypeSession:
		return "-", kind
	case !isName(id) || !r.shown(id):
		return fmt.Sprintf("L%d", number), kind
	}
	return id, kind
}

// shown reports whether a key may be shown.
func (r *Redactor) shown(key string) bool { return r.isClean(key) }

func (r *Redactor) isClean(s string) bool {
	if r.clean[s] {
		return true
	}
	if len(r.o.Set.FindAll(s)) > 0 {
		return false
	}
	if len(r.clean) < 4096 {
		r.clean[strings.Clone(s)] = true
	}
	return true
}

// texts returns the findings in a string.
func (r *Redactor) texts(t *tree, x text) []secret.Finding {
	if x.To-x.From < secret.MinExact {
		return nil
	}
	lit := t.literal(x)
	plain := js.Unquote(lit)
	front := t.context(x)
	if front == "" && len(plain) <= 64 && r.isClean(plain) {
		return nil
	}
	exempt, tails := images(plain, r.o.Set.Find)
	var all []secret.Finding
	if len(exempt) != 1 || exempt[0] != (secret.Span{From: 0, To: len(plain)}) {
		all = r.o.Set.FindAll(plain)
		all = append(all, r.named(front, plain)...)
	}
	structural, opaque := t.structural(x), t.opaque(x) && isRun(plain)
	all = slices.DeleteFunc(all, func(f secret.Finding) bool {
		return slices.ContainsFunc(exempt, func(s secret.Span) bool { return s.From <= f.From && f.To <= s.To }) ||
			structural && f.Loose() || opaque && !f.Known() && f.From > 0 ||
			slices.ContainsFunc(tails, func(t secret.Finding) bool { return t.From < f.To && f.From < t.To })
	})
	all = secret.Merge(append(all, tails...))
	if opaque && len(all) > 0 { // it means something as a whole only
		all = all[:1]
		all[0].Span, all[0].As = secret.Span{From: 0, To: len(plain)}, nothing
	}
	return all
}

// named returns what rules find in a value because of its name.
func (r *Redactor) named(front, plain string) (list []secret.Finding) {
	if front == "" || len(plain) > 4096 {
		return nil
	}
	for _, f := range r.o.Set.FindAll(front + plain + `"`) {
		f.From, f.To = f.From-len(front), f.To-len(front)
		if f.From >= 0 && f.To <= len(plain) && f.From < f.To {
			list = append(list, f)
		}
	}
	return list
}

// isRun reports whether a text is base64 and nothing else.
func isRun(s string) bool {
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=") == ""
}

// splice returns the line with its cuts replaced.
func (l *line) splice() string {
	type edit struct {
		js.Span
		with string
	}
	var edits []edit
	for index, cuts := range l.cuts {
		x := l.literals[index]
		cuts = union(cuts)
		spans := make([]js.Span, len(cuts))
		for i, c := range cuts {
			spans[i] = js.Span(c.Span)
		}
		for i, o := range js.Origins(l.text[x.From:x.To], spans) {
			edits = append(edits, edit{js.Span{From: x.From + o.From, To: x.From + o.To}, cuts[i].with})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.From, b.From) })
	var b strings.Builder
	done := 0
	for _, e := range edits {
		b.WriteString(l.text[done:e.From])
		b.WriteString(e.with)
		done = e.To
	}
	b.WriteString(l.text[done:])
	return b.String()
}

// union joins the cuts of a text that overlap.
func union(cuts []cut) (out []cut) {
	slices.SortStableFunc(cuts, func(a, b cut) int { return cmp.Or(a.From-b.From, b.To-a.To) })
	for _, c := range cuts {
		if n := len(out); n > 0 && c.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, c.To)
			continue
		}
		out = append(out, c)
	}
	return out
}

// replaced returns the text of a line without its secrets.
func (r *Redactor) replaced(l *line) (string, error) {
	text := l.text
	for round := 0; len(l.cuts) > 0; round++ {
		if round == rounds {
			return "", errors.New("a secret is left in it")
		}
		next := l.splice()
		if l.keys {
			next = r.unique(next, text)
		}
		if !js.Valid([]byte(next)) || shape(next) != shape(text) {
			return "", errShape
		}
		text = next
		l = &line{text: text, number: l.number}
		l.first.index, l.last.index = -1, -1
		r.look(l)
	}
	return text, nil
}

// unique makes keys of one object different again that were replaced by the same marker.
func (r *Redactor) unique(text, before string) string {
	known, t := &tree{}, &tree{}
	known.read(before)
	t.read(text)
	if len(known.texts) != len(t.texts) {
		return text
	}
	type place struct {
		frame int
		key   string
	}
	taken := map[place]bool{}
	for i, x := range t.texts {
		if x.key && t.literal(x) == known.literal(known.texts[i]) {
			taken[place{x.in, js.Unquote(t.literal(x))}] = true
		}
	}
	var b strings.Builder
	done := 0
	for i, x := range t.texts {
		if !x.key || t.literal(x) == known.literal(known.texts[i]) {
			continue
		}
		key := js.Unquote(t.literal(x))
		name := key
		for n := 2; taken[place{x.in, name}]; n++ {
			name = fmt.Sprintf("%s-%d", key, n)
		}
		taken[place{x.in, name}] = true
		b.WriteString(text[done : x.To-1])
		b.WriteString(name[len(key):])
		done = x.To - 1
	}
	return b.String() + text[done:]
}
