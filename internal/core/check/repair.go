package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Repaired session is what could be kept of a damaged one.
type Repaired struct {
	Lines    []string // of the new session, without line feeds
	Rejected []byte   // what could not be kept, one piece a line
	Changes  []string // what was done, for people; ids are quoted, nothing else comes from the session
}

// RepairOptions say how far a repair goes.
type RepairOptions struct {
	// Relink hangs an entry whose parent is missing, or on a cycle, from the
	// entry before it in the file, and gives an id to one that has none. Where
	// an entry belongs is a guess then, so that is only done when asked for;
	// otherwise orphans stay as they are, and an entry that can neither be
	// named nor has a parent is set aside.
	Relink bool

	// Migrate allows a session of version 1 or 2, and writes it as version 3.
	Migrate bool

	// Fragments are torn lines that were taken out of the session and blanked, as
	// an append saves them, in their order. Where the rest of one came later, and
	// makes an entry with it, that is kept.
	Fragments []string

	// Header makes the header line for a session that has lost its own; ms is
	// the time of its first entry that has one, in milliseconds since the epoch.
	Header func(ms int64) (string, error)
}

// Repair reads a damaged session and keeps every byte of it that is good: whole
// lines as they are, and the entries that can be told apart on fused or torn
// ones, or that are spread over several. Of lines with the same bytes and id
// the first stays.
//
// The error is the reader's; or it matches session.ErrNotSession if there is no
// entry to keep, or session.ErrVersion for a session of a later version, or of
// an earlier one without Migrate.
func Repair(r io.Reader, o RepairOptions) (*Repaired, error) {
	rp := &repair{Repaired: &Repaired{}, options: o, blanks: map[int]bool{}}
	if err := rp.gather(r); err != nil {
		return nil, err
	}
	if err := rp.head(); err != nil {
		return nil, err
	}
	if rp.version < session.Version {
		if err := rp.migrate(); err != nil {
			return nil, err
		}
	}
	rp.addressable()
	rp.uniqueIDs()
	rp.replacements()
	if o.Relink {
		rp.relink()
	}
	rp.firstKept()
	rp.Lines = append(rp.Lines, rp.lead...)
	for _, e := range rp.entries {
		rp.Lines = append(rp.Lines, e.Raw())
	}
	return rp.Repaired, nil
}

// A repair is the state of one repair.
type repair struct {
	*Repaired
	options RepairOptions
	lead    []string // title slot and header, as far as found
	opened  bool     // the header has been found
	version int      // that it tells
	entries []session.Entry
	origins []origin // of the entries

	blanks map[int]bool // the lengths of lines of spaces so far
	tried  int          // bytes that were parsed in search of a fragment's rest

	number    int   // of the line at hand
	salvaging bool  // the object at hand shares its line
	err       error // that ends the repair
}

// An origin tells where an entry was found.
type origin struct {
	line     int
	salvaged bool // from a line with other text, so that readers did not see it
}

// head checks the header, or makes one.
func (rp *repair) head() error {
	if rp.opened {
		if rp.version < session.Version && !rp.options.Migrate {
			return fmt.Errorf("%w: version %d, which is repaired only with its migration", session.ErrVersion, rp.version)
		}
		return nil
	}
	if len(rp.entries) == 0 {
		return fmt.Errorf("%w: no entry in it can be read", session.ErrNotSession)
	}
	line, err := rp.options.Header(rp.firstTime())
	if err != nil {
		return err
	}
	rp.Changes = append(rp.Changes, "made a new header")
	rp.lead = append(rp.lead, line)
	rp.version = session.Version
	return nil
}

func (rp *repair) firstTime() int64 {
	for _, e := range rp.entries {
		if ms, ok := e.Timestamp(); ok {
			return ms
		}
	}
	return 0
}

// migrate makes a session of version 3 of what was kept of an older one.
func (rp *repair) migrate() error {
	var text strings.Builder
	for _, line := range rp.lead {
		text.WriteString(line + "\n")
	}
	for _, e := range rp.entries {
		text.WriteString(e.Raw() + "\n")
	}
	s, err := session.Read(strings.NewReader(text.String()))
	if err != nil {
		return err
	}
	rp.lead, rp.entries = s.Lead(), s.Entries
	rp.Changes = append(rp.Changes, fmt.Sprintf("version 3 instead of %d", rp.version))
	return nil
}

// keepIf keeps the entries of which keep says so.
func (rp *repair) keepIf(keep func(i int, e session.Entry) bool) {
	entries, origins := rp.entries[:0], rp.origins[:0]
	for i, e := range rp.entries {
		o := rp.origins[i]
		if rp.number = o.line; keep(i, e) {
			entries, origins = append(entries, e), append(origins, o)
		}
	}
	rp.entries, rp.origins = entries, origins
}

