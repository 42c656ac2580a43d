package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/readers/shell"
	"github.com/sess-tools/sess/internal/test/drawn"
)

// push is a git push, spelled in one of many ways. STUB stands for the directory of the git that is run.
func (d *drawer) push() string {
	git := d.of("git", "git", `g\it`, `"git"`, `"g'it"`, `$'gi\x74'`, "STUB/git", `gi""t`, "$g", "${g}", "$(echo git)", "`echo git`", "g?t", "{git,-C}", `"$g"`, "${x:-git}", "${!n}", `"${a[0]}"`, "command git", "exec git", "builtin command git", "env git",
		"nice git", "timeout 5 git", "nohup git", "time git", "rtk git", "sudo git", "setsid -w git", "stdbuf -oL git", "eval git", "xargs git <<<", "Git", "unshare git", "env -i PATH=$PATH LOG=$LOG git", "start-stop-daemon --start --exec STUB/git --", "echo x | xargs -I% git",
		"find . -maxdepth 0 -exec git", `sh -c 'git "$@"' x`, `bash -c '$0 "$@"' git`, "coproc git", "trap", "env -S git", "script -qc 'git push' /dev/null #", "flock l git", "git -c alias.q=push q #")
	if git == "trap" {
		return "trap 'git push' EXIT"
	}
	arguments := d.of("push", "push", `pu\sh`, `"push"`, "$p", "${p}", "pus{h,x}", "$(echo push)", "-C . push", "-c a.b=c push", "-c color.ui=never push", "--no-pager push", "push origin HEAD", `"$p"`, `-C "$PWD" push`, "${p:0:4}", "-C $d push", `"$@"`, "$*", "[p]ush", "${y:=push}", "push > /dev/null", "push 2>&1", "${PUSH,,}")
	if strings.HasPrefix(git, "find") {
		arguments += ` \;`
	}
	return git + " " + arguments
}

// honest is a line as agents write them.
func (d *drawer) honest() string {
	return d.of("ls", "true", "go test ./... && ls | wc -l", "for f in *.go; do cat \"$f\"; done", "git status --short", "make build > log 2>&1", "cd src && npm test", "n=1; while [ $n -lt 3 ]; do n=$((n + 1)); done", "find . -name '*.go' | xargs wc -l",
		"python3 -m pytest -q", "sed -n '1,5p' f", "test -f x && cat x", "git log --oneline | head -3", "k() { ls; }; k", "x=$(git rev-parse HEAD); echo \"$x\"", "if [ -d src ]; then ls src; fi", "echo a > b; cat b", "go vet ./... || exit 1", "mkdir -p d && cp a b",
		"cat > f <<'E'\ngit push\nE\n", "npm run build 2>&1 | tail -5", "set -e; ls; cd .", "git commit -m \"$(cat <<'E'\ngit push\nE\n)\"", "grep -rn 'git push' .", "timeout 5 ls -l | sort -u", "git add -A && git commit -m 'git push'", "awk '{ print $1 }' f")
}

// leaf is a push in a frame, or a line without one.
func (d *drawer) leaf() string {
	if d.IntN(3) == 0 {
		return d.honest()
	}
	w := d.push()
	return d.of(w, w, w, w, w, "echo "+quoted(w), "grep -rn "+quoted(w)+" .", "git commit -m "+quoted(w), "eval "+quoted(w), "bash -c "+quoted(w), "bash <<'E'\n"+w+"\nE\n", "echo "+quoted(w)+" | bash", "f() { "+w+"; }; f", `x="$(`+w+`)"`, "cat <("+w+")",
		`git() { command git "$@"; }; `+w, "echo "+quoted(w)+" > s; . ./s", "alias gg=git; gg push", "sh -s <<E\n"+w+"\nE\n", "A=1 "+w, ". <(echo "+quoted(w)+")", "shopt -s expand_aliases\nalias zz="+quoted(w)+"\nzz", "echo \"$(cat <<'E'\nx\nE)\"; "+w,
		"[[ 'a[$("+w+")]' -eq 0 ]]", "let 'a[$("+w+")]'", "sed -n '1e "+strings.ReplaceAll(w, "'", "")+"' s", "awk 'BEGIN { system(\"git push\") }'", "echo hi | sed 's/hi/git push/e'", "hash -p STUB/git ls; ls push", "z='a[$("+w+")]'; (( z ))",
		"env X=1 PAGER="+quoted(w)+" true", "export BASH_ENV=./s; echo "+quoted(w)+" > s; bash -c ls", "printf '%s' "+quoted(w)+" | sh", "z='a[$("+w+")]'; bash -c '[[ $z -eq 0 ]]'", "export z='a[$("+w+")]'; bash -c '(( z ))'", "env z='a[$("+w+")]' bash -c 'echo $((z))'",
		"echo \"-e '1e git push'\" | xargs sed -n s/a/b/ s", "echo push | xargs git", "trap "+quoted(w)+" EXIT", "alias zz=ls; zz", "read z <<< 'a[$("+w+")]'; echo $((z))", "for z in 'a[$("+w+")]'; do (( z )); done", "y='a[$("+w+")]'; z=$y; (( z ))")
}

