package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/gate"
	"github.com/sess-tools/sess/pkg/session"
)

// made makes the work of calls, each of a tool with arguments, and an outcome behind a blank.
func made(all ...[2]string) *gate.Work {
	var list []calls.Call
	for i, one := range all {
		tool, outcome, _ := strings.Cut(one[0], " ")
		c := calls.About(session.ToolCall{Name: tool, Arguments: one[1]}, "/w")
		c.Entry, c.Outcome = i, outcome
		if outcome == "" {
			c.Outcome = calls.OK
		}
		list = append(list, c)
	}
	deeds := gate.Deeds(list)
	return &gate.Work{Deeds: deeds, All: deeds, Answered: -1}
}

// Wherever a push stands in the arguments of a call, a gate sees it.
func TestArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tool, arguments, want string }{
		{"bash", `{"command":["git","push"]}`, breach},
		{"shell", `{"command":["bash","-lc","git push"]}`, breach},
		{"shell", `{"command":["/bin/bash","-eo","pipefail","-c","git push"]}`, breach},
		{"shell", `{"command":["zsh","-lic","cd x && git push"],"workdir":"/x"}`, breach},
		{"shell", `{"command":["env","A=b c","git","push"]}`, breach},
		{"shell", `{"command":["cmd.exe","/d","/c","git push"]}`, breach},
		{"shell", `{"command":["git","commit","-m","a; git push"]}`, holds}, // no shell reads it
		{"shell", `{"command":["echo","git push"]}`, holds},
		{"local_shell_call", `{"action":{"type":"exec","command":["git","push"]}}`, breach},
		{"bash", `{"command":{"cmd":"git push"}}`, breach},
		{"bash", `{"command":{"command":["git","push"]}}`, breach},
		{"bash", `{"cmd":"git push"}`, breach},
		{"bash", `{"command":"ls","cmd":"git push"}`, breach},
		{"bash", `{"commands":["ls","git push"]}`, breach},
		{"bash", `{"commands":["git","push"]}`, breach},
		{"bash", `{"commands":[{"command":"git push"}]}`, breach},
		{"bash", `{"steps":[{"cmd":"ls"},{"cmd":"git push"}]}`, breach},
		{"bash", `{"script":"git push"}`, breach},
		{"bash", `{"code":"git push","language":"bash"}`, breach},
		{"bash", `{"command":"git","args":["push","-f"]}`, breach},
		{"bash", `{"command":"/usr/bin/git","argv":["push"]}`, breach},
		{"bash", `{"command":"git push","args":[]}`, breach},
		{"bash", `"git push"`, breach},
		{"bash", `"{\"command\":\"git push\"}"`, breach},
		{"bash", `"{\"command\":[\"git\",\"push\"]}"`, breach},
		{"bash", `{"commandLine":"git push"}`, breach},
		{"bash", `{"input":{"command":"git push"}}`, breach},
		{"bash", `{"shellCommandText":"git push"}`, breach}, // nothing is known of what it runs
		{"bash", `{"command":5}`, holds},
		{"bash", `{}`, holds},
		{"bash", `{"command":""}`, holds},
		{"run_in_terminal", `{"command":"git push","explanation":"x"}`, breach},
		{"execute_bash", `{"command":"git push"}`, breach},
		{"terminal", `{"command":"git push"}`, breach},
		{"developer__shell", `{"command":"git push"}`, breach},
		{"mcp__shell__run", `{"command":"git push"}`, breach},
		{"mcp__x__bash", `{"command":"git push"}`, breach},
		{"anything", `{"command":"git push"}`, breach},
		{"anything", `{"cmd":["git","push"]}`, breach},
		{"anything", `{"params":{"command":"git push"}}`, breach},
		{"bash_code_execution", `{"command":"git push"}`, breach},
		{"code_execution", `{"code":"import os; os.system('git push')"}`, strict},
		{"anything", `{"code":"print(1)"}`, strict},
		{"anything", `{"script":"print(1)"}`, strict},
		{"anything", `{"code":"ls","language":"sh"}`, holds},
		{"str_replace_based_edit_tool", `{"command":"view","path":"git push"}`, holds},
		{"editor", `{"command":"view","path":"x"}`, holds},
		{"write_stdin", `{"session_id":7,"chars":"git push\n"}`, breach},
		{"write_stdin", `{"session_id":7,"chars":""}`, holds},
		{"write_stdin", `{"session_id":7,"chars":"y\n"}`, holds},
		{"write_stdin", `{"session_id":7,"chars":"\u001b[A\n"}`, strict},
		{"write_stdin", `{"session_id":7,"chars":"os.system(\"git push\")\n"}`, strict},
		{"write_stdin", `{"session_id":7,"chars":"print(\"hi\")\n"}`, strict},
		{"write_bash", `{"shellId":"a","input":"git push{enter}"}`, breach},
		{"send_to_terminal", `{"command":"git push"}`, breach},
		{"PowerShell", `{"command":"if (Test-Path x) { git push }"}`, breach},
		{"powershell", `{"command":"Get-Item x | Where-Object { $_.Name }"}`, strict},
		{"powershell", "{\"command\":\"git pu`sh; if (1) {\"}", breach},
		{"powershell", `{"command":"& 'git' \"push\" | Where-Object { $_ }"}`, breach},
		{"powershell", `{"command":"if (1) { iex $x }"}`, strict},
		{"powershell", `{"command":"& $git $what"}`, strict},
		{"powershell", `{"command":"git push"}`, breach},
		{"Bash", `{"command":"powershell.exe -NoProfile -Command \"& 'git' push\""}`, breach},
		{"Bash", `{"command":"pwsh -c 'Get-Item x'"}`, holds},
		{"Bash", `{"command":"fish -c 'if true; git push; end'"}`, strict},
		{"Bash", `{"command":"fish -c 'if true; git pu\\\\sh; end'"}`, strict},
		{"Bash", `{"command":"fish -c 'if true; ls; end'"}`, strict},
		{"Bash", `{"command":"csh -c 'if (1) git push'"}`, strict},
		{"Bash", `{"command":"csh -c 'ls'"}`, strict},
		{"WebFetch", `{"url":"x","command":"git push"}`, strict},
		{"anything", `{"program":"git","args":["push"]}`, breach},
		{"anything", `{"executable":"git","arguments":["push"]}`, breach},
		{"bash", `{"executable":"git","arguments":"push"}`, breach},
		{"anything", `{"exec":"git push"}`, breach},
		{"anything", `{"argv":["git","push"]}`, breach},
		{"bash", `{"command":{"program":"git","args":["push"]}}`, breach},
		{"batch", `{"tool_calls":[{"tool":"bash","parameters":{"command":"git push"}}]}`, breach},
		{"multi_tool_use.parallel", `{"tool_uses":[{"recipient_name":"functions.bash","parameters":{"command":"git push"}}]}`, breach},
		{"mcp__desktop-commander__interact_with_process", `{"pid":1,"input":"git push\n"}`, breach},
		{"send_keys", `{"keys":"git push\n"}`, breach},
		{"anything", `{"program":"notepad"}`, holds},

		// lists of words, by the name of the list
		{"bash", `{"run":["git","push"]}`, breach},
		{"bash", `{"cell":["git","push"]}`, breach},
		{"bash", `{"keys":["git","push"]}`, breach},
		{"bash", `{"subcommand":["git","push"]}`, breach},
		{"bash", `{"args":["git","push"]}`, breach},
		{"bash", `{"argv":["git","push"]}`, breach},
		{"bash", `{"cmd":["git","push"]}`, breach},
		{"bash", `{"cmds":["git","push"]}`, breach},
		{"bash", `{"words":["git","push"]}`, breach}, // nothing else is known of what it runs
		{"bash", `{"run":["ls"]}`, holds},
		{"bash", `{"run":["bash","-c","cd x && git push"]}`, breach},
		{"bash", `{"run":["sudo","-u","x","git","push"]}`, breach},
		{"bash", `{"run":["python","-c","x()"]}`, strict},
		{"bash", `{"run":["git push"]}`, breach},
		{"bash", `{"run":["cd x","git push"]}`, breach},
		{"bash", `{"run":["ls","git push"]}`, strict}, // two lines, or one command
		{"bash", `{"run":"git push"}`, breach},
		{"bash", `{"cmd":["git"],"args":["push"]}`, breach},
		{"bash", `{"command":"git","subcommand":"push"}`, breach},
		{"bash", `{"command":"git","subcommand":"push","args":["-f"]}`, breach},
		{"bash", `{"command":"git","subcommand":["push"],"args":"-f"}`, breach},
		{"bash", `{"command":"ls","then":["git","push"]}`, strict},
		{"bash", `{"command":"ls","env":["A=b"],"tags":["x","y"]}`, holds},
		{"anything", `{"run":["git","push"]}`, breach},
		{"anything", `{"cell":["git","push"]}`, breach},
		{"anything", `{"cell":["!git push\n","print(1)"]}`, breach},
		{"anything", `{"cell":"!git push"}`, breach},
		{"anything", `{"cell":["import os\n","os.system('git push')"]}`, breach},
		{"anything", `{"cell":"print(1)"}`, strict},
		{"anything", `{"keys":["git","push"]}`, breach},
		{"anything", `{"keys":["git push","Enter"]}`, breach},
		{"send_keys", `{"keys":["git push","Enter"]}`, breach},
		{"send_keys", `{"keys":["git","Space","push","Enter"]}`, breach},
		{"send_keys", `{"keys":["C-r","pus","Enter"]}`, strict},
		{"send_keys", `{"keys":["y","Enter"]}`, holds},
		{"tmux", `{"keys":"git push\n"}`, strict},
		{"anything", `{"subcommand":["git","push"]}`, breach},
		{"git", `{"subcommand":["push"]}`, breach},
		{"git", `{"subcommand":"push","args":["-f"]}`, breach},
		{"mcp__vcs__git", `{"args":["push"]}`, breach},
		{"git", `{"args":["pull"]}`, holds},
		{"anything", `{"args":["git","push"]}`, breach},
		{"anything", `{"args":"git push"}`, strict}, // all words of the command are there
		{"anything", `{"run":"git push"}`, strict},
		{"anything", `{"words":["git","push"]}`, strict},
		{"anything", `{"what":["sh","-c","git push"]}`, strict},
		{"anything", `{"what":["sh","-c","$x"]}`, holds},
		{"anything", `{"what":["first","git push"]}`, strict},
		{"anything", `{"tags":["a","b"],"paths":["x.go","y.go"]}`, holds},
		{"anything", `{"cmd":["git","push"],"paths":["x.go"]}`, breach},
	} {
		if got := noCall(t, "run:git push*", made([2]string{tt.tool, tt.arguments})); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.tool, tt.arguments, got, tt.want)
		}
	}
	typed := made([2]string{"exec_command", `{"cmd":"true"}`}, [2]string{"write_stdin", `{"session_id":7,"chars":"git pu"}`},
		[2]string{"write_stdin", `{"session_id":8,"chars":"ls"}`}, [2]string{"write_stdin", `{"session_id":7,"chars":"sh\n"}`})
	if got := noCall(t, "run:git push*", typed); got != breach {
		t.Errorf("typed in two pieces: %s", got)
	}
}

