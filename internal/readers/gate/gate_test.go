package gate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/session"
)

// did is a call: its tool, what is in its one argument, and how it ended.
type did struct{ tool, argument, outcome string }

// work makes the calls of a session, the first of which is entry 0.
func work(t *testing.T, all ...did) *gate.Work {
	t.Helper()
	var list [][2]string
	for _, d := range all {
		name := map[string]string{calls.Run: "command", calls.Write: "file_path", calls.Fetch: "url"}[calls.KindOf(d.tool)]
		if name == "" {
			name = "x"
		}
		arguments, err := json.Marshal(map[string]string{name: d.argument})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, [2]string{d.tool + " " + d.outcome, string(arguments)})
	}
	return made(list...)
}

func must(t *testing.T) func(g gate.Gate, err error) gate.Gate {
	return func(g gate.Gate, err error) gate.Gate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
}

// breachesOf lists where a gate does not hold.
func breachesOf(g gate.Gate, w *gate.Work) string {
	var out []string
	breaches, _ := g.Breaches(w)
	for _, b := range breaches {
		out = append(out, fmt.Sprintf("%d %s", b.Entry, b))
	}
	return strings.Join(out, "\n")
}

const holds, breach, strict = "holds", "breach", "breach with --strict"

// noCall says what a gate against calls says of some.
func noCall(t *testing.T, text string, w *gate.Work) string {
	t.Helper()
	g := must(t)(gate.NoCall(text))
	breaches, seen := g.Breaches(w)
	if len(breaches) > 0 {
		return breach
	}
	w.Strict = true
	breaches, _ = g.Breaches(w)
	if w.Strict = false; (len(breaches) > 0) != (seen.Hidden > 0) {
		t.Errorf("%s: %d hidden, and %d breaches with --strict", text, seen.Hidden, len(breaches))
	}
	if len(breaches) > 0 {
		return strict
	}
	return holds
}

// What a gate against git push says of command lines, and with --strict. How a line may be spelled, the tests of shell say.
func TestGitPush(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"plain", "git push", breach},
		{"with arguments", "git push --force origin main", breach},
		{"another command", "git pull", holds},
		{"pushd", "git pushd", breach}, // the glob says so
		{"compound", "cd x && git push", breach},
		{"or", "make || git push", breach},
		{"backquotes", "x=`git push`", breach},
		{"heredoc-has-command", "cat > push.sh <<'EOF'\ngit push\nEOF", holds},
		{"echo-git-push", "echo git push", holds},
		{"alias-unknown", "gp origin", holds},
		{"variable", "$GIT push", strict},
		{"eval", `eval "$cmd"`, strict},
		{"interpreter", `python3 -c "import os; os.system('git push')"`, strict},
		{"a script", "./push.sh", holds},
		{"unparsed-is-breach", "git status '", breach},
		{"empty", "", holds},
	} {
		got := noCall(t, "run:git push*", work(t, did{"Bash", tt.line, ""}))
		if got != tt.want {
			t.Errorf("%s: %s: %s, want %s", tt.name, tt.line, got, tt.want)
		}
	}
}

