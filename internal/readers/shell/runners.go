package shell

import (
	"slices"
	"strings"
	"sync"
)

// How a runner runs the words behind its flags.
const (
	asWords = iota // as words of a command
	asLine         // as a command line, its words joined
	asNone         // not at all: only flags have commands
)

// A runner is a program that runs others.
type runner struct {
	name  string // the program, and the words behind it that make it one
	alone string // its flags that take no word: letters, and longer names; one that ends in ? may have one joined to it
	takes string // those that take one
	line  string // those of which that is a command line
	begin string // those behind which the command begins

	operands int  // how many words stand in front of the command
	rest     int  // how the words behind them are run
	prefix   bool // it is taken off: the words behind it are the command
	assigns  bool // NAME=VALUE may stand in front of the command
	adds     bool // words are added, that are read from somewhere
	dashes   bool // the command is behind --, if there is one
	ends     Ends // what its status says of the command
}

// runners are the programs that run others. Flags that are not here are read both ways: with a word of theirs, and without.
var runners = []runner{
	{name: "env", alone: "i 0 v ignore-environment null debug", takes: "u unset C chdir", line: "S split-string", prefix: true, assigns: true, ends: Same},
	{name: "timeout", alone: "f p v foreground preserve-status verbose", takes: "k kill-after s signal", operands: 1, prefix: true, ends: Zero},
	{name: "gtimeout", alone: "f p v foreground preserve-status verbose", takes: "k kill-after s signal", operands: 1, prefix: true, ends: Zero},
	{name: "nice", takes: "n adjustment", prefix: true, ends: Same},
	{name: "ionice", alone: "t ignore", takes: "c class n classdata p pid P u", prefix: true, ends: Same},
	{name: "chrt", alone: "b f i o r R a m v", takes: "T P D", operands: 1, prefix: true, ends: Same},
	{name: "taskset", alone: "a c p", operands: 1, prefix: true, ends: Same},
	{name: "nohup", prefix: true, ends: Same},
	{name: "setsid", alone: "c w ctty wait", prefix: true},
	{name: "stdbuf", takes: "i input o output e error", prefix: true, ends: Same},
	{name: "time", alone: "p v a q portability verbose append quiet", takes: "f format o output", prefix: true, ends: Same},
	{name: "gtime", alone: "p v a q portability verbose append quiet", takes: "f format o output", prefix: true, ends: Same},
	{name: "command", alone: "p", prefix: true, ends: Same},
	{name: "exec", alone: "c l", takes: "a", prefix: true, ends: Same},
	{name: "builtin", prefix: true, ends: Same},
	{name: "noglob", prefix: true, ends: Same},
	{name: "nocorrect", prefix: true, ends: Same},
	{name: "coproc", prefix: true},
	{name: "sudo", alone: "A b B E e H h? i K k l n P S s V v N askpass background bell preserve-env? set-home login non-interactive stdin shell reset-timestamp", takes: "u user g group p prompt C close-from D chdir R chroot T command-timeout U other-user r role t type host a auth-type c login-class", prefix: true, assigns: true, ends: Zero},
	{name: "doas", alone: "L n s", takes: "u C a", prefix: true, assigns: true, ends: Same},
	{name: "pkexec", alone: "disable-internal-agent keep-cwd", takes: "user", prefix: true, ends: Same},
	{name: "run0", takes: "u user g group D chdir setenv", prefix: true, ends: Same},
	{name: "xargs", alone: "0 null r no-run-if-empty t verbose p interactive x exit o open-tty i? replace? l? e? max-lines? eof?", takes: "a arg-file d delimiter E I L n max-args P max-procs s max-chars process-slot-var J R S", prefix: true, adds: true},
	{name: "unbuffer", alone: "p", prefix: true, ends: Same},
	{name: "chronic", alone: "v e", prefix: true, ends: Same},
	{name: "caffeinate", alone: "d i m s u", takes: "t w", prefix: true, ends: Same},
	{name: "winpty", alone: "Xallow-non-tty Xplain", prefix: true, ends: Same},
	{name: "arch", alone: "x86_64 arm64 arm64e i386", takes: "e d", prefix: true, ends: Same},
	{name: "setarch", alone: "R v B F I L S T X Z 3", operands: 1, prefix: true, ends: Same},
	{name: "linux64", alone: "R", prefix: true, ends: Same},
	{name: "catchsegv", prefix: true, ends: Same},
	{name: "fakeroot", alone: "u", takes: "l lib s i b", prefix: true, ends: Same},
	{name: "torsocks", prefix: true, ends: Same},
	{name: "proxychains", alone: "q", takes: "f", prefix: true, ends: Same},
	{name: "proxychains4", alone: "q", takes: "f", prefix: true, ends: Same},
	{name: "rlwrap", prefix: true, ends: Same},
	{name: "setpriv", prefix: true, ends: Same},
	{name: "prlimit", prefix: true, ends: Same},
	{name: "chroot", takes: "userspec groups", operands: 1, prefix: true, ends: Same},
	{name: "unshare", prefix: true, ends: Same},
	{name: "nsenter", prefix: true, ends: Same},
	{name: "systemd-run", prefix: true},
	{name: "dbus-run-session", takes: "config-file", prefix: true, ends: Same},
	{name: "xvfb-run", alone: "a auto-servernum l", takes: "n server-num s server-args e error-file f auth-file", prefix: true, ends: Same},
	{name: "strace", alone: "f ff q qq v t tt T y i c C", takes: "o e s p E P S u a b X", prefix: true, assigns: true, ends: Same},
	{name: "ltrace", alone: "f S c t i", takes: "o e s p n u", prefix: true, ends: Same},
	{name: "faketime", alone: "f m p", operands: 1, prefix: true, ends: Same},
	{name: "cross-env", prefix: true, assigns: true, ends: Same},
	{name: "cross-env-shell", assigns: true, rest: asLine, ends: Same},
	{name: "busybox", prefix: true, ends: Same},
	{name: "toybox", prefix: true, ends: Same},
	{name: "dotenv", takes: "f e p c v", ends: Same},
	{name: "dotenv run", takes: "f", ends: Same},
	{name: "valgrind", ends: Same},
	{name: "perf stat", takes: "e o r"},
	{name: "perf record", alone: "a g", takes: "e o F c"},
	{name: "gdb", line: "ex eval-command", begin: "args", rest: asNone},
	{name: "lldb", line: "o one-line"},
	{name: "bwrap"},
	{name: "firejail", alone: "quiet"},

	{name: "uv run", alone: "q v n s m no-sync frozen locked isolated no-project active offline quiet verbose no-cache all-extras module script", takes: "p python with with-requirements with-editable package extra group no-group only-group env-file directory project index-url cache-dir", ends: Same},
	{name: "uv tool run", takes: "from with p python", ends: Same},
	{name: "uvx", takes: "from with p python", ends: Same},
	{name: "poetry run", ends: Same},
	{name: "pipenv run", ends: Same},
	{name: "pdm run", alone: "s", takes: "p", ends: Same},
	{name: "hatch run", ends: Same},
	{name: "rye run", ends: Same},
	{name: "pixi run", takes: "e environment manifest-path", ends: Same},
	{name: "conda run", alone: "v no-capture-output live-stream", takes: "n name p prefix cwd", ends: Same},
	{name: "micromamba run", takes: "n p", ends: Same},
	{name: "bundle exec", ends: Same},
	{name: "rbenv exec", ends: Same},
	{name: "pyenv exec", ends: Same},
	{name: "nodenv exec", ends: Same},
	{name: "asdf exec", ends: Same},
	{name: "volta run", takes: "node npm yarn pnpm", ends: Same},
	{name: "fnm exec", takes: "using", ends: Same},
	{name: "nvm exec", operands: 1, ends: Same},
	{name: "mise exec", alone: "raw", takes: "j jobs C", line: "c command", dashes: true, ends: Same},
	{name: "mise x", alone: "raw", takes: "j jobs C", line: "c command", dashes: true, ends: Same},
	{name: "direnv exec", operands: 1, ends: Same},
	{name: "op run", takes: "env-file account", dashes: true, ends: Same},
	{name: "doppler run", takes: "p c project config", line: "command", dashes: true, ends: Same},
	{name: "infisical run", takes: "env path", line: "command", dashes: true, ends: Same},
	{name: "aws-vault exec", operands: 1, dashes: true, ends: Same},
	{name: "chamber exec", operands: 1, dashes: true, ends: Same},
	{name: "envdir", operands: 1, ends: Same},
	{name: "devbox run", ends: Same},
	{name: "nix develop", begin: "c command", rest: asNone, ends: Same},
	{name: "nix shell", begin: "c command", rest: asNone, ends: Same},
	{name: "nix-shell", alone: "pure", takes: "p packages I A attr", line: "run command", rest: asNone, ends: Same},
	{name: "guix shell", dashes: true, ends: Same},
	{name: "npx", alone: "y yes no no-install q quiet ignore-existing", takes: "p package", line: "c call", ends: Same},
	{name: "npm exec", alone: "y yes no", takes: "p package w workspace", line: "c call", ends: Same},
	{name: "npm x", alone: "y yes no", takes: "p package", line: "c call", ends: Same},
	{name: "pnpm exec", alone: "r c", takes: "C F filter", ends: Same},
	{name: "pnpm dlx", takes: "package", ends: Same},
	{name: "yarn exec", ends: Same},
	{name: "yarn dlx", takes: "p package", ends: Same},
	{name: "bunx", alone: "bun", takes: "p package", ends: Same},
	{name: "pnpx", ends: Same},
	{name: "lerna exec", ends: Same},
	{name: "cargo watch", line: "s shell x exec", rest: asNone},
	{name: "opam exec", dashes: true, ends: Same},
	{name: "stack exec", dashes: true, ends: Same},
	{name: "cabal exec", dashes: true, ends: Same},
	{name: "heroku run", takes: "a app", ends: Same},
	{name: "fly ssh console", takes: "a app", line: "C command", rest: asNone},

	{name: "docker exec", alone: "i t d it interactive tty detach privileged", takes: "e env u user w workdir env-file detach-keys", operands: 1, ends: Same},
	{name: "docker container exec", alone: "i t d", takes: "e env u user w workdir env-file", operands: 1, ends: Same},
	{name: "docker run", alone: "i t d P rm interactive tty detach init privileged read-only", takes: "e env v volume w workdir u user p publish h hostname m memory name network entrypoint mount env-file platform label l cpus gpus add-host cap-add ulimit shm-size pull tmpfs device", operands: 1, ends: Same},
	{name: "docker compose exec", alone: "T d privileged", takes: "e env u user w workdir index f p", operands: 1, ends: Same},
	{name: "docker compose run", alone: "T d rm no-deps service-ports", takes: "e env u user w workdir name entrypoint v p", operands: 1, ends: Same},
	{name: "docker-compose exec", alone: "T d privileged", takes: "e env u user w workdir index", operands: 1, ends: Same},
	{name: "docker-compose run", alone: "T d rm no-deps", takes: "e env u user w workdir", operands: 1, ends: Same},
	{name: "podman exec", alone: "i t d", takes: "e env u user w workdir", operands: 1, ends: Same},
	{name: "podman run", alone: "i t d rm", takes: "e env v volume w workdir u user p publish name network entrypoint", operands: 1, ends: Same},
	{name: "nerdctl exec", alone: "i t d", takes: "e u w", operands: 1, ends: Same},
	{name: "kubectl exec", alone: "i t q stdin tty quiet", takes: "n namespace c container f filename context pod-running-timeout", operands: 1, ends: Same},
	{name: "oc exec", alone: "i t", takes: "n namespace c container", operands: 1, ends: Same},
	{name: "kubectl run", alone: "i t rm", takes: "n namespace image restart", operands: 1},
	{name: "lxc exec", operands: 1, ends: Same},
	{name: "incus exec", operands: 1, ends: Same},
	{name: "toolbox run", takes: "c container", ends: Same},
	{name: "distrobox enter", takes: "n name", ends: Same},
	{name: "flatpak run", takes: "command"},
	{name: "wsl", takes: "d distribution u user cd", ends: Same},

	{name: "ssh", alone: "4 6 A a C f G g K k M N n q s T t tt V v X x Y y", takes: "B b c D E e F I i J L l m O o P p Q R S W w", operands: 1, rest: asLine, ends: Same},
	{name: "sshpass", alone: "e v", takes: "p f d P", ends: Same},
	{name: "autossh", takes: "M o i p L R", operands: 1, rest: asLine},
	{name: "mosh", operands: 1},
	{name: "rsh", operands: 1, rest: asLine},
	{name: "vagrant ssh", line: "c command", rest: asNone},
	{name: "gcloud compute ssh", takes: "zone project", line: "command", rest: asNone},
	{name: "su", alone: "l m p login P f", takes: "s shell g group G w", line: "c command session-command", rest: asNone, ends: Same},
	{name: "runuser", alone: "l", takes: "u user g group s shell", line: "c command", ends: Same},
	{name: "sg", line: "c", operands: 1, rest: asLine, ends: Same},
	{name: "newgrp", line: "c", rest: asNone},
	{name: "script", alone: "a e f q return append flush quiet force", takes: "E echo I log-in O log-out B log-io T log-timing m o t?", line: "c command", rest: asNone},
	{name: "flock", alone: "s x e n u o F shared exclusive nonblock unlock close no-fork", takes: "w wait timeout E conflict-exit-code", line: "c command", operands: 1},
	{name: "lockf", alone: "k n s", takes: "t", operands: 1},
	{name: "watch", alone: "b c d e g p t x beep color errexit chgexit precise no-title exec", takes: "n interval q equexit", rest: asLine},
	{name: "entr", alone: "a c d n p r s z", rest: asLine},
	{name: "watchexec", alone: "r c n", takes: "e exts w watch i ignore s signal", rest: asLine},
	{name: "nodemon", takes: "w watch e ext", line: "x exec", rest: asNone},
	{name: "concurrently", alone: "k", takes: "n names c", rest: asLine},
	{name: "hyperfine", alone: "i N", takes: "w warmup r runs m M export-json", line: "p prepare c cleanup s setup", rest: asLine},
	{name: "parallel", alone: "k u v X m q keep-order dry-run bar eta will-cite halt-on-error lb line-buffer", takes: "j jobs a arg-file N n L S halt joblog timeout tmpdir delay retries d C colsep I", rest: asLine, adds: true},
	{name: "rush", takes: "j i", rest: asLine, adds: true},
	{name: "tmux new", alone: "A d D E P X", takes: "c e F f n s t x y", rest: asLine},
	{name: "tmux new-session", alone: "A d D E P X", takes: "c e F f n s t x y", rest: asLine},
	{name: "tmux neww", alone: "a b d k P S", takes: "c e F n t", rest: asLine},
	{name: "tmux new-window", alone: "a b d k P S", takes: "c e F n t", rest: asLine},
	{name: "tmux split-window", alone: "b d f h I v P Z", takes: "c e F l p t", rest: asLine},
	{name: "tmux splitw", alone: "b d f h I v P Z", takes: "c e F l p t", rest: asLine},
	{name: "tmux respawn-pane", alone: "k", takes: "c e t", rest: asLine},
	{name: "tmux run-shell", alone: "b C", takes: "c d t", rest: asLine},
	{name: "tmux run", alone: "b C", takes: "c d t", rest: asLine},
	{name: "tmux send-keys", alone: "F H K l M R X", takes: "c N t", rest: asLine},
	{name: "tmux send", alone: "F H K l M R X", takes: "c N t", rest: asLine},
	{name: "screen", alone: "d m D R L", takes: "S t c h T s"},
	{name: "expect", line: "c", rest: asNone},
	{name: "man", takes: "S s L M m", line: "P pager", rest: asNone},
	{name: "cmd", rest: asLine, ends: Same},
	{name: "start"},
	{name: "tar", line: "to-command I use-compress-program checkpoint-action", rest: asNone},
	{name: "rsync", line: "e rsh rsync-path", rest: asNone},
	{name: "git submodule foreach", alone: "q quiet recursive", rest: asLine, ends: Zero},
	{name: "git rebase", line: "x exec", rest: asNone},
	{name: "git bisect run"},
	{name: "git for-each-repo", takes: "config"},
	{name: "git filter-branch", line: "env-filter tree-filter index-filter parent-filter msg-filter commit-filter tag-name-filter setup", rest: asNone},
	{name: "git difftool", line: "x extcmd", rest: asNone},
	{name: "git fetch", line: "upload-pack", rest: asNone},
	{name: "git clone", line: "u upload-pack", rest: asNone},
}

