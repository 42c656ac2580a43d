package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Repaired session is what could be kept of a damaged one.
type Repaired struct {
	Lines    []string // of the new session, without line feeds
	Rejected []byte   // what could not be kept, one piece a line
	Changes  []string // what was done, for people
}

// RepairOptions say how far a repair goes.
type RepairOptions struct {
	// Relink hangs an entry whose parent is missing, or on a cycle, from the
	// entry before it in the file. That is a guess, so it is only made when
	// asked for.
	Relink bool

	// Header makes the header line for a session that has lost its own; ms is
	// the time of the first entry.
	Header func(ms int64) (string, error)
}

// Repair reads a damaged session and keeps every byte of it that is good: whole
// lines as they are, and the entries that can be told apart on fused or torn
// ones. The error is the reader's, or session.ErrVersion for a session of a
// later version.
func Repair(r io.Reader, o RepairOptions) (*Repaired, error) {
	rp := &repair{Repaired: &Repaired{}, options: o}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return nil, err
		}
		rp.line(l)
	}
	if err := rp.head(); err != nil {
		return nil, err
	}
	rp.ids()
	rp.firstKept()
	if o.Relink {
		rp.relink()
	}
	for _, e := range rp.entries {
		rp.Lines = append(rp.Lines, e.Raw())
	}
	return rp.Repaired, nil
}

// repair is the state of one repair.
type repair struct {
	*Repaired
	options RepairOptions
	lead    []string // title slot and header, as far as found
	opened  bool     // the header has been found
	entries []session.Entry
	number  int
}

func (rp *repair) change(format string, args ...any) {
	rp.Changes = append(rp.Changes, fmt.Sprintf("line %d: ", rp.number)+fmt.Sprintf(format, args...))
}

func (rp *repair) reject(text string) {
	if js.Trim(text) == "" {
		return
	}
	rp.Rejected = append(append(rp.Rejected, text...), '\n')
	rp.change("set aside %d bytes", len(text))
}

func (rp *repair) line(l jsonl.Line) {
	rp.number = l.Number
	data := l.Data
	if rp.number == 1 {
		data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return
	}
	if e, err := session.ParseEntry(string(data)); err == nil {
		rp.keep(e)
		return
	}
	for _, p := range salvage(data) {
		if !p.good {
			rp.reject(p.text)
			continue
		}
		if e, err := session.ParseEntry(p.text); err == nil {
			rp.change("kept the entry %q of a damaged line", e.ID())
			rp.keep(e)
		}
	}
}

func (rp *repair) keep(e session.Entry) {
	switch {
	case e.Type() == session.TypeTitle && len(rp.entries) == 0 && !rp.opened:
		rp.lead = append(rp.lead, e.Raw())
	case e.Type() == session.TypeSession && e.ID() != "" && !rp.opened:
		if len(rp.entries) > 0 {
			rp.change("moved the header to the top")
		}
		rp.opened = true
		rp.lead = append(rp.lead, e.Raw())
	case e.Type() == session.TypeSession:
		rp.reject(e.Raw())
	default:
		rp.entries = append(rp.entries, e)
	}
}

// head checks the header, or makes one.
func (rp *repair) head() error {
	rp.number = 1
	if rp.opened {
		h, err := session.ReadHeader(bytes.NewReader([]byte(rp.lead[len(rp.lead)-1])))
		if err != nil {
			return err
		}
		if h.Version < session.Version {
			return fmt.Errorf("%w: version %d: migrate it first", session.ErrVersion, h.Version)
		}
	} else {
		if len(rp.entries) == 0 {
			return fmt.Errorf("%w: no entry in it can be read", session.ErrNotSession)
		}
		ms, _ := rp.entries[0].Timestamp()
		line, err := rp.options.Header(ms)
		if err != nil {
			return err
		}
		rp.change("made a new header")
		rp.lead = append(rp.lead, line)
	}
	rp.Lines = append(rp.Lines, rp.lead...)
	return nil
}

// ids gives an id to every entry that has none, and to all but the last of
// several different entries with the same one: the last is the one the id
// names. The new id comes from the entry's bytes, so that a repair made twice
// gives the same session.
func (rp *repair) ids() {
	last := map[string]int{}
	for i, e := range rp.entries {
		last[e.ID()] = i
	}
	for i, e := range rp.entries {
		rp.number = i + 1
		if e.ID() != "" && (last[e.ID()] == i || rp.entries[last[e.ID()]].Raw() == e.Raw()) {
			continue
		}
		sum := sha256.Sum256([]byte(e.Raw()))
		id := hex.EncodeToString(sum[:])
		for n := 8; ; n++ {
			if _, taken := last[id[:n]]; !taken || n == len(id) {
				id = id[:n]
				break
			}
		}
		rp.Changes = append(rp.Changes, fmt.Sprintf("entry %d: id %q instead of %q", i+1, id, e.ID()))
		last[id] = i
		rp.entries[i] = e.WithRaw("id", js.Quote(id))
	}
}

// firstKept makes explicit what readers do with a compaction that keeps entries
// from one on that is not before it: nothing is kept.
func (rp *repair) firstKept() {
	seen := map[string]bool{}
	for i, e := range rp.entries {
		if kept := e.Str("firstKeptEntryId"); e.Type() == session.TypeCompaction && !seen[kept] && kept != e.ID() {
			rp.Changes = append(rp.Changes, fmt.Sprintf("entry %q: keeps nothing, as %q is not before it", e.ID(), kept))
			rp.entries[i] = e.WithRaw("firstKeptEntryId", js.Quote(e.ID()))
		}
		seen[e.ID()] = true
	}
}

// relink hangs orphans, and the first entry of each cycle, from the entry
// before them in the file. Where that only makes another cycle, the entry
// becomes a root.
func (rp *repair) relink() {
	last := map[string]int{}
	for i, e := range rp.entries {
		last[e.ID()] = i
	}
	parent := func(i int) (int, bool) {
		p, ok := last[rp.entries[i].ParentID()]
		return p, ok && rp.entries[i].ParentID() != ""
	}
	for i, e := range rp.entries {
		if _, ok := parent(i); !ok && e.ParentID() != "" {
			rp.hang(i, i-1)
		}
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.hang(i, i-1)
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.hang(i, -1)
	}
}

// hang makes entry i a child of entry parent, or a root.
func (rp *repair) hang(i, parent int) {
	e, id := rp.entries[i], ""
	if parent >= 0 {
		id = rp.entries[parent].ID()
	}
	rp.Changes = append(rp.Changes, fmt.Sprintf("entry %q: parent %q instead of %q", e.ID(), id, e.ParentID()))
	rp.entries[i] = e.WithParent(id)
}
