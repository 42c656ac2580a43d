// Package gate matches calls with patterns: KIND or TOOL, with a file-name glob behind a colon for what
// the call is about, such as write:src/** or 'run:git push*', and with !denied behind it for
// calls that were really made.
package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/shell"
)

// A Deed is a call, and the commands that it runs.
type Deed struct {
	calls.Call
	shell.Simple
	Unparsed bool // its command is no command line of bash, so the programs that it runs are not known
}

// Read parses the command of a call.
func Read(c calls.Call) Deed {
	d := Deed{Call: c}
	if c.Command != "" {
		s, ok := shell.Parse(c.Command)
		d.Simple, d.Unparsed = s, !ok
	}
	return d
}

// Deeds parses the commands of calls.
func Deeds(all []calls.Call) []Deed {
	out := make([]Deed, len(all))
	for i, c := range all {
		out[i] = Read(c)
	}
	return out
}

// Lines are the simple commands of a deed, a line each; the whole command if that is not parsed.
func (d *Deed) Lines() []string {
	if d.Unparsed {
		return []string{d.Command}
	}
	lines := make([]string, len(d.Commands))
	for i, c := range d.Commands {
		lines[i] = c.String()
	}
	return lines
}

// Writes reports whether a call writes files by itself, or by a patch in its command. One that is not recorded may.
func (d *Deed) Writes() bool { return d.Kind == calls.Write || d.Patched || d.unknown() }

// unknown reports whether a deed stands for calls of which nothing is recorded.
func (d *Deed) unknown() bool { return d.Unread && d.Name == "" }

// A Pattern says which calls are meant.
type Pattern struct {
	Text string // as it was written

	kind, tool string // one of them
	made       bool   // only calls that were made
	files      *calls.Glob
	lines      *calls.Glob // for calls without files
}

// Parse reads a pattern.
func Parse(text string) (*Pattern, error) {
	p := &Pattern{Text: text}
	text, p.made = strings.CutSuffix(text, "!denied")
	name, glob, has := strings.Cut(text, ":")
	switch {
	case name == "":
		return nil, fmt.Errorf("%q names no kind and no tool", p.Text)
	case slices.Contains(calls.Kinds(), name):
		p.kind = name
	default:
		p.tool = name
	}
	if !has {
		return p, nil
	}
	if glob == "" {
		return nil, fmt.Errorf("%q has nothing behind the colon", p.Text)
	}
	var err error
	if p.files, err = calls.FileGlob(glob); err == nil {
		p.lines, err = calls.LineGlob(glob)
	}
	return p, err
}

// Runs reports whether the pattern looks at what commands run, so that one that cannot be read matters.
func (p *Pattern) Runs() bool {
	return p.lines != nil && (p.kind == calls.Run || p.tool != "" && calls.KindOf(p.tool) == calls.Run)
}

// Looks reports whether a call is of the kind or the tool that is meant, whatever it is about.
func (p *Pattern) Looks(d *Deed) bool {
	if p.made && d.Outcome == calls.Denied {
		return false
	}
	if d.unknown() {
		return true
	}
	_, own := calls.Own(d.Name)
	return d.Kind == p.kind || p.kind == calls.Write && d.Writes() || p.tool != "" && (d.Name == p.tool || own == p.tool)
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
		return d.Touches(p.files)
	case d.Command == "":
		return p.lines.Match(d.Target)
	}
	return slices.ContainsFunc(d.Lines(), p.lines.Match)
}

// hidden says why it is not known whether the pattern means a call, "" if that is known. Programs that may be run
// beside the known ones count if strict is set.
func (p *Pattern) hidden(d *Deed, strict bool) string {
	switch {
	case d.unknown():
		return "it is not known what they did"
	case p.lines == nil || !p.Looks(d):
		return ""
	case d.Unread:
		return "its arguments are not recorded"
	case p.Runs() && d.Unparsed:
		return "no command line that bash would read"
	case p.Runs() && d.Opaque && strict:
		return "what it runs does not stand in it"
	case p.kind == calls.Write && len(d.Paths) == 0:
		return "it names no file"
	}
	return ""
}

// Sure reports whether a call is meant, and that is known.
func (p *Pattern) Sure(d *Deed) bool { return p.hidden(d, false) == "" && p.Match(d) }
