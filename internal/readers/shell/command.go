package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sess-tools/sess/internal/core/lazy"
)

var (
	programName = lazy.Regexp(`^[\p{L}\p{N}_.+@:[-]+$`)
	tame        = lazy.Regexp(`^[\p{L}\p{N}_./:=,@%+~^-]*$`) // of words that are no command lines
	aliased     = lazy.Regexp(`^([A-Za-z_][A-Za-z0-9_-]*)=([A-Za-z0-9_./=, -]*[A-Za-z0-9_./])$`)
	waits       = lazy.Regexp(`^\$\{?[A-Za-z_!][A-Za-z0-9_]*\}?$`)
)

// command adds a simple command. ok is false if a command line within it is none.
func (r *reader) command(all []word, a at, st *state) (ok bool) {
	if len(all) == 0 {
		return !a.more || r.hide(Added, "")
	}
	if len(r.Commands) > maxCommands {
		return r.hide(ManyWords, "")
	}
	all = slices.Clone(all)
	if w := all[0]; !w.literal && w.base != "" {
		all[0] = literalWord(w.base)
	}
	if !all[0].literal {
		r.add(all, a)
		st.most = Unknown // it may be exit
		return r.hide(NoLiteral, all[0].text)
	}
	name := program(all[0].text)
	if r.functions[name] {
		a.ends, st.most = Unknown, Unknown
		if r.own[name] && !a.program && name == all[0].text {
			r.add(all, a) // its body is read
			return true
		}
	}
	if !programName().MatchString(name) {
		r.add(all, a)
		return r.hide(NoName, all[0].text)
	}
	if sub, is := strings.CutPrefix(name, "git-"); is && sub != "" {
		all = slices.Concat(all[:1], []word{literalWord(sub)}, all[1:])
		name = "git"
	}
	if all[0] = literalWord(name); name == "git" {
		all = r.git(all)
	}
	args := all[1:]
	if name == "command" && len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") {
		r.add(all, a) // it looks one up
		return true
	}
	if run, behind := findRunner(name, args); run != nil {
		return r.run(run, all, behind, a, st)
	}
	r.add(all, a)
	r.changed(all, st)
	if a.more && !plainWith(name, args, st) {
		r.hide(Added, join(all).text)
	}
	switch {
	case slices.Contains(shells, name):
		return r.shell(name, args, a, st)
	case r.builtin(name, args, a, st), name == "git":
	case name == "find":
		return r.found(args, a)
	case r.language(name, all, a):
	case hiders[name] || hiders[trimmed(name)]:
		if len(args) != 1 || !has("--version --help "+quiet[name], args[0].text) {
			r.hide(Runs, join(all).text)
		}
	case inert[name]:
		r.inert(name, args)
	default:
		r.unknown(all, st)
	}
	return true
}

// inert notes the flags of a program by which it runs others.
func (r *reader) inert(name string, args []word) {
	if flags[name] == "" {
		return
	}
	for i, w := range args {
		switch {
		case w.literal && runsBy(name, i, w.text):
			r.hide(RunFlag, name+" "+w.text)
		case !w.literal && !w.solid && w.lead == "" && !globbed(w):
			r.hide(Unsure, name+" "+w.text)
		}
	}
}

// globbed reports whether a word stands for names of files that have a literal part.
func globbed(w word) bool {
	return !strings.ContainsAny(w.text, "$`") && strings.ContainsAny(w.text, "./")
}

// unknown notes a program of which nothing is known: it passes as a script does, if no word of it can be a command line.
func (r *reader) unknown(all []word, st *state) {
	r.script(all[0])
	switch {
	case st.fed || slices.ContainsFunc(all[1:], func(w word) bool { return isInput(w) || w.text == "-" }):
		r.hide(Fed, join(all).text)
	case slices.ContainsFunc(all[1:], func(w word) bool { return w.literal && !tame().MatchString(w.text) }):
		r.hide(Text, join(all).text)
	case slices.ContainsFunc(all[1:], func(w word) bool { return !w.literal && !globbed(w) }):
		r.hide(Word, join(all).text)
	}
}

