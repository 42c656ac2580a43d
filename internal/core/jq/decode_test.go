package jq

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// oracle is what encoding/json makes of a text.
func oracle(raw string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, errors.Is(err, io.EOF)
}

// Whatever is decoded, is what encoding/json decodes. Bytes that are no UTF-8 it
// counts otherwise.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{}`, `[]`, `""`, `null`, ` true `, `false`, `1.0`, `-0`, `9007199254740993`, `1e400`, `"\ud83d\ude00\ud800x\u0000\\\""`,
		`{"a":1,"b":[{"c":null},[],{}],"a":2, "\u0061" : "x"}`, `[1 , 2,"\t" ]`, `{"a"}`, `[1,]`, `01`, "\"\t\"", ``, `1 2`, "[\r\n1]",
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		want, ok := oracle(raw)
		got, err := Decode(raw)
		if (err == nil) != ok {
			t.Fatalf("Decode(%q): %v", raw, err)
		}
		if ok && utf8.ValidString(raw) && !reflect.DeepEqual(got, want) {
			t.Errorf("Decode(%q) = %#v, want %#v", raw, got, want)
		}
	})
}
