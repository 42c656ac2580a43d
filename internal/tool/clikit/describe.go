package clikit

import (
	"encoding/json"
	"unicode/utf8"
)

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
	Flags    []FlagData    `json:"flags"`              // those of every tool among them
	Commands []Description `json:"commands,omitempty"` // of a tool that is several things
}

// FlagData is a flag as data.
type FlagData struct {
	Name    string   `json:"name"`              // without dashes; one letter if it has no longer name
	Short   string   `json:"short,omitempty"`   // a letter
	Value   string   `json:"value,omitempty"`   // what its value is called; a switch has none
	Text    string   `json:"text"`              // as in help
	Default string   `json:"default,omitempty"` // of its value
	Words   []string `json:"words,omitempty"`   // that its value may be
}

// Describe returns the description of a tool.
func Describe(t Tool) Description {
	d := Description{Kind: "tool", Tool: t.Name, Summary: t.Summary, Operands: t.Args, Runs: t.Command}
	flags, _ := t.flags()
	for _, f := range describe(framed(flags)) {
		one := FlagData{Value: f.ValueName, Text: f.Usage, Default: f.Default, Words: f.Words}
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
		sub.Kind, sub.Tool, sub.Command = "command", t.Name, c.Name
		d.Commands = append(d.Commands, sub)
	}
	return d
}

// printDescription prints it as one line.
func (s *Streams) printDescription(t Tool) error {
	line, err := json.Marshal(Describe(t))
	if err == nil {
		_, err = s.Out.Write(append(line, '\n'))
	}
	return err
}

// All are a description and those of its commands.
func (d Description) All() []Description { return append([]Description{d}, d.Commands...) }