// byName are the runners of a program, those with most words first.
var byName = sync.OnceValue(func() map[string][]runner {
	out := map[string][]runner{}
	for _, r := range runners {
		name, _, _ := strings.Cut(r.name, " ")
		out[name] = append(out[name], r)
	}
	for _, all := range out {
		slices.SortStableFunc(all, func(a, b runner) int { return strings.Count(b.name, " ") - strings.Count(a.name, " ") })
	}
	return out
})

// subcommand returns the words behind those that make a program a runner.
func (r runner) subcommand(args []word) ([]word, bool) {
	_, sub, _ := strings.Cut(r.name, " ")
	for want := range strings.FieldsSeq(sub) {
		i := 0
		for i < len(args) && args[i].text != want && (strings.HasPrefix(args[i].text, "-") || i > 0 && strings.HasPrefix(args[i-1].text, "-")) {
			i++
		}
		if i == len(args) || args[i].text != want || !args[i].literal {
			return nil, false
		}
		args = args[i+1:]
	}
	return args, true
}

// hasFlag reports whether a list of flags has the one with a name, and whether a word may be joined to that flag.
func hasFlag(list, name string) (is, joined bool) {
	for one := range strings.FieldsSeq(list) {
		if one == name || one == name+"?" {
			return true, one != name
		}
	}
	return false, false
}