// Calls by what is among their arguments.
func TestByArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ pattern, tool, arguments, want string }{
		{"mcp__deploy{repo=prod*}", "mcp__deploy", `{"repo":"prod-eu"}`, breach},
		{"mcp__deploy{repo=prod*}", "mcp__deploy", `{"repo":"test"}`, holds},
		{"mcp__deploy{repo=prod*}", "mcp__deploy", `{}`, holds},
		{"mcp__deploy{repo=prod*}", "mcp__other", `{"repo":"prod"}`, holds},
		{"mcp__deploy{repo=*,branch=main}", "mcp__deploy", `{"repo":"a","branch":"main"}`, breach},
		{"mcp__deploy{repo=*,branch=main}", "mcp__deploy", `{"repo":"a","branch":"x"}`, holds},
		{"tool:deploy{opts.dry=false}", "deploy", `{"opts":{"dry":false}}`, breach},
		{"tool:deploy{n=3}", "deploy", `{"n":3}`, breach},
		{"tool:deploy{to=prod}", "deploy", `{"to":["test","prod"]}`, breach},
		{"tool:deploy{to=prod}", "deploy", `"{\"to\":\"prod\"}"`, breach},
		{"mcp__*{repo=prod}", "mcp__a__b", `{"repo":"prod"}`, breach},
		{"run{timeout=*}", "Bash", `{"command":"ls","timeout":5}`, breach},
		{"run{timeout=*}", "Bash", `{"command":"ls"}`, holds},
		{"Bash{run_in_background=true}:npm *", "Bash", `{"command":"npm start","run_in_background":true}`, breach},
		{"Bash{run_in_background=true}:npm *", "Bash", `{"command":"npm start"}`, holds},
		{"mcp__git__*", "mcp__git__push", `{}`, breach},
		{"bash", "Bash", `{"command":"ls"}`, breach},
		{"tool:Run", "Run", `{}`, breach},
		{"tool:Run", "run", `{}`, breach},
		{"tool:run", "Bash", `{"command":"ls"}`, holds},
	} {
		if got := noCall(t, tt.pattern, made([2]string{tt.tool, tt.arguments})); got != tt.want {
			t.Errorf("%s: %s %s: %s, want %s", tt.pattern, tt.tool, tt.arguments, got, tt.want)
		}
	}
}

