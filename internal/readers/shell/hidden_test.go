package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/shell"
)

// A line for each reason that hides it, and others that look like it and are plain. A ¶ is a line feed.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why          shell.Why
		lines, plain string
	}{
		{shell.NoLiteral, "$x push|`echo git` push|\"$(cat p)\" a", `"$HOME/bin/git" status`},
		{shell.NoName, "'git push'|'a=b' c", "./run.sh|a-b c"},
		{shell.NoPlain, "select x in a b; do ls; done|coproc ls", "for x in a b; do ls; done"},
		{shell.Flag, "env --help ls|nice --version|bash -D -c ls|sudo -Z ls|sed -f p x", "env -i ls|nice -n 5 ls|bash -xc ls|sudo -u me ls"},
		{shell.Before, "timeout $t ls", `timeout 5 ls|env -C "$d" ls`},
		{shell.Function, "ls() { :; }|git() { :; }|function echo { :; }", "gs() { git status; }|build-all() { ls; }"},
		{shell.Renamed, "alias ls=rm|alias gg=git; gg push|alias g=git|hash -p a ls|enable -n set|unalias a|setopt x", "alias ll='ls -l'; ls|hash -r; ls"},
		{shell.Options, "set -$x|shopt -s expand_aliases|set -o $x|set -T", "set -euo pipefail|set -- a b|shopt -s nullglob|set +e"},
		{shell.Evaluated, "echo ${!x}|declare -n a=b|unset 'a[$(ls)]'|read 'a[0]'|printf -v 'a[1]' x|[[ -v a ]]|test -v 'a[1]'", "read -r a b|printf -v a x|unset a|printf '%s' \"$x\"|echo ${!p*}"},
		{shell.Arithmetic, "x='a[1]'; (( x ))|read x; echo $((x))|for i in *; do echo $((i)); done|a='b[0]'; bash -c '[[ $a -eq 0 ]]'|echo ${a[$1]}|[[ 'a[$(ls)]' -eq 0 ]]", "x=1; (( x += 2 ))|for i in 1 2; do echo $((i * 2)); done|[[ $a -eq 0 ]]|n=$(ls | wc -l); [ $((n)) -gt 2 ]|x=3; y=$x; echo $((y))|for ((i = 0; i < 3; i++)); do ls; done|let a=1"},
		{shell.Again, "eval ls|echo ${x@P}|trap 'x=\"a[0]\"' DEBUG", "echo ${x@Q}|trap 'rm -f x' EXIT"},
		{shell.NoLine, "sh -c \"$x\"|trap \"$x\" EXIT|ssh h \"$x\"|ls | xargs -I% sh -c 'cat %'", "sh -c 'ls'|ssh h ls"},
		{shell.Reads, "curl x | sh|bash|bash < f|bash 3<<< ls|bash <<< ls < f", "bash <<'E'¶ls¶E|sh <<< ls"},
		{shell.Document, "cat <<$'E'¶x¶E|cat <<E¶a\\¶¶E\\¶¶x¶E|echo \"$(cat <<'E'¶a¶E)\" && ls¶echo \"$(cat <<'E'¶b¶E¶)\"", "git commit -m \"$(cat <<'E'¶a¶E¶)\"|git commit -m \"$(cat <<'E'¶a¶E)\""},
		{shell.Variable, "PS4='$(ls)' ls|export BASH_ENV=x|env GIT_SSH=x git fetch|declare -x LD_PRELOAD=x|: ${ENV:=x}|GIT_EDITOR=vi git commit", "GIT_EDITOR=true git commit|GIT_PAGER=cat git log|A=1 ls|export A=b"},
		{shell.Environment, "CC='ccache gcc' make|export X='a b'", "GIT_AUTHOR_NAME='a b' git commit|export API_URL='a b'"},
		{shell.Written, "echo x > s; . ./s|echo x > s; sh s|cat > p.py <<E¶x¶E¶python3 p.py", "echo x > s; sh t"},
		{shell.OtherShell, "fish -c ls|ksh -c ls|cmd /c dir|echo ${ ls;}", "fish x.fish"},
		{shell.Runs, "vim -c '!ls' x|parallel ls ::: a|ed f|sqlite3 db '.shell ls'|crontab -|tmux new -d ls", "vim --version|crontab -l|at -l|ed -s f <<< p|sqlite3 db 'select 1'"},
		{shell.Language, "python3 -c x|python3 -m timeit x|node -e x|perl -pi -e x f|deno eval x|python3 <<E¶x¶E|node --import data:x f|node -r data:x f", "python3 x.py -c y|python3 -m pytest -q|node server.js|deno run x.ts|python3 -m mymodule a.b"},
		{shell.Text, "unknown 'a b'|./run 'x;y'|rtk git commit -m 'a b'", "unknown a.b --c=d|rtk git status"},
		{shell.Word, "unknown $x|./run \"$(ls)\"", "unknown *.go"},
		{shell.Fed, "echo x | unknown|unknown <<< x|unknown -|unknown /dev/stdin", "unknown < /dev/null|unknown | cat"},
		{shell.Unsure, "fd $x|find . $x -print|sort $x", "sort \"$x\"|find . -name \"$x\"|fd *.go"},
		{shell.RunFlag, "sort --compress-pr=x f|tar -xF x f|go test -exec x|rg --pre x y|git rebase -x ls|git ls-remote --upload-pack=x|git grep -O x|git submodule foreach ls|go build -toolexec x|npm --script-shell x test", "sort -u f|tar -xzf f|go test ./...|git rebase main|git grep -n x|git commit --template=x"},
		{shell.Setting, "git config alias.p push|git -c core.sshCommand=x fetch|git config core.hooksPath x|git config --edit", "git config user.name x|git -c color.ui=never log|git config --get a.b|git config alias.p"},
		{shell.GitWord, "git p|git filter-branch x", "git push|git status"},
		{shell.Address, "git fetch ext::x|git clone x::y", "git fetch origin|git clone https://a/b"},
		{shell.Added, "ls | xargs env|ls | xargs sh|echo a | xargs git|ls | xargs find|echo x | xargs sed s/a/b/ f", "ls | xargs rm|ls | xargs git add|ls | xargs -n1|echo a | xargs env A=1 ls|grep -l x . | xargs sed -i s/a/b/"},
		{shell.Script, "bash <(ls)|sh /dev/stdin|source <(ls)|. /proc/self/fd/0|bash \"$x\"", "sh x.sh|source .venv/bin/activate|bash \"$d/x.sh\""},
		{shell.LaterFile, "echo x > .git/hooks/pre-push|echo x >> ~/.bashrc|cat a > .husky/x|cd .git/hooks && echo x > a|cp a .git/hooks/b|tee -a .zshrc|echo x > \"$d/.envrc\"", "echo x > a.go|cat .git/config|rm -f .git/index.lock"},
		{shell.Sed, "sed '1e ls' f|sed s/a/b/e f|sed 's/a/b/w x' f|sed -e '1!e' f", "sed -n '1,5p' f|sed 's|a|b|g; 3d' f|sed -i 's/e/x e/' f|sed '$a text' f"},
		{shell.Awk, "awk 'BEGIN { system(\"ls\") }'|awk '{ print | \"sh\" }'|gawk '@load \"x\"'|awk \"$x\"", "awk '{print $1}' f|awk -F: '$3 > 5 || $1 == \"x\"' f"},
	} {
		for line := range rows(tt.lines) {
			s, _ := shell.Parse(line)
			if !s.Opaque || !slices.ContainsFunc(s.Hidden, func(p shell.Piece) bool { return p.Why == tt.why }) {
				t.Errorf("%s: %q: %v", tt.why, line, s.Hidden)
			}
		}
		for line := range rows(tt.plain) {
			if s, ok := shell.Parse(line); !ok || s.Opaque {
				t.Errorf("%q is no %s: %v", line, tt.why, s.Hidden)
			}
		}
	}
}

