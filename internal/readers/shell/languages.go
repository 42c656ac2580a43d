package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// language notes the programs of other languages that are not read here. is is false if the program takes none.
func (r *reader) language(name string, all []word, a at) (is bool) {
	args := all[1:]
	switch trimmed(name) {
	case "sed", "gsed":
		r.sed(args)
	case "awk", "gawk", "mawk", "nawk":
		r.awk(args)
	case "ed", "sqlite3", "sqlite":
		r.editor(all, a.redirects)
	case "pwsh", "powershell":
		r.power(args)
	case "cmd":
		for len(args) > 0 && strings.HasPrefix(args[0].text, "/") {
			args = args[1:]
		}
		r.again(join(args), at{}, &state{}) // its commands are found; its grammar is another one
		r.hide(OtherShell, join(all).text)
	default:
		if otherShells[name] {
			r.otherShell(all)
			return true
		}
		if by := interpreters[trimmed(name)]; by != nil {
			r.interpreted(by, all)
			return true
		}
		if is = cmdlet().MatchString(name); is && powerRuns[strings.ToLower(name)] {
			r.hide(Runs, join(all).text)
		}
		return is // a command of PowerShell; no program of Unix is called so
	}
	return true
}

// otherShells have other grammars than bash, or more than it.
var otherShells = set("csh tcsh fish nu elvish xonsh yash rbash posh oksh mksh ksh ash busybox toybox")

// otherShell finds the commands of a line for a shell that is not read here, where bash would find them. A file is a script.
func (r *reader) otherShell(all []word) {
	args := all[1:]
	if len(args) > 0 && args[0].literal && !strings.HasPrefix(args[0].text, "-") && !strings.Contains(all[0].text, "box") {
		r.file(all[0].text, args[0])
		return
	}
	for _, w := range args {
		if text := strings.TrimPrefix(w.text, "--command="); w.literal && strings.Contains(text, " ") {
			r.again(literalWord(text), at{}, &state{})
		}
	}
	r.hide(OtherShell, join(all).text)
}

// sedText is a text between two slashes or their like, sedAddress where a command of sed is done, and sedPlain a program of sed that runs none.
const (
	sedAddress = `(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`
	sedChange  = `(?:/(?:[^/\\]|\\[\s\S])*/(?:[^/\\]|\\[\s\S])*/|\|(?:[^|\\]|\\[\s\S])*\|(?:[^|\\]|\\[\s\S])*\||#(?:[^#\\]|\\[\s\S])*#(?:[^#\\]|\\[\s\S])*#|,(?:[^,\\]|\\[\s\S])*,(?:[^,\\]|\\[\s\S])*,|@(?:[^@\\]|\\[\s\S])*@(?:[^@\\]|\\[\s\S])*@)`
	sedRange   = `(?:` + sedAddress + `(?:\s*,\s*(?:\+?\d+|` + sedAddress + `))?)?`
)

var (
	sedPlain   = lazy.Regexp(`^(?:\s*` + sedRange + `\s*!?\s*(?:s` + sedChange + `[gpI0-9]*|[pdqDPNnhHgGxl=]|q[0-9]+|y/[^/]*/[^/]*/)?\s*(?:;|\n|$))*$|^` + sedRange + `\s*[aic](?:\\\n|\s)?[^\n]*$`)
	sedNumbers = lazy.Regexp(`^"?\$?(?:[0-9]+|\$\{[A-Za-z_]+\})(?:,(?:[0-9]+|\$\{[A-Za-z_]+\}))?p"?$`)
	sedOptions = options{"n E r s u z i quiet silent regexp-extended in-place version help posix", "e expression"}
	awkOptions = options{"version help", "F v"}
	awkRuns    = lazy.Regexp(`system|[^|]\|[^|]|^\||\|$|\|&|@`)
	edPlain    = lazy.Regexp(`^(?:[0-9.,$]*[pnlqQ=]?\n?)*$`)
	sqlRuns    = lazy.Regexp(`(?im)^\s*\.|edit\s*\(|load_extension|fts3_tokenizer`)
)

// sed notes a program of sed that is no plain one, in any of its places.
func (r *reader) sed(args []word) {
	var first, given []word
	for len(args) > 0 {
		w := args[0]
		if !strings.HasPrefix(w.lead, "-") || w.text == "-" || w.text == "--" {
			if args = args[1:]; len(first) == 0 && w.text != "--" {
				first = []word{w}
			}
			continue
		}
		if strings.HasPrefix(w.text, "-i") && !strings.ContainsAny(w.text, "efl") || strings.HasPrefix(w.text, "--in-place=") {
			args = args[1:] // a suffix is joined to it
			continue
		}
		_, value, rest, known := sedOptions.next(args)
		if args = rest; !known {
			r.hide(Flag, "sed "+w.text)
		}
		if value != nil {
			given = append(given, *value)
		}
	}
	if len(given) == 0 {
		given = first
	}
	for _, w := range given {
		if !w.literal && !sedNumbers().MatchString(w.text) || w.literal && !sedPlain().MatchString(w.text) {
			r.hide(Sed, w.text)
		}
	}
}

