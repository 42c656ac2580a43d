package gate

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
	"github.com/sess-tools/sess/internal/readers/shell"
)

// A Gate is what a session has to hold.
type Gate struct {
	Name string // of the flag, such as no-call
	Text string // what the flag was given

	patterns []*Pattern
	find     func(*look) []Breach
}

// String is the gate as a command line has it.
func (g Gate) String() string { return g.Name + " " + g.Text }

// Patterns are those that say which calls are meant.
func (g Gate) Patterns() []*Pattern { return g.patterns }

// Breaches returns where a session does not hold the gate, and what was looked at.
func (g Gate) Breaches(w *Work) ([]Breach, Seen) {
	l := &look{Work: w}
	if l.deeds = w.Deeds; g.Everywhere() {
		l.deeds = w.All
	}
	out := g.find(l)
	l.Calls = len(l.deeds)
	for i := range l.deeds {
		l.Scripts += len(l.deeds[i].Scripts)
	}
	return out, l.Seen
}

// Everywhere reports whether the gate is about what must not happen, on any branch.
func (g Gate) Everywhere() bool {
	return g.Name == "no-call" || g.Name == "max-calls" || g.Name == "wrote-only"
}

// Work is what an agent did in a session, and said in the end.
type Work struct {
	Deeds    []Deed // on the path
	All      []Deed // on all branches
	Answer   string // the text of the last reply behind the last message of the user, "" for none
	Answered int    // the entry of that, -1 for none
	Strict   bool   // a call that hides its commands or files is a breach
}

// Seen is what a gate looked at.
type Seen struct {
	Calls   int
	Unknown int // calls that are meant, of which it is not known how they ended
	Hidden  int // calls that hide their commands or files
	Scripts int // programs of which nothing is known, and files for interpreters, that calls ran
}

// A look is one at a session.
type look struct {
	*Work
	Seen
	deeds []Deed
}

// hidden reports whether a call is a breach because it hides its commands or files.
func (l *look) hidden() bool {
	l.Hidden++
	return l.Strict
}

// A Breach says what does not hold, and where.
type Breach struct {
	Entry  int         // the index of the entry, -1 for none
	Text   string      // the call, or the missing one
	Hidden shell.Piece // why it is not known what the call did; its Why is "" if that is known
}

// MaxPiece is how much of a piece is told, in bytes. It is cut where secrets have been taken out, which would not be known in a part.
const MaxPiece = 60

// String is what a breach says: why it is not known what the call did, with the piece that this is about, in front of its text.
func (b Breach) String() string {
	switch {
	case b.Hidden.Why == "":
		return b.Text
	case b.Hidden.Text == "":
		return string(b.Hidden.Why) + ": " + b.Text
	}
	return string(b.Hidden.Why) + " (" + b.Piece() + "): " + b.Text
}

// Piece is the piece that a breach is about, cut to [MaxPiece]. It is "" if it is none.
func (b Breach) Piece() string {
	if piece := b.Hidden.Text; len(piece) > MaxPiece {
		return strings.ToValidUTF8(piece[:MaxPiece], "") + "…"
	}
	return b.Hidden.Text
}

// at is a breach by a call.
func (d *Deed) at(why string) Breach {
	text := strings.TrimLeft(d.Name+" "+d.Target, " ")
	if why != "" {
		text = why + ": " + text
	}
	return Breach{Entry: d.Entry, Text: text}
}

// behind is a breach by a call that hides commands or files.
func (d *Deed) behind(why shell.Piece) Breach {
	b := d.at("")
	b.Hidden = why
	return b
}

// NoCall demands that there is no call that a pattern means. One that may be meant is a breach, too.
func NoCall(text string) (Gate, error) {
	p, err := Parse(text)
	return Gate{"no-call", text, []*Pattern{p}, func(l *look) (out []Breach) {
		for i := range l.deeds {
			d := &l.deeds[i]
			switch why, firm := p.hides(d); {
			case firm:
				l.Hidden++
				out = append(out, d.behind(why))
			case p.Match(d):
				out = append(out, d.at(""))
			case why.Why != "" && l.hidden():
				out = append(out, d.behind(why))
			}
		}
		return out
	}}, err
}

