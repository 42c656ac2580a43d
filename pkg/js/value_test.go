package js_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// oddNames are names that mean something in a path of gjson or sjson, or need
// escapes in JSON.
var oddNames = []string{
	"", "id", "a.b", "a*", "?", "#", "@this", "|", "!", "{", "[", "]", `\`, `\\`, `"`, `a"b`, ":k", "::", "0", "-1", "1e3", "..", "~",
	"\u2028", "é", "\U0001f600", "\x01", "\n", "\x7f", "<", "a b", "\ud7ff", "\xed\xa0\x80", "true", "id.x", "items.#", "x|y", "^",
}

func TestValueWith(t *testing.T) {
	t.Parallel()
	for _, name := range oddNames {
		key := js.Quote(name)
		for _, c := range []struct{ in, want string }{
			{`{}`, `{KEY:VALUE}`},
			{`{ }`, `{ KEY:VALUE}`},
			{` {"z":1} `, ` {"z":1,KEY:VALUE} `},
			{`{KEY:null}`, `{KEY:VALUE}`},
			{`{ KEY : [1, 2] , "z":1.0}`, `{ KEY : VALUE , "z":1.0}`},
			{`{"z":12345678901234567890,KEY:"}{" }`, `{"z":12345678901234567890,KEY:VALUE }`},
			{`{"z":{KEY:1},KEY:{KEY:2},"y":[{KEY:3}]}`, `{"z":{KEY:1},KEY:VALUE,"y":[{KEY:3}]}`},
			{"{\"z\":\"\u2028\\ud800\",\tKEY\t:\ttrue\t}\r", "{\"z\":\"\u2028\\ud800\",\tKEY\t:\tVALUE\t}\r"},
			{`{"z":"\"id\":1,\"0\":","y\"":"\\",KEY:0}`, `{"z":"\"id\":1,\"0\":","y\"":"\\",KEY:VALUE}`},
			// Of repeated members one stays, at the end.
			{`{KEY:1,"z": 2 ,KEY:3}`, `{"z": 2,KEY:VALUE}`},
			{`{ KEY:1, KEY:2}`, `{ KEY:VALUE}`},
		} {
			for _, value := range []string{`"v"`, `null`, `{"a":[1.0]}`, `-0`} {
				fill := strings.NewReplacer("KEY", key, "VALUE", value)
				raw, want := fill.Replace(c.in), fill.Replace(c.want)
				if got := string(js.Value(raw).With(name, js.Value(value))); got != want {
					t.Errorf("%q of %s:\n%s, want\n%s", name, raw, got, want)
				}
			}
		}
	}
}

func TestValueWithout(t *testing.T) {
	t.Parallel()
	for _, name := range oddNames {
		key := js.Quote(name)
		for _, c := range []struct{ in, want string }{
			{`{}`, `{}`},
			{`{"z":1}`, `{"z":1}`},
			{`{KEY:1}`, `{}`},
			{`{ KEY:1 }`, `{  }`},
			{`{KEY:1,"z":2}`, `{"z":2}`},
			{`{"z":2,KEY:1}`, `{"z":2}`},
			{`{ "y" : 1.0 , KEY : {KEY:[1]} , "z" : 2 }`, `{ "y" : 1.0 , "z" : 2 }`},
			{`{KEY:1,KEY:2}`, `{}`},
			{`{KEY:1,"y":2,KEY:3,"z":4,KEY:5}`, `{"y":2,"z":4}`},
			{`{"y":{KEY:1},"z":[KEY]}`, `{"y":{KEY:1},"z":[KEY]}`},
			{`{"y\"":"a\"",KEY:1}`, `{"y\"":"a\""}`},
		} {
			raw, want := strings.ReplaceAll(c.in, "KEY", key), strings.ReplaceAll(c.want, "KEY", key)
			if got := string(js.Value(raw).Without(name)); got != want {
				t.Errorf("%q of %s:\n%s, want\n%s", name, raw, got, want)
			}
		}
	}
}

// A key may be spelled with escapes; it is the same key, and keeps its spelling.
func TestValueWithOfNoObject(t *testing.T) {
	for _, v := range []js.Value{"", "null", "1", `"{"`, "[]", "[{}]"} {
		if got := v.With("id", "2"); got != `{"id":2}` {
			t.Errorf("%s: %s", v, got)
		}
	}
}

func TestValueWithoutSeveral(t *testing.T) {
	for in, want := range map[js.Value]js.Value{
		`{"a":1,"b":2,"c":3}`: `{"b":2}`, `{"c":1,"a":2}`: `{}`, `{"b":1, "a":2, "d":3}`: `{"b":1, "d":3}`, `{"b":1}`: `{"b":1}`,
	} {
		if got := in.Without("a", "c"); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestValueWithEscapedKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"\u0069d":1,"b":2}`, `{"\u0069d":"v","b":2}`},
		{`{"b":2,"\u0069\u0064" : 1}`, `{"b":2,"\u0069\u0064" : "v"}`},
		{`{"id":1,"\u0069d":2}`, `{"id":"v"}`},
		{`{"\u0069d":1,"id":2,"b":3}`, `{"b":3,"id":"v"}`},
		{`{"ID":1,"Id":2}`, `{"ID":1,"Id":2,"id":"v"}`},
	} {
		if got := string(js.Value(c.in).With("id", js.Value(`"v"`))); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// With checks what sjson did: a value that is no JSON is the caller's
// mistake, and none to be written.
func TestValueWithPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a value that is not JSON was set")
		}
	}()
	js.Value(`{"id":1}`).With("id", `"a","b`)
}