// What a flag says of the word behind it.
const (
	takesNone = iota
	takesWord
	takesLine
	takesAll    // it is the first of the command
	takesEither // that is not known
)

// flag reads a flag. joined is the command line that is joined to it, "" for none.
func (r runner) flag(text string) (takes int, joined string) {
	name := strings.TrimLeft(text, "-")
	long, value, joins := strings.Cut(name, "=")
	of := func(name string) (int, bool) {
		if is, _ := hasFlag(r.line, name); is {
			return takesLine, true
		}
		if is, _ := hasFlag(r.begin, name); is {
			return takesAll, true
		}
		if is, _ := hasFlag(r.takes, name); is {
			return takesWord, true
		}
		if is, _ := hasFlag(r.alone, name); is {
			return takesNone, true
		}
		return takesEither, false
	}
	if takes, known := of(long); len(long) > 1 && (known || strings.HasPrefix(text, "--")) {
		switch {
		case !joins:
			return takes, ""
		case takes == takesLine:
			return takesNone, value
		}
		return takesNone, ""
	}
	if strings.Trim(name, "0123456789") == "" {
		return takesNone, ""
	}
	for i := range name {
		letter := name[i : i+1]
		_, optional := hasFlag(r.alone, letter)
		takes, _ := of(letter)
		rest := name[i+1:]
		switch {
		case takes == takesNone && !optional:
			continue
		case takes == takesNone, takes == takesWord && rest != "":
			return takesNone, ""
		case takes == takesLine && rest != "":
			return takesNone, rest
		}
		return takes, ""
	}
	return takesNone, ""
}

