package jqmap_test

import (
	"os"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/test/formatstest"
)

func source(path string) *formats.Source { return &formats.Source{Path: path} }

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

const testHeader = `module {
  interface: 1, name: "test", summary: "tests", homes: ["~/.test"], files: ["*/s.jsonl", "*.single"], signs: ["kind"],
  kind: ["kind"], id: "id", parent: "up", time: ["at"], keep: ["kept"], skip: ["skipped"]
};
def detect: any(.[]; .kind == "say");
def info: first(.values[] | select(.kind == "start")) | {id: .session, created: .at};
`

// testMap returns a map whose values become what body says.
func testMap(t *testing.T, body string) formats.Format {
	t.Helper()
	return jqmap.New(t, testHeader+"def value: "+body+";\n")
}

// Values that name their parents are a tree, a name that comes again goes on from there, and a parent
// that is not there is told once.
func TestUnknownParent(t *testing.T) {
	t.Parallel()
	f := testMap(t, `if $kind == "say" then user([text(.text)]) else empty end`)
	r := read(t, f, "s.jsonl", `{"kind":"start","session":"s1","at":1767323045}`,
		`{"kind":"say","id":"a","up":null,"text":"a"}`, `{"kind":"say","id":"b","up":"a","text":"b"}`, `{"kind":"skipped","id":"x","up":"a"}`,
		`{"kind":"say","id":"c","up":"x","text":"c"}`, `{"kind":"say","id":"b","up":"a","text":"more"}`,
		`{"kind":"say","id":"d","up":"gone","text":"d"}`, `{"kind":"say","id":"e","up":"lost","text":"e"}`, `{"kind":"kept","id":"k","up":"b"}`)
	got := outline(t, r)
	more := r.Session(t).Entries[4].ID()
	want(t, got[1:], "a: user a < ", "b: user b < a", "c: user c < a", more+": user more < b", "d: user d < "+more, "e: user e < d", "k: custom test:kept < "+more)
	want(t, kinds(r), "entry", "tree")
}

// What a map does that is wrong is damage of that value, which is kept; what it did before stays.
func TestMapFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ body, told string }{
		"an error":     {`user([text("before")]), (.text[])`, "cannot iterate over"},
		"no act":       {`user([text("before")]), {nothing: 1}`, "no act"},
		"not a value":  {`user([text("before")]), 1`, "an act is an object"},
		"a type":       {`user([text("before")]), {type: "mesage"}`, `no entry has the type`},
		"a message":    {`user([text("before")]), {type: "message"}`, "has no message"},
		"a role":       {`user([text("before")]), {type: "message", message: {content: []}}`, "no role"},
		"foreign":      {`user([text("before")]), user([{type: "tool_use", id: "1", name: "x", input: {}}])`, "tool_use"},
		"it halts":     {`user([text("before")]), halt`, "halted"},
		"a state":      {`user([text("before")]), {set: 1}`, "set wants an object"},
		"a compaction": {`user([text("before")]), {type: "label", targetId: "gone", label: "x"}`, "names no entry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := testMap(t, `if $kind == "say" then `+tt.body+` elif $kind == "other" then user([text("after")]) else skip end`)
			r := read(t, f, "s.jsonl", `{"kind":"say","id":"a","text":"x"}`, `{"kind":"other","id":"b","up":"a"}`)
			got := outline(t, r)
			kept := r.Session(t).Entries[1].ID()
			want(t, got, "a: user before < ", kept+": custom test:say < a", "b: user after < "+kept)
			if len(r.Losses) != 1 || r.Losses[0].Kind != formats.KindDamage || !strings.Contains(r.Losses[0].What, tt.told) {
				t.Errorf("%v", r.Losses)
			}
		})
	}
}

// What is set counts from the next value on, what is pushed stays apart, and null removes.
func TestState(t *testing.T) {
	t.Parallel()
	f := testMap(t, `if $kind == "say" then push({list: .v}), (if .v == 6 then set({copy: $state.list}) else empty end), (if .v == 7 then push({copy: "own"}) else empty end), set({last: .v})
		elif $kind == "end" then user([text($state | tojson)]), set({last: null}) else empty end`)
	r := read(t, f, "s.jsonl", `{"kind":"say","v":1}`, `{"kind":"say","v":2}`, `{"kind":"say","v":3}`, `{"kind":"say","v":4}`, `{"kind":"say","v":5}`, `{"kind":"say","v":6}`, `{"kind":"say","v":7}`)
	if got := r.Session(t).Entries[0]; !strings.Contains(got.Raw(), `{\"copy\":[1,2,3,4,5,\"own\"],\"last\":7,\"list\":[1,2,3,4,5,6,7]}`) {
		t.Errorf("%s", got.Raw())
	}
}

