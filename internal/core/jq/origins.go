package jq

import (
	"reflect"
	"unsafe"
)

// Origins are the texts that objects and arrays were decoded from. A text belongs to one object,
// and not to all that are equal: an object that a program makes has no text. gojq never changes an
// object or array that it was given, but copies it. So an object that is still the same has the
// meaning of its text, with the order of its members and the spelling of its numbers, which a value
// of gojq does not have. The zero value is ready for use.
type Origins struct{ texts map[identity]string }

// An identity tells an object or array from any other. It holds a pointer, so nothing else comes to
// be at that place while the identity is in use. Two arrays of which one is the beginning of the
// other differ in their lengths.
type identity struct {
	at   unsafe.Pointer
	size int
}

// smallTable is up to how many texts a table is cleared for the next value. Clearing costs as
// much as the table once held.
const smallTable = 64

// identityOf returns the identity of an object or array. ok is false for any other value, and for
// an empty array, which has no address.
func identityOf(v any) (id identity, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		return identity{reflect.ValueOf(v).UnsafePointer(), len(v)}, true
	case []any:
		return identity{reflect.ValueOf(v).UnsafePointer(), len(v)}, len(v) > 0
	}
	return id, false
}

func (o *Origins) put(v any, text string) {
	if id, ok := identityOf(v); ok {
		if o.texts == nil {
			o.texts = map[identity]string{}
		}
		o.texts[id] = text
	}
}

// Text returns the text that an object or array was decoded from; ok is false for a value that
// was not, or that was changed since.
func (o *Origins) Text(v any) (text string, ok bool) {
	if len(o.texts) == 0 {
		return "", false
	}
	id, ok := identityOf(v)
	if !ok {
		return "", false
	}
	text, ok = o.texts[id]
	return text, ok
}

// Reset forgets all texts.
func (o *Origins) Reset() {
	if len(o.texts) > smallTable {
		o.texts = nil
		return
	}
	clear(o.texts)
}

// Take adds the texts of a value, and of the values in it, that one of the others has.
func (o *Origins) Take(v any, others ...*Origins) {
	for _, other := range others {
		if text, ok := other.Text(v); ok {
			o.put(v, text)
			break
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			o.Take(member, others...)
		}
	case []any:
		for _, element := range v {
			o.Take(element, others...)
		}
	}
}
