package js

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Seeds for the fuzz targets and cases for Valid, good and bad.
var texts = []string{
	``, ` `, `null`, ` true `, `false`, `nul`, `nulll`, `True`, `0`, `-0`, `01`, `-`, `1.`, `.5`, `1.5e`, `1e+`, `1E-05`, `+1`, `0x1`, `1 2`,
	`""`, `"`, `"a`, `"\`, `"\"`, `"\u12"`, `"\u12g4"`, `"\uABCD\uabcd"`, `"\x"`, "\"\x01\"", "\"\x7F\xFF\"", `"\b\f\n\r\t\/\\\""`, `"12345678`, "\"1234567\x1F\"",
	`[]`, `[`, `]`, `[1`, `[1,]`, `[,1]`, `[1 2]`, `[1,[2,[]],{}]`, `[}`, `{]`, `{}`, `{`, `{"a"}`, `{"a":}`, `{"a":1`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`,
	`{"a" : [ 1 , { "b" : null } ] , "c" : "d"}`, `{a:1}`, `{"a"1}`, `{1:2}`, "\t\n\r[ ]\r", "\v[]", "\u00A0[]", "\uFEFF{}", `[]]`, `{}}`, `{"a":1}x`,
	`{"b":1,"1":2,"a":3,"0":4,"b":5}`, `[1.50,-0,1e400,1e-7,1e21]`, `{"\u0061":1,"a":2,"\ud800":"\ude00\ud83d\ude00"}`,
	"{\"\xFF\":1,\"\xFE\":2,\"\xF0\x9F\":\"\xED\xA0\xBD\"}", `[123456789012345678901234567890]`, `[0.1e1,1E5,100000000000000000000000]`,
	`{"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"0":9,"a":1,"a":2}`,
}

func TestValid(t *testing.T) {
	t.Parallel()
	good, all := 0, 0
	for _, s := range texts {
		want := json.Valid([]byte(s))
		if got := Valid([]byte(s)); got != want {
			t.Errorf("Valid(%q) = %v, want %v", s, got, want)
		}
		all++
		if want {
			good++
		}
	}
	if good < 15 || all-good < 30 {
		t.Errorf("%d good texts of %d: too few of a kind", good, all)
	}
}

func TestValidDepth(t *testing.T) {
	t.Parallel()
	for _, unit := range []struct{ open, middle, close string }{
		{"[", "", "]"},
		{"[ ", "", "]"},
		{`{"a":`, "1", "}"},
		{`[{"a":[`, "", `]}]`},
		{" [ 1 , ", "{}", " ] "},
	} {
		per := strings.Count(unit.open, "[") + strings.Count(unit.open, "{")
		extra := strings.Count(unit.middle, "{")
		for _, n := range []int{1, 126, 127, 128, 129, (MaxDepth - 1) / per, MaxDepth / per, MaxDepth/per + 1} {
			s := strings.Repeat(unit.open, n) + unit.middle + strings.Repeat(unit.close, n)
			want := n*per+extra <= MaxDepth
			if got := Valid([]byte(s)); got != want || json.Valid([]byte(s)) != want {
				t.Errorf("%q %d times: Valid = %v, want %v", unit.open, n, got, want)
			}
			if got := Stringify(s); !want && got != s || want && got != strings.ReplaceAll(s, " ", "") {
				t.Errorf("%q %d times: Stringify = %.40q…", unit.open, n, got)
			}
			if got, want := StringifyLen(s), Len(Stringify(s)); got != want {
				t.Errorf("%q %d times: StringifyLen = %d, want %d", unit.open, n, got, want)
			}
		}
	}
	deep := []byte(strings.Repeat("[", 10_000_000))
	if Valid(deep) {
		t.Error("ten million open brackets are valid")
	}
	if s := string(deep); StringifyLen(s) != len(s) {
		t.Error("ten million open brackets have another length when stringified")
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		json string
		want []string // key, value, …
	}{
		{`{}`, nil},
		{` { } `, nil},
		{`[1]`, nil},
		{`"a"`, nil},
		{``, nil},
		{`{"a":1}`, []string{`"a"`, `1`}},
		{" {\n\t\"a\" : 1 , \"a\":\"}\\\"\\\\\" , \"\\u0062\":[ {\"c\":\"]\"} ],\"d\" : null\n} ", []string{
			`"a"`, `1`, `"a"`, `"}\"\\"`, `"\u0062"`, `[ {"c":"]"} ]`, `"d"`, `null`,
		}},
		// Not valid: no members, or those before the damage.
		{`{`, nil},
		{`{"a`, nil},
		{`{"a"`, nil},
		{`{"a":`, nil},
		{`{"a":}`, nil},
		{`{"a":1,`, []string{`"a"`, `1`}},
		{`{"a":1 "b":2}`, []string{`"a"`, `1`}},
		{`{"a":[[`, []string{`"a"`, `[[`}},
	} {
		var got []string
		for k, v := range Members(tc.json) {
			got = append(got, k, v)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("Members(%s) = %q, want %q", tc.json, got, tc.want)
		}
	}
	for k := range Members(`{"a":1,"b":2}`) {
		if k != `"a"` {
			t.Errorf("Members went on after break, to %s", k)
		}
		break
	}
}