// Texts that are JSON and what the state keeps have the bytes that they came with.
func TestBytesOfState(t *testing.T) {
	t.Parallel()
	f := testMap(t, `if $kind == "say" then set({v: .v}), push({all: .v}), assistant([call("c"; "n"; .j)]; {})
		elif $kind == "end" then assistant([call("d"; "n"; $state.v), call("e"; "n"; {all: $state.all})]; {}) else empty end`)
	v := `{"z":1.0,"a":{"y":1e400,"b":[2,1]}}`
	r := read(t, f, "s.jsonl", `{"kind":"say","v":`+v+`,"j":"{\"z\":1,\n\"a\":1.0}"}`, `{"kind":"say","v":`+v+`,"j":"plain"}`)
	for _, text := range []string{`"arguments":{"z":1,"a":1.0}`, `"arguments":{"input":"plain"}`, `"id":"d","name":"n","arguments":` + v, `"arguments":{"all":[` + v + `,` + v + `]}`} {
		if !strings.Contains(r.Text(), text) {
			t.Errorf("there is no\n%s\nin\n%s", text, r.Text())
		}
	}
}

// No builtin of gojq changes what it is given: a value is what its text says as long as it is at its address.
func TestValuesStay(t *testing.T) {
	t.Parallel()
	f := jqmap.New(t, testHeader+`def mess($v): [($v | .a.b = 2 | .l[0] = 9 | del(.l[1]) | .l += [7] | setpath(["a", "c"]; 3)), ($v.l | sort, reverse, .[:1], . + [1], map(. + 1)), ($v | .l[:1] = [0]),
		($v | reduce range(5) as $i (.; .l[$i] = $i)), ($v | walk(if type == "number" then 0 else . end)), ($v | to_entries), (reduce $v.l[] as $x ($v.l; . + [$x]))];
def value: . as $v | mess($v) as $m | if $kind == "say" then assistant([call("c"; "n"; $v)]; {}) else skip end;
`)
	line := `{"kind":"say","a":{"z":1.0,"b":1},"l":[3,1,2]}`
	if r := read(t, f, "s.jsonl", line); !strings.Contains(r.Text(), `"arguments":`+line) {
		t.Errorf("%s", r.Text())
	}
}

// A replacement that is null takes a message out of the context.
func TestNullReplacement(t *testing.T) {
	t.Parallel()
	f := testMap(t, `if $kind == "say" then user([text(.text)]) else {do: "entry", type: "context_edit", targetId: .of, replacement: null} end`)
	r := read(t, f, "s.jsonl", `{"kind":"start","session":"s1","at":1767323045}`, `{"kind":"say","id":"a","text":"a"}`, `{"kind":"gone","id":"b","up":"a","of":"a"}`)
	if !strings.Contains(r.Text(), `"targetId":"a","replacement":null`) {
		t.Errorf("%s", r.Text())
	}
}

// A map without a session's id, or with one that no file can have, makes it of the first value.
func TestEmptyInfo(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, first := range []string{`{"kind":"say","text":"a"}`, `{"kind":"start","session":"../x"}`, `{"kind":"start","session":7}`} {
		r := read(t, testMap(t, "skip"), "s.jsonl", first)
		if !formats.IsUUID(r.Info.ID) || seen[r.Info.ID] {
			t.Errorf("%s: %q", first, r.Info.ID)
		}
		seen[r.Info.ID] = true
	}
}

// Times are texts or numbers of any unit.
func TestTimes(t *testing.T) {
	t.Parallel()
	for _, at := range []string{`"2026-01-02T03:04:05Z"`, "1767323045", "1767323045000", "1767323045000000", "1767323045000000000"} {
		r := read(t, testMap(t, `if $kind == "say" then user([text("x")]) else skip end`), "s.jsonl", `{"kind":"say","at":`+at+`}`)
		if got := r.Session(t).Entries[0].Str("timestamp"); got != "2026-01-02T03:04:05.000Z" {
			t.Errorf("%s: %s", at, got)
		}
	}
}

