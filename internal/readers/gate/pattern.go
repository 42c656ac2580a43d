// Package gate matches calls with patterns: KIND or TOOL, with a file-name glob behind a colon for what
// the call is about, such as write:src/** or 'run:git push*', arguments in braces, TOOL{repo=prod*}, and !denied behind it for
// calls that were really made.
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/shell"
	"github.com/sess-tools/sess/pkg/js"
)

// A Pattern says which calls are meant.
type Pattern struct {
	Text string // as it was written

	kind, tool string // one of them
	named      bool   // the tool is one for sure
	tools      *calls.Glob
	made       bool // only calls that were made
	arguments  []argument
	files      *calls.Glob
	lines      *calls.Glob // for calls without files
	begins     string      // what the lines begin with, up to the first character that stands for others
}

// An argument is one that a call has to have.
type argument struct {
	path []string
	text *calls.Glob
}

// isTool says in front of a name that it is one of a tool.
const isTool = "tool:"

// A Slip is the error of a pattern that can mean no call, with what may be meant.
type Slip struct{ Text, Hint string }

func (s *Slip) Error() string { return s.Text }

// Parse reads a pattern.
func Parse(text string) (*Pattern, error) {
	p := &Pattern{Text: text}
	text, p.made = strings.CutSuffix(text, "!denied")
	text, p.named = strings.CutPrefix(text, isTool)
	end := len(text)
	if at := strings.IndexAny(text, ":{"); at >= 0 {
		end = at
	}
	name, rest := text[:end], text[end:]
	if strings.HasPrefix(rest, "{") && !p.braces(&rest) {
		return nil, fmt.Errorf("%q has no } after its arguments, or none that is NAME=GLOB", p.Text)
	}
	glob, has := strings.CutPrefix(rest, ":")
	switch {
	case name == "":
		return nil, fmt.Errorf("%q names no kind and no tool", p.Text)
	case rest != "" && !has:
		return nil, fmt.Errorf("%q has %q where a colon or the end should be", p.Text, rest)
	case strings.ContainsAny(name, " \t,=!"):
		return nil, &Slip{fmt.Sprintf("%q is no name of a kind or a tool", name), "a pattern is KIND:GLOB or TOOL:GLOB, as in run:git push*; other gates are other flags"}
	case strings.ContainsAny(name, "*?["):
		var err error
		if p.tools, err = calls.LineGlob(name); err != nil {
			return nil, err
		}
		p.tool = name
	case slices.Contains(calls.Kinds(), name) && !p.named:
		p.kind = name
	default:
		if err := p.slip(name); err != nil {
			return nil, err
		}
		p.tool = name
	}
	if !has {
		return p, nil
	}
	if err := misplaced(p.Text, glob); err != nil {
		return nil, err
	}
	var err error
	if p.files, err = calls.FileGlob(glob); err == nil {
		p.lines, err = calls.LineGlob(glob)
	}
	p.begins = beginning(glob)
	return p, err
}

// braces reads the arguments that a pattern wants.
func (p *Pattern) braces(rest *string) bool {
	inside, behind, ok := strings.Cut((*rest)[1:], "}")
	*rest = behind
	if inside == "" || !ok {
		return false
	}
	for part := range strings.SplitSeq(inside, ",") {
		name, glob, has := strings.Cut(part, "=")
		text, err := calls.LineGlob(glob)
		if name = strings.TrimSpace(name); !has || name == "" || err != nil {
			return false
		}
		p.arguments = append(p.arguments, argument{strings.Split(name, "."), text})
	}
	return true
}

// beginning is what a glob begins with, up to the first character that stands for others.
func beginning(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*', '?', '[':
			return b.String()
		case '\\':
			i = min(i+1, len(glob)-1)
		}
		b.WriteByte(glob[i])
	}
	return b.String()
}

// slip refuses a name that is a kind or a known tool but for a letter, or for its case.
func (p *Pattern) slip(name string) error {
	tools := calls.Tools()
	if p.named || slices.Contains(tools, name) {
		return nil
	}
	for _, known := range slices.Concat(calls.Kinds(), tools) {
		if strings.EqualFold(known, name) || len(name) > 2 && near(known, name) {
			return &Slip{fmt.Sprintf("%q is no kind and no tool that is known", name), fmt.Sprintf("did you mean %s? tool:%s means a tool of that name", known, name)}
		}
	}
	return nil
}