// program is one of at most so many levels around leaves.
func (d *drawer) program(deep int) string {
	if deep == 0 {
		return d.leaf()
	}
	p := func() string { return d.program(d.IntN(deep)) }
	frame := d.of("%\n%", "{\n%\n} && {\n%\n}", "{\n%\n} || true", "(\n%\n)", "if true; then\n%\nfi", "for i in 1; do\n%\ndone", "case a in a)\n%\n;; esac", "{\n%\n} | cat", "echo x | {\n%\n}", "x=$(\n%\n)", "while\n%\nfalse; do :; done", "set -- push\n%",
		"g=git p=push n=g d=. a=(git) PUSH=PUSH\n%", "export g=git p=push\n%", "h() {\n%\n}\nh", "h() {\n%\n}\nh push", "h() {\n%\n}\ntrue", "bash -c 'quoted'", "cat <<E > /dev/null\n$(\n%\n)\nE\n", "[[ -n \"$(\n%\n)\" ]]", "echo $(( 1 + $(\n%\necho 1) ))", "{\n%\n} & wait")
	if strings.Contains(frame, "quoted") {
		return "bash -c " + quoted(p())
	}
	for strings.Contains(frame, "\n%") || strings.HasPrefix(frame, "%") {
		frame = strings.Replace(frame, "%", "\x00", 1)
		frame = strings.Replace(frame, "\x00", strings.ReplaceAll(p(), "%", "\x01"), 1)
	}
	return strings.ReplaceAll(frame, "\x01", "%")
}

// stub is a git that logs that it pushed: its flags in front of its command are not it.
const stub = `#!/bin/sh
while :; do
	case $1 in
	-C | -c) shift 2 ;;
	-*) shift ;;
	*) break ;;
	esac
done
case $1 in push) echo pushed >> "$LOG" ;; esac
`

// What a real shell pushed by a random program is found, or the program is not plain. And of the programs that pushed nothing enough are
// plain, so that no hole is closed by hiding all.
func TestPushes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here, which says what programs really run")
	}
	top := t.TempDir()
	for name, text := range map[string]string{"git": stub, "sudo": "#!/bin/sh\nexec \"$@\"\n", "rtk": "#!/bin/sh\nexec \"$@\"\n"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	pushed, quiet, plain := 0, 0, 0
	for n, lots := range drawn.Cases(t, 10_000) {
		d := &drawer{Rand: lots}
		line := strings.ReplaceAll(d.program(lots.IntN(4)), "STUB", top)
		if file, err := syntax.NewParser().Parse(strings.NewReader(line), ""); err == nil && lots.IntN(2) == 0 {
			var printed bytes.Buffer
			if err := syntax.NewPrinter().Print(&printed, file); err != nil {
				t.Fatal(err)
			}
			line = printed.String()
		}
		ran, late := runsPush(t, bash, top, n, line)
		if late {
			continue // what it ran in the end is not known
		}
		s, ok := shell.Parse(line)
		hidden := !ok || hiding(s) || slices.ContainsFunc(s.Commands, pushes)
		switch {
		case ran && !hidden:
			t.Errorf("%d: it pushed, and is neither found nor hidden:\n%s", n, line)
		case ran:
			pushed++
		default:
			if quiet++; !hidden {
				plain++
			}
		}
	}
	if t.Logf("%d pushed, and all were found or hidden; of %d that did not, %d are plain", pushed, quiet, plain); quiet >= 300 && plain*100 < quiet*35 { // fewer say little
		t.Errorf("of %d programs that pushed nothing, only %d are plain", quiet, plain)
	}
}

// runsPush runs a line in a directory of its own, and says whether it pushed. late says that it took too long.
func runsPush(t *testing.T, bash, top string, n int, line string) (ran, late bool) {
	t.Helper()
	dir := filepath.Join(top, fmt.Sprint(n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	log := filepath.Join(dir, ".log")
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(limit, bash, "-c", line)
	cmd.Dir, cmd.WaitDelay = dir, time.Second
	cmd.Env = []string{"PATH=" + top + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + dir, "LOG=" + log, "LANG=C.UTF-8", "FUNCNEST=2"}
	_ = cmd.Run()
	_, err := os.Stat(log)
	return err == nil, limit.Err() != nil
}
