package js

import (
	"iter"
)

// Members returns the members of a valid JSON object text in the order of the
// text, duplicates included: the key as a literal with its quotes (see
// [Unquote]) and the value as its bytes, without white space around it. A text
// that is no object has no members.
func Members(json string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		WalkObject(json, skipSpace(json, 0), func(key string, at int) int {
			if end := valueEnd(json, at); end > at && yield(key, json[at:end]) {
				return end
			}
			return -1
		})
	}
}

// WalkObject walks the members of the object that begins at json[at] and returns
// the index after it. For each it calls member with the key as a literal and the
// index at which the value begins, and goes on where member says that the value
// ends: see [ValueEnd], or WalkObject for an object, which so is walked in the same
// pass. It returns -1 where it sees that the text is not valid, which is not
// everywhere, or if no object begins there.
func WalkObject(json string, at int, member func(key string, at int) (end int)) (end int) {
	if at < 0 || at >= len(json) || json[at] != '{' {
		return -1
	}
	i := skipSpace(json, at+1)
	if i < len(json) && json[i] == '}' {
		return i + 1
	}
	for i < len(json) && json[i] == '"' {
		keyEnd := stringEnd(json, i)
		key := json[i:keyEnd]
		if i = skipSpace(json, keyEnd); i == len(json) || json[i] != ':' {
			return -1
		}
		i = skipSpace(json, i+1)
		end := member(key, i)
		if end <= i {
			return -1
		}
		var closed bool
		if i, closed = following(json, end, '}'); closed {
			return i
		}
	}
	return -1
}

// ValueEnd returns the index after the value that begins at json[at], of a valid
// text.
func ValueEnd(json string, at int) int { return valueEnd(json, at) }

// WalkArray walks the elements of the array that begins at json[at] and returns
// the index after it. It calls element with the index at which each begins, and
// goes on where element says that it ends: see [ValueEnd] and [WalkObject]. It
// returns -1 where WalkObject does.
func WalkArray(json string, at int, element func(at int) (end int)) (end int) {
	if at < 0 || at >= len(json) || json[at] != '[' {
		return -1
	}
	i := skipSpace(json, at+1)
	if i < len(json) && json[i] == ']' {
		return i + 1
	}
	for i < len(json) {
		end := element(i)
		if end <= i {
			return -1
		}
		var closed bool
		if i, closed = following(json, end, ']'); closed {
			return i
		}
	}
	return -1
}

// following returns where the member or element begins that follows the one which
// ends at end. If none does, closed is true, and next is the index behind the
// closing bracket, -1 if there is none.
func following(json string, end int, bracket byte) (next int, closed bool) {
	i := skipSpace(json, end)
	switch {
	case i == len(json):
		return -1, true
	case json[i] == ',':
		return skipSpace(json, i+1), false
	case json[i] == bracket:
		return i + 1, true
	}
	return -1, true
}

// Elements returns the elements of a valid JSON array text, each as its bytes
// without white space around it. A text that is no array has no elements.
func Elements(json string) iter.Seq[string] {
	return func(yield func(string) bool) {
		WalkArray(json, skipSpace(json, 0), func(at int) int {
			end := valueEnd(json, at)
			if end > at && !yield(json[at:end]) {
				return at
			}
			return end
		})
	}
}
