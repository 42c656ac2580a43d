// Package shell finds the simple commands of a shell command line, as a gate wants to
// see them: what runs, without what only says where or how.
package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Command is a simple command: a program and its arguments. An argument that is not literal is as it is
// written, "$x".
type Command []string

// String joins the words by spaces.
func (c Command) String() string { return strings.Join(c, " ") }

// Simple are the simple commands of a command line.
type Simple struct {
	Commands []Command

	// Opaque says that more may be run than Commands has: the words of a command are not literal, or a
	// program is given to an interpreter, to eval, or to another machine.
	Opaque bool
}

// The largest command line that is parsed, in bytes, and how deep a command may be one of an
// argument.
const (
	maxSize = 1 << 20
	maxDeep = 4
)

// Parse returns the simple commands of a line, in the order in which they are written. ok is false for one that
// is no command line of bash, or larger than a mebibyte. These are taken off: the directory of a program; env,
// timeout, nice, sudo, time, command, xargs, nohup and their like with their flags; and the flags of git in front of
// its command. The command of sh -c, of a here-document for sh and of find -exec is one as well.
func Parse(line string) (s Simple, ok bool) {
	ok = s.parse(line, 0)
	return s, ok
}

// parse adds the commands of a line that is an argument deep times.
func (s *Simple) parse(line string, deep int) bool {
	if len(line) > maxSize || nested(line) {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return false
	}
	ok := true
	syntax.Walk(file, func(n syntax.Node) bool {
		stmt, is := n.(*syntax.Stmt)
		if !is {
			return ok
		}
		if call, is := stmt.Cmd.(*syntax.CallExpr); is && len(call.Args) > 0 {
			ok = s.command(words(line, call.Args), stmt.Redirs, deep) && ok
		}
		return ok
	})
	return ok
}

// nested reports whether a line may be so deep that a parser that calls itself has no stack left.
func nested(line string) bool {
	deep := 0
	for _, opens := range []string{"(", "{", "[", "`", "if", "while", "until", "case", "for", "!", "time", "coproc", "select", "function"} {
		deep += strings.Count(line, opens)
	}
	return deep > 50_000
}

// A word is one of a command, and whether it is literal.
type word struct {
	text    string
	literal bool
}

func words(line string, args []*syntax.Word) []word {
	out := make([]word, len(args))
	for i, w := range args {
		text, ok := literal(w.Parts, false)
		if !ok {
			text = line[w.Pos().Offset():w.End().Offset()]
		}
		out[i] = word{text, ok}
	}
	return out
}