// A map that is none says where, and what.
func TestBroken(t *testing.T) {
	t.Parallel()
	for text, told := range map[string]string{
		"def value: 1;\n":    "a map begins with module",
		"module {\n  a: }\n": `test.jq:2:6: unexpected token "}"`,
		strings.Replace(testHeader, "interface: 1", "interface: 2", 1):           "interface 2: this program speaks interface 1",
		strings.Replace(testHeader, "interface: 1", "interface: 1, extra: 2", 1): "interface 1 has no member extra of the header",
		strings.Replace(testHeader, `id: "id"`, `id: 3`, 1):                      "the member id of the header is not a string",
		strings.Replace(testHeader, `id: "id"`, `tools: {runs: "x"}`, 1):         "the member tools of the header has runs, which is no kind of calls",
		strings.Replace(testHeader, `id: "id"`, `grows: 1`, 1):                   "the member grows of the header is not true or false",
		testHeader + "def value:\n  if 1 else 2 end;\n":                          `test.jq:8:8: unexpected token "else"`,
		testHeader + "def value:\n  user([txet(.x)]);\n":                         "test.jq:8:9: function not defined: txet/1",
		testHeader + "def value: $ENV.HOME, env, input;\n":                       "input",
		testHeader + "1\n": "a map is a header and functions",
		strings.Replace(testHeader, "def detect", "def other", 1) + "def value: skip;\n":             "function not defined: detect/0",
		"import \"a\" as a;\n" + testHeader:                                                          "unexpected",
		strings.Replace(testHeader, "};\n", "};\nimport \"a\" as a;\n", 1) + "def value: a::skip;\n": "a map is a header and functions",
	} {
		_, err := jqmap.Parsed("test.jq", text).Open(t.Context(), source(t.TempDir()))
		if err == nil || !strings.Contains(err.Error(), told) {
			t.Errorf("%s\nsays %v, want %s", text, err, told)
		}
	}
}

// A map knows nothing of the machine.
func TestNoEnvironment(t *testing.T) {
	t.Setenv("SESS_SECRET", "hush")
	f := testMap(t, `user([text([env, $ENV] | tojson)])`)
	if r := read(t, f, "s.jsonl", `{"kind":"say"}`); strings.Contains(r.Text(), "hush") {
		t.Errorf("%s", r.Text())
	}
}

// Files are found by patterns, and by the ends of patterns in a directory below a home.
func TestFiles(t *testing.T) {
	t.Parallel()
	path := formatstest.File(t, "home/one/s.jsonl", `{"kind":"say"}`+"\n")
	dir := strings.TrimSuffix(path, "/one/s.jsonl")
	formatstest.Put(t, dir+"/one/other.jsonl", "{}\n")
	formatstest.Put(t, dir+"/s.jsonl", "{}\n")
	formatstest.Put(t, dir+"/one/deep/s.jsonl", "{}\n")
	for _, at := range []string{dir, dir + "/one"} {
		a := formatstest.Open(t, testMap(t, "skip"), source(at))
		var got []string
		for info, err := range a.List(t.Context(), formats.Query{}) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, info.Path)
		}
		if at == dir {
			want(t, got, path, dir+"/s.jsonl")
		} else {
			want(t, got, dir+"/one/deep/s.jsonl", path)
		}
	}
}

// A line of 64 MiB is read, and what it says is whole.
func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes megabytes and seconds: not with -short")
	}
	t.Parallel()
	text := strings.Repeat("0123456789abcdef", 4<<20)
	f := testMap(t, `if $kind == "say" then user([text(.text)]) else skip end`)
	path := formatstest.File(t, "s.jsonl", `{"kind":"say","text":"first"}`+"\n"+`{"kind":"say","text":"`+text+`"}`+"\n"+`{"kind":"say","text":"last"}`+"\n")
	results, err := formatstest.TryAll(t.Context(), f, source(path))
	if err != nil || len(results) != 1 || len(results[0].Lines) != 4 {
		t.Fatalf("%d sessions, %v", len(results), err)
	}
	if !strings.Contains(results[0].Lines[2], `"text":"`+text+`"`) || !strings.Contains(results[0].Lines[3], `"text":"last"`) {
		t.Error("it is not whole")
	}
}