// A slip in a pattern is an error that says so.
func TestSlips(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Run:git push*", "RUN", "runs:git push*", "rnu", "rum:x", "writ:x", "wirte", "read:", "run: git push*", "run:git push* ", "run:a,run:b", "run:npm publish*, write:x", "run:{git push*,npm publish*}", "Bsh:git push*",
		"webfetch2", "WebFetc", "git push*", "a b", "x{", "x{}", "x{a}", "x{=b}", "x{a=b", "x{a=b}c", "x{a=[}", "[x", "run,write", "tool:", "task1", "run=x",
	} {
		if text == "rnu" || text == "wirte" {
			continue // two letters are another word
		}
		if _, err := gate.Parse(text); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
	for text, unknown := range map[string]string{
		"run": "", "Bash": "", "bash": "", "WebFetch": "", "tool:Run": "", "tool:x:y": "", "exec:git push*": "exec", "deploy": "deploy", "mcp__git__*": "mcp__git__*", "run:git log --format=%h,%s": "", "write:{a}": "", "run:a\\*": "",
		"Run_it": "Run_it", "mcp__x": "mcp__x", "!denied!denied": "?", "fetch:https://a/?b=c,d": "",
	} {
		p, err := gate.Parse(text)
		switch {
		case unknown == "?":
			if err == nil {
				t.Errorf("%q is taken", text)
			}
		case err != nil:
			t.Errorf("%q: %v", text, err)
		case p.Unknown() != unknown:
			t.Errorf("%q: %q is unknown, want %q", text, p.Unknown(), unknown)
		}
	}
}

