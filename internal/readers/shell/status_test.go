package shell_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/readers/shell"
)

// find returns the last command of a line that begins with a word.
func find(t *testing.T, line, name string) (last shell.Command, found bool) {
	t.Helper()
	s, ok := shell.Parse(line)
	if !ok {
		t.Errorf("not parsed: %s", line)
	}
	for _, c := range s.Commands {
		if c.Words[0] == name {
			last, found = c, true
		}
	}
	return last, found
}

// What the status of a line says of go test in it. A ¶ is a line feed.
func TestEnds(t *testing.T) {
	t.Parallel()
	for want, lines := range map[shell.Ends]string{
		shell.Same: `go test
cd x; go test ./...
cd x¶go test
(cd x; go test)
{ go test; }
time go test
FOO=1 go test
env A=b go test
nice -5 go test
sudo -u me go test || true; go test
go test > log 2>&1
bash -c 'go test'
bash -lc "cd x; go test"
sh -c 'true; go test'
uv run go test
docker exec c go test
ls | go test
exec go test
command go test
mise exec node@20 -- go test
if true; then ls; fi; go test
(exit 0); go test
trap 'rm -f x' EXIT; go test`,
		shell.Zero: `go test && echo passed
cd x && go test
go vet && go test && git push
set -o pipefail; go test | tail -5
set -o pipefail && go test 2>&1 | tee log
set -euo pipefail; go test | tail; echo done
bash -o pipefail -c 'go test | tail'
bash -euo pipefail -c 'go test | tail -3¶echo done'
bash -eo pipefail -c "go test | cat"
set -e; go test; echo done
set -e¶go test¶echo done
set -o errexit; go test; ls
bash -ec 'go test; ls'
go test || exit 1
go test || { echo failed; exit 1; }
go test || exit 1; echo done
go test || { echo no; exit 3; }; go vet && ls
kill 1 || true; (go test)
cd x || exit 1; go test
timeout 60 go test
set -u; go test
kill 1; go test
shopt -s nullglob; cd x && go test
set -eu -o pipefail; go test | cat`,
		shell.Unknown: `go test | tail -5
go test 2>&1 | tee log
go test |& cat
go test; echo done
go test¶ls
go test || true
go test || echo failed
go test || exit 0
go test || return 1; ls
go test || exit
go test || { exit 1; } || true
go test || exit 256
go test & wait
go test &
! go test
if go test; then echo y; fi
if false; then go test; fi
true || go test
false && ls || go test
while go test; do break; done
until go test; do :; done
for i in 1 2; do go test; done
case x in x) go test;; esac
f() { go test; }; f
x=$(go test)
echo "$(go test)"
cat <(go test)
set -o pipefail; set +o pipefail; go test | tail
false && set -o pipefail; go test | tail
(set -o pipefail); go test | tail
if true; then set -o pipefail; fi; go test | tail
set -e; go test && ls; echo done
set -e; if go test; then :; fi
set -e; set +e; go test; ls
{ set -e; go test; ls; } || true
exit 0; go test
exit; go test
trap 'exit 0' EXIT; go test
set -n; go test
bash -n -c 'go test'
alias go=true; go test
go() { true; }; go test
set() { :; }; set -o pipefail; go test | cat
enable -n set; go test
hash -p /bin/true go; go test
$x; go test
eval "$x"; go test
eval 'exit 0'; go test
source <(echo exit); go test
exec true; go test
eval 'go test'
xargs go test
find . -exec go test \;
watch go test
timeout 5 bash -c 'go test; ls'
ssh h 'go test | tail'
docker exec c sh -c 'go test; true'
coproc go test
setsid go test
script -c 'go test' /dev/null`,
	} {
		for line := range strings.SplitSeq(lines, "\n") {
			line = strings.ReplaceAll(line, "¶", "\n")
			c, found := find(t, line, "go")
			if !found || c.Ends != want {
				t.Errorf("%q: %d, want %d", line, c.Ends, want)
			}
		}
	}
}

func pushes(c shell.Command) bool { return strings.HasPrefix(c.String(), "git push") }