// Gives reports whether the command is a program of which nothing is known, or one that runs a script, and its words have all that a pattern
// begins with, the first of them as a program: a runner would run it.
func (c Command) Gives(begins string) bool {
	begins = strings.ToLower(begins)
	first, rest, _ := strings.Cut(begins, " ")
	given := strings.ToLower(strings.Join(c.Words[1:], " "))
	if first == "" || slices.Contains(shells, c.Words[0]) && len(c.Words) > 1 && strings.HasPrefix(c.Words[1], "-") || cmdlet().MatchString(c.Words[0]) || known(c.Words[0]) && interpreters[trimmed(c.Words[0])] == nil && !slices.Contains(shells, c.Words[0]) ||
		slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return !strings.Contains(given, word) }) {
		return false
	}
	for part := range strings.FieldsFuncSeq(given, func(c rune) bool { return strings.ContainsRune("=:,;|&()<>\"'` \t\n@+%", c) }) {
		if part = program(part); part == first || strings.HasPrefix(part, first+"-") {
			return true
		}
	}
	return false
}

// add notes a command.
func (r *reader) add(all []word, a at) {
	c := Command{Words: make([]string, len(all)), Ends: a.ends, Group: r.group, literal: true}
	var lead strings.Builder
	for i, w := range all {
		c.Words[i] = w.text
		if !c.literal {
			continue
		}
		if i > 0 {
			lead.WriteByte(' ')
		}
		lead.WriteString(w.lead)
		c.literal = w.literal
	}
	if c.literal && a.more {
		c.literal = false
		lead.WriteByte(' ')
	}
	c.lead = lead.String()
	r.Commands = append(r.Commands, c)
}

