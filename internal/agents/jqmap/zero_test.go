package jqmap_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/agents/jqmap"
	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/pkg/session"
)

// What a command ended with is known by its tool's name alone only if the map says so.
func TestZero(t *testing.T) {
	t.Parallel()
	const program = `module {interface: 1, name: "test", summary: "s", files: ["*.jsonl"], ZERO kind: ["k"]};
def detect: true;
def info: {id: "den"};
def value: if $kind == "call" then assistant([call("c"; .tool; {command: "make"})]; {}) elif $kind == "end" then skip else result("c"; [text(.text)]; .bad == true) + (.details // {}) end;`
	for _, tt := range []struct{ zero, tool, result, want string }{
		{``, "Bash", `"text":"tea"`, calls.OK},
		{``, "bash", `"text":"tea"`, calls.OK},
		{`zero: ["Bash"],`, "Bash", `"text":"tea"`, "0"},
		{`zero: ["Shell"],`, "Bash", `"text":"tea"`, calls.OK},
		{``, "Bash", `"text":"tea","bad":true`, calls.Fail},
		{``, "Bash", `"text":"Exit code: 3\nno"`, "3"},
		{`zero: ["Bash"],`, "Bash", `"text":"tea","bad":true`, calls.Fail},
	} {
		r := read(t, jqmap.New(t, strings.Replace(program, "ZERO", tt.zero, 1)), "a.jsonl", `{"k":"call","tool":"`+tt.tool+`"}`, `{"k":"result",`+tt.result+`}`)
		got := ""
		for _, e := range r.Session(t).Entries {
			if m, _ := e.Message(); m.Role() == session.RoleToolResult {
				got = calls.End(m).String()
			}
		}
		if got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
