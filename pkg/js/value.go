package js

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// A Value is the text of one JSON value that [Valid] accepts, without white
// space around it. It is "" for a value that is absent. Its methods return the
// zero value for a value of another type.
type Value string

// Get returns the value at the end of a path of member names, "" if it is absent
// or null. Of members with one name the last counts, as in JavaScript.
func (v Value) Get(names ...string) Value {
	for _, name := range names {
		v = v.member(name)
	}
	if v == "null" {
		return ""
	}
	return v
}

// shortValue is the length in bytes up to which gjson is as quick as a walk. It looks
// at every byte, where [Members] jumps over strings (BenchmarkMember).
const shortValue = 128

// member asks gjson, which finds the first member whose key spells name without
// escapes. Where the text could hold another one, or is long, all members are
// compared.
func (v Value) member(name string) Value {
	if len(v) > shortValue || !v.IsObject() || !isSimpleName(name) {
		return Value(Member(string(v), name))
	}
	found := gjson.Get(string(v), name)
	rest := string(v)[found.Index+len(found.Raw):]
	if strings.Contains(rest, name) && found.Exists() || strings.Contains(string(v), `\u00`) {
		return Value(Member(string(v), name))
	}
	return Value(found.Raw)
}

// isSimpleName reports whether name is a path of gjson's that means the member of
// that name, and a key that spells it can have no escapes but those of the form
// \u00xx.
func isSimpleName(name string) bool {
	for i := range len(name) {
		if c := name[i]; (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return true
}

// Member returns the member called name of the object that json is, "" if it has
// none; null is a member. Of members with one name the last counts.
func Member(json, name string) string {
	found := ""
	for key, value := range Members(json) {
		if IsKey(key, name) {
			found = value
		}
	}
	return found
}

// IsKey reports whether the literal key spells name.
func IsKey(key, name string) bool {
	if strings.IndexByte(key, '\\') < 0 {
		return key[1:len(key)-1] == name
	}
	return Unquote(key) == name
}

// PlainKey returns the literal of a key without needless escapes: "\u0069d"
// spells id as well.
func PlainKey(key string) string {
	if strings.IndexByte(key, '\\') < 0 {
		return key
	}
	return Quote(Unquote(key))
}

// IsObject reports whether v is an object.
func (v Value) IsObject() bool { return v != "" && v[0] == '{' }

// IsArray reports whether v is an array.
func (v Value) IsArray() bool { return v != "" && v[0] == '[' }

// IsString reports whether v is a string.
func (v Value) IsString() bool { return v != "" && v[0] == '"' }

// IsNumber reports whether v is a number.
func (v Value) IsNumber() bool { return v != "" && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') }

// Type returns the JSON type of v: object, array, string, number, boolean or
// null. It is "" for an absent value.
func (v Value) Type() string {
	if v == "" {
		return ""
	}
	switch v[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// Str returns the text of a string (WTF-8).
func (v Value) Str() string {
	s, _ := v.Text()
	return s
}

// Text returns the text of a string (WTF-8); ok is false for other values.
func (v Value) Text() (s string, ok bool) {
	if !v.IsString() {
		return "", false
	}
	return Unquote(string(v)), true
}

// Truthy reports whether JavaScript takes the value for true.
func (v Value) Truthy() bool {
	switch v {
	case "", "null", "false", `""`, "0", "-0":
		return false
	}
	return !v.IsNumber() || v.Float() != 0
}

// Int returns a number cut to an integer, and to the integers that JavaScript
// holds exactly: ±2⁵³.
func (v Value) Int() int64 {
	raw := string(v)
	if n, digits := decimal(raw); digits == len(raw) {
		return n
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(f) {
		return 0
	}
	return int64(max(min(f, 1<<53), -(1 << 53)))
}

// Float returns a number. One that is out of range is infinite.
func (v Value) Float() float64 {
	raw := string(v)
	// What a price looks like is read in a third of the time of ParseFloat.
	whole, digits := decimal(raw)
	if digits > 0 && digits < len(raw) && raw[digits] == '.' && len(raw) <= maxDigits+1 {
		fraction := raw[digits+1:]
		if part, n := decimal(fraction); n == len(fraction) {
			// Both are exact, so that the quotient is rounded once.
			return float64(whole*int64(tens[n])+part) / tens[n]
		}
	}
	f, _ := strconv.ParseFloat(raw, 64)
	return f
}

// maxDigits is how many digits a float64 holds, whatever they are.
const maxDigits = 15

// tens are the powers of ten that maxDigits digits may be divided by, all exact.
var tens = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// decimal reads the digits that raw begins with, maxDigits at most, and returns
// how many there are, 0 if there are more.
func decimal(raw string) (n int64, digits int) {
	for digits < len(raw) && raw[digits]-'0' <= 9 {
		if digits == maxDigits {
			return 0, 0
		}
		n = n*10 + int64(raw[digits]-'0')
		digits++
	}
	return n, digits
}

// Members returns the members of an object in the order of the text, duplicates
// included.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for key, value := range Members(string(v)) {
			if !yield(Unquote(key), Value(value)) {
				return
			}
		}
	}
}

// Elements returns the elements of an array.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		for element := range Elements(string(v)) {
			if !yield(Value(element)) {
				return
			}
		}
	}
}

