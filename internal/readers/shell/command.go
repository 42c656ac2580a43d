package shell

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sess-tools/sess/internal/core/lazy"
)

// shells read a command line.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "yash", "oksh", "rbash", "posh", "fish", "csh", "tcsh", "nu", "elvish", "xonsh"}

// A foreign shell has another grammar than bash. The two read a line alike as long as no word and no character stands in it that one of
// them may read in another way.
type foreign struct {
	same  string // the characters beside letters, digits and blanks that mean the same in both
	words string // the words that mean something here, and not in bash
}

// likeBash are the characters that most foreign shells read as bash does.
const likeBash = `-_./=,+;&|<>'"~$` + "\n"

// foreigns are the foreign shells, as their manuals describe them. In cmd an apostrophe is no quote.
var foreigns = map[string]foreign{
	"fish": {likeBash, "and or not begin end if else switch case for while function set source . alias abbr"},
	"csh":  {likeBash, "if else endif end foreach while switch case default breaksw repeat set unset alias unalias source onintr sched"},
	"tcsh": {likeBash, "if else endif end foreach while switch case default breaksw repeat set unset alias unalias source onintr sched complete"},
	"nu":   {likeBash, "if else for while loop match def let mut const do try run-external exec alias source use each"}, "elvish": {likeBash, "if for while try fn set var each exec use del"},
	"xonsh": {likeBash, "if for while def with import from in and or not source aliases"},
	"cmd":   {`-_./\=,+;&|<>"~:@` + "\n", "if else for do set call start goto not exist in"},
}

// reads reports whether bash reads a line as a foreign shell does.
func (f foreign) reads(line string) bool {
	if strings.ContainsFunc(line, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && !strings.ContainsRune(f.same, r)
	}) {
		return false
	}
	return !slices.ContainsFunc(strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \n;&|<>'\"", r) }), func(w string) bool {
		is, _ := hasFlag(f.words, w)
		return is
	})
}

// command adds a simple command. ok is false if a command line within it is none.
func (r *reader) command(all []word, a at, st *state) (ok bool) {
	if len(all) == 0 {
		return true
	}
	if len(r.Commands)+len(r.Perhaps) > maxCommands {
		r.Opaque = true
		return true
	}
	all = slices.Clone(all)
	if w := all[0]; !w.literal && w.base != "" {
		all[0] = literalWord(w.base)
	}
	if !all[0].literal {
		r.Opaque = true
		r.add(all, a)
		st.most = Unknown // it may be exit
		return true
	}
	name := program(all[0].text)
	if r.functions[name] {
		a.ends, st.most = Unknown, Unknown
		r.add(all, a)
		return true
	}
	if sub, is := strings.CutPrefix(name, "git-"); is && sub != "" {
		all = append([]word{all[0], literalWord(sub)}, all[1:]...)
		name = "git"
	}
	if name == "bun" && len(all) > 1 && all[1].text == "x" {
		all, name = all[1:], "bunx"
	}
	all[0] = literalWord(name)
	if name == "git" {
		if all, ok = r.git(all, a, st); all == nil {
			return ok
		}
	}
	if name == "command" && len(all) > 1 && strings.HasPrefix(all[1].text, "-") && strings.ContainsAny(all[1].text, "vV") {
		r.add(all, a) // it looks one up
		return true
	}
	for _, run := range byName()[name] {
		if args, is := run.subcommand(all[1:]); is {
			return r.run(run, all, args, a, st)
		}
	}
	r.add(all, a)
	r.changed(all, st)
	switch {
	case slices.Contains(shells, name):
		return r.script(name, all[1:], a, st)
	case name == "eval":
		return r.eval(all[1:], a, st)
	case name == "find":
		return r.found(all[1:], a)
	case name == "awk" || name == "gawk" || name == "mawk" || name == "nawk" || name == "sed" || name == "gsed":
		for i, w := range all[1:] {
			r.Opaque = r.Opaque || executes(name, w.text) || isInput(w) && (all[i].text == "-f" || all[i].text == "--file")
		}
	case scheduled(name, all[1:]):
		a.ends = Unknown
		return r.input(a, state{most: Same})
	case name == "crontab" || name == "make" || name == "gmake":
		r.Opaque = r.Opaque || slices.ContainsFunc(all[1:], func(w word) bool { return isInput(w) || w.text == "-f-" || w.text == "--file=-" })
		r.perhaps(all[1:])
	case r.builtin(name, all[1:], a, st), r.interpreted(all), texts[name]:
	default:
		r.perhaps(all[1:])
	}
	return true
}