func TestElements(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		json string
		want []string
	}{
		{`[]`, nil},
		{` [ ] `, nil},
		{`{"a":1}`, nil},
		{``, nil},
		{`[1,"a,]",{"b":[2]},[],true]`, []string{`1`, `"a,]"`, `{"b":[2]}`, `[]`, `true`}},
		{" [ 1.5e3 , \"\\\"\" ,\n[ ] ] ", []string{`1.5e3`, `"\""`, `[ ]`}},
		{`[`, nil},
		{`[1`, []string{`1`}},
		{`[1,`, []string{`1`}},
		{`[1 2]`, []string{`1`}},
		{`["a`, []string{`"a`}},
	} {
		if got := slices.Collect(Elements(tc.json)); !slices.Equal(got, tc.want) {
			t.Errorf("Elements(%s) = %q, want %q", tc.json, got, tc.want)
		}
	}
	for v := range Elements(`[1,2]`) {
		if v != "1" {
			t.Errorf("Elements went on after break, to %s", v)
		}
		break
	}
}

func TestStringify(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "stringify.txt") {
		text, want := row[0], row[1]
		if got := Stringify(text); got != want {
			t.Errorf("Stringify(%+q)\n got %+q\nwant %+q", text, got, want)
		}
		if got, want := StringifyLen(text), atoi(t, row[2]); got != want {
			t.Errorf("StringifyLen(%+q) = %d, want %d", text, got, want)
		}
		if n := atoi(t, row[3]); n >= 0 && LenLiteral(text) != n {
			t.Errorf("LenLiteral(%+q) = %d, want %d", text, LenLiteral(text), n)
		}
	}
	if got := string(AppendStringify([]byte("a="), " [ ] ")); got != "a=[]" {
		t.Errorf("AppendStringify = %s", got)
	}
}

func TestStringifyNumbers(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "numbers.txt") {
		if got := Stringify(row[0]); got != row[1] {
			t.Errorf("Stringify(%s) = %s, want %s", row[0], got, row[1])
		}
		if got := StringifyLen(row[0]); got != len(row[1]) {
			t.Errorf("StringifyLen(%s) = %d, want %d", row[0], got, len(row[1]))
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, s := range texts {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if got, want := Valid(b), json.Valid(b); got != want {
			t.Errorf("Valid(%q) = %v, encoding/json says %v", b, got, want)
		}
	})
}