// What says that the tests passed after the last edit, by the commands behind one. Which commands write, the tests of shell say.
func TestFixed(t *testing.T) {
	t.Parallel()
	bash := func(line string) [2]string {
		text, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		return [2]string{"Bash", string(text)}
	}
	edit := [2]string{"Edit", `{"file_path":"/w/a.go","old_string":"a","new_string":"b"}`}
	test := bash("go test ./...")
	for _, tt := range []struct {
		name string
		want string
		all  [][2]string
	}{
		{"alone", holds, [][2]string{edit, test}},
		{"in a list", holds, [][2]string{edit, bash("cd x && go vet && go test ./... && echo ok")}},
		{"in a pipe", breach, [][2]string{edit, bash("go test ./... | tail")}},
		{"in a pipe with pipefail", holds, [][2]string{edit, bash("set -o pipefail; go test ./... 2>&1 | tee test.log | tail -5")}},
		{"read only behind it", holds, [][2]string{edit, test, bash("git diff | head; git status; ls; cat a; rg x; git commit -am x && git push")}},
		{"its own log", holds, [][2]string{edit, bash("go test ./... > log 2>&1")}},
		{"in one line, the edit first", holds, [][2]string{bash("sed -i s/a/b/ a.go && go test ./...")}},
		{"in one line, the edit last", breach, [][2]string{bash("go test ./... && sed -i s/a/b/ a.go")}},
		{"sed -i", breach, [][2]string{edit, test, bash("sed -i s/a/b/ a.go")}},
		{"a redirection", breach, [][2]string{edit, test, bash("cat > a.go <<'E'\nx\nE")}},
		{"a tool of a server", breach, [][2]string{edit, test, {"mcp__fs__write_file", `{"path":"/w/a.go","content":"x"}`}}},
		{"write_to_file", breach, [][2]string{edit, test, {"write_to_file", `{"path":"a.go"}`}}},
		{"replace_string_in_file", breach, [][2]string{edit, test, {"replace_string_in_file", `{"filePath":"/w/a.go"}`}}},
		{"a patch that failed half way", breach, [][2]string{edit, test, {"apply_patch fail", `{"input":"*** Begin Patch\n*** Update File: a\n+x\n*** Update File: b\n+y\n*** End Patch"}`}}},
		{"an edit that failed", holds, [][2]string{edit, test, {"Edit fail", `{"file_path":"/w/a.go"}`}}},
		{"a write that was refused", holds, [][2]string{edit, test, {"Bash denied", bash("rm a.go")[1]}}},
		{"tests that were refused", breach, [][2]string{edit, {"Bash denied", test[1]}}},
		{"refused behind those that passed", holds, [][2]string{edit, test, {"Bash denied", test[1]}}},
		{"failed behind those that passed", breach, [][2]string{edit, test, {"Bash fail", test[1]}}},
		{"a build behind it", strict, [][2]string{edit, test, bash("make")}},
		{"a tool behind it that nobody knows", strict, [][2]string{edit, test, {"mcp__x__y", `{}`}}},
		{"code behind it", strict, [][2]string{edit, test, bash("python3 -c 'x'")}},
		{"one that may be it", strict, [][2]string{edit, test, bash("go $x")}},
		{"in an own shell", holds, [][2]string{edit, bash("bash -euo pipefail -c 'go test ./... | tee log'")}},
		{"by a runner", holds, [][2]string{edit, bash("mise exec -- go test ./...")}},
		{"typed", breach, [][2]string{edit, {"write_stdin", `{"session_id":1,"chars":"go test\n"}`}}},
		{"one of two commands", breach, [][2]string{edit, {"Bash", `{"command":"go test","cmd":"ls"}`}}},
	} {
		w := made(tt.all...)
		g := must(t)(gate.Fixed("run:go test*"))
		got := holds
		if breaches, seen := g.Breaches(w); len(breaches) > 0 {
			got = breach
		} else if w.Strict = true; seen.Hidden > 0 {
			got = strict
			if breaches, _ := g.Breaches(w); len(breaches) == 0 {
				t.Errorf("%s: hidden, and no breach with --strict", tt.name)
			}
		} else if breaches, _ := g.Breaches(w); len(breaches) > 0 {
			t.Errorf("%s: a breach with --strict, and nothing is hidden: %v", tt.name, breaches)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// The files that are written outside, by whatever means.
func TestStrays(t *testing.T) {
	t.Parallel()
	for _, one := range [][2]string{
		{"Edit", `{"file_path":"/etc/x"}`},
		{"edit", `{"edits":[{"path":"/w/a","newText":"x"},{"path":"/etc/x","newText":"y"}]}`},
		{"multi_replace_string_in_file", `{"replacements":[{"filePath":"/etc/x"}]}`},
		{"write_file", `{"path":"file:///etc/x"}`},
		{"write_file", `{"path":"$HOME/x"}`},
		{"write_file", `{"path":"${HOME}/x"}`},
		{"write_file", `{"path":"~/x"}`},
		{"write_file", `{"path":"../x"}`},
		{"move_file", `{"path":"a","destination":"/etc/x"}`},
		{"mcp__fs__write_file", `{"path":"/etc/x"}`},
		{"apply_patch", `{"input":"*** Begin Patch\n  *** Add File: /etc/x\n+x\n*** End Patch"}`},
		{"Bash", `{"command":"cd /etc && apply_patch <<'E'\n*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\nE"}`},
		{"exec_command", `{"cmd":"apply_patch <<'E'\n*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\nE","workdir":"/etc"}`},
		{"exec_command", `{"cmd":"echo > x","workdir":"/etc"}`},
		{"exec_command", `{"cmd":"cd .. && echo > x"}`},
		{"Bash", `{"command":"echo > /etc/x"}`},
		{"Bash", `{"command":"echo x >> \"$HOME/.bashrc\""}`},
	} {
		g := must(t)(gate.WroteOnly([]string{"**"}))
		if breaches, _ := g.Breaches(made(one)); len(breaches) == 0 {
			t.Errorf("%s: no file outside", one)
		}
	}
	for _, one := range [][2]string{
		{"Edit", `{"file_path":"/w/x"}`},
		{"edit", `{"edits":[{"path":"/w/a"},{"path":"b/c"}]}`},
		{"Bash", `{"command":"cd d && echo > x; ls > /dev/null 2>&1"}`},
		{"exec_command", `{"cmd":"echo > x","workdir":"/w/d"}`},
		{"exec_command", `{"cmd":"go test","workdir":"/etc"}`},
		{"Bash", `{"command":"ls; git status; rg x | head"}`},
	} {
		w := made(one)
		w.Strict = true
		if breaches, _ := must(t)(gate.WroteOnly([]string{"**"})).Breaches(w); len(breaches) > 0 {
			t.Errorf("%s: %v", one, breaches)
		}
	}
}

// What must have happened, and how it ended.
func TestEndedWell(t *testing.T) {
	t.Parallel()
	bash := func(line, outcome string) [2]string {
		text, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		return [2]string{strings.TrimSpace("Bash " + outcome), string(text)}
	}
	for _, tt := range []struct {
		gate, text string
		holds      bool
		all        [][2]string
	}{
		{"call", "run:go test*", true, [][2]string{bash("go test", "")}},
		{"call", "run:go test*", false, [][2]string{bash("go test", "denied")}},
		{"call", "run:go test*", false, [][2]string{bash("go test", "fail")}},
		{"call", "run:go test*", false, [][2]string{bash("go test", "open")}},
		{"call", "run:go test*", false, [][2]string{bash("if false; then go test; fi", "")}},
		{"call", "run:go test*", false, [][2]string{bash("go test | tail", "")}},
		{"call", "run:go test*", true, [][2]string{bash("go test && ls", "")}},
		{"call", "run:go test*", true, [][2]string{bash("go test", "fail"), bash("go test", "")}},
		{"call", "WebFetch", false, [][2]string{{"WebFetch fail", `{}`}}},
		{"order", "run:go test*,run:git push*", true, [][2]string{bash("go test && git push", "")}},
		{"order", "run:go test*,run:git push*", false, [][2]string{bash("go test && git push", "fail")}},
		{"order", "run:go test*,run:git push*", false, [][2]string{bash("git push && go test", "")}},
		{"order", "run:go test*,run:git push*", false, [][2]string{bash("go test; git push", "")}},
		{"order", "run:go test*,run:git push*", true, [][2]string{bash("go test", ""), bash("cd x; git push", "")}},
		{"order", "run:go test*,run:git push*", false, [][2]string{bash("go test", "denied"), bash("git push", "")}},
		{"order", "run:a,run:b,run:c", true, [][2]string{bash("a && b", ""), bash("c", "")}},
		{"order", "tool:x{a=1,b=2},run:c", true, [][2]string{{"x", `{"a":1,"b":2}`}, bash("c", "")}},
	} {
		parse := gate.Call
		if tt.gate == "order" {
			parse = gate.Order
		}
		breaches, _ := must(t)(parse(tt.text)).Breaches(made(tt.all...))
		if (len(breaches) == 0) != tt.holds {
			t.Errorf("%s %s, %v: %v", tt.gate, tt.text, tt.all, breaches)
		}
	}
}

// A script that an earlier call wrote with all words of the pattern hides what it runs; another script passes, and is counted.
func TestOwnScripts(t *testing.T) {
	t.Parallel()
	write := [2]string{"Write", `{"file_path":"/w/a.py","content":"run(['git', 'push'])"}`}
	run := [2]string{"Bash", `{"command":"python3 a.py"}`}
	for _, tt := range []struct {
		name, want string
		all        [][2]string
	}{
		{"its own", strict, [][2]string{write, run}},
		{"by a command", strict, [][2]string{{"Bash", `{"command":"cat > a.py <<'E'\nrun('git', 'push')\nE"}`}, run}},
		{"written later", holds, [][2]string{run, write}},
		{"another", holds, [][2]string{write, {"Bash", `{"command":"python3 b.py"}`}}},
		{"without the words", holds, [][2]string{{"Write", `{"file_path":"/w/a.py","content":"print(1)"}`}, run}},
	} {
		if got := noCall(t, "run:git push*", made(tt.all...)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
	if _, seen := must(t)(gate.NoCall("run:git push*")).Breaches(made(run, run)); seen.Scripts != 2 {
		t.Errorf("%d scripts, want 2", seen.Scripts)
	}
}

// A line that bash cannot read is one of PowerShell if the session says so, or if it looks like that; and no firm breach.
func TestShellOfSession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ shell, line, want string }{
		{"", "if (Test-Path x) { Get-Item x }", strict},
		{"", "Get-Content 'it''s' | Select-String 'a'", holds},
		{"powershell", "Get-Content a; git push", breach},
		{"powershell", "git status; Push-Location src", holds},
		{"pwsh", "$x = 'git push'", holds},
		{"zsh", "git push", breach},
		{"zsh", "if then (", breach}, // no line of a shell
		{"cmd", "dir", strict},
		{"", "git status; Push-Location src", holds},
	} {
		line, err := json.Marshal(tt.line)
		if err != nil {
			t.Fatal(err)
		}
		c := calls.About(session.ToolCall{Name: "shell_command", Arguments: `{"command":` + string(line) + `}`}, "/w")
		c.Outcome = calls.OK
		for i := range c.Programs {
			c.Programs[i].Shell = tt.shell
		}
		deeds := gate.Deeds([]calls.Call{c})
		if got := noCall(t, "run:git push*", &gate.Work{Deeds: deeds, All: deeds, Answered: -1}); got != tt.want {
			t.Errorf("%s: %s: %s, want %s", tt.shell, tt.line, got, tt.want)
		}
	}
}