// starts returns where the command of a runner may begin in its words, and the command lines that its flags have.
func (r runner) starts(args []word) (begins []int, lines []word) {
	type place struct{ i, operands int }
	if at := slices.IndexFunc(args, func(w word) bool { return w.text == "--" && w.literal }); at >= 0 && at+1 < len(args) && r.dashes {
		return []int{at + 1}, nil
	}
	seen := map[place]bool{}
	todo := []place{{0, r.operands}}
	for len(todo) > 0 {
		p := todo[0]
		todo = todo[1:]
		if p.i >= len(args) || seen[p] {
			continue
		}
		seen[p] = true
		w := args[p.i]
		switch {
		case w.text == "--" && w.literal:
			if i := p.i + 1 + p.operands; r.rest != asNone && i < len(args) {
				begins = append(begins, i)
			}
		case strings.HasPrefix(w.lead, "-") && (len(w.text) > 1 || r.name == "env"):
			takes, joined := r.flag(w.text)
			if takes == takesAll {
				if p.i+1 < len(args) {
					begins = append(begins, p.i+1)
				}
				continue
			}
			if joined != "" {
				lines = append(lines, word{text: joined, lead: joined, literal: w.literal})
			}
			if takes != takesWord && takes != takesLine {
				todo = append(todo, place{p.i + 1, p.operands})
			}
			if takes != takesNone {
				todo = append(todo, place{p.i + 2, p.operands})
			}
			if takes == takesLine && p.i+1 < len(args) {
				lines = append(lines, args[p.i+1])
			}
		case r.assigns && strings.Contains(w.lead, "="), r.rest == asNone, r.name == "cmd" && strings.HasPrefix(w.lead, "/"):
			todo = append(todo, place{p.i + 1, p.operands})
		case p.operands > 0:
			todo = append(todo, place{p.i + 1, p.operands - 1})
		default:
			begins = append(begins, p.i)
		}
	}
	slices.Sort(begins)
	return slices.Compact(begins), lines
}