// ValidMembers says what Valid says, and shows what Members and Elements show, of the
// members that are objects, and the elements of arrays in those, as well.
func FuzzValidMembers(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":{"c":[{"d":0}],"e":{"f":2},"g":"x"},"h":[],"i":{}}`, `{}`, `[{"a":{"b":1}}]`, `{"a":[{"b":{"c":1}}],"d":{"e":[]}}`,
		`{"a":{"b":[{"c":1,"d":{"x":2},"e":[3]},"f",[{"g":1}],{}],"h":{"i":[{"j":1}]}}}`,
		` { "a" : { "b" : null , "b" : "\"}" } , "\u0061" : true } `, `{"a":{"b":1}`, `"a"`, `{"a":{"b":1},}`, strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40),
	} {
		f.Add(s)
	}
	type member struct {
		level      int
		key, value string
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got []member
		valid := ValidMembers([]byte(s), 3, func(level int, key, value Span) {
			if key == (Span{}) && value.From != value.To {
				t.Fatalf("ValidMembers(%q): an element has a value", s)
			}
			got = append(got, member{level, s[key.From:key.To], s[value.From:value.To]})
		})
		if valid != Valid([]byte(s)) {
			t.Fatalf("ValidMembers(%q) = %v", s, valid)
		}
		if !valid {
			return
		}
		for levels := range 3 {
			shown := 0
			ValidMembers([]byte(s), levels, func(level int, _, _ Span) {
				if shown++; level > levels {
					t.Errorf("ValidMembers(%q, %d) shows level %d", s, levels, level)
				}
			})
			if all := slices.DeleteFunc(slices.Clone(got), func(m member) bool { return m.level > levels }); shown != len(all) {
				t.Errorf("ValidMembers(%q, %d) shows %d members, want %d", s, levels, shown, len(all))
			}
		}
		var want []member
		for key, value := range Members(s) {
			for inner, v := range Members(value) {
				for element := range Elements(v) {
					for deep, w := range Members(element) {
						want = append(want, member{3, deep, w})
					}
					want = append(want, member{3, "", ""})
				}
				want = append(want, member{2, inner, v})
			}
			want = append(want, member{1, key, value})
		}
		if !slices.Equal(got, want) {
			t.Errorf("ValidMembers(%q) shows %v, want %v", s, got, want)
		}
	})
}

func FuzzStringify(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Whatever the text, all of these must come to an end.
		out, n := Stringify(s), StringifyLen(s)
		for range Members(s) {
		}
		for range Elements(s) {
		}
		if !Valid([]byte(s)) {
			return
		}
		if n != Len(out) {
			t.Errorf("StringifyLen(%q) = %d, want %d", s, n, Len(out))
		}
		if !Valid([]byte(out)) {
			t.Fatalf("Stringify(%q) = %q is not valid", s, out)
		}
		if again := Stringify(out); again != out {
			t.Errorf("Stringify(%q) = %q, again %q", s, out, again)
		}
		if parts := rebuild(s, 0); Stringify(parts) != out {
			t.Errorf("Stringify(%q) = %q, of its parts %q", s, out, Stringify(parts))
		}
	})
}

