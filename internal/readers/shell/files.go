package shell

import (
	"path"
	"slices"
	"strings"
)

// write notes a file, "" if it is not known which.
func (r *reader) write(name string, st state) {
	switch {
	case name == "" || path.IsAbs(name) || strings.HasPrefix(name, "~"):
	case st.lost:
		name = ""
	default:
		name = path.Join(st.dir, name)
	}
	r.later(name)
	r.Files = append(r.Files, File{name, r.group, len(r.Commands)})
}

// later notes a file that git or a shell runs by itself, unless it is taken away.
func (r *reader) later(name string) {
	if n := len(r.Commands); runsLater(name) && (n == 0 || !has("rm rmdir unlink mkdir touch", r.Commands[n-1].Words[0])) {
		r.hide(LaterFile, name)
	}
}

// writes notes files that are words.
func (r *reader) writes(all []word, st *state) {
	for _, w := range all {
		name, ok := w.text, w.literal
		if !ok {
			name, ok = atHome(w.text)
		}
		switch {
		case strings.HasPrefix(w.lead, "/dev/"):
		case ok:
			r.write(name, *st)
		default:
			r.later(strings.Trim(w.text, `"`))
			r.write("", *st)
		}
	}
	if len(all) == 0 {
		r.write("", *st)
	}
}

// atHome returns a word as a path below the home directory, if it is one whose rest is literal.
func atHome(text string) (string, bool) {
	text = strings.ReplaceAll(text, `"`, "")
	for _, home := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, is := strings.CutPrefix(text, home); is && !strings.ContainsAny(rest, "$`*?[{(") {
			return "~/" + rest, true
		}
	}
	return "", false
}

// cd goes to a directory.
func (st *state) cd(args []word) {
	to := word{text: "~", literal: true}
	if len(args) > 0 {
		to = args[0]
	}
	name, ok := to.text, to.literal
	if !ok {
		name, ok = atHome(to.text)
	}
	switch {
	case !ok || name == "-" || len(args) > 1:
		st.lost = true
	case path.IsAbs(name) || strings.HasPrefix(name, "~"):
		st.dir, st.lost = name, false
	default:
		st.dir = path.Join(st.dir, name)
	}
}

// A writer is a program that writes files.
type writer struct {
	flags string // of which it has one if it writes, "" for any
	sub   string // the words of which the first argument is one if it writes, "" for any
	files int    // which arguments are the files
}

const (
	someFiles = iota // that is not known
	allFiles
	lastFile
	restFiles // all but the first
)

var writers = map[string][]writer{
	"tee": {{files: allFiles}}, "touch": {{files: allFiles}}, "truncate": {{files: lastFile}}, "rm": {{files: allFiles}}, "unlink": {{files: allFiles}}, "rmdir": {{files: allFiles}}, "mkdir": {{files: allFiles}},
	"shred": {{files: allFiles}}, "cp": {{files: lastFile}}, "mv": {{files: allFiles}}, "ln": {{files: lastFile}}, "install": {{files: lastFile}}, "rsync": {{files: lastFile}}, "sponge": {{files: allFiles}}, "scp": {{files: lastFile}},
	"dd": {{}}, "patch": {{}}, "ed": {{}}, "ex": {{}}, "unzip": {{}}, "cpio": {{}}, "wget": {{}}, "split": {{}}, "csplit": {{}}, "sd": {{}}, "rename": {{}}, "dos2unix": {{}}, "unix2dos": {{}},
	"sed": {{flags: "i in-place", files: restFiles}}, "gsed": {{flags: "i in-place", files: restFiles}}, "perl": {{flags: "i"}}, "ruby": {{flags: "i"}}, "awk": {{flags: "i"}}, "gawk": {{flags: "i"}}, "yq": {{flags: "i inplace in-place"}}, "sort": {{flags: "o output"}},
	"gofmt": {{flags: "w"}}, "gofumpt": {{flags: "w"}}, "goimports": {{flags: "w"}}, "shfmt": {{flags: "w write"}}, "clang-format": {{flags: "i"}}, "yapf": {{flags: "i in-place"}}, "autopep8": {{flags: "i in-place"}},
	"prettier": {{flags: "w write"}}, "eslint": {{flags: "fix"}}, "biome": {{flags: "write fix apply"}}, "rubocop": {{flags: "a A autocorrect"}}, "black": {{}}, "isort": {{}}, "rustfmt": {{}}, "ruff": {{flags: "fix"}, {sub: "format"}}, "golangci-lint": {{flags: "fix"}},
	"curl": {{flags: "o O output remote-name J"}}, "tar": {{flags: "x extract get"}, {sub: "x xf xzf xvf xvzf xzvf xjf xJf"}}, "vim": {{}}, "vi": {{}}, "nvim": {{}}, "nano": {{}}, "emacs": {{}},
	"git":   {{sub: "checkout switch restore apply am merge pull rebase cherry-pick revert clean rm mv stash reset read-tree checkout-index bisect clone submodule sparse-checkout init"}},
	"go":    {{sub: "fmt generate mod get fix work"}},
	"cargo": {{sub: "fmt fix add remove update init new generate-lockfile"}}, "terraform": {{sub: "fmt"}}, "dotnet": {{sub: "format add new"}}, "mix": {{sub: "format"}}, "dart": {{sub: "format fix"}}, "buf": {{flags: "w write"}},
	"npm": {{sub: "install i add ci uninstall remove update version init"}}, "yarn": {{sub: "install add remove upgrade"}}, "pnpm": {{sub: "install i add remove update"}}, "bun": {{sub: "install add remove"}}, "poetry": {{sub: "add lock remove update"}}, "uv": {{sub: "add lock remove sync init"}},
}

