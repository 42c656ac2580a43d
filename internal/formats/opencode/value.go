package opencode

import (
	"math"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/formats"
	"github.com/sess-tools/sess/pkg/js"
)

// get returns the JSON text of the member that the names lead to, "" if there is
// none or it is null.
func get(raw string, names ...string) string {
	for _, name := range names {
		raw = string(js.Value(raw).Get(name))
	}
	return raw
}

// str returns the string that the names lead to, "" if there is none.
func str(raw string, names ...string) string { return js.Value(get(raw, names...)).Str() }

// num returns the number that the names lead to as a whole one, 0 if there is none.
func num(raw string, names ...string) int64 {
	n, _ := integer(get(raw, names...))
	return n
}

// integer returns the number that a JSON text is, without its fraction.
func integer(raw string) (n int64, ok bool) {
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

func isObject(raw string) bool { return strings.HasPrefix(raw, "{") }

// elements returns the elements of an array, nil of anything else.
func elements(raw string) []string {
	if !strings.HasPrefix(raw, "[") {
		return nil
	}
	var out []string
	for e := range js.Elements(raw) {
		out = append(out, e)
	}
	return out
}

// within is [formats.With] for a member of the member called outer.
func within(raw, outer, name, value string) string {
	return formats.With(raw, outer, formats.With(get(raw, outer), name, value))
}

// orElse returns an object with the member called name set to value if it has none, or
// one that is null.
func orElse(raw, name, value string) string {
	if get(raw, name) != "" {
		return raw
	}
	return formats.With(raw, name, value)
}
