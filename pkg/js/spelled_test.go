package js_test

import (
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// Spelled is Stringify for valid UTF-8, but for keys that occur twice or are indices.
func FuzzSpelled(f *testing.F) {
	for _, seed := range []string{
		`{"a":"é","n":1.5,"e":1e21,"b":[true,null,-0.5]}`, `{"a":"\u00e9"}`, `{"a": 1}`, `[1.0]`, `[-0]`, `[1e5]`, `"\/"`, `"a\\\"\n"`, `[0.1,123456789012345678901]`, `"\ud800"`, `{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, json string) {
		if !js.Valid([]byte(json)) || !utf8.ValidString(json) {
			return
		}
		got, want := js.Spelled(json), js.Stringify(json)
		if got == want {
			return
		}
		if got != json || js.StringifyLen(json) > len(json) || !reordered(json) {
			t.Errorf("%s: %s, want %s", json, got, want)
		}
	})
}

// reordered reports whether a text has keys that Stringify puts elsewhere or drops.
func reordered(json string) bool {
	has := false
	var walk func(v js.Value)
	walk = func(v js.Value) {
		seen := map[string]bool{}
		for name, member := range v.Members() {
			has = has || seen[name] || name != "" && name[0] >= '0' && name[0] <= '9'
			seen[name] = true
			walk(member)
		}
		for element := range v.Elements() {
			walk(element)
		}
	}
	walk(js.Value(json))
	return has
}