// awk notes a program of awk that may run others: system, a pipe, an indirect call, or a file that is included.
func (r *reader) awk(args []word) {
	for len(args) > 0 && strings.HasPrefix(args[0].lead, "-") {
		if strings.HasPrefix(args[0].lead, "-v") && args[0].solid && len(args[0].lead) > 2 {
			args = args[1:]
			continue
		}
		name, value, rest, known := awkOptions.next(args)
		if value != nil && strings.HasPrefix(value.text, "-") && name == "f" || !known {
			if args[0].text == "-f" && len(args) > 1 && args[1].literal && !isInput(args[1]) && args[1].text != "-" {
				r.script(args[1])
				return
			}
			r.hide(Flag, "awk "+args[0].text)
			return
		}
		args = rest
	}
	if len(args) > 0 && (!args[0].literal || awkRuns().MatchString(args[0].text)) {
		r.hide(Awk, args[0].text)
	}
}

// editor notes an editor or a database that has a command for a shell, if more than plain words of it are given.
func (r *reader) editor(all []word, redirects []*syntax.Redirect) {
	text, given := standardInput(redirects)
	plain := !slices.ContainsFunc(all[1:], func(w word) bool {
		return !w.literal || strings.HasPrefix(w.text, "-") && !has("-s -header -csv -json -readonly -column -batch", w.text)
	})
	if all[0].text == "ed" {
		plain = plain && given && text.literal && edPlain().MatchString(text.text) && len(redirects) == 1
	} else {
		plain = plain && len(all) > 2 && !slices.ContainsFunc(all[2:], func(w word) bool { return sqlRuns().MatchString(w.text) })
	}
	if !plain {
		r.hide(Runs, join(all).text)
	}
}

// Flags, commands and settings of git. Of its long flags a beginning is enough.
var (
	gitOptions = options{"P p no-pager bare literal-pathspecs no-optional-locks no-replace-objects version help html-path paginate", "C c git-dir work-tree namespace"}
	gitKeys    = lazy.Regexp(`^(?i:user\.(?:name|email)|core\.(?:quotepath|autocrlf|filemode|longpaths|abbrev|safecrlf|commentchar|hookspath=/dev/null$|pager=(?:cat)?$|editor=(?:true|:)$)|color\..*|advice\..*|(?:commit|tag)\.gpgsign|init\.defaultbranch|safe\.directory|diff\.(?:renames|context|algorithm|colormoved)|log\..*|merge\.(?:conflictstyle|renames)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|http\.(?:postbuffer|version|sslverify)|gc\.auto|fetch\.prune|rebase\.autosquash|column\.ui|status\..*|grep\.linenumber|sequence\.editor=(?:true|:)$)`)
	gitRemote  = lazy.Regexp(`^(?i:branch\.[^=]*\.(?:remote|merge|rebase)|remote\.[^=]*\.(?:url|pushurl|fetch|prune))=[^!]*$`)
	gitGets    = lazy.Regexp(`^(?:--get.*|--list|-l|get|list|--unset(?:-all)?|unset)$`)
	gitSubs    = set(`status diff log show add commit push fetch pull branch rev-parse ls-files ls-tree ls-remote blame annotate grep describe remote config tag cat-file shortlog reflog for-each-ref merge-base rev-list name-rev check-ignore check-attr
		diff-tree diff-index diff-files show-ref symbolic-ref worktree notes count-objects fsck gc prune var version help checkout switch restore reset stash apply am clean rm mv merge cherry-pick revert rebase clone init submodule format-patch
		hash-object write-tree commit-tree update-ref update-index read-tree checkout-index mktree merge-tree merge-file range-diff whatchanged cherry patch-id stripspace interpret-trailers bundle pack-objects unpack-objects index-pack repack
		sparse-checkout maintenance archive bisect request-pull show-branch verify-commit verify-tag show-index get-tar-commit-id check-ref-format column mailinfo fast-export`)
	gitRuns = []string{"exec", "upload-pack", "receive-pack", "open-files-in-pager", "extcmd", "template", "config", "upload-archive", "tool", "sendmail-cmd"}
	// gitTalks are the commands that have such flags, or talk to an address; gitSafe are flags that begin alike and run nothing.
	gitTalks = set("fetch pull clone ls-remote remote push submodule archive bundle grep rebase config bisect")
	gitSafe  = map[string]string{"commit": "--template", "archive": "--e", "show": "--ext-diff", "log": "--ext-diff", "diff": "--ext-diff"}
)

