package check

import (
	"bytes"

	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Bounds on an object that is spread over several lines.
const (
	maxJoinLines = 10_000
	maxJoinBytes = 64 << 20
)

// A joiner puts an object together that stands on several lines: one that was
// pretty-printed, or whose strings hold line feeds as they are.
type joiner struct {
	lines []jsonl.Line // copied, for the case that they do not make an object
	text  []byte
	nest  nesting
}

// start begins with a line that is not JSON; ok is false if no object begins on
// it that goes on behind it.
func (j *joiner) start(l jsonl.Line) (ok bool) {
	if l.Torn || len(l.Data) > maxJoinBytes || !bytes.HasPrefix(bytes.TrimLeft(l.Data, " \t\r"), []byte("{")) {
		return false
	}
	*j = joiner{}
	j.add(l)
	return j.nest.depth > 0
}

// add takes the next line. Where a line ends inside a string, its line feed
// belongs to the text.
func (j *joiner) add(l jsonl.Line) {
	data := l.Data
	if j.nest.inText {
		j.text = append(j.text, `\n`...)
	}
	for _, c := range data {
		j.nest.step(c)
	}
	data, cr := bytes.CutSuffix(data, []byte("\r"))
	j.text = append(j.text, data...)
	if cr && j.nest.inText {
		j.text = append(j.text, `\r`...)
	}
	l.Data = bytes.Clone(l.Data)
	j.lines = append(j.lines, l)
}

// done returns the entry if the lines so far make one. more is false if they
// never will.
func (j *joiner) done() (e session.Entry, ok, more bool) {
	if j.nest.depth > 0 {
		return e, false, len(j.lines) < maxJoinLines && len(j.text) < maxJoinBytes
	}
	e, err := session.ParseEntry(string(j.text))
	return e, err == nil && isEntry(e), false
}
