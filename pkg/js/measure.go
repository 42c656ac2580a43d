package js

import "slices"

// fewMembers is up to how many members keys are compared pair by pair; beyond,
// a map finds the duplicates.
const fewMembers = 8

// member is what is remembered of a member of an object that is being
// measured: a later one with the same key takes its place.
type member struct {
	key   string // its text
	units int    // length of the value
}

// measure returns the index after the value that begins at s[i], or -1, and the
// length in UTF-16 code units of what JSON.stringify makes of the value.
func measure(s string, i, depth int) (end, n int) {
	if i >= len(s) {
		return -1, 0
	}
	switch c := s[i]; {
	case c == '"':
		end = stringEnd(s, i)
		return end, literalUnits(s[i:end])
	case c == '{' && depth < MaxDepth:
		return measureObject(s, i, depth+1)
	case c == '[' && depth < MaxDepth:
		return measureArray(s, i, depth+1)
	case c == '-' || isDigit(c):
		end = scalarEnd(s, i)
		return end, numberUnits(s[i:end])
	case isLetter(c):
		end = scalarEnd(s, i)
		return end, end - i
	}
	return -1, 0
}

// measureArray is measure for the array that begins at s[i].
func measureArray(s string, i, depth int) (end, n int) {
	n = len("[]")
	if i = skipSpace(s, i+1); i < len(s) && s[i] == ']' {
		return i + 1, n
	}
	for ; ; i = skipSpace(s, i+1) {
		var units int
		if i, units = measure(s, i, depth); i < 0 {
			return -1, 0
		}
		n += units
		if i = skipSpace(s, i); i == len(s) {
			return -1, 0
		}
		switch s[i] {
		case ']':
			return i + 1, n
		case ',':
			n += len(",")
		default:
			return -1, 0
		}
	}
}

// measureObject is measure for the object that begins at s[i].
func measureObject(s string, i, depth int) (end, n int) {
	n = len("{}")
	if i = skipSpace(s, i+1); i < len(s) && s[i] == '}' {
		return i + 1, n
	}
	var few [fewMembers]member
	list := few[:0]           // members with distinct keys
	var places map[string]int // of the keys in list, once they are many
	for ; ; i = skipSpace(s, i+1) {
		var m member
		if m.key, i = memberKey(s, i); i < 0 {
			return -1, 0
		}
		if i, m.units = measure(s, i, depth); i < 0 {
			return -1, 0
		}
		if at := place(list, places, m.key); at >= 0 {
			n += m.units - list[at].units
			list[at] = m
		} else {
			n += quotedLen(m.key) + len(":") + m.units + len(",")
			list = append(list, m)
			places = index(list, places)
		}
		if i = skipSpace(s, i); i == len(s) {
			return -1, 0
		}
		switch s[i] {
		case '}':
			return i + 1, n - len(",")
		case ',':
		default:
			return -1, 0
		}
	}
}

// place returns the index in list of the member with this key, or -1.
func place(list []member, places map[string]int, key string) int {
	if places == nil {
		return slices.IndexFunc(list, func(m member) bool { return m.key == key })
	}
	if at, ok := places[key]; ok {
		return at
	}
	return -1
}

// index enters the last member of list in places, which it makes when there
// are more than a few.
func index(list []member, places map[string]int) map[string]int {
	switch last := len(list) - 1; {
	case places != nil:
		places[list[last].key] = last
	case last == fewMembers:
		places = make(map[string]int, 4*fewMembers)
		for i, m := range list {
			places[m.key] = i
		}
	}
	return places
}