// Call demands that there is a call that a pattern means, and that ended well.
func Call(text string) (Gate, error) {
	p, err := Parse(text)
	return Gate{"call", text, []*Pattern{p}, func(l *look) []Breach {
		for i := range l.deeds {
			if p.well(&l.deeds[i], 0) >= 0 {
				return nil
			}
		}
		return l.none(p, 0, "no such call")
	}}, err
}

// none is the breach of a call that should be there, behind the first so many.
func (l *look) none(p *Pattern, from int, what string) []Breach {
	for i := range l.deeds[from:] {
		d := &l.deeds[from+i]
		if !p.Match(d) {
			continue
		}
		hidden, firm := p.hides(d)
		why := unknown
		switch {
		case firm:
			why = string(hidden.Why)
		case d.Outcome != calls.OK:
			why = "ended with " + d.Ending.String()
		default:
			l.Unknown++
		}
		return []Breach{d.at(what + " that ended well: " + why)}
	}
	return []Breach{{Entry: -1, Text: what}}
}

// unknown is the text of a breach by a command whose status is not known, with advice for the agent.
const unknown = "what it ended with is not known, for the status is that of all the line: tell the agent to run it alone, or behind set -o pipefail and with && alone"

// Order demands calls that patterns mean, one behind the other, and that ended well. Others may stand between them.
func Order(text string) (Gate, error) {
	var all []*Pattern
	for _, part := range parts(text) {
		p, err := Parse(part)
		if err != nil {
			return Gate{}, err
		}
		all = append(all, p)
	}
	return Gate{"order", text, all, func(l *look) []Breach {
		next, last := 0, -1
		for i := 0; i < len(l.deeds) && next < len(all); i++ {
			for at := 0; next < len(all); next++ {
				if at = all[next].well(&l.deeds[i], at); at < 0 {
					break
				}
				at, last = at+1, i
			}
		}
		switch {
		case next == len(all):
			return nil
		case next == 0:
			return l.none(all[0], 0, "no call of "+all[0].Text)
		}
		out := l.none(all[next], last+1, fmt.Sprintf("no call of %s behind %s", all[next].Text, all[next-1].Text))
		if out[0].Entry < 0 {
			out[0].Entry = l.deeds[last].Entry
		}
		return out
	}}, nil
}

// parts are the patterns that commas part, but for those in braces.
func parts(text string) (all []string) {
	from, deep := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			deep++
		case '}':
			deep--
		case ',':
			if deep <= 0 {
				all, from = append(all, text[from:i]), i+1
			}
		}
	}
	return append(all, text[from:])
}

// WroteOnly demands that the files which calls write are among those that one of the patterns matches. A file outside
// the session's directory is matched only by a pattern that is no relative one. A call that may write files which are not
// known hides them.
func WroteOnly(globs []string) (Gate, error) {
	var inside, outside []*calls.Glob
	for _, text := range globs {
		g, err := calls.FileGlob(text)
		if err != nil {
			return Gate{}, err
		}
		if inside = append(inside, g); foreign(text) {
			outside = append(outside, g)
		}
	}
	return Gate{"wrote-only", strings.Join(globs, " "), nil, func(l *look) (out []Breach) {
		for i := range l.deeds {
			d := &l.deeds[i]
			if d.Outcome == calls.Denied {
				continue
			}
			out = append(out, d.strays(inside, outside)...)
			switch {
			case (d.Kind == calls.Write || d.unknown()) && d.unnamed:
				out = append(out, d.behind(shell.Piece{Why: noFile}))
			case d.MayWrite() && l.hidden():
				out = append(out, d.behind(shell.Piece{Why: writes}))
			}
		}
		return out
	}}, nil
}

// strays are the files that a deed writes and no pattern matches.
func (d *Deed) strays(inside, outside []*calls.Glob) (out []Breach) {
	for _, name := range d.wrote {
		globs := inside
		if foreign(name) {
			globs = outside
		}
		known := false
		for _, g := range globs {
			known = known || g.Match(name)
		}
		if !known {
			out = append(out, Breach{Entry: d.Entry, Text: d.Name + " " + name})
		}
	}
	return out
}

// foreign reports whether a path, or a pattern of one, leads out of the session's directory.
func foreign(name string) bool {
	return path.IsAbs(name) || strings.HasPrefix(name, "~") || name == ".." || strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':'
}