// git takes the flags off that stand in front of the command of git, and notes what makes it run another program.
func (r *reader) git(all []word) []word {
	args := all[1:]
	hide := func(why Why, w word) { r.hide(why, "git "+w.text) }
	for len(args) > 0 && strings.HasPrefix(args[0].lead, "-") {
		w := args[0]
		name, value, rest, known := gitOptions.next(args)
		switch args = rest; {
		case !known:
			hide(Flag, w)
		case name == "c" && (value == nil || !gitKeys().MatchString(value.lead) || !strings.Contains(value.lead, "=")):
			hide(Setting, w)
			if value != nil {
				if key, set, _ := strings.Cut(value.text, "="); strings.HasPrefix(key, "alias.") && len(args) > 0 && args[0].text == key[len("alias."):] {
					return r.gitAlias(all, set, args)
				}
			}
		}
	}
	all = append(all[:1:1], args...)
	if len(args) == 0 || !args[0].literal {
		return all // see [Command.Hides]
	}
	sub := args[0].text
	if !gitSubs[sub] {
		hide(GitWord, args[0])
		return all
	}
	for i, w := range args[1:] {
		long, _, _ := strings.Cut(strings.TrimPrefix(w.lead, "--"), "=")
		begins := func(flag string) bool { return strings.HasPrefix(flag, long) }
		switch {
		case !w.literal && !w.solid && w.lead == "" && gitTalks[sub] && sub != "push" && sub != "remote" && strings.ContainsAny(w.text, "$`"):
			hide(Unsure, w)
		case strings.HasPrefix(w.lead, "--") && long != "" && (sub != "config" && slices.ContainsFunc(gitRuns, begins) || sub == "bisect" && begins("run")) && !has(gitSafe[sub], "--"+long):
			hide(RunFlag, w)
			if value, is := strings.CutPrefix(w.text, "--exec="); is && sub == "rebase" && w.literal {
				r.again(literalWord(value), at{}, &state{})
			} else if w.text == "--exec" && i+2 < len(args) {
				r.again(args[i+2], at{}, &state{})
			}
		case sub == "rebase" && strings.HasPrefix(w.lead, "-x") || sub == "grep" && strings.HasPrefix(w.lead, "-O") || sub == "clone" && (strings.HasPrefix(w.lead, "-u") || strings.HasPrefix(w.lead, "-c")):
			if hide(RunFlag, w); sub == "rebase" && i+2 < len(args) {
				r.again(args[i+2], at{}, &state{})
			}
		case strings.Contains(w.lead, "::") && gitTalks[sub] && sub != "grep":
			hide(Address, w)
		case sub == "submodule" && w.text == "foreach", sub == "bisect" && w.text == "run":
			hide(RunFlag, w)
			run := args[i+2:]
			for len(run) > 0 && has("--recursive --quiet", run[0].text) {
				run = run[1:]
			}
			if len(run) > 0 {
				r.again(join(run), at{}, &state{})
			}
			return all
		}
	}
	if sub == "config" {
		r.configures(args[1:])
	}
	return all
}

// gitAlias reads an alias that the line itself gives to git: it is another command of git, or behind a ! a command line.
func (r *reader) gitAlias(all []word, text string, args []word) []word {
	if line, is := strings.CutPrefix(text, "!"); is {
		r.again(literalWord(line), at{}, &state{})
		return append(all[:1:1], args...)
	}
	return slices.Concat(all[:1], literals(strings.Fields(text)), args[1:])
}

// configures notes a setting of git that has it run a program later.
func (r *reader) configures(args []word) {
	var words []word
	for _, w := range args {
		switch {
		case gitGets().MatchString(w.text):
			return
		case !strings.HasPrefix(w.lead, "-") && w.text != "set":
			words = append(words, w)
		case w.text == "-e" || w.text == "--edit":
			r.hide(Setting, "git config "+w.text)
		}
	}
	if len(words) == 0 || len(words) == 1 && words[0].literal {
		return // it prints a value
	}
	if value := words[0].text + "=" + words[min(1, len(words)-1)].text; !words[0].literal || !gitKeys().MatchString(value) && !gitRemote().MatchString(value) || strings.Contains(value, "::") {
		r.hide(Setting, "git config "+join(words).text)
	}
}

// An interpreter runs a program of another language, or a file.
type interpreter struct {
	options
	module string // the flag behind which the name of a module stands
	subs   string // the words of which one stands in front of a file
}

