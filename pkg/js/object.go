package js

import (
	"strconv"
	"strings"
)

// A Field is a member of an object that is built: its name and its value as JSON
// text.
type Field struct{ Name, Raw string }

// StringField returns a field with a string value.
func StringField(name, value string) Field { return Field{name, Quote(value)} }

// RawField returns a field with a value as JSON text: a [Value] or a string.
func RawField[Raw ~string](name string, raw Raw) Field { return Field{name, string(raw)} }

// IntField returns a field with a number.
func IntField(name string, value int64) Field { return Field{name, strconv.FormatInt(value, 10)} }

// Object returns an object of the fields in their order. Fields without a value
// are left out, as JavaScript leaves out undefined.
func Object(fields ...Field) string {
	size := len("{}")
	for _, f := range fields {
		size += len(f.Name) + len(f.Raw) + len(`"":,`)
	}
	var b strings.Builder
	b.Grow(size) // a value may be huge
	b.WriteByte('{')
	for _, f := range fields {
		if f.Raw == "" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(Quote(f.Name))
		b.WriteByte(':')
		b.WriteString(f.Raw)
	}
	b.WriteByte('}')
	return b.String()
}