// add notes a command.
func (r *reader) add(all []word, a at) {
	c := Command{Words: make([]string, len(all)), Ends: a.ends, Maybe: a.maybe || r.maybe, Group: r.group, literal: true}
	var lead strings.Builder
	for i, w := range all {
		c.Words[i] = w.text
		if !c.literal {
			continue
		}
		if i > 0 {
			lead.WriteByte(' ')
		}
		if c.literal = w.literal; w.literal {
			lead.WriteString(w.text)
		} else {
			lead.WriteString(w.lead)
		}
	}
	if c.literal && a.more {
		c.literal = false
		lead.WriteByte(' ')
	}
	c.lead = lead.String()
	r.Commands = append(r.Commands, c)
}

// scheduled reports whether at or batch read a command line for later on standard input.
func scheduled(name string, args []word) bool {
	return (name == "at" || name == "batch") && !slices.ContainsFunc(args, func(w word) bool {
		return slices.Contains([]string{"-f", "-l", "-d", "-r", "-c", "-V"}, w.text)
	})
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

// run adds what a runner runs.
func (r *reader) run(run runner, all, args []word, a at, st *state) bool {
	begins, lines := run.starts(args)
	if !run.prefix || len(begins)+len(lines) == 0 {
		r.add(all, a)
	}
	inner := a
	if inner.ends = min(a.ends, run.ends); len(begins)+len(lines) > 1 {
		inner.ends, inner.maybe = Unknown, true
	}
	ok := true
	for _, line := range lines {
		line.text = strings.TrimPrefix(line.text, "exec=") // of tar
		if rest, is := strings.CutPrefix(line.text, "!"); is && !strings.HasPrefix(rest, " ") {
			line.text = rest // of gdb
		}
		ok = r.innerLine(line, inner, state{most: Same, dir: st.dir, lost: st.lost}) && ok
	}
	for _, i := range begins {
		rest, with := args[i:], inner
		if run.adds {
			rest, with.more = markReplaced(run, args[:i], rest)
		}
		own := state{most: Same, dir: st.dir, lost: st.lost}
		switch {
		case run.name == "parallel" && rest[0].text == ":::":
			for _, w := range rest[1:] {
				ok = r.innerLine(w, with, own) && ok
			}
		case run.rest == asLine:
			with.shell = run.name
			ok = r.joined(rest, with, own) && ok
		case slices.Contains([]string{"command", "builtin", "noglob", "nocorrect", "time"}, run.name):
			ok = r.command(rest, with, st) && ok
		default:
			ok = r.command(rest, with, &own) && ok
		}
		if run.name == "exec" {
			st.most = Unknown // nothing follows
		}
	}
	if len(begins)+len(lines) == 0 {
		switch name := run.name; {
		case name == "ssh" || name == "wsl" || name == "sudo" && slices.ContainsFunc(args, func(w word) bool { return w.text == "-s" || w.text == "-i" }),
			name == "su" && len(args) < 3, name == "parallel", name == "nix-shell" && len(args) == 0:
			return r.input(a, state{most: Same})
		}
	}
	return ok
}

// joined adds the commands of a command line that is made of words.
func (r *reader) joined(all []word, a at, st state) bool {
	line := join(all)
	if !line.literal && all[0].literal && len(all) > 1 {
		return r.command(all, at{ends: Unknown, deep: a.deep, maybe: a.maybe, more: a.more}, &st) && r.hide()
	}
	if a.more && line.literal {
		line.text += " \"$@\""
	}
	return r.innerLine(line, a, st)
}

func (r *reader) hide() bool {
	r.Opaque = true
	return true
}

// markReplaced returns the words of the command that xargs or parallel runs, and marks as not literal those in which it puts an
// argument in the place of a mark, such as {}. more says that it adds arguments behind the words.
func markReplaced(run runner, flags, rest []word) (out []word, more bool) {
	out, more = slices.Clone(rest), true
	marks := []string{}
	if run.name == "xargs" {
		for i, w := range flags {
			switch text := w.text; {
			case (text == "-I" || text == "-J") && i+1 < len(flags):
				marks = append(marks, flags[i+1].text)
			case text == "-i" || text == "--replace":
				marks = append(marks, "{}")
			case strings.HasPrefix(text, "--replace="):
				marks = append(marks, text[len("--replace="):])
			case strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "--"):
				if at := strings.IndexAny(text, "Ii"); at >= 0 {
					marks = append(marks, text[at+1:])
				}
			}
		}
		more = len(marks) == 0
	} else {
		marks = []string{"{"}
		at := slices.IndexFunc(out, func(w word) bool { return strings.HasPrefix(w.text, ":::") })
		if at == 0 {
			return out, false
		}
		if at > 0 {
			out = out[:at]
		}
	}
	for _, mark := range marks {
		blank(out, mark)
	}
	return out, more
}