// program is the name of a program without its directory, and without what Windows adds to it.
func program(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 && i+1 < len(name) {
		name = name[i+1:]
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && slices.Contains([]string{"exe", "com", "cmd", "bat"}, strings.ToLower(name[i+1:])) {
		name = name[:i]
	}
	return name
}

// flags reads the words in front of what a runner runs. It returns the others, the command lines among the values of its flags,
// and the mark that xargs replaces.
func (r *reader) flags(run *runner, args []word, a *at) (rest, lines []word, mark string) {
	known := options{run.alone, run.takes + " " + run.line}
	skip := run.operands
	for len(args) > 0 {
		w := args[0]
		if name, value, is := strings.Cut(w.lead, "="); is && run.assigns && identifier().MatchString(name) {
			if r.given(name, w.literal, value, w.text); !w.literal && !w.solid {
				r.hide(Before, w.text)
			}
			args = args[1:]
			continue
		}
		if w.text == "--" {
			args = args[1:]
			break
		}
		if !strings.HasPrefix(w.lead, "-") || w.text == "-" && !has(run.alone, "-") {
			if skip == 0 || skip < 0 && !slices.ContainsFunc(args, func(w word) bool { return w.text == "--" }) {
				break
			}
			if args = args[1:]; !w.literal && !w.solid {
				r.hide(Before, w.text)
			}
			skip--
			if skip == 0 && run.line == "" && (len(args) == 0 || args[0].text != "--") {
				break
			}
			continue
		}
		name, value, behind, ok := known.next(args)
		if args = behind; !ok || run.name == "ssh" && name == "o" && (value == nil || !sshPlain().MatchString(value.text)) {
			r.hide(Flag, run.name+" "+w.text)
			a.ends = Unknown
		}
		switch {
		case value != nil && has(run.line, name):
			lines = append(lines, *value)
		case value != nil && run.name == "xargs" && name == "I":
			mark = value.text
		}
	}
	return args, lines, mark
}

// run adds what a runner runs.
func (r *reader) run(run *runner, all, args []word, a at, st *state) bool {
	a.program = run.name != "time"
	args, lines, mark := r.flags(run, args, &a)
	switch {
	case run.name == "env" && len(lines) == 1: // its words are words in front of the others
		if !lines[0].literal || !tame().MatchString(strings.ReplaceAll(lines[0].text, " ", "")) {
			r.hide(NoLine, lines[0].text)
		}
		split := strings.Fields(lines[0].text)
		if len(split) > 0 && strings.Contains(split[0], "=") {
			r.hide(NoLine, lines[0].text)
			split = slices.DeleteFunc(split, func(text string) bool { return strings.Contains(text, "=") })
		}
		lines, args = nil, append(literals(split), args...)
	case run.joins && len(args) > 0:
		lines, args = append(lines, join(args)), nil
	}
	if run.shown || len(args)+len(lines) == 0 {
		r.add(all, a)
	}
	inner := a
	inner.ends = min(a.ends, run.ends)
	own := state{most: Same, dir: st.dir, lost: st.lost, fed: st.fed, listed: st.listed}
	switch {
	case run.unread:
		r.hide(Runs, join(all).text)
	case run.name == "exec" && len(args) == 0 && slices.ContainsFunc(a.redirects, feeds):
		r.hide(Reads, "exec")
	case len(args)+len(lines) > 0:
	case run.types:
		return r.input(a, own)
	case a.more:
		r.hide(Added, join(all).text)
	}
	if run.name == "xargs" {
		own.fed = false // the words are all that it is given
		if inner.more = mark == "" || a.more; mark != "" {
			args = replaced(args, mark)
		}
	}
	ok := true
	for _, line := range lines {
		ok = r.innerLine(line, inner, own) && ok
	}
	switch {
	case len(args) == 0:
	case len(lines) > 0 && run.name != "env":
		r.hide(Before, join(args).text)
		ok = r.command(args, at{ends: Unknown, deep: a.deep, program: true}, &own) && ok
	case run.name == "command" || run.name == "time" || run.name == "builtin":
		ok = r.command(args, inner, st)
	default:
		ok = r.command(args, inner, &own)
	}
	if run.name == "exec" {
		st.most = Unknown // nothing follows
	}
	return ok
}

var sshPlain = lazy.Regexp(`^(?i:batchmode|connecttimeout|stricthostkeychecking|loglevel|serveralive\w+|identitiesonly|userknownhostsfile|requesttty|passwordauthentication)=[\w/.-]+$`)

// replaced marks the words in which a runner puts something in the place of a mark.
func replaced(args []word, mark string) []word {
	args = slices.Clone(args)
	for i, w := range args {
		if strings.Contains(w.text, mark) {
			lead, _, _ := strings.Cut(w.lead, mark)
			args[i] = word{text: w.text, lead: lead, solid: true}
		}
	}
	return args
}

// plainWith reports whether a program runs nothing whatever words are added to it. A program of sed or awk stands in front of them.
func plainWith(name string, args []word, st *state) bool {
	switch {
	case name == "sed" || name == "gsed" || name == "awk":
		return st.listed && len(args) > 0 && args[len(args)-1].literal
	case name == "git":
		return len(args) > 0 && args[0].literal && has("add rm mv checkout restore diff log show blame reset check-ignore ls-files", args[0].text)
	}
	return inert[name] && flags[name] == "" && !builtins[name]
}

// innerLine adds the commands of a word that is a command line.
func (r *reader) innerLine(w word, a at, st state) bool {
	if !w.literal || a.deep == maxDeep {
		return r.hide(NoLine, w.text)
	}
	if a.more {
		r.hide(Added, w.text)
	}
	return r.parse(w.text, a.deep+1, st, a.ends, false)
}

// input adds the commands that a shell reads from its standard input: one here-document, and nothing else.
func (r *reader) input(a at, st state) bool {
	fed := 0
	for _, to := range a.redirects {
		if feeds(to) {
			fed++
		}
		if feeds(to) && to.N != nil && to.N.Value != "0" {
			fed = 2
		}
	}
	input, ok := standardInput(a.redirects)
	if !ok || fed != 1 {
		return r.hide(Reads, input.text)
	}
	st.fed = true // commands read the rest of it
	return r.innerLine(input, a, st)
}

// isInput reports whether a file is the standard input, or what a command prints.
func isInput(w word) bool {
	base := path.Base(w.text)
	return strings.HasPrefix(w.lead, "/dev/") && w.text != "/dev/null" || strings.HasPrefix(w.lead, "/proc/") || w.feeds || base == "stdin" || strings.Contains(w.text, "fd/")
}

// shell looks into what a shell is given to run.
func (r *reader) shell(name string, args []word, a at, outer *state) bool {
	line := false
	st := state{most: Same, dir: outer.dir, lost: outer.lost, fed: outer.fed}
	for len(args) > 0 && args[0].literal && len(args[0].text) > 1 && strings.ContainsAny(args[0].text[:1], "-+") {
		text := args[0].text
		if args = args[1:]; text == "--" {
			break
		}
		if text == "--version" || text == "--help" {
			return true
		}
		if strings.HasPrefix(text, "--") {
			if !has("--login --noprofile --norc --posix", text) {
				r.hide(Flag, name+" "+text)
				a.ends = Unknown
			}
			continue
		}
		for _, letter := range text[1:] {
			switch {
			case letter == 'c' && text[0] == '-':
				line = true
			case letter == 'o' && len(args) > 0:
				st.option(args[0], text[0] == '-')
				args = args[1:]
			case strings.ContainsRune("leuxvfn", letter):
				st.letter(letter, text[0] == '-')
			case letter == 's' && len(args) == 0:
			default:
				r.hide(Flag, name+" "+text)
				a.ends = Unknown
			}
		}
	}
	switch {
	case line && len(args) > 0:
		return r.innerLine(args[0], a, st)
	case len(args) == 0:
		return r.input(a, st)
	}
	return r.file(name, args[0])
}

// file notes a file that an interpreter is given to run.
func (r *reader) file(name string, w word) bool {
	if isInput(w) || w.text == "-" || strings.HasPrefix(w.lead, "-") || !w.literal && (!w.solid || w.lead == "" && w.base == "") {
		return r.hide(Script, name+" "+w.text)
	}
	r.script(w)
	return true
}

// script notes a script. One that the line itself writes is hidden: its text stands in the line, and is not read.
func (r *reader) script(w word) {
	r.Scripts = append(r.Scripts, w.text)
	if slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == "" || path.Base(f.Path) == path.Base(w.text) }) {
		r.hide(Written, w.text)
	}
}