// Fixed demands that behind the last file that was written there is a call that a pattern means, and that the last
// such call succeeded. Where nothing was written, it demands that of calls that are there.
func Fixed(text string) (Gate, error) {
	p, err := Parse(text)
	return Gate{"fixed", text, []*Pattern{p}, func(l *look) []Breach {
		wrote, last, command := -1, -1, 0 // of a call whose command is meant
		for i := range l.deeds {
			d := &l.deeds[i]
			if d.Outcome == calls.Denied {
				continue
			}
			at := p.lastMatch(d)
			if at >= 0 {
				last, command = i, at
			}
			if d.writesBehind(at) {
				wrote, last = i, -1
			}
		}
		switch {
		case last < 0 && wrote < 0:
			return nil
		case last < 0:
			return []Breach{l.deeds[wrote].at("no such call behind the last write")}
		}
		for i := range l.deeds[last:] {
			d := &l.deeds[last+i]
			why, _ := p.hides(d)
			switch {
			case d.Outcome == calls.Denied, i == 0:
			case why.Why != "" && p.Runs() && l.hidden():
				return []Breach{d.behind(why)}
			case why.Why == "" && d.MayWrite() && l.hidden():
				return []Breach{d.behind(shell.Piece{Why: writesBehind})}
			}
		}
		d := &l.deeds[last]
		why, firm := p.hides(d)
		ending, known := d.Ending, true
		if command < len(d.Commands) {
			ending, known = d.ended(d.Commands[command])
		}
		switch {
		case firm:
			return []Breach{d.behind(why)}
		case !known:
			l.Unknown++
			return []Breach{d.at(unknown)}
		case ending.Outcome != calls.OK:
			return []Breach{d.at("ended with " + ending.String())}
		}
		return nil
	}}, err
}

// lastMatch returns the index of the last command of a call that the pattern means, -1 if it means none. It is the number of
// commands if the pattern means the call and none of them, or if the call hides its commands.
func (p *Pattern) lastMatch(d *Deed) int {
	if _, firm := p.hides(d); firm {
		return len(d.Commands)
	}
	if !p.Match(d) {
		return -1
	}
	if p.Runs() {
		for i, c := range slices.Backward(d.Commands) {
			if p.matchesCommand(c) {
				return i
			}
		}
	}
	return len(d.Commands)
}

// writesBehind reports whether a deed writes files behind one of its commands, -1 for any. What a command or its pipe writes by
// itself, such as a log of it, is not behind it.
func (d *Deed) writesBehind(command int) bool {
	for _, f := range d.Files {
		if command < 0 || command < len(d.Commands) && f.Behind > command && f.Group != d.Commands[command].Group {
			return true
		}
	}
	if d.Kind != calls.Write && !d.Patched || command >= 0 {
		return false
	}
	return d.Outcome != calls.Fail || len(d.wrote) > 1 // one of several edits may have been made
}

// Answer demands that the answer has text that an expression matches.
func Answer(text string) (Gate, error) {
	re, err := regexp.Compile(text)
	return Gate{"answer", text, nil, func(w *look) []Breach {
		switch {
		case w.Answer == "":
			return []Breach{{Entry: w.Answered, Text: "no answer"}}
		case !re.MatchString(w.Answer):
			return []Breach{{Entry: w.Answered, Text: "not in the answer"}}
		}
		return nil
	}}, err
}

// NoAnswer demands that the answer has no text that an expression matches.
func NoAnswer(text string) (Gate, error) {
	re, err := regexp.Compile(text)
	return Gate{"no-answer", text, nil, func(w *look) []Breach {
		if at := re.FindStringIndex(w.Answer); w.Answer != "" && at != nil {
			return []Breach{{Entry: w.Answered, Text: cmp.Or(w.Answer[at[0]:at[1]], "an empty match")}}
		}
		return nil
	}}, err
}

// MaxCalls demands that there are at most n calls.
func MaxCalls(n int) Gate {
	return Gate{"max-calls", fmt.Sprint(n), nil, func(l *look) []Breach {
		for i := range l.deeds[:min(n, len(l.deeds))] {
			if d := &l.deeds[i]; d.unknown() {
				return []Breach{d.at("it is not known how many")}
			}
		}
		if len(l.deeds) <= n {
			return nil
		}
		return []Breach{l.deeds[n].at(fmt.Sprintf("%d calls", len(l.deeds)))}
	}}
}