// ObjectIn returns the object whose JSON text a string holds, without white space around it; "" for any other text.
func ObjectIn(text string) Value {
	if text = Trim(text); !strings.HasPrefix(text, "{") || !Valid([]byte(text)) {
		return ""
	}
	return Value(text)
}

// Strings calls visit for each string in a value at any depth, in the order of the text, until it returns false. What skip
// reports is left out: it is told of each member of an object, with its name, and of each object, with the name "".
func (v Value) Strings(skip func(name string, v Value) bool, visit func(Value) bool) {
	stack := []Value{v}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		first := len(stack)
		switch {
		case top.IsString():
			if !visit(top) {
				return
			}
		case top.IsArray():
			stack = slices.AppendSeq(stack, top.Elements())
		case top.IsObject() && !skip("", top):
			for name, value := range top.Members() {
				if name == "" || !skip(name, value) {
					stack = append(stack, value)
				}
			}
		}
		slices.Reverse(stack[first:])
	}
}

// With returns an object with the member called name set to value: in place if the object has it,
// else at the end. All other bytes stay as they are. A value of "" removes the member; a value that
// is no object, or absent, becomes an object of the member alone.
//
// Members with one name give way to one at the end, since readers disagree on
// which of them counts.
func (v Value) With(name string, value Value) Value {
	switch {
	case value == "":
		return v.Without(name)
	case !Value(strings.TrimLeft(string(v), " \t\r\n")).IsObject():
		v = "{}"
	}
	n, at := 0, memberPlace{}
	for p := range v.places() {
		if IsKey(p.key, name) {
			n, at = n+1, p
		}
	}
	switch {
	case n == 0:
		return v.Add(Field{name, string(value)})
	case n > 1:
		return v.Without(name).Add(Field{name, string(value)})
	case name == "" || strings.Contains(at.key, `\`), // sjson has no path for the one and may not find the other
		len(v)+len(value) > shortValue: // and it looks for the member once more
		return v[:at.value] + value + v[at.end:]
	}
	out, err := sjson.SetRaw(string(v), sjsonPath(name), string(value))
	if err != nil || Member(out, name) != string(value) { // sjson does not report a failure
		panic(fmt.Sprintf("js: setting %q gave %v: %.60q", name, err, out))
	}
	return Value(out)
}

// Without returns an object without the members that have one of the names, and
// without their commas. sjson's Delete is not used: it takes the member before along
// where a key holds a quote.
func (v Value) Without(names ...string) Value {
	out := make([]byte, 0, len(v))
	end, kept := 0, false // the end of the member before; whether one was kept
	for p := range v.places() {
		gone := slices.ContainsFunc(names, func(name string) bool { return IsKey(p.key, name) })
		switch {
		case end == 0:
			out = append(out, v[:p.start]...) // the brace
		case kept && !gone:
			out = append(out, v[end:p.start]...) // the comma
		}
		if !gone {
			out, kept = append(out, v[p.start:p.end]...), true
		}
		end = p.end
	}
	return Value(append(out, v[end:]...))
}

// Add returns an object with members that it does not have at its end.
func (v Value) Add(fields ...Field) Value {
	end := strings.LastIndexByte(string(v), '}')
	var added strings.Builder
	for i, f := range fields {
		if i > 0 || !strings.HasSuffix(strings.TrimRight(string(v[:end]), " \t\r\n"), "{") {
			added.WriteByte(',')
		}
		f.write(&added)
	}
	return v[:end] + Value(added.String()) + v[end:]
}

// A memberPlace is a member of an object: its key as a literal, and where the key
// begins, the value begins and the value ends.
type memberPlace struct {
	key               string
	start, value, end int
}

func (v Value) places() iter.Seq[memberPlace] {
	return func(yield func(memberPlace) bool) {
		raw, end := string(v), 0
		for key, value := range Members(raw) {
			p := memberPlace{key: key, start: end + strings.IndexByte(raw[end:], '"')}
			colon := p.start + len(key) + strings.IndexByte(raw[p.start+len(key):], ':')
			p.value = len(raw) - len(strings.TrimLeft(raw[colon+1:], " \t\r\n"))
			p.end = p.value + len(value)
			if end = p.end; !yield(p) {
				return
			}
		}
	}
}

// sjsonPath turns a member's name into a path, in which some characters are operators. A leading
// colon means something else there.
func sjsonPath(name string) string {
	p := gjson.Escape(name)
	if strings.HasPrefix(p, ":") {
		p = ":" + p
	}
	return p
}

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
		f.write(&b)
	}
	b.WriteByte('}')
	return b.String()
}

// write writes the member that f is.
func (f Field) write(b *strings.Builder) {
	if isSimpleName(f.Name) {
		b.WriteByte('"')
		b.WriteString(f.Name)
		b.WriteByte('"')
	} else {
		b.WriteString(Quote(f.Name))
	}
	b.WriteByte(':')
	b.WriteString(f.Raw)
}
