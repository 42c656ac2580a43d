package clikit

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
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
}

// Flags lists the flags of t, its own first and then those of every tool. Those of
// a tool with commands are the flags of all commands; what several have is listed
// once.
func Flags(t Tool) []FlagDoc {
	var flags []cli.Flag
	seen := map[string]bool{}
	for _, c := range slices.Concat(t.Commands, []Tool{t}) {
		own, _ := c.flags()
		for _, f := range own {
			if name := f.Names()[0]; !seen[name] {
				seen[name] = true
				flags = append(flags, f)
			}
		}
	}
	return describe(framed(flags))
}

// framed adds the flags of every tool.
func framed(flags []cli.Flag) []cli.Flag {
	var b [4]bool
	return append(flags, frameFlags(&b[0], &b[1], &b[2], &b[3])...)
}

func describe(flags []cli.Flag) []FlagDoc {
	docs := make([]FlagDoc, 0, len(flags))
	for _, f := range flags {
		d := FlagDoc{Names: f.Names(), TakesValue: takesValue(f)}
		if g, ok := f.(cli.DocGenerationFlag); ok {
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
			d.Words, d.Group = given(f.words), f.group
		}
		docs = append(docs, d)
	}
	return docs
}

// takesValue reports whether f is no switch.
func takesValue(f cli.Flag) bool {
	g, ok := f.(cli.DocGenerationFlag)
	return !ok || g.TakesValue()
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