// blank marks the words that have a text in whose place another one is put.
func blank(all []word, mark string) {
	for i := range all {
		if at := strings.Index(all[i].text, mark); at >= 0 && mark != "" {
			all[i].literal = false
			all[i].lead = all[i].lead[:min(at, len(all[i].lead))]
		}
	}
}

// innerLine adds the commands of a command line that is a word.
func (r *reader) innerLine(w word, a at, st state) bool {
	if !w.literal || a.deep == maxDeep {
		return r.hide()
	}
	foreign, is := foreigns[a.shell]
	reads := !is || foreign.reads(w.text)
	if !reads {
		a.ends = Unknown
	}
	outer := r.maybe
	r.maybe = r.maybe || a.maybe
	ok := r.parse(w.text, a.deep+1, st, a.ends, false)
	r.maybe = outer
	if is && (!reads || !ok) {
		r.Foreign = append(r.Foreign, w.text)
		return r.hide()
	}
	return ok
}

// input adds the commands that a shell reads from its standard input.
func (r *reader) input(a at, st state) bool {
	input, ok := standardInput(a.redirects)
	if !ok {
		return r.hide() // a pipe, or what the user types
	}
	return r.innerLine(input, a, st)
}

// isInput reports whether a file is the standard input, or what a command prints.
func isInput(w word) bool {
	return w.text == "-" || w.text == "/dev/stdin" || strings.HasPrefix(w.lead, "/dev/fd/") || strings.HasPrefix(w.lead, "/proc/self/fd/")
}

// script looks into what a shell is given to run.
func (r *reader) script(name string, args []word, a at, outer *state) bool {
	line, input := false, false
	a.shell = name
	st := state{most: Same, dir: outer.dir, lost: outer.lost}
	for len(args) > 0 && args[0].literal && len(args[0].text) > 1 && (args[0].text[0] == '-' || args[0].text[0] == '+') {
		text := args[0].text
		args = args[1:]
		if text == "--" {
			break
		}
		if long, is := strings.CutPrefix(text, "--"); is {
			switch long, value, joins := strings.Cut(long, "="); long {
			case "rcfile", "init-file":
				args = args[min(1, len(args)):]
			case "version", "help":
				return true
			case "command", "init-command", "commands":
				if line = true; joins {
					args = append([]word{literalWord(value)}, args...)
				}
			}
			continue
		}
		for _, letter := range text[1:] {
			switch letter {
			case 'c', 'C':
				line = line || text[0] == '-' && (letter == 'c' || name == "fish")
			case 's':
				input = true
			case 'o', 'O':
				if len(args) > 0 {
					st.option(args[0], text[0] == '-')
					args = args[1:]
				}
			default:
				st.letter(letter, text[0] == '-')
			}
		}
	}
	switch {
	case line && len(args) > 0:
		return r.innerLine(args[0], a, st)
	case line:
		return !a.more || r.hide()
	case len(args) > 0 && !input && !isInput(args[0]):
		if w := args[0]; !w.literal && (w.feeds || !w.solid) {
			return r.hide()
		}
		return true // a file
	case a.more:
		return r.hide()
	}
	return r.input(a, st)
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
func (st *state) set(args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if !w.literal && w.lead == "" {
			if !w.solid {
				st.unset()
			}
			return
		}
		if text := w.text; len(text) < 2 || text[0] != '-' && text[0] != '+' || text == "--" {
			return
		}
		for _, letter := range w.text[1:] {
			if letter == 'o' && i+1 < len(args) {
				i++
				st.option(args[i], w.text[0] == '-')
				continue
			}
			st.letter(letter, w.text[0] == '-')
		}
	}
}