// option sets an option of a shell by its name.
func (st *state) option(w word, on bool) {
	switch {
	case !w.literal:
		st.unset()
	case w.text == "pipefail":
		st.pipefail, st.maybePipefail = on, on
	case w.text == "errexit":
		st.letter('e', on)
	case w.text == "nounset":
		st.letter('u', on)
	case w.text == "noexec", w.text == "onecmd":
		st.most = Unknown
	}
}

// unset notes that the options are not known.
func (st *state) unset() {
	st.pipefail, st.errexit, st.maybePipefail, st.maybeErrexit = false, false, true, true
	st.most = Unknown
}

// letter sets an option of a shell by its letter.
func (st *state) letter(letter rune, on bool) {
	switch letter {
	case 'e':
		st.errexit, st.maybeErrexit = on, on
	case 'u':
		st.most = min(st.most, Zero)
	case 'n', 't':
		st.most = Unknown
	}
}

// set is the command of that name.
func (r *reader) set(args []word, st *state) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if text := w.text; w.literal && (len(text) < 2 || text == "--" || text[0] != '-' && text[0] != '+') {
			return
		}
		if !w.literal {
			if !strings.HasPrefix(w.lead, "-") && w.lead != "" {
				return
			}
			st.unset()
			r.hide(Options, "set "+w.text)
			return
		}
		for _, letter := range w.text[1:] {
			switch {
			case letter == 'o' && i+1 < len(args):
				i++
				if st.option(args[i], w.text[0] == '-'); !has("pipefail errexit nounset xtrace noglob verbose", args[i].text) {
					r.hide(Options, "set -o "+args[i].text)
				}
			case !strings.ContainsRune("euxvfEmCo", letter):
				r.hide(Options, "set "+w.text)
			}
			st.letter(letter, w.text[0] == '-')
		}
	}
}

