package js_test

import (
	"fmt"
	"slices"

	"github.com/sess-tools/sess/pkg/js"
)

func ExampleLen() {
	fmt.Println(js.Len("naïve"), js.Len("😀"))
	// Output: 5 2
}

func ExampleLenLiteral() {
	fmt.Println(js.LenLiteral(`"a\n\u0041\ud83d\ude00"`))
	// Output: 5
}

func ExampleHead() {
	fmt.Println(js.Head("ab😀", 3))
	// Output: ab
}

func ExampleUnquote() {
	fmt.Println(js.Unquote(`"caf\u00e9 \ud83d\ude00"`))
	fmt.Printf("% x\n", js.Unquote(`"\ud83d"`))
	// Output:
	// café 😀
	// ed a0 bd
}

func ExampleQuote() {
	fmt.Println(js.Quote("<a&b>\n\x1b"))
	fmt.Println(js.Quote(js.Unquote(`"\uD83D"`)))
	// Output:
	// "<a&b>\n\u001b"
	// "\ud83d"
}

func ExampleAppendQuote() {
	fmt.Printf("%s\n", js.AppendQuote([]byte(`{"title":`), `the "best"`))
	// Output: {"title":"the \"best\""
}

func ExampleCompare() {
	paths := []string{"a/～", "a/😀", "a/b"}
	slices.SortFunc(paths, js.Compare)
	fmt.Println(paths) // by bytes, ～ would come before 😀
	// Output: [a/b a/😀 a/～]
}

func ExampleTrim() {
	fmt.Printf("%q\n", js.Trim("\uFEFF done\u00A0\n"))
	// Output: "done"
}

func ExampleValidText() {
	fmt.Println(js.ValidText("cut \xF0\x9F\x98 short"))
	// Output: cut � short
}

func ExampleStringify() {
	fmt.Println(js.Stringify(`{ "b": 1.50, "10": -0, "9": [1e21], "b": "\u0041\/" }`))
	// Output: {"9":[1e+21],"10":0,"b":"A/"}
}

func ExampleAppendStringify() {
	fmt.Printf("%s\n", js.AppendStringify([]byte("edit(pos="), `{ "line": 3.0 }`))
	// Output: edit(pos={"line":3}
}

func ExampleStringifyLen() {
	fmt.Println(js.StringifyLen(`{ "path": "caf\u00e9" }`))
	// Output: 15
}

func ExampleValid() {
	fmt.Println(js.Valid([]byte(`{"a":[1,2]}`)), js.Valid([]byte(`{"a":[1,2`)))
	// Output: true false
}

func ExampleMembers() {
	for key, value := range js.Members(`{"path": "a.go", "lines": [1, 2]}`) {
		fmt.Println(js.Unquote(key), value)
	}
	// Output:
	// path "a.go"
	// lines [1, 2]
}

func ExampleElements() {
	for value := range js.Elements(`[1.0, {"a": []}]`) {
		fmt.Println(value)
	}
	// Output:
	// 1.0
	// {"a": []}
}

func ExampleParseTime() {
	fmt.Println(js.ParseTime("2026-01-02T03:04:05.678Z"))
	fmt.Println(js.ParseTime("yesterday"))
	// Output:
	// 1767323045678 true
	// 0 false
}

func ExampleFormatTime() {
	fmt.Println(js.FormatTime(1767323045678))
	// Output: 2026-01-02T03:04:05.678Z
}