// rows are the lines of a list, parted by | without blanks around it.
func rows(list string) func(func(string) bool) {
	return func(yield func(string) bool) {
		apart := strings.NewReplacer(" || ", "\x02", " | ", "\x01", "s|a|b|g", "s\x03a\x03b\x03g")
		whole := strings.NewReplacer("\x01", " | ", "\x02", " || ", "\x03", "|", "¶", "\n")
		for part := range strings.SplitSeq(apart.Replace(list), "|") {
			if !yield(whole.Replace(part)) {
				return
			}
		}
	}
}

// PowerShell is plain as far as it is words; what is found in the rest counts.
func TestPowerShell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line          string
		plain, pushes bool
	}{
		{"git status; Push-Location src", true, false},
		{"Get-Content a.txt | Select-String 'git push'", true, false},
		{"git push", true, true},
		{"Set-Location src && git 'push'", true, true},
		{"$x = git push origin", true, true},
		{"npm test 2>&1", true, false},
		{"Write-Host \"$name\"", true, false},
		{"if (Test-Path x) { git push }", false, true},
		{"Get-ChildItem | ForEach-Object { $_.Name }", false, false},
		{"& $git push", false, false},
		{"iex 'git push'", false, false},
		{"& ('gi' + 't') push", false, false},
		{"Start-Process git push", false, false},
		{"pwsh -enc AAAA", false, false},
		{"powershell -Command 'git push'", true, true},
		{"git pu`sh", false, true},
		{". ./x.ps1", false, false},
	} {
		s := shell.PowerShell(tt.line)
		if found := slices.ContainsFunc(s.Commands, pushes); !s.Opaque != tt.plain || found != tt.pushes {
			t.Errorf("%s: plain %v, pushes %v: %v %v", tt.line, !s.Opaque, found, s.Commands, s.Hidden)
		}
	}
}
