package redact

import "github.com/sess-tools/sess/pkg/jsonl"

// A Growing takes secrets out of the lines of a session that goes on. What becomes of a line depends on it and on the lines in
// front of it alone: what was written stays right whatever comes, and a session that is cleaned line by line, as it grows, gets
// the bytes that it gets at once. So of a secret that goes on in a later line only its part in that line is cut off.
type Growing struct {
	r      *Redactor
	q      *queue
	number int
}

// Growing begins a session. The redactor may not be used for anything else meanwhile.
func (r *Redactor) Growing() *Growing { return &Growing{r: r, q: &queue{spoken: map[string]*speech{}}} }

// Line returns the next line without its secrets. The error is a [session.Problem] if one cannot be taken out.
func (g *Growing) Line(text string) (clean string, err error) {
	g.number++
	l := g.r.line(newLine(jsonl.Line{Data: []byte(text), Number: g.number, Torn: true})) // without a line feed
	g.r.newest = l
	if l.last.index >= 0 {
		g.q.hear(g.r, l)
		g.q.spoken[l.kind].search(g.r)
	}
	g.r.newest = nil
	err = refusing(func(report func(Found)) error {
		return g.r.finish(l, func(part string) error {
			clean += part
			return nil
		}, report)
	})
	return clean, err
}