// changed notes the files that a command writes.
func (r *reader) changed(all []word, st *state) {
	name := trimmed(all[0].text)
	if name == "find" && slices.ContainsFunc(all, func(w word) bool {
		return w.text == "-delete" || strings.HasPrefix(w.text, "-fprint") || w.text == "-fls"
	}) {
		r.write("", *st)
	}
	if name == "apply_patch" || name == "applypatch" {
		r.PatchDir, r.PatchLost = st.dir, st.lost
	}
	for _, by := range writers[name] {
		flags, files := operands(all[1:])
		files = slices.DeleteFunc(files, func(w word) bool { return w.literal && w.text == "" }) // sed -i '' on a Mac
		switch {
		case by.flags != "" && !slices.ContainsFunc(flags, func(flag string) bool { return writing(by.flags, flag) }),
			by.sub != "" && (len(files) == 0 || !slices.Contains(strings.Fields(by.sub), files[0].text)),
			name == "git" && !gitWrites(flags, files):
			continue
		}
		switch {
		case by.files == allFiles && len(files) > 0:
			r.writes(files, st)
		case by.files == lastFile && len(files) > 0:
			r.writes(files[len(files)-1:], st)
		case by.files == restFiles && slices.ContainsFunc(flags, func(f string) bool { return f == "-e" || strings.HasPrefix(f, "--expression") }):
			r.write("", *st) // which of the words is a file is not clear
		case by.files == restFiles && len(files) > 1:
			r.writes(files[1:], st)
		default:
			r.write("", *st)
		}
	}
}

// writing reports whether a flag is one of a list.
func writing(list, flag string) bool {
	name := strings.TrimLeft(flag, "-")
	long, _, _ := strings.Cut(name, "=")
	if has(list, long) {
		return true
	}
	if strings.HasPrefix(flag, "--") {
		return false
	}
	for _, letter := range name {
		if has(list, string(letter)) {
			return true
		}
	}
	return false
}

// operands parts words into flags and others.
func operands(args []word) (flags []string, rest []word) {
	for i, w := range args {
		if w.text == "--" {
			return flags, append(rest, args[i+1:]...)
		}
		if strings.HasPrefix(w.lead, "-") && len(w.text) > 1 {
			flags = append(flags, w.text)
		} else {
			rest = append(rest, w)
		}
	}
	return flags, rest
}

// gitWrites reports whether a command of git that may write to the working tree does.
func gitWrites(flags []string, args []word) bool {
	is := func(names ...string) bool {
		return slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(names, f) })
	}
	switch sub := args[0].text; sub {
	case "checkout", "switch":
		return !is("-b", "-B", "-c", "-C", "--orphan") || len(args) > 2
	case "reset":
		return is("--hard", "--merge", "--keep")
	case "stash":
		return len(args) == 1 || !slices.Contains([]string{"list", "show", "drop", "clear", "create", "store"}, args[1].text)
	case "apply":
		return !is("--check", "--stat", "--numstat", "--summary") || is("--apply")
	case "submodule":
		return len(args) > 1 && !slices.Contains([]string{"status", "summary", "foreach"}, args[1].text)
	case "clean":
		return !is("-n", "--dry-run")
	}
	return true
}

// lookers are programs that run nothing that their arguments say, and write no files.
const lookers = `echo printf grep egrep fgrep rg ag ack zgrep gh cat bat ls ll exa eza cd test [ true false : man which whereis type apropos head tail
	wc sort uniq cut tr diff cmp comm stat file read export unset wait jobs sleep date pwd basename dirname realpath readlink jq yq column nl tac rev fold
	seq expr curl base64 md5sum sha256sum sess-grep`

// reads are programs that write no files, whatever their arguments say but for what writers knows.
var reads = set(lookers + ` tree pushd popd command set du df ps env id whoami uname hostname less more strings xxd od hexdump sha1sum cksum exit return find fd
	sed awk gawk kill pgrep shopt trap source . eval bash sh zsh xargs sess-calls sess-path sess-ls sess-show sess-stat sess-check sess-history`)

// set returns the words of a text.
func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// readsOnly are the first arguments with which programs write no file of the working tree.
var readsOnly = map[string]string{
	"git":    "status diff log show add commit push fetch branch rev-parse ls-files ls-tree ls-remote blame grep describe remote config tag cat-file shortlog reflog for-each-ref merge-base rev-list name-rev check-ignore diff-tree show-ref symbolic-ref worktree notes count-objects fsck gc var version help checkout switch reset stash apply clean submodule",
	"go":     "test vet build list version env doc tool run install",
	"cargo":  "test check build clippy tree metadata bench",
	"npm":    "test t ls list view outdated audit",
	"docker": "ps images logs inspect",
	"gofmt":  "-l -d -s", "prettier": "--check -c -l", "python": "--version -V -m",
}

// Reads reports whether a command writes no file, but for what [Simple.Files] has.
func (c Command) Reads() bool {
	if len(c.Words) == 0 {
		return true
	}
	name := trimmed(c.Words[0])
	return reads[name] || reads[c.Words[0]] || len(c.Words) > 1 && slices.Contains(strings.Fields(readsOnly[name]), c.Words[1])
}
