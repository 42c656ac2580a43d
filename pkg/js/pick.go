package js

import (
	"slices"
	"strings"
	"unsafe"
)

// A Want is a member that a [Pick] looks for, and where its value is put: "" if there is
// none.
type Want struct {
	Name string
	Into *Value
}

// A Pick finds members by their names in one pass over a line: of the object that the line
// is, and of one object that is its member. Of members with one name the last counts. The
// values are parts of the line.
type Pick struct {
	top, inner list
	within     string // literal of the member that inner are of

	line   string
	levels int

	// These are made once, as that costs memory.
	member             func(level int, key, value Span)
	walkTop, walkInner func(key string, at int) int
}

// A list is members that are looked for in one object.
type list struct {
	members []picked
	lengths uint64 // a bit for the length of each key
	some    bool   // one was found in the object that is read at the moment, whatever it is of
}

type picked struct {
	key   string // a literal
	into  *Value
	found Value
}

// NewPick returns a Pick of members of the top, and of the object that is called within.
func NewPick(top []Want, within string, inner []Want) *Pick {
	p := &Pick{top: listOf(top), inner: listOf(inner), within: `"` + within + `"`, levels: min(2, 1+len(inner))}
	p.member, p.walkTop, p.walkInner = p.take, p.walk, p.innerMember
	return p
}

func listOf(wants []Want) list {
	l := list{members: make([]picked, len(wants))}
	for i, w := range wants {
		l.members[i] = picked{key: `"` + w.Name + `"`, into: w.Into}
		l.lengths |= 1 << len(l.members[i].key)
	}
	return l
}

// Valid reports whether a line is valid, as [Valid] does, and finds the members in the same
// pass. Of a line that is not valid some may be found. The values borrow the memory of the
// line.
func (p *Pick) Valid(line []byte) bool {
	p.begin(unsafe.String(unsafe.SliceData(line), len(line)))
	return ValidMembers(line, p.levels, p.member)
}

// Walk finds the members in a third of the time that Valid takes, for it does not look into strings
// and numbers. It reports whether the line is one object as far as brackets and quotes tell.
func (p *Pick) Walk(line []byte) bool {
	return p.WalkText(unsafe.String(unsafe.SliceData(line), len(line)))
}

// WalkText is Walk of a line that is a string.
func (p *Pick) WalkText(line string) bool {
	p.begin(line)
	end := WalkObject(p.line, 0, p.walkTop)
	return end >= 0 && strings.Trim(p.line[end:], " \t\r") == ""
}

func (p *Pick) begin(line string) {
	p.line = line
	for _, l := range []*list{&p.top, &p.inner} {
		l.settle(false)
		l.settle(true)
	}
}

// walk goes through a member of the top, and through its members if they are looked for.
func (p *Pick) walk(key string, at int) (end int) {
	name := PlainKey(key)
	if name == p.within {
		end = WalkObject(p.line, at, p.walkInner)
	}
	if end <= 0 {
		end = ValueEnd(p.line, at)
	}
	if end > at {
		p.ended(name, Value(p.line[at:end]))
	}
	return end
}

func (p *Pick) innerMember(key string, at int) (end int) {
	if end = ValueEnd(p.line, at); end > at {
		p.inner.put(PlainKey(key), Value(p.line[at:end]))
	}
	return end
}

// take takes a member that was validated: one of level 2 before that which it is part of.
func (p *Pick) take(level int, key, value Span) {
	name, v := PlainKey(p.line[key.From:key.To]), Value(p.line[value.From:value.To])
	if level == 2 {
		p.inner.put(name, v)
		return
	}
	p.ended(name, v)
}

// ended takes a member of the top, with what was found in it.
func (p *Pick) ended(name string, v Value) {
	if m := p.top.put(name, v); m != nil {
		*m.into = v
	}
	if name == p.within {
		p.inner.settle(true)
	} else if p.inner.some {
		p.inner.settle(false)
	}
}

// put takes note of a member, if it is one of the list.
func (l *list) put(name string, v Value) *picked {
	if l.lengths>>(len(name)&63)&1 == 0 {
		return nil
	}
	for i := range l.members { // they are few
		if m := &l.members[i]; m.key == name {
			m.found, l.some = v, true
			return m
		}
	}
	return nil
}

// settle forgets what was found, and hands it over first if it counts.
func (l *list) settle(counts bool) {
	for i := range l.members {
		m := &l.members[i]
		if counts {
			*m.into = m.found
		}
		m.found = ""
	}
	l.some = false
}

// A Dict is an object whose members were found, once: for an object that is large, or is asked for
// many members.
type Dict struct {
	Value
	members []Field
}

// DictOf returns the members of an object, in the room that those of another one take which is
// used no more; nil is no room.
func DictOf(v Value, room []Field) Dict {
	if room == nil {
		room = make([]Field, 0, 8)
	}
	d := Dict{v, room[:0]}
	for name, value := range v.Members() {
		d.members = append(d.members, Field{name, string(value)})
	}
	return d
}

// Room returns the room of the members, for [DictOf]. The Dict is used no more.
func (d Dict) Room() []Field { return d.members }

// Own returns the value of the member called name, null included, "" if there is none. Of
// members with one name the last counts.
func (d Dict) Own(name string) Value {
	for _, m := range slices.Backward(d.members) {
		if m.Name == name {
			return Value(m.Raw)
		}
	}
	return ""
}

// Get returns what the names lead to, as [Value.Get] does.
func (d Dict) Get(names ...string) Value {
	v := d.Own(names[0])
	if v == "null" {
		return ""
	}
	if len(names) > 1 {
		return v.Get(names[1:]...)
	}
	return v
}
