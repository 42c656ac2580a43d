package shell

import (
	"slices"
	"strings"
	"sync"
)

// A runner is a program that runs the words behind its flags. A flag that is not here hides the line.
type runner struct {
	name     string // the program, and the words behind it that make it one
	alone    string // its flags that take no word
	takes    string // those that take one
	line     string // those of which that is a command line
	operands int    // how many words stand in front of the command; -1 for all in front of --
	joins    bool   // the words of the command are joined to a command line
	assigns  bool   // NAME=VALUE may stand in front of the command
	shown    bool   // it is a command beside the one that it runs
	types    bool   // without a command it reads one
	unread   bool   // it runs others in more ways than are read here: commands that are found count, and the line is not plain
	ends     Ends   // what its status says of the command
}

const digits = " 0 1 2 3 4 5 6 7 8 9"

var runners = []runner{
	{name: "env", alone: "i ignore-environment -", takes: "u unset C chdir", line: "S split-string", assigns: true, ends: Same},
	{name: "timeout", alone: "f foreground preserve-status v verbose", takes: "k kill-after s signal", operands: 1, ends: Zero},
	{name: "gtimeout", alone: "f foreground preserve-status", takes: "k kill-after s signal", operands: 1, ends: Zero},
	{name: "nice", alone: digits, takes: "n adjustment", ends: Same},
	{name: "ionice", alone: "t", takes: "c n", ends: Same},
	{name: "chrt", alone: "b f i o r R", operands: 1, ends: Same},
	{name: "taskset", alone: "a", takes: "c", operands: 0, ends: Same},
	{name: "nohup", ends: Same},
	{name: "winpty", ends: Same},
	{name: "unbuffer", ends: Same},
	{name: "chronic", ends: Same},
	{name: "builtin", ends: Same},
	{name: "pkexec", takes: "user", ends: Same},
	{name: "setsid", alone: "w wait c"},
	{name: "stdbuf", takes: "i o e input output error", ends: Same},
	{name: "time", alone: "p v", ends: Same},
	{name: "command", alone: "p", ends: Same},
	{name: "exec", takes: "a", ends: Same},
	{name: "caffeinate", alone: "d i m s u", takes: "t w", ends: Same},
	{name: "strace", alone: "f q tt", takes: "o e", ends: Same},
	{name: "sudo", alone: "E n H S preserve-env", takes: "u user g group", assigns: true, types: true, ends: Zero},
	{name: "doas", alone: "n", takes: "u", assigns: true, ends: Same},
	{name: "xargs", alone: "0 null r no-run-if-empty t verbose", takes: "a arg-file d delimiter n max-args P max-procs L s I"},
	{name: "cross-env", assigns: true, ends: Same},
	{name: "flock", alone: "n x s e u nonblock exclusive shared", takes: "w timeout", line: "c command", operands: 1},
	{name: "script", alone: "q a e quiet append return", line: "c command", operands: 1, shown: true},
	{name: "su", alone: "- l login", takes: "s", line: "c command", operands: 1, types: true},
	{name: "runuser", alone: "- l", takes: "u user", line: "c command", types: true},
	{name: "sg", line: "c", operands: 1},
	{name: "uv run", alone: "q quiet frozen locked isolated no-project no-sync offline all-extras active dev no-dev", takes: "p python with extra group directory project", ends: Same},
	{name: "uv --quiet run", alone: "no-sync", ends: Same},
	{name: "uvx", takes: "from with p python", ends: Same},
	{name: "poetry run", ends: Same},
	{name: "pipenv run", ends: Same},
	{name: "pdm run", ends: Same},
	{name: "hatch run", ends: Same},
	{name: "rye run", ends: Same},
	{name: "pixi run", ends: Same},
	{name: "conda run", alone: "no-capture-output", takes: "n name p prefix", ends: Same},
	{name: "bundle exec", ends: Same},
	{name: "npx", alone: "y yes no no-install quiet", takes: "p package", line: "c call", ends: Same},
	{name: "npm exec", alone: "y yes no", takes: "p package w workspace", line: "c call", ends: Same},
	{name: "pnpm exec", takes: "C F filter", ends: Same},
	{name: "pnpm dlx", ends: Same},
	{name: "yarn exec", ends: Same},
	{name: "yarn dlx", ends: Same},
	{name: "bunx", alone: "bun", ends: Same},
	{name: "bun x", ends: Same},
	{name: "mise exec", line: "c command", operands: -1, ends: Same},
	{name: "mise x", line: "c command", operands: -1, ends: Same},
	{name: "direnv exec", operands: 1, ends: Same},
	{name: "op run", ends: Same},
	{name: "doppler run", line: "command", ends: Same},
	{name: "ssh", alone: "4 6 A C n N q T t x", takes: "b i l p o", operands: 1, joins: true, shown: true, types: true, ends: Same},
	{name: "docker exec", alone: "i t d interactive tty", takes: "e env u user w workdir", operands: 1, shown: true, ends: Same},
	{name: "podman exec", alone: "i t", takes: "e u w", operands: 1, shown: true, ends: Same},
	{name: "docker compose exec", alone: "T", takes: "e env u user w workdir", operands: 1, shown: true, ends: Same},
	{name: "docker-compose exec", alone: "T", takes: "e u w", operands: 1, shown: true, ends: Same},
	{name: "docker run", alone: "i t d rm init", takes: "e env u user v volume w workdir name network platform p entrypoint", operands: 1, shown: true, ends: Same},
	{name: "kubectl exec", alone: "i t", takes: "n namespace c container", operands: -1, shown: true, ends: Same},
	{name: "lxc exec", operands: 1, shown: true, ends: Same},
	{name: "nix develop", alone: "c", shown: true, unread: true},
	{name: "nix-shell", takes: "p", line: "run", shown: true, unread: true},
	{name: "watch", takes: "n interval", joins: true, shown: true},
	{name: "tmux", alone: "d t s", shown: true, unread: true},
	{name: "tmux new", alone: "d", takes: "s n", joins: true, shown: true, unread: true},
	{name: "tmux new-session", alone: "d", takes: "s n", joins: true, shown: true, unread: true},
	{name: "tmux send-keys", takes: "t", joins: true, shown: true, unread: true},
	{name: "screen", alone: "d m", takes: "S", shown: true, unread: true},
	{name: "parallel", takes: "j", shown: true, unread: true},
	{name: "coproc", unread: true},
	{name: "noglob", unread: true},
	{name: "nocorrect", unread: true},
}