// again adds the commands of a text that the shell itself reads at another time. Nothing is known of what follows.
func (r *reader) again(w word, a at, st *state) {
	if !w.literal || a.deep == maxDeep {
		st.most = Unknown
		r.hide(NoLine, w.text)
		return
	}
	names := len(r.texts)
	after, ok := r.within(w.text, a.deep+1, *st, Unknown, true)
	if st.most = min(st.most, after.most); !ok {
		r.hide(Bash, w.text)
	}
	if len(r.texts) != names { // a variable that arithmetic of the line may have
		r.hide(Again, w.text)
	}
}

// builtins are the commands that change the shell, or evaluate a name.
var builtins = set("eval set shopt exit return logout kill alias hash unset read getopts wait mapfile readarray printf test [ declare typeset local export readonly cd pushd popd trap source .")

// renames are those that change what a name means. More than their names is not read.
var renames = set("enable suspend unalias unsetopt setopt disable let fc bind caller complete compgen compopt")

// builtin looks at a command of the shell.
func (r *reader) builtin(name string, args []word, a at, st *state) bool {
	first := word{literal: true}
	if len(args) > 0 {
		first = args[0]
	}
	all := func() string { return strings.TrimSpace(name + " " + join(args).text) }
	switch name {
	case "eval":
		if st.most = Unknown; len(args) > 0 {
			r.again(join(args), a, st)
			st.most = Unknown
			r.hide(Again, all())
		}
	case "set":
		r.set(args, st)
	case "shopt":
		for _, w := range args {
			if !w.literal || !has("-s -u -q nullglob globstar dotglob failglob nocaseglob nocasematch inherit_errexit", w.text) {
				st.unset()
				r.hide(Options, all())
			}
		}
	case "exit", "return", "logout":
		if st.most = min(st.most, Zero); !first.literal || !failure(first.text) {
			st.most = Unknown
		}
	case "kill":
		st.most = min(st.most, Zero)
	case "hash", "alias":
		st.most = Unknown
		if name == "hash" && len(args) == 1 && first.text == "-r" || name == "alias" && len(args) == 1 && r.alias(first) {
			break
		}
		if _, text, is := strings.Cut(first.text, "="); is && first.literal && name == "alias" {
			r.again(literalWord(text), a, st)
		}
		r.hide(Renamed, all())
	case "unset", "read", "getopts", "wait", "mapfile", "readarray", "printf", "test", "[", "declare", "typeset", "local", "export", "readonly":
		r.evaluated(name, args)
	case "cd", "pushd":
		for len(args) > 1 && strings.HasPrefix(args[0].text, "-") {
			args = args[1:]
		}
		if st.cd(args); strings.HasPrefix(st.dir, "/dev") || strings.HasPrefix(st.dir, "/proc") {
			r.hide(Script, st.dir)
		}
	case "popd":
		st.lost = true
	case "trap":
		if first.text == "--" && len(args) > 1 {
			args = args[1:]
			first = args[0]
		}
		if !first.literal || len(args) > 1 && first.text != "-" && first.text != "" {
			r.again(first, a, st)
		}
	case "source", ".":
		if len(args) == 0 || !r.file(name, first) || isInput(first) || !first.literal && !first.solid {
			st.most = Unknown
		}
	default:
		if renames[name] {
			st.most = Unknown
			r.hide(Renamed, all())
		}
		return renames[name]
	}
	return true
}

