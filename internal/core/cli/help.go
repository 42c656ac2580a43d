package cli

import (
	"strings"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"
)

// A FlagDoc is what there is to know about a flag without running its tool.
type FlagDoc struct {
	Names      []string // without dashes, the long one first
	TakesValue bool
	ValueName  string   // "REF"; "VALUE" if the usage names none; empty for a switch
	Usage      string   // without backquotes
	Default    string   // empty if there is none worth a mention
	Words      []string // what may be given, if that is a short list
	Group      string   // the heading it stands under, if flags are grouped
	Repeatable bool     // each use adds a value
	Variable   string   // of the environment, that says it where the flag is not given
}

// framed adds the flags of every tool.
func framed(flags []Flag) []Flag { return append(flags, new(frame).flags(flags)...) }

// describe documents flags, but for private ones.
func describe(flags []Flag) []FlagDoc {
	docs := make([]FlagDoc, 0, len(flags))
	for _, f := range flags {
		if !visible(f) {
			continue
		}
		d := FlagDoc{Names: f.Names(), TakesValue: takesValue(f)}
		if g, ok := f.(urfave.DocGenerationFlag); ok {
			d.Usage = g.GetUsage()
			d.Default = g.GetValue()
		}
		d.ValueName, d.Usage = unquote(d.Usage)
		switch {
		case !d.TakesValue:
			d.ValueName, d.Default = "", ""
		case d.ValueName == "":
			d.ValueName = "VALUE"
		}
		if f, ok := f.(declared); ok {
			d.Words, d.Group, d.Repeatable, d.Variable = f.words, f.group, f.again, f.env
		}
		docs = append(docs, d)
	}
	return docs
}

// unquote returns the first word of usage in backquotes, and usage without the
// backquotes.
func unquote(usage string) (name, plain string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	name, after, ok := strings.Cut(rest, "`")
	if !ok {
		return "", usage
	}
	return name, before + name + after
}

// describeFlag makes a tool print its [Description]. It is there for "sess help --json", and --help
// does not list it.
const describeFlag = "--describe"

// A Description is what there is to know about a tool without running it, as data.
type Description struct {
	Kind     string        `json:"kind"`               // "tool"
	Tool     string        `json:"tool"`               // "sess-sync"
	Command  string        `json:"command,omitempty"`  // "push", of a tool that is several things
	Summary  string        `json:"summary"`            // as in the manual page
	Operands string        `json:"operands"`           // as in the usage line
	Runs     bool          `json:"runs"`               // a command may stand behind --
	Examples []string      `json:"examples,omitempty"` // command lines, as in help
	Version  string        `json:"version,omitempty"`  // as --version says it
	Page     string        `json:"page,omitempty"`     // the manual page, "sess-sync.1"
	Flags    []FlagData    `json:"flags"`              // those of every tool among them
	Commands []Description `json:"commands,omitempty"` // of a tool that is several things
}

// FlagData is a flag as data.
type FlagData struct {
	Name    string   `json:"name"`                 // without dashes; one letter if it has no longer name
	Short   string   `json:"short,omitempty"`      // a letter
	Value   string   `json:"value,omitempty"`      // what its value is called; a switch has none
	Text    string   `json:"text"`                 // as in help
	Default string   `json:"default,omitempty"`    // of its value
	Words   []string `json:"words,omitempty"`      // that its value may be
	Group   string   `json:"group,omitempty"`      // its heading in help
	Again   bool     `json:"repeatable,omitempty"` // each use adds a value
	Env     string   `json:"variable,omitempty"`   // of the environment, that says it where the flag is not given
	Common  bool     `json:"common,omitempty"`     // -h has it
}

// Describe returns the description of a tool.
func Describe(t Tool) Description {
	d := Description{
		Kind: "tool", Tool: t.Name, Summary: t.Summary, Operands: t.Args, Runs: t.Command, Examples: t.examples(), Version: Version(), Page: t.Name + ".1",
	}
	flags, _ := t.flags()
	common := t.common(describe(flags))
	for _, f := range describe(framed(flags)) {
		one := FlagData{Value: f.ValueName, Text: f.Usage, Default: f.Default, Words: f.Words, Group: f.Group, Again: f.Repeatable, Env: f.Variable, Common: common.at(f) < len(common)}
		for _, name := range f.Names {
			if utf8.RuneCountInString(name) == 1 {
				one.Short = name
			} else {
				one.Name = name
			}
		}
		if one.Name == "" {
			one.Name, one.Short = one.Short, ""
		}
		d.Flags = append(d.Flags, one)
	}
	for _, c := range t.Commands {
		sub := Describe(c)
		sub.Kind, sub.Tool, sub.Command, sub.Page = "command", t.Name, c.Name, t.Name+".1"
		d.Commands = append(d.Commands, sub)
	}
	return d
}

// All are a description and those of its commands.
func (d Description) All() []Description { return append([]Description{d}, d.Commands...) }