// byName are the runners of a program, those of more words first.
var byName = sync.OnceValue(func() map[string][]*runner {
	out := map[string][]*runner{}
	for i := range runners {
		first, _, _ := strings.Cut(runners[i].name, " ")
		out[first] = append(out[first], &runners[i])
	}
	for _, all := range out {
		slices.SortStableFunc(all, func(a, b *runner) int { return strings.Count(b.name, " ") - strings.Count(a.name, " ") })
	}
	return out
})

// findRunner returns the runner that words begin with, and the words behind its name.
func findRunner(name string, args []word) (*runner, []word) {
next:
	for _, run := range byName()[name] {
		words := strings.Fields(run.name)[1:]
		if len(args) < len(words) {
			continue
		}
		for i, w := range words {
			if !args[i].literal || args[i].text != w {
				continue next
			}
		}
		return run, args[len(words):]
	}
	return nil, nil
}

// hiders are programs that run others, or texts, in more ways than are read here. A line with one is not plain.
var hiders = set(`sched - vared autoload zmodload functions emulate
	newgrp chroot unshare nsenter setpriv prlimit systemd-run dbus-run-session xvfb-run ltrace faketime dotenv valgrind perf gdb lldb bwrap firejail fakeroot torsocks proxychains proxychains4 rlwrap arch setarch linux64 catchsegv
	start-stop-daemon daemonize dumb-init tini gosu su-exec capsh lockf setlock entr watchexec nodemon onchange chokidar concurrently npm-run-all hyperfine rush zellij dtach abduco expect unexpect autoexpect claude codex opencode pi gemini qwen aider
	 start wsl rsync scp sftp autossh mosh rsh rlogin sshpass vagrant gcloud aws-vault chamber doppler infisical envdir asdf volta fnm rbenv pyenv nodenv devbox nix nix-build guix toolbox distrobox flatpak snap podman nerdctl lxc incus oc lerna nx
	opam stack cabal heroku fly at batch crontab anacron ex vi vim nvim view emacs emacsclient nano pico joe micro m4 dc ipython ghci sbcl gforth gnuplot octave matlab maxima gap psql mysql mariadb mongo mongosh redis-cli ftp lftp telnet nc ncat
	netcat socat openssl tclsh wish guile racket erl iex elixir scala groovy jshell swift osascript rscript r julia lua luajit dialog whiptail fzf pv zgrep zmore zless less more most
	pager lesspipe dpkg apt apt-get yum dnf rpm make-kpkg debuild logrotate run-parts ifup ip tcpdump hub glab wget zip unzip tig lazygit ssh-agent ssh-add ssh-keygen gpg gpg-agent sem ts nq task-spooler py op`)

// quiet are words of which one alone has such a program run nothing.
var quiet = map[string]string{"at": "-l", "crontab": "-l", "gpg": "--list-keys", "ssh-add": "-l", "vim": "-V"}

