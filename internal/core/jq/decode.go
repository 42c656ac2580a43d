package jq

import (
	"encoding/json"
	"errors"
	"unsafe"

	"github.com/sess-tools/sess/pkg/js"
)

// Decode reads one JSON value the way gojq wants it: numbers keep their text, so that a number that
// is only passed through keeps every digit. Texts without escapes are parts of raw, which may be
// huge; encoding/json would hold the value three times over.
func Decode(raw string) (any, error) { return decode(raw, nil) }

// Decode is the function Decode, and remembers the texts of the objects and arrays.
func (o *Origins) Decode(raw string) (any, error) { return decode(raw, o) }

func decode(raw string, origins *Origins) (any, error) {
	if !js.Valid(unsafe.Slice(unsafe.StringData(raw), len(raw))) {
		return nil, errors.New("decoding the value: it is not one JSON value")
	}
	d := decoder{raw: raw, origins: origins}
	return d.value(), nil
}

// A decoder reads valid JSON. Objects and arrays nest no deeper than js.MaxDepth.
type decoder struct {
	raw     string
	at      int
	origins *Origins // nil where no texts are wanted
}

// next skips white space, and returns the byte behind it.
func (d *decoder) next() byte {
	for {
		switch c := d.raw[d.at]; c {
		case ' ', '\t', '\r', '\n':
			d.at++
		default:
			return c
		}
	}
}

// more goes to the next member or element, and reports false at the end of the
// object or array.
func (d *decoder) more() bool {
	switch d.next() {
	case '}', ']':
		d.at++
		return false
	case ',':
		d.at++
		d.next()
	}
	return true
}

func (d *decoder) value() any {
	switch d.next() {
	case '{':
		from, object := d.at, map[string]any{}
		for d.at++; d.more(); {
			key := d.text()
			d.next()
			d.at++                  // the colon
			object[key] = d.value() // of several with one key the last counts
		}
		if d.origins != nil {
			d.origins.put(object, d.raw[from:d.at])
		}
		return object
	case '[':
		from, array := d.at, []any{}
		for d.at++; d.more(); {
			array = append(array, d.value())
		}
		if d.origins != nil {
			d.origins.put(array, d.raw[from:d.at])
		}
		return array
	case '"':
		return d.text()
	}
	switch word := d.literal(); word {
	case "true", "false":
		return word == "true"
	case "null":
		return nil
	default:
		return json.Number(word)
	}
}

// literal returns a string, a number or a word.
func (d *decoder) literal() string {
	from := d.at
	d.at = js.ValueEnd(d.raw, d.at)
	return d.raw[from:d.at]
}

func (d *decoder) text() string { return js.ValidText(js.Unquote(d.literal())) }