// hiding reports whether a line may push, and does not say so.
func hiding(s shell.Simple) bool {
	return s.Opaque || slices.ContainsFunc(s.Commands, func(c shell.Command) bool {
		return c.Hides("git push") || c.Gives("git push") || strings.EqualFold(c.Words[0], "git") && c.Words[0] != "git"
	}) || slices.Contains(s.Functions, "git")
}

// Spellings of git push of which each is seen; with a ? behind it each is seen or hides.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for line := range strings.SplitSeq(`bash -xeuo pipefail -c 'git push'
bash -O extglob -c 'git push' ?
bash --norc --init-file x -ec 'git push' ?
zsh -fc 'git push'
dash -e -u -c 'git push'
ksh -lc "git push"
mksh -c 'git push'
busybox ash -c 'git push'
toybox sh -c 'git push'
fish --command='git push'
bash -c -e 'git push'
bash +x -c 'git push'
env --split-string='git push'
env -S 'A=1 git push'
env -iS 'git push'
env - git push
env -uHOME git push
sudo -nEu me git push
sudo -u me -- git push
sudo --user=me A=1 B=2 git push
sudo -Z x git push ?
doas -u me A=1 git push
doas git push
pkexec --user me git push
nice git push
nice -n5 git push
nice -19 git push
ionice -c3 git push
chrt -r 5 git push
taskset -c 0 git push
nohup git push &
setsid -w git push
stdbuf -oL git push
timeout --signal=KILL 5 git push
timeout -s KILL -k 2 5m git push
gtimeout 5 git push
strace -f -o x git push
xargs -r0 git push
xargs -P4 -n1 git push
xargs -I{} -P 2 git push {}
xargs --max-args=1 git push
xargs -a list git push
uv run git push
uv --quiet run --no-sync git push
uv run --with x git push
poetry run git push
pipenv run git push
hatch run git push
pdm run git push
conda run -n env git push
mise exec -- git push
mise exec node@20 -- git push
mise x -c 'git push'
direnv exec . git push
bundle exec git push
npx -c 'git push'
npx --call='git push'
npm exec -c 'git push'
npm exec -- git push
pnpm exec git push
yarn exec git push
bunx git push
docker exec -it -e A=b c git push
docker exec c bash -lc 'git push'
docker compose exec -T app git push
docker run --rm -v .:/w -w /w img git push
podman exec c git push
kubectl exec -n ns pod -c main -- git push
kubectl exec pod -- sh -c 'git push'
lxc exec c -- git push
nix develop -c git push
nix-shell -p git --run 'git push'
op run -- git push
doppler run --command 'git push'
ssh host git push
ssh -p 22 -i key me@host 'cd x && git push'
ssh -t host -- git push
su -c 'git push'
su - me -c 'git push'
su -s /bin/sh me -c "git push"
runuser -u me -- git push
sg group -c 'git push'
script -c 'git push' /dev/null
script -q /dev/null -c 'git push'
flock l git push
flock -n l -c 'git push'
watch -n 5 git push
watch 'git push'
tmux new -d 'git push'
tmux new-session -s x -d git push
tmux send-keys -t x 'git push' Enter
screen -dmS x git push
parallel git push ::: a b
parallel ::: 'git push' ls ?
parallel -j2 'git push {}' ::: a ?
find . -execdir git push \;
find . -type f -ok git push {} +
trap 'git push' EXIT
trap -- 'git push' INT TERM
eval git push
eval 'git' "push"
eval "cd x; git push"
coproc git push
time -p git push
command -p git push
exec -a x git push
builtin command git push
! git push
git -c alias.x=push x
git -c alias.x='push --force' x
git -c alias.x='!git push' x
git -c alias.x='!f() { git push; }; f' x
git --exec-path=/x -C y push
git -P -C y --git-dir x push
git submodule foreach git push
git submodule --quiet foreach --recursive 'git push || :'
git rebase -x 'git push' main
git rebase main --exec='git push'
git bisect run git push
git filter-branch --tree-filter 'git push' ?
git-push origin
/usr/libexec/git-core/git-push
/usr/bin/git.exe push
"C:\Program Files\Git\bin\git.exe" push
cmd /c git push
cmd.exe /d /c "git push"
winpty git push
{git,push}
git pus{h,}
git {push,--force}
$'git' push
$'\x67it' push
git $'\160ush'
git pu""sh
g\¶it push
git $"push"
bash <<< $'git push'
sh <<'E'¶git push¶E
sh -s <<'E'¶git push¶E
. /dev/stdin <<< 'git push' ?
source /dev/stdin <<'E'¶git push¶E ?
cat <<'E' | sh¶git push¶E ?
echo Z2l0IHB1c2g= | base64 -d | sh ?
c=push; git $c ?
git $(echo push) ?
git "$@" ?
git pu$x ?
g=git; $g push ?
${GIT:-git} push ?
git p?sh ?
git [p]ush ?
/usr/bin/g?t push ?
echo push | xargs git ?
ls | xargs -I{} git {} ?
xargs -I% sh -c 'git %' ?
find . -name push -exec git {} \; ?
alias p='git push'; p ?
git config alias.p push ?
git config --global alias.p '!git push' ?
GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p ?
git --config-env=alias.p=P p ?
bash <(echo git push) ?
bash -s ?
bash ?
bash - ?
bash -c "$x" ?
sh -c '$0 $1' git push ?
sh -c '"$@"' x git push ?
source <(echo git push) ?
. <(cat x) ?
python3 -c 'x' ?
python3.13 -c 'x' ?
python -Bc 'x' ?
python -W ignore -c x ?
pypy3 -c x ?
python3 - ?
echo x | python3 -u ?
python3 /dev/stdin ?
python3 <(echo x) ?
node -e x ?
node -pe x ?
node --eval x ?
node --print=x ?
nodejs -e x ?
deno eval x ?
bun -e x ?
perl -e x ?
perl -lane x ?
perl -pi -e x f ?
perl5.36 -we x ?
ruby -rjson -e x ?
php -r x ?
lua -e x ?
osascript -e x ?
Rscript -e x ?
julia -e x ?
elixir -e x ?
powershell.exe -EncodedCommand x ?
awk 'BEGIN{system("x")}' ?
gawk 'BEGIN{"x"|getline}' ?
awk '{print | "sh"}' ?
sed '1e git push' f ?
sed -n 's/x/git push/e' f ?
ssh host ?
ssh host "$cmd" ?
docker exec c sh ?
sudo -s ?
vim -c '!git push' ?
make CMD='git push' ?
tar xf x --to-command='git push' ?
runit git push ?
unknown --flag 'git push' ?
unknown 'cd x && git push' ?
at now <<< 'git push' ?
batch <<'E'¶git push¶E ?
man -P 'git push' ls ?
tar --checkpoint-action=exec='git push' cf x y ?
gdb -batch -ex '!git push' ?
bun x git push
echo 'git push' | at now ?
echo '* * * * * git push' | crontab - ?
crontab - <<< '* * * * * git push' ?
make -f - <<< 'all: ; git push' ?
echo x | make -f- ?
awk -f - <<< 'BEGIN { system("git push") }' ?
deno run - <<< x ?
PAGER='git push' man ls ?
GIT_EDITOR='sh -c "git push"' git commit ?
GIT_EXTERNAL_DIFF='git push' git diff ?
GIT_SSH=./x git fetch ?
LD_PRELOAD=./x.so ls ?
socat EXEC:'git push' - ?
expect -c 'spawn git push' ?
gdb -ex 'shell git push' ?`, "\n") {
		line, hides := strings.CutSuffix(strings.ReplaceAll(line, "¶", "\n"), " ?")
		s, ok := shell.Parse(line)
		if !ok {
			t.Errorf("not parsed: %s", line)
		}
		seen := slices.ContainsFunc(s.Commands, pushes)
		hidden := hiding(s)
		if !seen && !(hides && hidden) {
			t.Errorf("seen %v, hidden %v: %s: %v", seen, hidden, line, s.Commands)
		}
	}
}

// What pushes nothing hides nothing either.
func TestPlain(t *testing.T) {
	t.Parallel()
	for line := range strings.SplitSeq(`echo git push