// eval adds what its words say when they are read again.
func (r *reader) eval(args []word, a at, st *state) bool {
	line := join(args)
	if line.text == "" {
		return true
	}
	if !line.literal || a.deep == maxDeep {
		st.most = Unknown
		return r.hide()
	}
	after, ok := r.within(line.text, a.deep+1, *st, a.ends, true)
	*st = after
	return ok
}

// builtin looks at a command of the shell that changes what follows.
func (r *reader) builtin(name string, args []word, a at, st *state) bool {
	first := word{literal: true}
	if len(args) > 0 {
		first = args[0]
	}
	switch name {
	case "set":
		st.set(args)
	case "shopt":
		if slices.ContainsFunc(args, func(w word) bool {
			return !w.literal || strings.HasPrefix(w.text, "-") && strings.Contains(w.text, "o")
		}) {
			st.unset()
		}
	case "exit", "return", "logout":
		if st.most = min(st.most, Zero); !first.literal || !failure(first.text) {
			st.most = Unknown
		}
	case "kill":
		st.most = min(st.most, Zero)
	case "enable", "hash", "suspend", "unalias":
		st.most = Unknown
	case "alias":
		for _, w := range args {
			if alias, value, is := strings.Cut(w.text, "="); is {
				r.functions[alias] = true
				r.perhapsLine(value)
			}
		}
	case "cd", "pushd":
		for len(args) > 1 && strings.HasPrefix(args[0].text, "-") {
			args = args[1:]
		}
		st.cd(args)
	case "popd":
		st.lost = true
	case "trap":
		if first.text == "--" && len(args) > 1 {
			first = args[1]
		}
		switch {
		case !first.literal:
			st.most, r.Opaque = Unknown, true
		case len(args) > 1 && first.text != "-" && first.text != "":
			after, ok := r.within(first.text, min(a.deep+1, maxDeep), *st, Unknown, true)
			st.most = min(st.most, after.most)
			r.Opaque = r.Opaque || !ok
		}
	case "source", ".":
		switch {
		case isInput(first) && a.deep < maxDeep:
			input, is := standardInput(a.redirects)
			after, ok := *st, false
			if is && input.literal {
				after, ok = r.within(input.text, a.deep+1, *st, a.ends, true)
			}
			*st = after
			if !ok {
				r.Opaque, st.most = true, Unknown
			}
		case !first.literal && (first.feeds || !first.solid):
			r.Opaque, st.most = true, Unknown
		}
	default:
		return false
	}
	return true
}

// found adds the commands that find runs.
func (r *reader) found(all []word, a at) bool {
	ok := true
	for i := 0; i < len(all); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, all[i].text) {
			continue
		}
		from := i + 1
		for i = from; i < len(all) && all[i].text != ";" && all[i].text != "+"; {
			i++
		}
		run := slices.Clone(all[from:i])
		blank(run, "{}")
		ok = r.command(run, at{deep: a.deep, maybe: a.maybe}, &state{lost: true}) && ok
	}
	return ok
}