// Numbers are what strconv makes of them, whatever way they are read.
func FuzzNumber(f *testing.F) {
	for _, raw := range []string{
		"0", "7", "-0", "1.5", "0.1", "0.30000000000000004", "0.0012345", "123456789012345", "1234567890123456", "9007199254740993",
		"99999999999999.9", "999999999999999.9", "0.00000000000001", "0.000000000000001", "1e3", "1E-400", "1e400", "-12.25", "1.", "", ".5", "12a", "1.2.3",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if !js.Valid([]byte(raw)) || !js.Value(raw).IsNumber() {
			return
		}
		want, _ := strconv.ParseFloat(raw, 64)
		if got := js.Value(raw).Float(); math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("Float(%q) = %v, want %v", raw, got, want)
		}
		if got, want := js.Value(raw).Int(), int64(max(min(want, 1<<53), -(1<<53))); got != want {
			t.Errorf("Int(%q) = %d, want %d", raw, got, want)
		}
	})
}

// The members of values: what gjson finds, and what it does not.
func TestValueGet(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"b", "message", "x y"}, oddNames...) {
		key := js.Quote(name)
		for in, want := range map[string]js.Value{
			`{}`:                               "",
			`[{KEY:1}]`:                        "",
			`"KEY"`:                            "",
			`{KEY:1}`:                          "1",
			`{ "z" : {KEY:1} , KEY : [ {} ] }`: "[ {} ]",
			`{KEY:1,KEY:2}`:                    "2", // the last counts, gjson takes the first
			`{KEY:1,"z":{KEY:2}}`:              "1",
			`{KEY:"\ud800","z":2}`:             `"\ud800"`,
			`{KEY:null,"z":"\u001b"}`:          "",
			`{"z":"` + strings.Repeat("[", 20) + `",` + `KEY:7}`: "7",
		} {
			raw := strings.ReplaceAll(in, "KEY", key)
			if in == `"KEY"` {
				raw = key
			}
			if got := js.Value(raw).Get(name); got != want {
				t.Errorf("%q of %s: %q, want %q", name, raw, got, want)
			}
		}
	}
	if got := js.Value(`{"\u0061":{"b":1},"a":{"\u0062":2}}`).Get("a", "b"); got != "2" {
		t.Errorf("%s", got)
	}
}

// Law: a member of a valid object is the one that encoding/json keeps.
func FuzzValueGet(f *testing.F) {
	for _, raw := range []string{`{"a":1,"a":2}`, `{"\u0061":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a/b":1,"a\/b":2}`, `{"":1}`, `{"a.b":{"a":1}}`, `{"é":1,"\u00e9":2}`} {
		for _, name := range []string{"a", "a/b", "", "a.b", "é"} {
			f.Add(raw, name)
		}
	}
	f.Fuzz(func(t *testing.T, raw, name string) {
		var members map[string]json.RawMessage
		if json.Unmarshal([]byte(raw), &members) != nil || !utf8.ValidString(raw) || !utf8.ValidString(name) || strings.ContainsRune(name, utf8.RuneError) {
			return
		}
		if string(members[name]) == "null" {
			delete(members, name)
		}
		if got := js.Value(strings.TrimSpace(raw)).Get(name); string(got) != string(members[name]) {
			t.Errorf("%q of %s: %q, want %q", name, raw, got, members[name])
		}
	})
}

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