printf 'git push\n'
grep -rn 'git push' .
rg "git push" docs
git commit -m 'git push'
git commit -m "$(cat msg)"
git log --grep 'git push'
git stash push
git log -- *.go
git diff "$base"...HEAD
git status; ls *.go
gh pr create --title x --body 'git push now'
man git push
which git
command -v git
cat "$f"
rm -f *.o
cd "$dir" && make
for f in *.go; do gofmt -l "$f"; done
sed -i 's/a/b/' f
sed -n '1,5p' f
sed -e 's/e/x e y/' f
awk '{print $1}' f
awk -F: '$3 > 5 || $1 == "x"' f
python3 -m pytest -q
python3 script.py -c x
python3 --version
node --version
node server.js
node -r x script.js
perl script.pl
ruby -v
bash script.sh
bash "$dir/script.sh"
bash --version
source .venv/bin/activate
. "$HOME/.nvm/nvm.sh"
"$HOME/go/bin/staticcheck" ./...
find . -name '*.go' -exec gofmt -l {} +
ls | xargs wc -l
ls | xargs -I{} cat {}
docker ps
docker run --rm img make
npm test -- --watch
uv run pytest -k 'a b'
curl -s "$url" | jq .x
kill "$pid"
export A=$b
GIT_EDITOR=true git rebase --continue
GIT_PAGER=cat git log
man -k push
make -f Makefile.dev all
at -l
crontab -l
awk -f x.awk f
deno run x.ts
[ -n "$x" ] && echo y
trap 'rm -f x' EXIT
timeout 60 go test ./...`, "\n") {
		s, ok := shell.Parse(line)
		hidden := hiding(s) || slices.ContainsFunc(s.Commands, pushes)
		if hidden || !ok {
			t.Errorf("hidden: %s: %+v", line, s)
		}
	}
}

// The files that a line writes.
func TestFiles(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`echo x > a.go`: "a.go", `cat >> a <<E
x
E`: "a", `ls 2>/dev/null`: "", `ls 2>&1`: "", `make &> log`: "log", `: > a >| b`: "a b", `go test >&2`: "", `ls > "$x"`: "?", `ls > $HOME/x`: "~/x",
		`cd d && echo > a`: "d/a", `cd /etc; echo > a`: "/etc/a", `cd "$d"; echo > a`: "?", `cd "$d"; echo > /a`: "/a", `(cd d; ls); echo > a`: "a", `cd d || exit 1; echo > a`: "d/a",
		`cd - && echo > a`: "?", `cd; echo > a`: "~/a", `sed -i s/a/b/ f g`: "f g", `sed -i '' s/a/b/ f`: "f", `sed -i.bak -e s/a/b/ f`: "?", `sed -n p f`: "", `perl -pi -e x f`: "?",
		`tee -a a b`: "a b", `cp a b`: "b", `mv a b`: "a b", `rm -rf d`: "d", `touch x`: "x", `dd of=x`: "?", `git checkout -- .`: "?", `git checkout -b x`: "", `git switch main`: "?", `git stash`: "?",
		`git stash list`: "", `git reset`: "", `git reset --hard`: "?", `git apply p`: "?", `git apply --check p`: "", `git status`: "", `git commit -m x`: "", `gofmt -l .`: "", `gofmt -w a.go`: "?", `go mod tidy`: "?", `go test ./...`: "",
		`prettier --check .`: "", `prettier --write .`: "?", `sudo tee /etc/x`: "/etc/x", `bash -c 'echo > x'`: "x", `cd d && bash -c 'echo > x'`: "d/x", `npm install`: "?", `npm test`: "", `find . -delete`: "?", `curl -o x u`: "?", `curl u`: "", `sort -o x x`: "?", `sort x`: "",
		`patch -p1 < d`: "?", `truncate -s 0 x`: "x",
	} {
		s, _ := shell.Parse(line)
		var got []string
		for _, f := range s.Files {
			if f.Path == "" {
				f.Path = "?"
			}
			got = append(got, f.Path)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}
