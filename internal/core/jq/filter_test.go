package jq_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/jq"
)

const entry = `{"type":"message","id":"a1","n":9007199254740993,"f":1.0,"message":{"role":"user","content":[{"type":"text","text":"<hi>"},{"type":"image"}]}}`

func compile(t testing.TB, expr string) *jq.Filter {
	t.Helper()
	f, err := jq.Compile(expr)
	if err != nil {
		t.Fatalf("Compile(%q): %v", expr, err)
	}
	return f
}

func TestMatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr string
		want bool
		err  string // substring
	}{
		{`.message.role=="user"`, true, ""},
		{`.message.role=="assistant"`, false, ""},
		{`.message.content[].type=="image"`, true, ""}, // any result counts
		{`.message.content[].type=="toolCall"`, false, ""},
		{`.missing`, false, ""},
		{`empty`, false, ""},
		{`0`, true, ""}, // as in jq, only false and null are not true
		{`""`, true, ""},
		{`.n==9007199254740993`, true, ""},
		{`.n==9007199254740992`, false, ""},
		{`.type[]`, false, "cannot iterate over: string"},
		{`(false,error("x"),true)`, false, "x"}, // the first error is final
		{`(true,error("x"))`, true, ""},
		{`halt`, false, ""},
		{`"bye\n"|halt_error`, false, "running the expression: bye"},
		{`env|length>0`, false, ""},
		{`$ENV|length>0`, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			got, err := compile(t, tt.expr).Match(t.Context(), entry)
			if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Match = %t, %v; want %t, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestProject(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr, raw string
		want      []string
		err       string
	}{
		{`.message.content[].type`, entry, []string{`"text"`, `"image"`}, ""},
		{`.`, `{"z":1,"a":1.0,"n":123456789012345678901234567890}`, []string{`{"a":1.0,"n":123456789012345678901234567890,"z":1}`}, ""},
		{`.`, `1e1000`, []string{`1e1000`}, ""},
		{`.+1`, `9007199254740993`, []string{`9007199254740994`}, ""},
		{`.message.content[0].text`, entry, []string{`"<hi>"`}, ""},
		{`empty`, entry, nil, ""},
		{`.[]|if .==2 then error("two") else . end`, `[1,2,3]`, []string{`1`}, "two"},
		{`1,halt,2`, `null`, []string{`1`}, ""},
		{`nan,infinite`, `null`, []string{`null`, `1.7976931348623157e+308`}, ""},
		{`.`, `{"a":1`, nil, "decoding the value: it is not one JSON value"},
		{`.`, ``, nil, "decoding the value: it is not one JSON value"},
		{`.`, `{} {}`, nil, "decoding the value: it is not one JSON value"},
		{`.`, `{}]`, nil, "decoding the value: it is not one JSON value"},
		{`.`, " {}\r", []string{"{}"}, ""},
		{`.`, strings.Repeat("[", 20000), nil, "decoding the value: "},
	}
	for _, tt := range tests {
		t.Run(tt.expr+" "+tt.raw[:min(len(tt.raw), 20)], func(t *testing.T) {
			t.Parallel()
			var got []string
			err := compile(t, tt.expr).Project(t.Context(), tt.raw, func(b []byte) error {
				got = append(got, string(b))
				return nil
			})
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func TestEmitErrorIsFinal(t *testing.T) {
	t.Parallel()
	full, calls := errors.New("full"), 0
	err := compile(t, "1,2,3").Project(t.Context(), "null", func([]byte) error { calls++; return full })
	if !errors.Is(err, full) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

// halt ends the program, not only its run on the line at hand.
func TestHaltIsForGood(t *testing.T) {
	t.Parallel()
	f := compile(t, "if .==2 then halt else true end")
	var got []bool
	for _, raw := range []string{"1", "2", "3"} {
		ok, err := f.Match(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ok)
	}
	if want := []bool{true, false, false}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestRunawayStopsWithContext(t *testing.T) {
	t.Parallel()
	for _, expr := range []string{"def f: f; f", "[range(1e9)]", "last(repeat(1))"} {
		t.Run(expr, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			if _, err := compile(t, expr).Match(ctx, "null"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the deadline's", err)
			}
		})
	}
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	f := compile(t, `.message.content|map(.type)|index("image")==1`)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if ok, err := f.Match(t.Context(), entry); !ok || err != nil {
					t.Errorf("Match = %t, %v", ok, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestSyntaxError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		expr   string
		reason string
		detail string
	}{
		{".a | }", `unexpected token "}"`, "    .a | }\n         ^"},
		{".a |", `unexpected EOF`, "    .a |\n        ^"},
		{"(", "unexpected EOF", "    (\n     ^"},
		{".é | ]", `unexpected token "é"`, "    .é | ]\n     ^"},
		{`"é𝄞" | ]`, `unexpected token "]"`, "    \"é𝄞\" | ]\n           ^"},
		{".a |\n\t.b == = 1\n| .c", `unexpected token "="`, "     .b == = 1\n           ^"},
		{`.a == "x`, "unterminated string literal", "    .a == \"x\n            ^"},
		{"nosuch(1)", "function not defined: nosuch/1", ""},
		{"$x", "variable not defined: $x", ""},
		{"input", "input", ""},
		{`import "a" as a; .`, "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			t.Parallel()
			_, err := jq.Compile(tt.expr)
			se, ok := errors.AsType[*jq.SyntaxError](err)
			if !ok {
				t.Fatalf("error %v, want a SyntaxError", err)
			}
			if !strings.HasPrefix(err.Error(), "compiling the expression: ") || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("error %q, want %q in it", err, tt.reason)
			}
			if got := strings.Join(se.Detail(), "\n"); got != tt.detail {
				t.Errorf("detail\n%s\nwant\n%s", got, tt.detail)
			}
		})
	}
}

func FuzzCompile(f *testing.F) {
	for _, s := range []string{".a", ".a |", "\"\\(", "é", "\x00", ". as [$a] ?// $a | $a"} {
		f.Add(s)
	}
	// Laws: no expression crashes the compiler, and the caret of every error
	// stands below its line or one past the end.
	f.Fuzz(func(t *testing.T, expr string) {
		_, err := jq.Compile(expr)
		if se, ok := errors.AsType[*jq.SyntaxError](err); ok {
			if d := se.Detail(); len(d) == 2 && len([]rune(d[1])) > len([]rune(d[0]))+1 {
				t.Errorf("%q: caret out of line: %q", expr, d)
			}
		} else if err != nil {
			t.Errorf("%q: %T", expr, err)
		}
	})
}

func FuzzIdentity(f *testing.F) {
	for _, s := range []string{entry, `[1e1000,-0,1.0,1E400]`, `"\ud800"`, `{"a":1,"a":2}`, `1e99999999999999999999`} {
		f.Add(s)
	}
	identity := compile(f, ".")
	// Laws: exactly the texts that hold one JSON value are taken, and "." says
	// what encoding/json says about them, numbers digit for digit.
	f.Fuzz(func(t *testing.T, raw string) {
		var got []byte
		err := identity.Project(t.Context(), raw, func(b []byte) error { got = b; return nil })
		if json.Valid([]byte(raw)) != (err == nil) {
			t.Fatalf("%q: %v", raw, err)
		}
		if err == nil && !reflect.DeepEqual(value(t, raw), value(t, string(got))) {
			t.Errorf("%q became %q", raw, got)
		}
	})
}

func value(t *testing.T, raw string) (v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return v
}