// inert are programs, and commands of the shell, that run nothing of what their arguments say, but for the flags below.
var inert = set(`echo cat head tail ls wc uniq cut tr diff cmp comm stat file true false : which whereis type sleep date basename dirname realpath readlink seq expr base64 base32 md5sum sha1sum sha256sum sha512sum shasum cksum b2sum
	grep egrep fgrep tree du df ps id whoami groups uname hostname arch64 strings xxd od hexdump nl tac rev fold column paste join fmt expand unexpand shuf tsort factor numfmt printenv pwd dirs jobs pkill pgrep killall
	break continue shift times ulimit umask disown fg bg mkdir rmdir rm cp mv touch ln chmod chown chgrp mktemp truncate tee sync nproc free uptime lscpu lsof ss netstat ifconfig ping dig nslookup host curl jq gron
	bat batcat exa eza ack ag cloc tokei scc zcat bzcat xzcat gzip gunzip bzip2 xz zstd sponge say notify-send pbcopy pbpaste xclip wl-copy lsb_release sw_vers getconf locale tput clear stty tty lsblk
	gofmt goimports gofumpt staticcheck golangci-lint shellcheck shfmt hadolint yamllint markdownlint actionlint prettier eslint tsc biome stylelint ruff black isort flake8 mypy pyright pylint bandit rubocop clippy rustfmt clang-format
	jest vitest mocha ava tap playwright cypress pytest py.test nosetests rspec phpunit nyc c8 gcc g++ cc c++ clang clang++ ld ar nm objdump readelf ldd size rustc javac jar
	gh jira linear npm pnpm yarn bun cargo go pip pip3 uv poetry pipenv conda gem bundle composer mvn gradle gradlew docker docker-compose kubectl helm terraform aws gsutil az
	sess-append sess-assert sess-blame sess-brief sess-calls sess-check sess-compact sess-cut sess-export sess-fork sess-grep sess-handoff sess-history sess-import sess-ls sess-path sess-show sess-stat sess-table
	apply_patch applypatch fd fdfind rg sort split tar man pre-commit act nvm direnv findstr dir where yq cal bc history`)

// known reports whether a name is one of a program that is known here.
func known(name string) bool {
	return inert[name] || hiders[name] || builtins[name] || renames[name] || len(byName()[name]) > 0 || flags[name] != "" || has("git find sed gsed awk gawk mawk nawk ed sqlite3 pwsh powershell cmd", name) || slices.Contains(shells, name) || otherShells[name] || interpreters[trimmed(name)] != nil
}

// shells read a command line as bash does, or a script.
var shells = []string{"sh", "bash", "zsh", "dash"}

// flags are those by which inert programs run others: long names, of which a beginning is enough, and letters, which may stand in a group. One
// without a dash may also be the word of a command.
var flags = map[string]string{
	"sort": "compress-program", "man": "P H pager html", "rg": "pre pre-glob hostname-bin", "split": "filter", "fd": "x X exec exec-batch", "fdfind": "x X exec exec-batch", "bat": "pager", "batcat": "pager", "ag": "pager", "ack": "pager",
	"tar": "I F to-command use-compress-program checkpoint-action info-script new-volume-script rsh-command rmt-command", "go": "exec toolexec vettool overlay compiler tool bug", "cargo": "config watch Z", "rustc": "C codegen",
	"npm": "script-shell shell c call node-options x explore git edit config globalconfig userconfig set", "pnpm": "script-shell c shell-mode node-options config", "yarn": "config", "bun": "e eval p print x preload r", "jest": "globalSetup globalTeardown testRunner runner",
	"gh": "alias extension ext codespace cs config copilot", "nvm": "exec run", "direnv": "exec edit", "docker": "run exec", "docker-compose": "run exec", "kubectl": "run debug plugin exec edit kubeconfig", "helm": "plugin post-renderer", "terraform": "console", "aws": "ssm configure",
	"gcc": "wrapper fplugin B specs", "g++": "wrapper fplugin B specs", "cc": "wrapper fplugin B", "c++": "wrapper fplugin B", "clang": "wrapper fplugin B", "clang++": "wrapper fplugin B", "pip": "config", "uv": "tool run", "mvn": "exec:exec exec:java",
	"poetry": "run shell", "pipenv": "run shell", "conda": "run", "bundle": "exec config", "history": "a r n s p w",
}

// deepCommands are programs whose command is not always the first word.
const deepCommands = "docker docker-compose uv poetry pipenv conda bundle kubectl mvn"

// runsBy reports whether the word at a place is a flag by which a program runs others.
func runsBy(name string, i int, text string) bool {
	long, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	if !strings.HasPrefix(text, "-") {
		return (i == 0 || has(deepCommands, name)) && has(flags[name], text)
	}
	words := strings.HasPrefix(text, "--") || has("go gcc g++ cc c++ clang clang++", name) // one dash is enough for these
	for flag := range strings.FieldsSeq(flags[name]) {
		if len(flag) == 1 && !strings.HasPrefix(text, "--") && strings.Contains(long, flag) || len(flag) > 1 && words && long != "" && strings.HasPrefix(flag, long) && (len(long) > 1 || strings.HasPrefix(text, "--")) {
			return true
		}
	}
	return false
}
