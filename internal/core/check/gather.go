package check

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// gather reads the lines and sorts their content into the lead, the entries, and the bytes that are
// neither.
func (rp *repair) gather(r io.Reader) error {
	joining := false
	var j joiner
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return err
		}
		if l.Number == 1 {
			l.Data = bytes.TrimPrefix(l.Data, []byte(jsonl.ByteOrderMark))
		}
		if n := len(l.Data); n > 0 && len(bytes.Trim(l.Data, " ")) == 0 {
			rp.blanks[n] = true
		}
		e, perr := session.ParseEntry(string(l.Data))
		if joining && perr == nil && isEntry(e) {
			rp.keepOneByOne(j.lines) // a torn entry, and the next one
			joining = false
		}
		switch {
		case joining:
			j.add(l)
			joining = rp.join(&j)
		case perr == nil:
			rp.number = l.Number
			rp.keep(e)
		case rp.opens(&j, l):
			joining = true
		default:
			rp.line(l)
		}
		if rp.err != nil {
			return rp.err
		}
	}
	if joining {
		rp.keepOneByOne(j.lines)
	}
	return rp.err
}

// opens begins an object of several lines, if one begins on this line.
func (rp *repair) opens(j *joiner, l jsonl.Line) bool {
	return !slices.ContainsFunc(salvage(l.Data), func(p piece) bool { return p.good }) && j.start(l)
}

// join keeps the object that the lines of j make, or goes on with them; more is
// false if the matter is settled.
func (rp *repair) join(j *joiner) (more bool) {
	e, ok, more := j.done()
	switch {
	case ok:
		rp.number = j.lines[0].Number
		rp.change("joined %d lines to the entry %q", len(j.lines), e.ID())
		rp.salvage(e)
	case !more:
		rp.keepOneByOne(j.lines)
	}
	return more
}

// keepOneByOne takes the lines of a joiner that are no object together: each that is an entry is kept, and of the others the
// entries that can be told apart.
func (rp *repair) keepOneByOne(lines []jsonl.Line) {
	for _, l := range lines {
		rp.number = l.Number
		if e, err := session.ParseEntry(string(l.Data)); err == nil {
			rp.keep(e)
			continue
		}
		rp.line(l)
	}
}

// line keeps the entries that can be told apart on a line that is not one JSON
// object.
func (rp *repair) line(l jsonl.Line) {
	rp.number = l.Number
	for _, p := range salvage(l.Data) {
		if !p.good {
			rp.rest(p.text)
			continue
		}
		rp.change("kept the entry %q of a damaged line", p.entry.ID())
		rp.salvage(p.entry)
	}
}

// Bounds on looking for the fragment that bytes are the rest of.
const (
	maxPieces    = 16        // of one line, each saved by itself
	maxRestBytes = 256 << 20 // that are parsed in all
)

// rest puts bytes that are no entry behind the fragment of which they are the
// rest, if there is one and no other, and sets them aside otherwise.
func (rp *repair) rest(text string) {
	var found []session.Entry
	for i, f := range rp.options.Fragments {
		if strings.HasPrefix(f, "{") {
			found = append(found, rp.completed(rp.options.Fragments[i:], text)...)
		}
	}
	if len(found) != 1 {
		rp.reject(text)
		return
	}
	rp.change("put the entry %q together from a fragment that was saved and the rest that came later", found[0].ID())
	rp.salvage(found[0])
}

// completed returns the entries that text makes behind the first of the
// fragments, or behind the first few: a line may have been torn more than once.
// Where a fragment was taken out stands a line of spaces of its length.
func (rp *repair) completed(fragments []string, text string) (found []session.Entry) {
	head := ""
	for i, f := range fragments[:min(len(fragments), maxPieces)] {
		if !rp.blanks[len(f)] || i > 0 && strings.HasPrefix(f, "{") {
			break
		}
		head += f
		if rp.tried += len(head) + len(text); rp.tried > maxRestBytes {
			break
		}
		if e, err := session.ParseEntry(head + text); err == nil && isEntry(e) {
			found = append(found, e)
		}
	}
	return found
}

// salvage keeps an entry that readers do not see in the damaged session.
func (rp *repair) salvage(e session.Entry) {
	rp.salvaging = true
	rp.keep(e)
	rp.salvaging = false
}

// keep puts an object where it belongs.
func (rp *repair) keep(e session.Entry) {
	if rp.opened {
		rp.keepEntry(e)
		return
	}
	h, err := session.HeaderOf([]byte(e.Raw()))
	p, _ := session.AsProblem(err)
	switch {
	case err == nil:
		if len(rp.entries) > 0 {
			rp.change("moved the header to the top")
		}
		rp.opened, rp.version = true, h.Version
		rp.lead = append(rp.lead, e.Raw())
	case p.Kind == session.BadVersion && len(rp.entries) == 0:
		p.Line = rp.number
		rp.err = p // left alone
	case len(rp.entries) == 0 && isLead(e):
		rp.lead = append(rp.lead, e.Raw())
	default:
		rp.keepEntry(e)
	}
}

// isLead reports whether a line may stand in front of the header: oh-my-pi's
// title slot.
func isLead(e session.Entry) bool {
	_, err := session.ReadHeader(bytes.NewReader([]byte(e.Raw() + "\n" + standIn)))
	return err == nil && e.Type() == session.TypeTitle
}

// keepEntry keeps an entry, and sets aside the header of another session and an
// object without a type and an id.
func (rp *repair) keepEntry(e session.Entry) {
	switch {
	case e.Type() == session.TypeSession:
		rp.reject(e.Raw())
		rp.change("the header of another session; the entries behind it stay")
	case e.ID() == "" && e.Type() == "":
		rp.reject(e.Raw())
	default:
		rp.entries = append(rp.entries, e)
		rp.origins = append(rp.origins, origin{rp.number, rp.salvaging})
	}
}

// reject sets bytes aside that are no entry.
func (rp *repair) reject(text string) {
	if js.Trim(text) == "" {
		return
	}
	rp.Rejected = append(append(rp.Rejected, text...), '\n')
	rp.change("set aside what is no entry: %d B", len(text))
}

func (rp *repair) change(format string, args ...any) {
	rp.Changes = append(rp.Changes, fmt.Sprintf("line %d: ", rp.number)+fmt.Sprintf(format, args...))
}
