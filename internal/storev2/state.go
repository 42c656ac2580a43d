package storev2

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

// A State is the state of a store. The package comment has the table.
type State string

// The states of a store.
const (
	Clean            State = "CLEAN"
	Dirty            State = "DIRTY"
	SegmentSealed    State = "SEGMENT_SEALED"
	Indexed          State = "INDEXED"
	Checkpointed     State = "CHECKPOINTED"
	MigrationStaging State = "MIGRATION_STAGING"
	Migrated         State = "MIGRATED"
	RolledBack       State = "ROLLED_BACK"
	Failed           State = "FAILED"
)

// transitions is the whole table: any other transition is refused.
var transitions = map[State][]State{
	Clean:            {Dirty, MigrationStaging},
	Dirty:            {SegmentSealed, Failed},
	SegmentSealed:    {Indexed, Failed},
	Indexed:          {Checkpointed, Dirty, Failed},
	Checkpointed:     {Dirty, MigrationStaging, RolledBack, Failed},
	MigrationStaging: {Migrated, RolledBack, Failed},
	Migrated:         {Dirty, Failed},
	RolledBack:       {Dirty, Failed},
	Failed:           {Dirty, RolledBack},
}

// May reports whether a store may go from s to the state to.
func (s State) May(to State) bool { return slices.Contains(transitions[s], to) }

// The state is kept in state.jsonl beside the manifest: the last two transitions,
// a line each. A line has exactly 512 bytes, filled up with blanks, and is
// overwritten in place in turn with the other, so that a crash in the middle
// leaves the transition before it.
const (
	stateFile   = "state.jsonl"
	stateSchema = "sess.session_store_v2.state.v1"
	stateSlot   = 512
	maxReason   = 200 // bytes, quoted
)

// A transition is one line of state.jsonl.
type transition struct {
	seq      int64
	from, to State
	reason   string
	at       string
	ordered  bool // in this store every parent stands before its children
	// broken is the damage of the file when it was read, empty if there was none: the next
	// transition but one makes the file whole.
	broken string
}

func (t *transition) encode() []byte {
	b := append(make([]byte, 0, stateSlot), `{"schema":"`+stateSchema+`","seq":`...)
	b = strconv.AppendInt(b, t.seq, 10)
	b = append(b, `,"fromState":"`+string(t.from)+`","toState":"`+string(t.to)+`","reason":`...)
	b = append(b, quotedReason(t.reason)...)
	b = js.AppendQuote(append(b, `,"at":`...), t.at)
	b = strconv.AppendBool(append(b, `,"ordered":`...), t.ordered)
	b = append(b, `,"crc32c":"`+checksum(b)+`"}`...)
	b = append(b, bytes.Repeat([]byte{' '}, stateSlot-1-len(b))...)
	return append(b, '\n')
}

// quotedReason returns a reason as a literal, as much of it as a line has room
// for. The contract wants one that is not empty.
func quotedReason(reason string) string {
	if reason == "" {
		reason = "no reason given"
	}
	for n := maxReason; ; n = n * 3 / 4 {
		if q := js.Quote(js.Head(reason, n)); len(q) <= maxReason {
			return q
		}
	}
}

var stateMembers = []string{"schema", "seq", "fromState", "toState", "reason", "at", "ordered", "crc32c"}

func parseTransition(line string) (transition, error) {
	var m [8]string
	if err := members(line, stateMembers, m[:]); err != nil {
		return transition{}, err
	}
	p := fieldParser{}
	t := transition{
		seq: p.count(m[1], "seq"), from: State(p.text(m[2], "fromState")), to: State(p.text(m[3], "toState")),
		reason: p.text(m[4], "reason"), at: p.text(m[5], "at"), ordered: m[6] == "true",
	}
	p.schema(m[0], stateSchema, stateSchema)
	sum := p.text(m[7], "crc32c")
	if i := strings.LastIndex(line, `,"crc32c"`); p.err == nil && checksum([]byte(line[:i])) != sum {
		p.err = errors.New("checksum mismatch")
	}
	if p.err == nil && !t.from.May(t.to) {
		p.err = fmt.Errorf("%w: no transition from %s to %s", ErrState, t.from, t.to)
	}
	return t, p.err
}

// readState returns the last transition of the store in dir; ok is false for a
// store without one, which another program made. A file in which no transition
// can be read stands for FAILED.
func readState(d disk.FS, dir string) (t transition, ok bool, err error) {
	b, err := readFile(d, joined(dir, stateFile), 2*stateSlot)
	if missing(err) || err == nil && len(b) == 0 { // empty: a crash before the very first transition
		return transition{}, false, nil
	}
	if err != nil && !errors.Is(err, ErrCorrupt) {
		return transition{}, false, err
	}
	return lastTransition(b), true, nil
}

// lastTransition returns the later one of the two records in b.
func lastTransition(b []byte) transition {
	var t transition
	good := int64(0)
	for n := int64(0); len(b) > 0; n++ {
		line := b[:min(stateSlot, len(b))]
		b = b[len(line):]
		u, err := parseTransition(string(bytes.TrimRight(line, " \n")))
		if err != nil || len(line) < stateSlot || line[stateSlot-1] != '\n' {
			continue
		}
		if (u.seq+1)%2 == n { // in its place
			good++
		}
		if u.seq > t.seq {
			t = u
		}
	}
	switch {
	case t.seq == 0:
		t = transition{from: Dirty, to: Failed, reason: stateFile + " cannot be read"}
	case good < min(t.seq, 2):
		t.broken = "one of its two records cannot be read, and may have been the last"
	}
	return t
}

// writeState stores t in its slot.
func writeState(d disk.FS, dir string, t *transition, sync bool) error {
	f, err := openFile(d, joined(dir, stateFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	n, err := f.WriteAt(t.encode(), (t.seq+1)%2*stateSlot)
	if err == nil && n < stateSlot {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = cutTo(f, 2*stateSlot) // what else there is keeps the file from being read
	}
	if err == nil && sync {
		err = f.Sync()
	}
	return disk.Closing(f, err)
}

// cutTo truncates a file that is longer than size.
func cutTo(f disk.File, size int64) error {
	fi, err := f.Stat()
	if err == nil && fi.Size() > size {
		err = f.Truncate(size)
	}
	return err
}

// nextTransition returns the transition that follows t, or an error if the table has
// none.
func (t transition) nextTransition(to State, reason, at string) (transition, error) {
	if !t.to.May(to) {
		return t, fmt.Errorf("%w: %s cannot become %s", ErrState, t.to, to)
	}
	return transition{seq: t.seq + 1, from: t.to, to: to, reason: reason, at: at, ordered: t.ordered}, nil
}
