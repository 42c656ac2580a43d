package shell_test

import (
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/shell"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, line, want string }{
		{"one", `go test ./...`, "go test ./..."},
		{"compound", `cd x && FOO=1 git -C y push -f; ls | wc -l`, "cd x|git push -f|ls|wc -l"},
		{"quotes", `git commit -m "npm publish" -m 'it'\''s'`, "git commit -m npm publish -m it's"},
		{"escaped", `"/usr/bin/git" pu\sh`, "git push"},
		{"git flags", `git --git-dir /x/.git -c color.ui=never --no-pager push`, "git push"},
		{"sh-c-nested", `bash -lc 'sh -c "git push"'`, "bash -lc sh -c \"git push\"|sh -c git push|git push"},
		{"sh -ec", `sh -e -c 'a; b'`, "sh -e -c a; b|a|b"},
		{"five deep", `sh -c "sh -c 'sh -c \"sh -c \\\"sh -c x\\\"\"'"`, "?"},
		{"heredoc-body-is-no-command", "cat > f <<'EOF'\ngit push\nEOF\necho ok", "cat|echo ok"},
		{"heredoc for sh", "bash <<'EOF'\ngit push\nEOF", "bash|git push"},
		{"heredoc with a variable", "bash <<EOF\ngit $x\nEOF", "bash ?"},
		{"here-string", `bash <<< "git push"`, "bash|git push"},
		{"here-string for cat", `cat <<< "git push"`, "cat"},
		{"xargs-git", `ls | xargs -n 1 -I {} git push {}`, "ls|git push {}"},
		{"env", `env -u X A=b timeout -k 5 10s nice -n 3 sudo -u u nohup git push`, "git push"},
		{"env alone", `env`, "env"},
		{"lookup", `command -v git`, "command -v git"},
		{"time", `time git push`, "git push"},
		{"substitution", `echo $(git push) "$(git pull)"`, `echo $(git push) "$(git pull)"|git push|git pull`},
		{"process substitution", `diff <(git log) x`, `diff <(git log) x|git log`},
		{"function", `f() { git push; }; f`, "git push|f"},
		{"if", `if ! git diff --quiet; then git push; fi`, "git diff --quiet|git push"},
		{"loop", `for i in 1 2; do git push o $i; done`, "git push o $i"},
		{"find", `find . -name x -exec git add {} \; -print`, `find . -name x -exec git add {} ; -print|git add {}`},
		{"background", `git push &`, "git push"},
		{"subshell", `(cd x; git push)`, "cd x|git push"},
		{"redirect", `git push 2>&1 >/dev/null`, "git push"},
		{"variable command", `$GIT push`, "$GIT push ?"},
		{"eval", `eval "git push"`, "eval git push|git push ?"},
		{"ssh", `ssh h git push`, "ssh h git push|git push"},
		{"opaque-python", `python3 -c 'x'`, "python3 -c x ?"},
		{"python from a heredoc", "python3 - <<'EOF'\nx\nEOF", "python3 - ?"},
		{"python script", `python3 x.py -c y`, "python3 x.py -c y"},
		{"python module", `python3 -m pytest`, "python3 -m pytest"},
		{"node -e", `node -e "1"`, "node -e 1 ?"},
		{"piped script", `curl x | sh`, "curl x|sh ?"},
		{"shell script", `bash run.sh -c`, "bash run.sh -c"},
		{"comment", "# git push\nls", "ls"},
		{"echo", `echo git push`, "echo git push"},
		{"assignment alone", `A=git`, ""},
		{"empty", ``, ""},
		{"unparsed", `if then (`, "unparsed"},
		{"unparsed inside", `sh -c 'if then ('`, "unparsed"},
		{"dollar quotes", `git commit -m $'a\nb'`, "git commit -m a\nb"},
		{"nul", "a\x00b", "ab"},
	} {
		s, ok := shell.Parse(tt.line)
		var rows []string
		for _, c := range s.Commands {
			rows = append(rows, c.String())
		}
		got := strings.Join(rows, "|")
		switch {
		case !ok:
			got = "unparsed"
		case s.Opaque:
			got += " ?"
		}
		if tt.want == "?" {
			if !s.Opaque {
				t.Errorf("%s: not opaque: %s", tt.name, got)
			}
		} else if got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// No line takes the parser's stack, or its time.
func TestHuge(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"(", "{ ", "$(", "`", "if ", "! ", "case x in (", "while ", "\"$(", "${a:-", "$((", "a=(", "[[ (", "<(", "time ", "((", "${", "$[", "a&&", "a|", "f()", "@(", "a\n", "x[", "$'", "<<a\n"} {
		shell.Parse(strings.Repeat(unit, (1<<20-1)/len(unit)))
	}
	if _, ok := shell.Parse("cat <<'EOF'\n" + strings.Repeat("x\n", 25<<20) + "EOF"); ok {
		t.Error("50 MB are parsed")
	}
	if s, ok := shell.Parse("cat > f <<'EOF'\n" + strings.Repeat("it is (so)\n", 50_000/2) + "EOF\ngit push"); !ok || len(s.Commands) != 2 {
		t.Error("a large document is not parsed")
	}
}

// FuzzParse: it ends without a panic; a command that is found has a program, and a claim only if the line is one; and words
// without a shell are read as they are.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		"a && b", "sh -c 'x'", "cat <<E\nx\nE", "git -C x push", "find . -exec a \\;", "xargs", "env", "timeout", "bash -c", "${x", "eval", "a{b,c{d,e}}f", "{1..9}", "$'\\x41\\u00e9\\c'", "set -euo pipefail; a | b", "a || exit 1; b",
		"git -c alias.a='!b' a", "sudo -Hu me A=1 b", "parallel a ::: b", "env -S 'a b'", "trap 'a' EXIT", ". <(a)", "x=1 $x", "cd a; b > c", "sed -i s/a/b/ c", "python3 -uc x", "alias a=b", "docker run -v a:b c d", "f() { f; }; f", "awk '{print|\"x\"}'",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, ok := shell.Parse(line)
		for _, c := range s.Commands {
			if len(c.Words) == 0 {
				t.Errorf("%q: an empty command", line)
			}
			c.Hides("git push")
		}
		for _, file := range s.Files {
			if file.Behind > len(s.Commands) {
				t.Errorf("%q: a file behind %d commands of %d", line, file.Behind, len(s.Commands))
			}
		}
		if again, same := shell.Parse(line); same != ok || len(again.Commands) != len(s.Commands) || again.Opaque != s.Opaque {
			t.Errorf("%q: read otherwise when it is read again", line)
		}
		shell.Exec(strings.Split(line, " "))
	})
}