// addressable gives an id to every entry that has none and that has a place:
// below its parent, or with Relink below the entry before. Others are set aside;
// no reader shows them.
func (rp *repair) addressable() {
	known := map[string]bool{}
	for _, e := range rp.entries {
		known[e.ID()] = true
	}
	known[""] = false
	rp.keepIf(func(_ int, e session.Entry) bool {
		if e.ID() == "" && !known[e.ParentID()] && !rp.options.Relink {
			rp.reject(e.Raw())
			return false
		}
		return true
	})
	for i, e := range rp.entries {
		if e.ID() != "" {
			continue
		}
		rp.rename(i, known)
		if rp.options.Relink && !known[e.ParentID()] && i > 0 {
			rp.reparent(i, i-1)
		}
	}
}

// uniqueIDs drops entries that repeat an earlier one byte for byte, and gives a
// new id to all but one of several entries with the same one.
func (rp *repair) uniqueIDs() {
	// An id names the last entry with it, but none that was salvaged if there is one that readers saw.
	last := map[string]int{}
	for i, e := range rp.entries {
		if at, ok := last[e.ID()]; !ok || rp.origins[at].salvaged || !rp.origins[i].salvaged {
			last[e.ID()] = i
		}
	}
	owner := map[string]string{}
	for id, i := range last {
		owner[id] = rp.entries[i].Raw()
	}
	known, seen := map[string]bool{}, map[string]bool{}
	for id := range owner {
		known[id] = true
	}
	rp.keepIf(func(_ int, e session.Entry) bool {
		if seen[e.Raw()] {
			rp.change("left out entry %q, the same bytes as before", e.ID())
			return false
		}
		seen[e.Raw()] = true
		return true
	})
	for i, e := range rp.entries {
		if e.Raw() != owner[e.ID()] {
			rp.rename(i, known)
		}
	}
}

// rename gives entry i a new id, which is made from its bytes so that a repair
// made twice gives the same session.
func (rp *repair) rename(i int, known map[string]bool) {
	e := rp.entries[i]
	text := e.Raw()
	for id := ""; ; text += "." {
		sum := sha256.Sum256([]byte(text))
		if id = hex.EncodeToString(sum[:4]); !known[id] {
			known[id] = true
			rp.entries[i] = e.WithRaw("id", js.Quote(id))
			rp.number = rp.origins[i].line
			rp.change("id %q instead of %q", id, e.ID())
			return
		}
	}
}

// firstKept makes explicit what readers do with a compaction that keeps entries
// from one on that is not before it: nothing is kept.
func (rp *repair) firstKept() {
	at, parents := map[string]int{}, make([]int32, len(rp.entries))
	for i, e := range rp.entries {
		at[e.ID()] = i
	}
	for i, e := range rp.entries {
		parents[i] = -1
		if p, ok := at[e.ParentID()]; ok {
			parents[i] = int32(p)
		}
	}
	d := session.NewDescent(parents)
	for i, e := range rp.entries {
		if e.Type() != session.TypeCompaction {
			continue
		}
		kept := e.Str("firstKeptEntryId")
		if first, ok := at[kept]; !ok || !d.Keeps(i, first, func(root int) bool { return rp.entries[root].ParentID() != "" }) {
			rp.number = rp.origins[i].line
			rp.change("compaction %q keeps nothing, as %q is not before it", e.ID(), kept)
			rp.entries[i] = e.WithRaw("firstKeptEntryId", js.Quote(e.ID()))
		}
	}
}

// replacements gives edits that have no replacement the one that was lost: null. Recorders once left it out where pi
// takes a failed reply out of sight.
func (rp *repair) replacements() {
	for i, e := range rp.entries {
		if e.Type() == session.TypeContextEdit && e.Get("replacement") == "" {
			rp.number = rp.origins[i].line
			rp.change("edit %q takes its target out of the context: it had no replacement", e.ID())
			rp.entries[i] = e.WithRaw("replacement", "null")
		}
	}
}

// relink hangs orphans, and the first entry of each cycle, from the entry
// before them in the file. Where that only makes another cycle, the entry
// becomes a root.
func (rp *repair) relink() {
	at := map[string]int{}
	for i, e := range rp.entries {
		at[e.ID()] = i
	}
	parent := func(i int) (int, bool) {
		id := rp.entries[i].ParentID()
		p, ok := at[id]
		return p, ok && id != ""
	}
	for i, e := range rp.entries {
		if _, ok := parent(i); !ok && e.ParentID() != "" {
			rp.reparent(i, i-1)
		}
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.reparent(i, i-1)
	}
	for _, i := range cycleStarts(len(rp.entries), parent) {
		rp.reparent(i, -1)
	}
}

// reparent makes entry i a child of entry parent, or a root.
func (rp *repair) reparent(i, parent int) {
	e, id := rp.entries[i], ""
	if parent >= 0 {
		id = rp.entries[parent].ID()
	}
	rp.number = rp.origins[i].line
	rp.change("entry %q: parent %s instead of %s", e.ID(), parentName(id), parentName(e.ParentID()))
	rp.entries[i] = e.WithParent(id)
}

func parentName(id string) string {
	if id == "" {
		return "null"
	}
	return fmt.Sprintf("%q", id)
}

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