// evaluated hides a command that takes a name, if a shell may evaluate the word that is given for one.
func (r *reader) evaluated(name string, args []word) {
	first := word{literal: true}
	if len(args) > 0 {
		first = args[0]
	}
	all := func() string { return strings.TrimSpace(name + " " + join(args).text) }
	flagged := func(known string) {
		for _, w := range args {
			if strings.HasPrefix(w.lead, "-") && (!w.literal || !has(known, w.text)) {
				r.hide(Flag, all())
			}
		}
	}
	switch name {
	case "unset", "read", "getopts", "wait", "mapfile", "readarray":
		flagged(map[string]string{"unset": "-v", "read": "-r -s -p -t -n -d -a -ra -rs -rp -er", "mapfile": "-t -d -n", "readarray": "-t -d -n", "wait": "-n"}[name])
		for i, w := range args {
			text := i > 0 && has("-p -rp -d -t -n", args[i-1].text)
			if w.literal && strings.Contains(w.text, "[") && !text || !w.literal && !w.solid && (name != "wait" || !waits().MatchString(w.text)) || !w.literal && !text && name != "wait" {
				r.hide(Evaluated, all())
			}
		}
	case "printf":
		if len(args) > 1 && strings.HasPrefix(first.lead, "-v") && !identifier().MatchString(args[1].text) || !first.literal && first.lead == "" && !first.solid || strings.HasPrefix(first.lead, "-v") && first.text != "-v" {
			r.hide(Evaluated, all())
		}
	case "test", "[":
		for i, w := range args {
			if w.text == "-v" || w.text == "-R" || !w.literal && !w.solid && i == 0 && len(args) > 2 && strings.Contains(w.text, "[@]") {
				r.hide(Evaluated, all())
			}
		}
	case "declare", "typeset", "local", "export", "readonly": // behind a runner such as command
		r.hide(Evaluated, all())
	}
}

// alias reads an alias: it is plain if its name stands nowhere else in the line, and its words run nothing whatever words are added to them.
func (r *reader) alias(w word) bool {
	m := aliased().FindStringSubmatch(w.text)
	if !w.literal || m == nil || known(m[1]) || r.functions[m[1]] || syntax.IsKeyword(m[1]) || strings.Count(r.root, m[1]) != 1 {
		return false
	}
	hidden := len(r.Hidden)
	words := strings.Fields(m[2])
	return r.command(literals(words), at{more: true}, &state{most: Same}) && hidden == len(r.Hidden)
}

// finds are the tests of find that take a word.
const finds = "-name -iname -path -ipath -wholename -regex -iregex -newer -type -mtime -mmin -size -maxdepth -mindepth -perm -user -group -newermt -o -not ! -prune"

// found adds the commands that find runs.
func (r *reader) found(all []word, a at) bool {
	ok := true
	ends := func(w word) bool { return w.text == ";" || w.text == "+" }
	for i := 0; i < len(all); i++ {
		w := all[i]
		if !w.literal && w.lead == "" && (i == 0 && !w.solid && slices.ContainsFunc(all, ends) || i > 0 && !has(finds, all[i-1].text) && !globbed(w)) {
			r.hide(Unsure, "find "+w.text)
		}
		if !has("-exec -execdir -ok -okdir", w.text) {
			continue
		}
		run := all[i+1:]
		if at := slices.IndexFunc(run, ends); at >= 0 {
			run = run[:at]
		}
		i += len(run) + 1
		ok = r.command(replaced(run, "{}"), at{deep: a.deep, program: true}, &state{lost: true}) && ok
	}
	return ok
}

// literals are literal words.
func literals(words []string) []word {
	out := make([]word, len(words))
	for i, w := range words {
		out[i] = literalWord(w)
	}
	return out
}
