package gate

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/core/calls"
)

// A Gate is what a session has to hold.
type Gate struct {
	Name string // of the flag, such as no-call
	Text string // what the flag was given
	find func(*Work) []Breach
}

// String is the gate as a command line has it.
func (g Gate) String() string { return g.Name + " " + g.Text }

// Breaches returns where a session does not hold the gate.
func (g Gate) Breaches(w *Work) []Breach { return g.find(w) }

// Work is what an agent did in a session, and said in the end.
type Work struct {
	Deeds    []Deed
	Answer   string // the text of the last reply behind the last message of the user, "" for none
	Answered int    // the entry of that, -1 for none
}

// A Breach says what does not hold, and where.
type Breach struct {
	Entry int // the index of the entry, -1 for none
	Text  string
}

// nowhere is a breach of what should have been there.
func nowhere(format string, args ...any) []Breach {
	return []Breach{{-1, fmt.Sprintf(format, args...)}}
}

// at is a breach by a call.
func (d *Deed) at(why string) Breach {
	text := strings.TrimLeft(d.Name+" "+d.Target, " ")
	if why != "" {
		text = why + ": " + text
	}
	return Breach{d.Entry, text}
}

// NoCall demands that there is no call that a pattern means. One that may be meant is a breach, too.
func NoCall(text string, strict bool) (Gate, error) {
	p, err := Parse(text)
	return Gate{"no-call", text, func(w *Work) (out []Breach) {
		for i := range w.Deeds {
			d := &w.Deeds[i]
			if why := p.hidden(d, strict); why != "" || p.Match(d) {
				out = append(out, d.at(why))
			}
		}
		return out
	}}, err
}

// Call demands that there is a call that a pattern means.
func Call(text string) (Gate, error) {
	p, err := Parse(text)
	return Gate{"call", text, func(w *Work) []Breach {
		for i := range w.Deeds {
			if p.Sure(&w.Deeds[i]) {
				return nil
			}
		}
		return nowhere("no such call")
	}}, err
}

// Order demands calls that patterns mean, one behind the other. Others may stand between them.
func Order(text string) (Gate, error) {
	var all []*Pattern
	for part := range strings.SplitSeq(text, ",") {
		p, err := Parse(part)
		if err != nil {
			return Gate{}, err
		}
		all = append(all, p)
	}
	return Gate{"order", text, func(w *Work) []Breach {
		next, last := 0, -1
		for i := range w.Deeds {
			if next < len(all) && all[next].Sure(&w.Deeds[i]) {
				next, last = next+1, w.Deeds[i].Entry
			}
		}
		switch {
		case next == len(all):
			return nil
		case next == 0:
			return nowhere("no call of %s", all[0].Text)
		}
		return []Breach{{last, fmt.Sprintf("no call of %s behind %s", all[next].Text, all[next-1].Text)}}
	}}, nil
}

// WroteOnly demands that the files which calls write are among those that one of the patterns matches. A file outside
// the session's directory is matched only by a pattern that is no relative one. What a command writes is not known:
// it counts if strict is set.
func WroteOnly(globs []string, strict bool) (Gate, error) {
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
	return Gate{"wrote-only", strings.Join(globs, " "), func(w *Work) (out []Breach) {
		for i := range w.Deeds {
			d := &w.Deeds[i]
			switch {
			case d.Outcome == calls.Denied:
			case d.Writes():
				out = append(out, d.strays(inside, outside)...)
			case d.Kind == calls.Run && strict:
				out = append(out, d.at("what it writes is not known"))
			}
		}
		return out
	}}, nil
}

// strays are the files that a deed writes and no pattern matches.
func (d *Deed) strays(inside, outside []*calls.Glob) (out []Breach) {
	if len(d.Paths) == 0 {
		return []Breach{d.at("it names no file")}
	}
	for _, name := range d.Paths {
		globs := inside
		if foreign(name) {
			globs = outside
		}
		known := false
		for _, g := range globs {
			known = known || g.Match(name)
		}
		if !known {
			out = append(out, Breach{d.Entry, d.Name + " " + name})
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
	return Gate{"fixed", text, func(w *Work) []Breach {
		wrote, last := -1, -1
		for i := range w.Deeds {
			d := &w.Deeds[i]
			if d.Writes() && d.Outcome != calls.Denied && d.Outcome != calls.Fail {
				wrote, last = i, -1
			}
			if p.hidden(d, false) != "" || p.Match(d) {
				last = i
			}
		}
		switch {
		case last < 0 && wrote < 0:
			return nil
		case last < 0:
			return []Breach{w.Deeds[wrote].at("no such call behind the last write")}
		}
		d := &w.Deeds[last]
		switch why := p.hidden(d, false); {
		case why != "":
			return []Breach{d.at(why)}
		case d.Outcome != calls.OK:
			return []Breach{d.at("ended with " + d.Ending.String())}
		}
		return nil
	}}, err
}

// Answer demands that the answer has text that an expression matches.
func Answer(text string) (Gate, error) {
	re, err := regexp.Compile(text)
	return Gate{"answer", text, func(w *Work) []Breach {
		switch {
		case w.Answer == "":
			return []Breach{{w.Answered, "no answer"}}
		case !re.MatchString(w.Answer):
			return []Breach{{w.Answered, "not in the answer"}}
		}
		return nil
	}}, err
}

// NoAnswer demands that the answer has no text that an expression matches.
func NoAnswer(text string) (Gate, error) {
	re, err := regexp.Compile(text)
	return Gate{"no-answer", text, func(w *Work) []Breach {
		if at := re.FindStringIndex(w.Answer); w.Answer != "" && at != nil {
			return []Breach{{w.Answered, cmp.Or(w.Answer[at[0]:at[1]], "an empty match")}}
		}
		return nil
	}}, err
}

// MaxCalls demands that there are at most n calls.
func MaxCalls(n int) Gate {
	return Gate{"max-calls", fmt.Sprint(n), func(w *Work) []Breach {
		for i := range w.Deeds[:min(n, len(w.Deeds))] {
			if d := &w.Deeds[i]; d.unknown() {
				return []Breach{d.at("it is not known how many")}
			}
		}
		if len(w.Deeds) <= n {
			return nil
		}
		return []Breach{w.Deeds[n].at(fmt.Sprintf("%d calls", len(w.Deeds)))}
	}}
}
