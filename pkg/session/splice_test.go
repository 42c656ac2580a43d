package session

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/pkg/js"
)

// oddNames are names that mean something in a path of gjson or sjson, or need
// escapes in JSON.
var oddNames = []string{
	"", "id", "a.b", "a*", "?", "#", "@this", "|", "!", "{", "[", "]", `\`, `\\`, `"`, `a"b`, ":k", "::", "0", "-1", "1e3", "..", "~",
	"\u2028", "é", "\U0001f600", "\x01", "\n", "\x7f", "<", "a b", "\ud7ff", "\xed\xa0\x80", "true", "id.x", "items.#", "x|y", "^",
}

func TestSetMember(t *testing.T) {
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
				if got := setMember(raw, name, value); got != want {
					t.Errorf("%q of %s:\n%s, want\n%s", name, raw, got, want)
				}
			}
		}
	}
}

func TestDeleteMember(t *testing.T) {
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
			if got := deleteMember(raw, name); got != want {
				t.Errorf("%q of %s:\n%s, want\n%s", name, raw, got, want)
			}
		}
	}
}

// A key may be spelled with escapes; it is the same key, and keeps its spelling.
func TestSetMemberEscapedKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"\u0069d":1,"b":2}`, `{"\u0069d":"v","b":2}`},
		{`{"b":2,"\u0069\u0064" : 1}`, `{"b":2,"\u0069\u0064" : "v"}`},
		{`{"id":1,"\u0069d":2}`, `{"id":"v"}`},
		{`{"\u0069d":1,"id":2,"b":3}`, `{"b":3,"id":"v"}`},
		{`{"ID":1,"Id":2}`, `{"ID":1,"Id":2,"id":"v"}`},
	} {
		if got := setMember(c.in, "id", `"v"`); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

// setMember checks what sjson did: a value that is no JSON is the caller's
// mistake, and none to be written.
func TestSetMemberPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a value that is not JSON was set")
		}
	}()
	setMember(`{"id":1}`, "id", `"a","b`)
}

func TestWith(t *testing.T) {
	t.Parallel()
	e := Entry{raw: `{"id":"a","parentId":"b" ,"type":"x"}`, line: 7}
	root := e.WithParent("")
	if root.Raw() != `{"id":"a","parentId":null ,"type":"x"}` || root.ParentID() != "" || root.Line() != 7 || root.ID() != "a" {
		t.Errorf("%+v", root)
	}
	if odd := e.WithParent("a\"\u2028\xed\xa0\x80"); odd.Raw() != `{"id":"a","parentId":"a\"`+"\u2028"+`\ud800" ,"type":"x"}` {
		t.Errorf("%s", odd.Raw())
	}
	if id := e.WithRaw("id", `"c"`); id.ID() != "c" || id.Line() != 7 {
		t.Errorf("%+v", id)
	}
	if e.Raw() != `{"id":"a","parentId":"b" ,"type":"x"}` {
		t.Error("an entry is immutable")
	}
}