// gitFlags are the flags of git in front of its command that take a word.
var gitFlags = []string{"-C", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--attr-source", "--list-cmds"}

// git takes the flags off that stand in front of the command of git, and reads an alias that one of them makes. It returns
// nil if that was all.
func (r *reader) git(all []word, a at, st *state) (rest []word, ok bool) {
	aliases := map[string]word{}
	args := all[1:]
	for len(args) > 0 && strings.HasPrefix(args[0].lead, "-") {
		flag := args[0].text
		args = args[1:]
		switch {
		case flag == "-c" && len(args) > 0:
			key, value, _ := strings.Cut(args[0].lead, "=")
			name, is := strings.CutPrefix(strings.ToLower(key), "alias.")
			switch {
			case is:
				aliases[name] = word{text: value, lead: value, literal: args[0].literal}
			case !args[0].literal && key == args[0].lead:
				r.Opaque = true
			default:
				r.perhapsLine(value)
			}
			args = args[1:]
		case strings.HasPrefix(flag, "--config-env"):
			r.Opaque = true
			if flag == "--config-env" {
				args = args[min(1, len(args)):]
			}
		case slices.Contains(gitFlags, flag):
			args = args[min(1, len(args)):]
		}
	}
	all = append(all[:1:1], args...)
	if len(args) == 0 {
		return all, true
	}
	if args[0].text == "config" {
		for i, w := range args[1:] {
			if strings.HasPrefix(strings.ToLower(w.text), "alias.") && i+2 < len(args) {
				r.perhapsGit(args[i+2])
			}
		}
	}
	value, is := aliases[strings.ToLower(args[0].text)]
	if !is {
		return all, true
	}
	r.add(all, a)
	if line, shell := strings.CutPrefix(value.text, "!"); shell || !value.literal || a.deep == maxDeep {
		value.text = line
		return nil, r.innerLine(value, a, state{most: Same})
	}
	a.deep++
	w := make([]word, 0, len(args))
	for text := range strings.FieldsSeq(value.text) {
		w = append(w, literalWord(strings.Trim(text, `'"`)))
	}
	return nil, r.command(append(append(all[:1:1], w...), args[1:]...), a, st)
}

// texts are programs that run nothing that their arguments say.
var texts = set(lookers + ` git glab hub tldr mkdir rmdir rm cp mv touch ln chmod chown local declare readonly typeset let bg fg tee logger wall say
	notify-send pbcopy xclip wget go gofmt sess-append sess-turn`)

// perhaps notes the arguments of a program that are command lines.
func (r *reader) perhaps(args []word) {
	for _, w := range args {
		if !w.literal {
			continue
		}
		r.perhapsLine(w.text)
		for _, sign := range []string{"=", ":"} {
			if _, value, is := strings.Cut(w.text, sign); is {
				r.perhapsLine(value)
			}
		}
	}
}

// perhapsLine notes the commands of a text that may be a command line.
func (r *reader) perhapsLine(text string) {
	const most = 64 << 10
	text = strings.TrimLeft(text, ":!")
	if r.inner || len(text) > most || !strings.ContainsFunc(text, unicode.IsSpace) {
		return
	}
	in := newReader()
	in.inner = true
	if in.parse(text, maxDeep-1, state{}, Unknown, false) {
		r.Perhaps = append(append(r.Perhaps, in.Commands...), in.Perhaps...)
	}
}

// perhapsGit notes what an alias of git stands for.
func (r *reader) perhapsGit(w word) {
	if line, shell := strings.CutPrefix(w.text, "!"); shell {
		r.perhapsLine(line)
		return
	}
	r.Perhaps = append(r.Perhaps, Of(append([]string{"git"}, strings.Fields(w.text)...)...))
}

// Behind returns the words from each on that begins with a text, behind the first: what a program may run that is
// not known here.
func (c Command) Behind(begins string) (lines []string) {
	if begins == "" || len(c.Words) == 0 || texts[c.Words[0]] || byName()[c.Words[0]] != nil || c.Words[0] == "find" || interpreters[trimmed(c.Words[0])] != nil {
		return nil
	}
	for i, w := range c.Words[1:] {
		if strings.HasPrefix(program(w), begins) {
			lines = append(lines, strings.Join(append([]string{program(w)}, c.Words[i+2:]...), " "))
		}
	}
	return lines
}

// An interpreter runs a program that is an argument of a flag, or comes on standard input.
type interpreter struct {
	program string // the flags, as of runner, that have it
	takes   string // those that take a word
	last    string // those behind which a module or a file is meant
}

var interpreters = map[string]*interpreter{
	"python": {"c", "W X Q check-hash-based-pycs", "m"}, "pypy": {"c", "W X", "m"}, "ipython": {"c", "", "m"},
	"node": {"e p pe eval print", "r require C conditions import loader experimental-loader", ""}, "nodejs": {"e p pe eval print", "r require", ""},
	"bun": {"e p eval print", "", ""}, "deno": {"eval", "", ""}, "tsx": {"e p eval print", "", ""}, "ts-node": {"e p eval print", "P project", ""},
	"perl": {"e E", "I M m F x D C i", ""}, "ruby": {"e", "I r E F i", ""}, "php": {"r B R E run", "c d z", "f F"},
	"lua": {"e", "l", ""}, "luajit": {"e", "l", ""}, "osascript": {"e", "l", ""}, "rscript": {"e", "", ""}, "r": {"e", "f", ""}, "julia": {"e E eval print", "L J", ""}, "elixir": {"e eval", "r S", ""},
	"erl": {"eval", "", ""}, "groovy": {"e", "cp", ""}, "scala": {"e", "cp", ""}, "racket": {"e eval", "l", ""}, "guile": {"c e", "L l", "s"}, "tclsh": {"", "", ""}, "swift": {"e", "", ""},
	"pwsh": {}, "powershell": {}, // see power
}

// trimmed is the name of an interpreter without its version.
func trimmed(name string) string { return strings.TrimRight(strings.ToLower(name), "0123456789.") }

// interpreted notes a program for an interpreter.
func (r *reader) interpreted(all []word) bool {
	lang := trimmed(all[0].text)
	by := interpreters[lang]
	switch {
	case by == nil:
		return false
	case lang == "pwsh", lang == "powershell":
		r.power(lang, all[1:])
		return true
	}
	if len(all) > 1 && (lang == "deno" || lang == "bun") {
		r.Opaque = r.Opaque || slices.Contains([]string{"eval", "-", "-e", "-p"}, all[1].text) || slices.ContainsFunc(all[1:], isInput)
		return true
	}
	run := runner{alone: by.last, takes: by.takes, line: by.program}
	for i := 1; i < len(all); i++ {
		w := all[i]
		switch {
		case isInput(w), !w.literal && (w.feeds || !w.solid && w.lead == ""):
			r.Opaque = true
			return true
		case !strings.HasPrefix(w.lead, "-"):
			return true // a file
		case slices.Contains([]string{"--version", "-V", "-v", "--help", "-h", "-version"}, w.text):
			return true
		}
		takes, joined := run.flag(w.text)
		name := strings.TrimLeft(w.text, "-")
		if is, _ := hasFlag(by.last, name[:min(1, len(name))]); is && !strings.HasPrefix(w.text, "--") {
			return true
		}
		switch {
		case takes == takesLine, joined != "":
			r.Opaque = true
			return true
		case takes == takesWord:
			i++
		case takes == takesEither && by.programIn(name):
			r.Opaque = true
			return true
		}
	}
	r.Opaque = true // from standard input
	return true
}

// power notes what Windows PowerShell or pwsh is given to run. Their flags may be cut short, and are these of about_PowerShell_exe and
// about_pwsh.
func (r *reader) power(lang string, args []word) {
	for len(args) > 0 {
		flag := strings.ToLower(strings.TrimLeft(args[0].text, "-/"))
		begins := func(names ...string) bool {
			return flag != "" && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, flag) })
		}
		switch is := strings.HasPrefix(args[0].lead, "-") || strings.HasPrefix(args[0].lead, "/"); {
		case !is && lang == "pwsh", is && begins("file"):
			r.Opaque = r.Opaque || isInput(args[min(len(args)-1, 1)])
			return
		case is && begins("command", "cwa", "commandwithargs"), !is:
			if is {
				args = args[1:]
			}
			r.Opaque = true
			r.Foreign = append(r.Foreign, join(args).text)
			return
		case begins("version", "help", "?") && lang == "pwsh":
			return
		case begins("executionpolicy", "ep", "workingdirectory", "wd", "windowstyle", "version", "inputformat", "if", "outputformat", "of", "configurationname", "settingsfile", "psconsolefile", "custompipename"):
			args = args[min(2, len(args)):]
		case begins("encodedcommand", "ec", "enc"):
			r.Opaque = true
			return
		default:
			args = args[1:]
		}
	}
	r.Opaque = true // from standard input
}

// programIn reports whether a group of letters has one of a flag with a program.
func (by *interpreter) programIn(group string) bool {
	for _, letter := range group {
		if is, _ := hasFlag(by.takes, string(letter)); is {
			return false
		}
		if is, _ := hasFlag(by.program, string(letter)); is {
			return true
		}
	}
	return false
}

var (
	awkRuns = lazy.Regexp(`\bsystem\s*\(|[^|]\|[^|]|^\|[^|]|@load`)
	sedRuns = lazy.Regexp(`(?:^|[;{}\n/$0-9])\s*e(?:\s+\S|\s*$)|[^\\]/[gpiIm0-9]*e[gpiImw0-9]*(?:$|[;}\n])`)
)

// executes reports whether a program of awk or sed runs commands.
func executes(name, text string) bool {
	if strings.HasSuffix(name, "sed") {
		return strings.Contains(text, "e") && sedRuns().MatchString(text)
	}
	return awkRuns().MatchString(text)
}