var interpreters = map[string]*interpreter{
	"python": {options{"u B E s S I O b v q d", "W X"}, "m", ""}, "pypy": {options{"u B", "W"}, "m", ""}, "ruby": {options{"w c", "I"}, "", ""}, "php": {options{"l q n", ""}, "", ""}, "perl": {options{"w c T t", "I"}, "", ""},
	"node": {options{"c trace-warnings no-warnings experimental-vm-modules test experimental-strip-types check enable-source-maps expose-gc", "r require"}, "", ""}, "nodejs": {options{"no-warnings", ""}, "", ""},
	"tsx": {}, "ts-node": {options{"T transpile-only", "P project"}, "", ""}, "deno": {options{"A q allow-all allow-net allow-read allow-env no-check quiet", ""}, "", "run test check fmt lint"},
}

// trimmed is the name of an interpreter without its version.
func trimmed(name string) string { return strings.TrimRight(strings.ToLower(name), "0123456789.") }

// modules are those of Python that run no text among their arguments; texts are those that do.
var (
	modules = set(`pytest unittest pip venv json.tool http.server py_compile compileall build ruff black mypy flake8 isort pylint coverage tox twine pre_commit doctest site ensurepip virtualenv uvicorn django flask celery alembic mkdocs
		sphinx pyright nose tokenize ast zipfile tarfile gzip base64 uv pipx poetry calendar platform sysconfig`)
	texts = set("timeit code pdb cProfile profile trace runpy idlelib pty asyncio IPython bdb fire pyrepl test webbrowser")
)

// interpreted notes a program for an interpreter. A file is a script.
func (r *reader) interpreted(by *interpreter, all []word) {
	name, args := all[0].text, all[1:]
	if len(args) == 1 && has("--version -V -v --help -h -version", args[0].text) || by.subs == "" && len(args) > 0 && slices.Contains([]string{"-V", "--version"}, args[0].text) {
		return
	}
	if by.subs != "" {
		if len(args) == 0 || !args[0].literal || !has(by.subs, args[0].text) {
			r.hide(Language, join(all).text)
			return
		}
		args = args[1:]
	}
	for len(args) > 0 && strings.HasPrefix(args[0].lead, "-") && args[0].text != "-" {
		if args[0].text == "-"+by.module && by.module != "" && len(args) > 1 && args[1].literal {
			first, _, _ := strings.Cut(args[1].text, ".")
			if r.Scripts = append(r.Scripts, name+" -m "+args[1].text); modules[first] || modules[args[1].text] {
				return
			}
			if tame().MatchString(args[1].text) && !texts[first] {
				r.unknown(args[1:], &state{})
				return
			}
		}
		_, value, rest, known := by.next(args)
		if !known || value != nil && strings.Contains(value.text, ":") { // no address of a program
			r.hide(Language, join(all).text)
			return
		}
		args = rest
	}
	if len(args) == 0 && by.subs != "" || len(args) == 0 && has("test", strings.TrimLeft(all[len(all)-1].text, "-")) {
		return // the tests that are there
	}
	if len(args) == 0 || args[0].text == "-" {
		r.hide(Language, join(all).text) // from standard input
		return
	}
	r.file(name, args[0])
}

// powerOptions are flags of PowerShell: those that take no word, and those that take one.
const powerAlone, powerTakes = "noprofile nop nologo noninteractive login l", "executionpolicy ep ex exec"

// power adds what PowerShell is given to run.
func (r *reader) power(args []word) {
	all := args
	for len(args) > 0 {
		flag := strings.ToLower(strings.TrimLeft(args[0].text, "-/"))
		bare := !strings.HasPrefix(args[0].text, "-") && !strings.HasPrefix(args[0].text, "/")
		switch {
		case bare && strings.HasSuffix(strings.ToLower(args[0].text), ".ps1"), !bare && has("file f", flag) && len(args) > 1:
			if !bare {
				args = args[1:]
			}
			r.file("pwsh", args[0])
			return
		case !bare && has("version v help h ?", flag):
			return
		case !bare && has("command c", flag) || bare:
			if !bare {
				args = args[1:]
			}
			line := join(args)
			s := PowerShell(line.text)
			if r.Join(s); !line.literal || line.text == "-" || len(args) == 0 {
				r.hide(NoLine, line.text)
			}
			return
		case has(powerAlone, flag):
			args = args[1:]
		case has(powerTakes, flag):
			args = args[min(2, len(args)):]
		default:
			r.hide(Flag, "pwsh "+args[0].text)
			return
		}
	}
	r.hide(Language, "pwsh "+join(all).text)
}