// near reports whether two words differ by one letter: one that is added, left out or another one.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return len(b)-len(a) == 1 && a[i:] == b[i+1:] || len(a) == len(b) && i < len(a) && a[i+1:] == b[i+1:]
}

// misplaced refuses a glob with a comma or a blank in the wrong place.
func misplaced(text, glob string) error {
	switch {
	case glob == "":
		return fmt.Errorf("%q has nothing after the colon", text)
	case strings.TrimSpace(glob) != glob:
		return &Slip{fmt.Sprintf("%q has a blank that no command begins or ends with", text), "take it out"}
	case strings.HasPrefix(glob, "{") && strings.Contains(glob, ","):
		return &Slip{fmt.Sprintf("%q has a list in braces, which means no choice here", text), "repeat the flag for each"}
	}
	for part := range strings.SplitSeq(glob, ",") {
		if part == glob {
			break
		}
		part = strings.TrimSpace(part)
		name, _, has := strings.Cut(part, ":")
		if has && (slices.Contains(calls.Kinds(), name) || slices.Contains(calls.Tools(), name) || name == "tool") {
			return &Slip{fmt.Sprintf("%q has a second pattern behind a comma", text), "repeat the flag for each"}
		}
	}
	return nil
}

// Unknown returns the name of the tool that is meant if neither the table of tools nor the pattern says that there is such
// a tool.
func (p *Pattern) Unknown() string {
	if p.tool == "" || p.named || slices.Contains(calls.Tools(), p.tool) {
		return ""
	}
	return p.tool
}

// Names reports whether a tool is the one that is meant.
func (p *Pattern) Names(tool string) bool {
	_, own := calls.Own(tool)
	if p.tools != nil {
		return p.tools.Match(tool)
	}
	return p.tool != "" && (strings.EqualFold(tool, p.tool) || strings.EqualFold(own, p.tool))
}

// Runs reports whether the pattern looks at what commands run, so that one that cannot be read matters.
func (p *Pattern) Runs() bool {
	return p.lines != nil && (p.kind == calls.Run || p.tool != "" && calls.KindOf(p.tool) == calls.Run)
}

// Looks reports whether a call is of the kind or the tool that is meant, and has the arguments, whatever it is about.
func (p *Pattern) Looks(d *Deed) bool {
	if p.made && d.Outcome == calls.Denied {
		return false
	}
	if d.unknown() {
		return true
	}
	return (p.kind != "" && d.Kind == p.kind || p.kind == calls.Write && d.Writes() || p.Names(d.Name)) && p.has(d)
}

// has reports whether a call has the arguments that are wanted.
func (p *Pattern) has(d *Deed) bool {
	if len(p.arguments) == 0 {
		return true
	}
	all := js.Value(js.Trim(d.Arguments))
	all = cmp.Or(js.ObjectIn(all.Str()), all)
	return !slices.ContainsFunc(p.arguments, func(a argument) bool { return !a.in(all.Get(a.path...)) })
}

// in reports whether a value, or one of a list, is the one that is wanted.
func (a argument) in(v js.Value) bool {
	if v.IsArray() {
		for e := range v.Elements() {
			if a.in(e) {
				return true
			}
		}
		return false
	}
	text := v.Str()
	if !v.IsString() {
		text = string(v)
	}
	return v != "" && a.text.Match(text)
}

// Match reports whether a call is meant: by a simple command that it runs, by a path that it names, or by what else
// it is about.
func (p *Pattern) Match(d *Deed) bool {
	switch {
	case !p.Looks(d):
		return false
	case p.lines == nil:
		return true
	case p.kind == calls.Write, d.Command == "" && len(d.Paths) > 0:
		return d.Touches(p.files) || p.files.MatchAny(d.wrote)
	case d.Command == "":
		return p.lines.Match(d.Target)
	case d.Unparsed && p.lines.Match(d.Command):
		return true
	}
	return slices.ContainsFunc(d.Commands, p.matchesCommand)
}