// The gates, each with calls, and where it does not hold.
func TestGates(t *testing.T) {
	t.Parallel()
	run := func(line string, outcome ...string) did { return did{"Bash", line, strings.Join(outcome, "")} }
	write := func(name string, outcome ...string) did { return did{"Write", name, strings.Join(outcome, "")} }
	patch := did{"apply_patch", "", ""}
	wroteOnly := func(text string) (gate.Gate, error) { return gate.WroteOnly(strings.Fields(text)) }
	noCall := gate.NoCall
	for _, tt := range []struct {
		name  string
		parse func(string) (gate.Gate, error)
		text  string
		all   []did
		want  string // the entries of the breaches, with their texts
	}{
		{"no call, no session", noCall, "run", nil, ""},
		{"kind", noCall, "fetch", []did{run("ls"), {"WebFetch", "https://a", ""}}, "1 WebFetch https://a"},
		{"url", noCall, "fetch:https://a/*", []did{{"WebFetch", "https://a/b/c", ""}, {"WebFetch", "https://b/", ""}}, "0 WebFetch https://a/b/c"},
		{"tool", noCall, "Bash", []did{run("ls"), {"shell", "ls", ""}}, "0 Bash ls"},
		{"tool of another agent", noCall, "Bash", []did{{"claude_Bash", "ls", ""}}, "0 claude_Bash ls"},
		{"tool with glob", noCall, "Bash:rm *", []did{run("rm -rf x"), run("ls")}, "0 Bash rm -rf x"},
		{"xargs-rm", noCall, "run:rm *", []did{run("ls | xargs -n 1 rm -f")}, "0 Bash ls | xargs -n 1 rm -f"},
		{"denied", noCall, "run:rm *", []did{run("rm x", calls.Denied)}, "0 Bash rm x"},
		{"denied, left out", noCall, "run:rm *!denied", []did{run("rm x", calls.Denied)}, ""},
		{"unparsed", noCall, "run:rm *", []did{run("echo '")}, "0 no command line that bash would read: Bash echo '"},
		{"unparsed, and denied", noCall, "run:rm *!denied", []did{run("echo '", calls.Denied)}, ""},
		{"unparsed, and no glob", noCall, "fetch", []did{run("echo '")}, ""},
		{"write", noCall, "write:.env", []did{write("/w/a/.env"), write("/w/b")}, "0 Write a/.env"},
		{"write, absolute", noCall, "write:/w/a/**", []did{write("/w/a/x")}, "0 Write a/x"},
		{"write without a file", noCall, "write:.env", []did{patch}, "0 it names no file: apply_patch "},
		{"write by a command", noCall, "write:*.go", []did{run("apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\nE")}, "0 Bash apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\nE"},

		{"call", gate.Call, "run:go test*", []did{run("cd x && go test ./...")}, ""},
		{"call that is missing", gate.Call, "run:go test*", []did{run("echo go test")}, "-1 no such call"},
		{"call that cannot be read", gate.Call, "run:go test*", []did{run("go test '")}, "0 no such call that ended well: no command line that bash would read: Bash go test '"},
		{"call in an empty-session", gate.Call, "run", nil, "-1 no such call"},

		{"order", gate.Order, "run:make,run:git commit*", []did{run("make"), run("ls"), run("git commit -m x")}, ""},
		{"order, turned", gate.Order, "run:make,run:git commit*", []did{run("git commit -m x"), run("make")}, "1 no call of run:git commit* behind run:make"},
		{"order-with-repeats", gate.Order, "run:a,run:b,run:a", []did{run("a"), run("a"), run("b")}, "2 no call of run:a behind run:b"},
		{"order-with-repeats, held", gate.Order, "run:a,run:b,run:a", []did{run("a"), run("a"), run("b"), run("a")}, ""},
		{"order-overlaps", gate.Order, "run:a*,run:ab", []did{run("ab")}, "0 no call of run:ab behind run:a*"},
		{"order of nothing", gate.Order, "read,write", nil, "-1 no call of read"},

		{"wrote-only", wroteOnly, "src/** *.md", []did{write("/w/src/a/b"), write("/w/README.md"), run("rm -rf /")}, "2 Bash /"},
		{"wrote-only, breach", wroteOnly, "src/**", []did{write("/w/src/a"), write("/w/go.mod")}, "1 Write go.mod"},
		{"wrote-outside-cwd", wroteOnly, "*.go src/**", []did{write("/etc/a.go"), write("/w/../src/a"), write("~/a.go")}, "0 Write /etc/a.go\n1 Write /src/a\n2 Write ~/a.go"},
		{"wrote outside, as allowed", wroteOnly, "/tmp/**", []did{write("/tmp/a/b")}, ""},
		{"wrote what is not known", wroteOnly, "**", []did{patch}, "0 it names no file: apply_patch "},
		{"patch-moves-file", wroteOnly, "a/**", []did{run("apply_patch <<'E'\n*** Begin Patch\n*** Update File: a/x\n*** Move to: b/x\n*** End Patch\nE")}, "0 Bash b/x"},
		{"write that was denied", wroteOnly, "a/**", []did{write("/w/b", calls.Denied)}, ""},
		{"write that failed", wroteOnly, "a/**", []did{write("/w/b", calls.Fail)}, "0 Write b"},
		{"strict", wroteOnly, "a/**", []did{run("make")}, "0 what it writes is not known: Bash make"},

		{"fixed", gate.Fixed, "run:go test*", []did{write("/w/a"), run("go test")}, ""},
		{"fixed-before-edit", gate.Fixed, "run:go test*", []did{run("go test"), write("/w/a")}, "1 no such call behind the last write: Write a"},
		{"fixed-failed-last", gate.Fixed, "run:go test*", []did{write("/w/a"), run("go test"), run("go test", calls.Fail)}, "2 ended with fail: Bash go test"},
		{"fixed, at last", gate.Fixed, "run:go test*", []did{write("/w/a"), run("go test", calls.Fail), run("go test ./...")}, ""},
		{"fixed, and still running", gate.Fixed, "run:go test*", []did{write("/w/a"), run("go test", calls.Open)}, "1 ended with open: Bash go test"},
		{"fixed, and the edit failed", gate.Fixed, "run:go test*", []did{run("go test"), write("/w/a", calls.Fail)}, ""},
		{"fixed, and unreadable", gate.Fixed, "run:go test*", []did{write("/w/a"), run("go test"), run("echo '")}, "2 no command line that bash would read: Bash echo '"},
		{"fixed, nothing written", gate.Fixed, "run:go test*", []did{run("ls")}, ""},
		{"fixed, nothing written but failed", gate.Fixed, "run:go test*", []did{run("go test", calls.Fail)}, "0 ended with fail: Bash go test"},
		{"fixed by a patch in a command", gate.Fixed, "run:go test*", []did{run("go test"), run("apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n*** End Patch\nE")}, "1 no such call behind the last write: Bash apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n*** End Patch\nE"},

		{"max-calls", func(string) (gate.Gate, error) { return gate.MaxCalls(1), nil }, "", []did{run("a"), run("b"), run("c")}, "1 3 calls: Bash b"},
		{"max-calls, held", func(string) (gate.Gate, error) { return gate.MaxCalls(3), nil }, "", []did{run("a"), run("b"), run("c")}, ""},
	} {
		w := work(t, tt.all...)
		w.Strict = strings.HasPrefix(tt.name, "strict")
		if diff := cmp.Diff(tt.want, breachesOf(must(t)(tt.parse(tt.text)), w)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Calls that a tool made and did not record whole pass no gate unread.
func TestNested(t *testing.T) {
	t.Parallel()
	few := func(n int) (gate.Gate, error) { return gate.MaxCalls(n), nil }
	unread, unknown := `{"id":"a/1","name":"bash","status":"ok","argumentsBytes":9000}`, `{"id":"a/1","name":"read","status":"ok","arguments":{}}`
	for _, tt := range []struct {
		name, record string
		gate         gate.Gate
		want         string
	}{
		{"unread command", `[` + unread + `],"complete":false`, must(t)(gate.NoCall("run:git push*")), "0 its arguments are not recorded: bash "},
		{"unread command, of another kind", `[` + unread + `],"complete":false`, must(t)(gate.NoCall("fetch")), ""},
		{"unread command, wanted", `[` + unread + `],"complete":false`, must(t)(gate.Call("run:go test*")), "-1 no such call"},
		{"unread command, any is wanted", `[` + unread + `],"complete":false`, must(t)(gate.Call("run")), ""},
		{"unread write", `[` + strings.Replace(unread, "bash", "write", 1) + `],"complete":false`, must(t)(gate.WroteOnly([]string{"**"})), "0 it names no file: write "},
		{"unknown calls", `[` + unknown + `],"complete":false`, must(t)(gate.NoCall("fetch")), "0 it is not known what they did: calls that are not recorded"},
		{"unknown calls, wanted", `[` + unknown + `],"complete":false`, must(t)(gate.Call("fetch")), "0 no such call that ended well: it is not known what they did: calls that are not recorded"},
		{"unknown calls, few", `[` + unknown + `],"complete":false`, must(t)(few(9)), "0 it is not known how many: calls that are not recorded"},
		{"unknown calls, written", `[` + unknown + `],"complete":false`, must(t)(gate.WroteOnly([]string{"**"})), "0 it names no file: calls that are not recorded"},
		{"all known", `[` + unknown + `],"complete":true`, must(t)(few(2)), ""},
	} {
		s, err := session.Read(strings.NewReader(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-02T03:04:05.000Z","cwd":"/w"}
{"type":"message","id":"e0","parentId":null,"timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"codemode","arguments":{"code":"x"}}]}}
{"type":"message","id":"e1","parentId":"e0","timestamp":"2026-01-02T03:04:05.000Z","message":{"role":"toolResult","toolCallId":"a","toolName":"codemode","content":[],"isError":false,"nestedCalls":{"calls":` + tt.record + `}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		deeds := gate.Deeds(calls.Of(s.Entries, "/w"))
		if diff := cmp.Diff(tt.want, breachesOf(tt.gate, &gate.Work{Deeds: deeds, All: deeds, Answered: -1})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		re, answer string
		is, isNot  bool // whether the gates hold
	}{
		{"done", "all done", true, false},
		{"^done", "all done", false, true},
		{"(?m)^done", "all\ndone", true, false},
		{"done", "", false, true},
		{"", "x", true, false},
	} {
		w := &gate.Work{Answer: tt.answer, Answered: 3}
		is, _ := must(t)(gate.Answer(tt.re)).Breaches(w)
		isNot, _ := must(t)(gate.NoAnswer(tt.re)).Breaches(w)
		if (len(is) == 0) != tt.is || (len(isNot) == 0) != tt.isNot {
			t.Errorf("%q in %q: %v, %v", tt.re, tt.answer, is, isNot)
		}
	}
}

func TestBadGates(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", ":x", "run:", "run:[", "!denied"} {
		for name, parse := range map[string]func(string) (gate.Gate, error){
			"call": gate.Call, "fixed": gate.Fixed, "order": func(s string) (gate.Gate, error) { return gate.Order("run," + s) },
			"no-call": gate.NoCall,
		} {
			if _, err := parse(text); err == nil {
				t.Errorf("%s %q is taken", name, text)
			}
		}
	}
	if _, err := gate.Answer("("); err == nil {
		t.Error("( is an expression")
	}
	if _, err := gate.WroteOnly([]string{"a", "["}); err == nil {
		t.Error("[ is a pattern")
	}
}
