package clikit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Completion writes a script that completes the flags of the given tools, their
// commands, the words a flag takes where there is a short list, and file names
// elsewhere. The shell is bash, zsh or fish. The script stands alone: completing runs no tool.
func Completion(w io.Writer, shell string, tools []Tool) error {
	var b strings.Builder
	switch shell {
	case "bash":
		for _, t := range tools {
			bashCompletion(&b, t)
		}
	case "zsh":
		zshCompletion(&b, tools)
	case "fish":
		for _, t := range tools {
			fishCompletion(&b, t)
		}
	default:
		return UsageError("no completion for shell %q: want bash, zsh, fish", shell)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing completion: %w", err)
	}
	return nil
}

// bashCompletion defines one function a tool. It asks nothing of the
// bash-completion package, and is content with bash 3.2.
func bashCompletion(b *strings.Builder, t Tool) {
	const files, words = "compgen -f -- \"$cur\"", "compgen -W %s -- \"$cur\""
	fn := "_" + strings.ReplaceAll(t.Name, "-", "_")
	docs := Flags(t)
	all := dashedAll(docs)
	fmt.Fprintf(b, "%s() {\n", fn)
	b.WriteString("\tlocal IFS=$'\\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n")
	b.WriteString("\tcase $prev in\n")
	for _, d := range docs {
		if !d.TakesValue {
			continue
		}
		reply := files
		if len(d.Words) > 0 {
			reply = fmt.Sprintf(words, ShellQuote(strings.Join(d.Words, "\n")))
		}
		fmt.Fprintf(b, "\t%s)\n\t\tCOMPREPLY=($(%s))\n\t\treturn ;;\n", strings.Join(d.dashed(), "|"), reply)
	}
	b.WriteString("\tesac\n\tcase $cur in\n")
	b.WriteString("\t-*)\n\t\tcase ${COMP_WORDS[1]} in\n")
	for _, c := range t.Commands { // each has some of the flags
		fmt.Fprintf(b, "\t\t%s) COMPREPLY=($(%s)) ;;\n", c.Name, fmt.Sprintf(words, ShellQuote(strings.Join(dashedAll(Flags(c)), "\n"))))
	}
	fmt.Fprintf(b, "\t\t*) COMPREPLY=($(%s)) ;;\n\t\tesac ;;\n", fmt.Sprintf(words, ShellQuote(strings.Join(all, "\n"))))
	if len(t.Commands) > 0 {
		list := fmt.Sprintf(words, ShellQuote(strings.Join(t.commandNames(), "\n")))
		fmt.Fprintf(b, "\t*) if [ \"$COMP_CWORD\" = 1 ]; then\n\t\tCOMPREPLY=($(%s))\n\telse\n\t\tCOMPREPLY=($(%s))\n\tfi ;;\n\tesac\n}\n", list, files)
	} else {
		fmt.Fprintf(b, "\t*) COMPREPLY=($(%s)) ;;\n\tesac\n}\n", files)
	}
	fmt.Fprintf(b, "complete -o filenames -F %s %s\n", fn, t.Name)
}

func zshCompletion(b *strings.Builder, tools []Tool) {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	fmt.Fprintf(b, "#compdef %s\n\ncase $service in\n", strings.Join(names, " "))
	for _, t := range tools {
		fmt.Fprintf(b, "%s)\n\t_arguments -s", t.Name)
		for _, d := range Flags(t) {
			for _, flag := range d.dashed() {
				b.WriteString(" \\\n\t\t" + ShellQuote(zshSpec(d, flag)))
			}
		}
		if len(t.Commands) > 0 {
			b.WriteString(" \\\n\t\t" + ShellQuote("1:command:("+strings.Join(t.commandNames(), " ")+")"))
		}
		b.WriteString(" \\\n\t\t'*:file:_files'\n\t;;\n")
	}
	b.WriteString("esac\n")
}

// zshSpec is an argument of zsh's _arguments: one flag with its usage and value.
func zshSpec(d FlagDoc, flag string) string {
	escape := strings.NewReplacer(`\`, `\\`, `:`, `\:`, `[`, `\[`, `]`, `\]`)
	eq := ""
	if d.TakesValue && strings.HasPrefix(flag, "--") {
		eq = "="
	}
	spec := fmt.Sprintf("*%s%s[%s]", flag, eq, escape.Replace(d.Usage))
	switch {
	case len(d.Words) > 0:
		spec += fmt.Sprintf(":%s:(%s)", escape.Replace(d.ValueName), strings.Join(d.Words, " "))
	case d.TakesValue:
		spec += fmt.Sprintf(":%s:_files", escape.Replace(d.ValueName))
	}
	return spec
}

func fishCompletion(b *strings.Builder, t Tool) {
	for _, c := range t.Commands {
		fmt.Fprintf(b, "complete -c %s -n __fish_use_subcommand -f -a %s -d %s\n", t.Name, c.Name, fishQuote(c.Summary))
	}
	for _, d := range Flags(t) {
		fmt.Fprintf(b, "complete -c %s%s", t.Name, fishCondition(t, d))
		for _, n := range d.Names {
			kind := "l"
			if utf8.RuneCountInString(n) == 1 {
				kind = "s"
			}
			fmt.Fprintf(b, " -%s %s", kind, n)
		}
		switch {
		case len(d.Words) > 0:
			fmt.Fprintf(b, " -x -a %s", fishQuote(strings.Join(d.Words, " ")))
		case d.TakesValue:
			b.WriteString(" -r -F")
		}
		fmt.Fprintf(b, " -d %s\n", fishQuote(d.Usage))
	}
}

// fishCondition is the condition under which a flag is offered: a command that has it
// stands before. One that all of them have is always offered.
func fishCondition(t Tool, d FlagDoc) string {
	var with []string
	for _, c := range t.Commands {
		if slices.ContainsFunc(Flags(c), func(o FlagDoc) bool { return o.Names[0] == d.Names[0] }) {
			with = append(with, c.Name)
		}
	}
	if len(with) == len(t.Commands) {
		return ""
	}
	return " -n " + fishQuote("__fish_seen_subcommand_from "+strings.Join(with, " "))
}

func dashedAll(docs []FlagDoc) []string {
	var all []string
	for _, d := range docs {
		all = append(all, d.dashed()...)
	}
	return all
}

// dashed returns the names as they stand on a command line.
func (d FlagDoc) dashed() []string {
	out := make([]string, len(d.Names))
	for i, n := range d.Names {
		out[i] = dashed(n)
	}
	return out
}

// ShellQuote quotes s for a POSIX shell, bash and zsh among them.
func ShellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishQuote quotes s for fish, whose single quotes know a backslash.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// completionFlag makes a tool print the script that completes its flags in the
// shell named by the one argument behind it. It is there for installers, so that
// what they install is what the tool takes, and --help does not list it.
const completionFlag = "--completion"

// asksCompletion returns the shell that args want a script for, and whether they
// do. The flag counts only alone on the command line: elsewhere it is unknown.
func asksCompletion(args []string) (shell string, ok bool) {
	if len(args) != 2 || args[0] != completionFlag {
		return "", false
	}
	return args[1], true
}
