package jq

import (
	"reflect"
	"unsafe"
)

// Origins are the texts that objects and arrays were decoded from. gojq never changes a value
// that it was given: it copies what it changes. So one that is still at its address is still
// what its text says, with the order of its members and the spelling of its numbers, which a
// value of gojq does not have. The zero value is ready for use.
type Origins struct{ texts map[address]origin }

// An address is where an object or array is. Two arrays at one address, of which one is the
// beginning of the other, differ in their lengths.
type address struct {
	at   uintptr
	size int
}

type origin struct {
	value any // keeps the address from being used again
	text  string
}

// smallTable is up to how many texts a table is cleared for the next value. Clearing costs as
// much as the table once held.
const smallTable = 64

// addressOf returns where an object or array is; ok is false for any other value, and for an
// empty array, which has no address of its own.
func addressOf(v any) (a address, ok bool) {
	switch v := v.(type) {
	case map[string]any:
		return address{reflect.ValueOf(v).Pointer(), -1}, true
	case []any:
		return address{uintptr(unsafe.Pointer(unsafe.SliceData(v))), len(v)}, len(v) > 0
	}
	return a, false
}

func (o *Origins) put(v any, text string) {
	if a, ok := addressOf(v); ok {
		if o.texts == nil {
			o.texts = map[address]origin{}
		}
		o.texts[a] = origin{v, text}
	}
}

// Text returns the text that an object or array was decoded from; ok is false for a value that
// was not, or that was changed since.
func (o *Origins) Text(v any) (text string, ok bool) {
	if len(o.texts) == 0 {
		return "", false
	}
	a, ok := addressOf(v)
	if !ok {
		return "", false
	}
	found, ok := o.texts[a]
	return found.text, ok
}

// Reset forgets all texts.
func (o *Origins) Reset() {
	if len(o.texts) > smallTable {
		o.texts = nil
		return
	}
	clear(o.texts)
}

// Take adds the texts of a value, and of what is in it, that one of the others has.
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