// matchesCommand reports whether the pattern means a simple command.
func (p *Pattern) matchesCommand(c shell.Command) bool {
	return p.lines.Match(c.String()) || c.Open() && p.lines.Match(c.String()+" ")
}

// mentioned reports whether a text has all words that the pattern begins with.
func (p *Pattern) mentioned(text string) bool {
	text = strings.ToLower(text)
	return p.begins != "" && !slices.ContainsFunc(strings.Fields(strings.ToLower(p.begins)), func(word string) bool { return !strings.Contains(text, word) })
}

// gives reports whether a program of which nothing is known is given the program of the pattern, or another one or a function has its name but
// for the case, which is the same to some systems.
func (p *Pattern) gives(d *Deed) bool {
	program, _, _ := strings.Cut(p.begins, " ")
	return slices.ContainsFunc(d.Commands, func(c shell.Command) bool {
		return c.Gives(p.begins) || strings.EqualFold(c.Words[0], program) && c.Words[0] != program
	}) || slices.ContainsFunc(d.Functions, func(name string) bool { return strings.EqualFold(name, program) })
}

// Why a call may be meant, beside the reasons of [shell.Why].
const (
	arguments shell.Why = "its arguments may be a program"
	mentions  shell.Why = "its arguments have the words of the command"
	ownScript shell.Why = "a script that the session wrote has the words of the command"

	noFile       shell.Why = "it names no file"
	writes       shell.Why = "what it writes is not known"
	writesBehind shell.Why = "what it writes behind the last such call is not known"
)

// hides says why it is not known whether the pattern means a call; Why is "" if that is known. firm says that this is
// nothing that honest work often has.
func (p *Pattern) hides(d *Deed) (why shell.Piece, firm bool) {
	say := func(why shell.Why) shell.Piece { return shell.Piece{Why: why} }
	if d.unknown() {
		return say("it is not known what they did"), true
	}
	if p.lines == nil {
		return why, false
	}
	if p.Runs() && p.kind == calls.Run && d.Kind != calls.Run {
		switch {
		case !slices.Contains(harmless, d.Name) && d.Kind == calls.Other && slices.ContainsFunc(d.Programs, func(one calls.Program) bool { return one.Code || !one.Maybe }):
			return say(arguments), false
		case p.mentioned(d.mayRun()), slices.ContainsFunc(d.perhaps, p.matchesCommand):
			return say(mentions), false
		}
	}
	if !p.Looks(d) {
		return why, false
	}
	switch {
	case d.Unread:
		return say("its arguments are not recorded"), true
	case p.Runs() && d.Unparsed:
		return say(shell.Bash), true
	case p.Runs() && d.Opaque:
		return d.Hidden[0], false
	case p.Runs() && slices.ContainsFunc(d.Commands, func(c shell.Command) bool { return c.Hides(p.begins) }):
		return say(shell.NoLiteral), false
	case p.Runs() && slices.ContainsFunc(d.perhaps, p.matchesCommand):
		return say(mentions), false
	case p.Runs() && p.gives(d):
		return say(shell.Given), false
	case p.Runs() && slices.ContainsFunc(d.scripts, p.mentioned):
		return say(ownScript), false
	case p.kind == calls.Write && d.unnamed:
		return say(noFile), d.Kind == calls.Write
	}
	return why, false
}

// well returns the first command of a call, from one on, that is meant and that is known to have ended with success: len(Commands) for a
// call as a whole; -1 if there is none.
func (p *Pattern) well(d *Deed, from int) int {
	switch {
	case d.Outcome != calls.OK || !p.Looks(d):
		return -1
	case !p.Runs() || d.Command == "":
		if why, _ := p.hides(d); from > 0 || why.Why != "" || !p.Match(d) {
			return -1
		}
		return len(d.Commands)
	case d.Unparsed:
		return -1
	}
	for i := from; i < len(d.Commands); i++ {
		if e, known := d.ended(d.Commands[i]); known && e.Outcome == calls.OK && p.matchesCommand(d.Commands[i]) {
			return i
		}
	}
	return -1
}
