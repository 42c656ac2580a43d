package opencode

import (
	"strconv"

	"github.com/sess-tools/sess/internal/api"
	"github.com/sess-tools/sess/pkg/js"
)

// number returns a number, 0 for any other value and for one that is out of range.
func number(v js.Value) float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil {
		return 0
	}
	return f
}

// object returns an object of the fields.
func object(fields ...js.Field) js.Value { return js.Value(js.Object(fields...)) }

// list returns an array.
func list(elements []js.Value) js.Value { return js.Value(api.Array(elements...)) }

// quote returns a string.
func quote(s string) js.Value { return js.Value(js.Quote(s)) }

// intValue returns a whole number.
func intValue(n int64) js.Value { return js.Value(api.Int(n)) }

// withDefaults returns an object with those members of defaults that it does not have, or
// has as null.
func withDefaults(v, defaults js.Value) js.Value {
	for name, value := range defaults.Members() {
		if v.Get(name) == "" {
			v = v.With(name, value)
		}
	}
	return v
}

// objectOr returns v if it is an object, else other.
func objectOr(v, other js.Value) js.Value {
	if v.IsObject() {
		return v
	}
	return other
}