// literal returns what the parts of a word stand for. ok is false if the shell puts something in.
func literal(parts []syntax.WordPart, quoted bool) (text string, ok bool) {
	var b strings.Builder
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescaped(p.Value, quoted))
		case *syntax.SglQuoted:
			if p.Dollar && strings.Contains(p.Value, `\`) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			inner, ok := literal(p.Parts, true)
			if !ok {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescaped removes the backslashes that a shell removes: in quotes only those in front of special
// characters.
func unescaped(text string, quoted bool) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0) {
			if i++; text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// prefixes are programs that run the command that follows, and those of their flags that take a word.
var prefixes = map[string][]string{
	"env": {"-u", "--unset", "-C", "--chdir", "-S", "--split-string"}, "timeout": {"-k", "--kill-after", "-s", "--signal"}, "gtimeout": {"-k", "-s"},
	"nice": {"-n", "--adjustment"}, "ionice": {"-c", "-n", "-p"}, "nohup": nil, "setsid": nil, "stdbuf": {"-i", "-o", "-e"}, "time": {"-f", "-o"}, "command": nil, "exec": {"-a"}, "builtin": nil, "noglob": nil,
	"sudo":  {"-u", "--user", "-g", "--group", "-h", "--host", "-p", "--prompt", "-C", "-D", "--chdir", "-R", "-T", "-U"},
	"doas":  {"-u", "-C"},
	"xargs": {"-a", "--arg-file", "-d", "--delimiter", "-E", "-I", "-L", "-n", "--max-args", "-P", "--max-procs", "-s", "--max-chars", "--replace"},
}

// operands are how many words of a prefix are no flags, and stand in front of the command.
var operands = map[string]int{"timeout": 1, "gtimeout": 1}

// gitFlags are the flags of git in front of its command that take a word.
var gitFlags = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}

var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash"}

// interpreters run a program that is an argument of these flags, or comes on standard input.
var interpreters = map[string][]string{
	"python": {"-c"}, "python3": {"-c"}, "node": {"-e", "--eval", "-p", "--print"}, "bun": {"-e", "--eval"}, "deno": {"eval"}, "perl": {"-e", "-E"}, "ruby": {"-e"}, "php": {"-r"},
	"osascript": {"-e"}, "lua": {"-e"}, "pwsh": {"-c", "-Command"}, "powershell": {"-c", "-Command"},
}

// command adds a simple command.
func (s *Simple) command(all []word, redirects []*syntax.Redirect, deep int) bool {
	all = unwrapped(all)
	if len(all) == 0 {
		return true
	}
	if !all[0].literal {
		s.Opaque = true
	}
	all[0].text = program(all[0])
	if all[0].text == "git" {
		all = append(all[:1:1], skip(all[1:], gitFlags)...)
	}
	c := make(Command, len(all))
	for i, w := range all {
		c[i] = w.text
	}
	s.Commands = append(s.Commands, c)
	switch name := c[0]; {
	case slices.Contains(shells, name):
		return s.script(all, redirects, deep)
	case name == "eval", name == "ssh":
		s.Opaque = s.Opaque || len(all) > 1
	case name == "find":
		return s.found(all, deep)
	default:
		s.interpreted(all, redirects)
	}
	return true
}

// program is the name of a program without its directory.
func program(w word) string {
	if w.literal && strings.Contains(w.text, "/") {
		return path.Base(w.text)
	}
	return w.text
}

// unwrapped takes off the programs that run the command behind them.
func unwrapped(all []word) []word {
	for len(all) > 0 && all[0].literal {
		name := program(all[0])
		takes, is := prefixes[name]
		if !is {
			return all
		}
		if name == "command" && len(all) > 1 && strings.HasPrefix(all[1].text, "-") && all[1].text != "-p" && all[1].text != "--" {
			return all // it looks one up
		}
		rest := skip(all[1:], takes)
		if name == "env" {
			for len(rest) > 0 && strings.Contains(rest[0].text, "=") {
				rest = rest[1:]
			}
		}
		if rest = rest[min(operands[name], len(rest)):]; len(rest) == 0 {
			return all // env alone prints the environment
		}
		all = rest
	}
	return all
}

// skip takes flags off, of which some take the word behind them.
func skip(all []word, takes []string) []word {
	for len(all) > 0 && strings.HasPrefix(all[0].text, "-") && all[0].text != "-" {
		flag := all[0].text
		if all = all[1:]; flag == "--" {
			break
		}
		if slices.Contains(takes, flag) && len(all) > 0 {
			all = all[1:]
		}
	}
	return all
}

// script looks into what a shell is given to run.
func (s *Simple) script(all []word, redirects []*syntax.Redirect, deep int) bool {
	for i, w := range all[1:] {
		switch {
		case strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "c"):
			rest := skip(all[i+2:], []string{"-o", "-O"})
			if len(rest) == 0 {
				return true
			}
			return s.inner(rest[0], deep)
		case w.text == "-o", w.text == "-O", w.text == "--rcfile", w.text == "--init-file":
			continue
		case !strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "+") && (i == 0 || all[i].text != "-o" && all[i].text != "-O"):
			return true // a file
		}
	}
	input, ok := standardInput(redirects)
	if !ok {
		s.Opaque = true // a pipe, or what the user types
		return true
	}
	return s.inner(input, deep)
}

// inner adds the commands of a command line that is a word.
func (s *Simple) inner(w word, deep int) bool {
	if !w.literal || deep == maxDeep {
		s.Opaque = true
		return true
	}
	return s.parse(w.text, deep+1)
}

// standardInput returns the here-document or the here-string of a command.
func standardInput(redirects []*syntax.Redirect) (word, bool) {
	for _, r := range redirects {
		of := r.Hdoc
		if r.Op == syntax.WordHdoc {
			of = r.Word
		}
		if of != nil && (r.Hdoc != nil || r.Op == syntax.WordHdoc) {
			_, quoted := literal(r.Word.Parts, false)
			bare := quoted && r.Word.Lit() == ""
			if r.Hdoc != nil && bare {
				return word{raw(of), true}, true
			}
			text, ok := literal(of.Parts, true)
			return word{text, ok}, true
		}
	}
	return word{}, false
}

// raw returns a here-document in which nothing is special.
func raw(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// found adds the commands that find runs.
func (s *Simple) found(all []word, deep int) bool {
	for i := 0; i < len(all); i++ {
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, all[i].text) {
			continue
		}
		from := i + 1
		for i = from; i < len(all) && all[i].text != ";" && all[i].text != "+"; {
			i++
		}
		if !s.command(slices.Clone(all[from:i]), nil, deep) {
			return false
		}
	}
	return true
}

// interpreted notes a program for an interpreter.
func (s *Simple) interpreted(all []word, redirects []*syntax.Redirect) {
	flags, is := interpreters[all[0].text]
	if !is {
		return
	}
	_, input := standardInput(redirects)
	file := slices.IndexFunc(all[1:], func(w word) bool {
		return !strings.HasPrefix(w.text, "-") || slices.Contains(flags, w.text) || w.text == "-m" || w.text == "--version" || w.text == "-V" || w.text == "-v"
	})
	switch {
	case file < 0:
		s.Opaque = s.Opaque || input || len(all) == 1 || all[len(all)-1].text == "-"
	case slices.Contains(flags, all[1+file].text):
		s.Opaque = true
	}
}