// rebuild puts json together again from its members and elements.
func rebuild(json string, depth int) string {
	json = strings.Trim(json, " \t\r\n")
	var parts []string
	switch {
	case depth > 50:
		return json
	case json[0] == '{':
		for k, v := range Members(json) {
			parts = append(parts, k+":"+rebuild(v, depth+1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case json[0] == '[':
		for v := range Elements(json) {
			parts = append(parts, rebuild(v, depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return json
}

// FuzzPick holds what a Pick finds to Member, in both passes.
func FuzzPick(f *testing.F) {
	f.Add(`{"type":"a","message":{"role":"u","role":1},"message":7}`)
	f.Add(`{"other":{"role":"x"},"message":{"type":"b"},"\u0074ype":{"role":2}}`)
	f.Add(`{"message":{},"type":null} `)
	f.Fuzz(func(t *testing.T, line string) {
		var typ, message, role, inner Value
		p := NewPick([]Want{{"type", &typ}, {"message", &message}}, "message", []Want{{"role", &role}, {"type", &inner}})
		valid := Valid([]byte(line))
		if p.Valid([]byte(line)) != valid {
			t.Fatalf("Valid(%q) is %v", line, !valid)
		}
		if !valid {
			return
		}
		want := []Value{Value(Member(line, "type")), Value(Member(line, "message")), "", ""}
		want[2], want[3] = want[1].member("role"), want[1].member("type")
		if got := []Value{typ, message, role, inner}; !slices.Equal(got, want) {
			t.Errorf("Valid(%q) finds %q, not %q", line, got, want)
		}
		isObject := strings.HasPrefix(line, "{") && !strings.HasSuffix(line, "\n")
		if ok := p.Walk([]byte(line)); ok != isObject {
			t.Errorf("Walk(%q) is %v", line, ok)
		}
		if got := []Value{typ, message, role, inner}; isObject && !slices.Equal(got, want) {
			t.Errorf("Walk(%q) finds %q, not %q", line, got, want)
		}
	})
}

// table reads the rows of a file of testdata: what node answered to
// testdata/generate.js.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(data), "\n")
	columns := strings.Count(head, "\t") + strings.Count(head, "<tab>") + 1
	var rows [][]string
	for line := range strings.Lines(rest) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%s: row %d has %d columns, want %d", name, len(rows)+1, len(row), columns)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no rows", name)
	}
	return rows
}

// pieces of literal bodies; put together they cross the words in which the
// package reads at every place.
var pieces = []string{
	"a", "text", "]", "#", "!", "u", "/", "\x7F", `\n`, `\"`, `\\`, `\/`, `\t`, `\u0041`, `\u000a`, `\u001f`, `\u0022`, `\u002F`,
	`\ud83d`, `\ude00`, `\ud83d\ude00`, "é", "漢", face, "\uFFFD", "\xFF", "\xF0\x9F", "\xED\xA0\xBD", "plain words, some more", "0123456789abcdef0123456789abcdef",
}

// bad pieces make a literal invalid, mostly.
var bad = []string{"\"", "\\", "\x00", "\x1F", `\x`, `\u12`, `\u12g4`, "\n"}

func jumble(r *rand.Rand, from ...string) string {
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(from[r.IntN(len(from))])
	}
	return b.String()
}

func TestRandomLiterals(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		lit := `"` + jumble(r, pieces...) + `"`
		if !Valid([]byte(lit)) {
			t.Fatalf("Valid(%+q) = false", lit)
		}
		text, out := Unquote(lit), Stringify(lit)
		if got, want := LenLiteral(lit), Len(text); got != want {
			t.Fatalf("LenLiteral(%+q) = %d, want %d", lit, got, want)
		}
		if got, want := Len(text), len(codeUnits(text)); got != want {
			t.Fatalf("Len(%+q) = %d, want %d", text, got, want)
		}
		if want := Quote(text); out != want {
			t.Fatalf("Stringify(%+q) = %+q, want %+q", lit, out, want)
		}
		if got, want := StringifyLen(lit), Len(out); got != want {
			t.Fatalf("StringifyLen(%+q) = %d, want %d", lit, got, want)
		}
		if got := Unquote(out); got != text {
			t.Fatalf("Unquote(%+q) = %+q, want %+q", out, got, text)
		}
		other := Unquote(`"` + jumble(r, pieces...) + `"`)
		if i := r.IntN(len(text) + 1); r.IntN(2) == 0 {
			other = text[:i] + other // a common prefix, cut anywhere
		}
		if got, want := Compare(text, other), slices.Compare(codeUnits(text), codeUnits(other)); got != want {
			t.Fatalf("Compare(%+q, %+q) = %d, want %d", text, other, got, want)
		}
	}
}

func TestRandomValid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	good := 0
	const all = 20_000
	for range all {
		from := pieces
		if r.IntN(2) == 0 {
			from = slices.Concat(pieces, bad)
		}
		s := `{"k":["` + jumble(r, from...) + `",1.5e3,true,{}],"` + jumble(r, from...) + `":null}`
		if r.IntN(4) == 0 {
			i := r.IntN(len(s))
			s = s[:i] + s[i+1:]
		}
		want := json.Valid([]byte(s))
		if got := Valid([]byte(s)); got != want {
			t.Fatalf("Valid(%+q) = %v, want %v", s, got, want)
		}
		if want {
			good++
		}
	}
	if good < all/5 || good > all*4/5 {
		t.Errorf("%d of %d texts are valid: too few of a kind", good, all)
	}
}

// A string is validated where it is: of a session it may be huge.
func TestValidCopiesNothing(t *testing.T) {
	text := `{"text":"` + strings.Repeat("word ", 1000) + `"}`
	if n := testing.AllocsPerRun(10, func() { Valid([]byte(text)) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
