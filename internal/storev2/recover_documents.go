package storev2

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
)

// readFile reads the facts about the migration from the JSONL file, if it is still the one that was
// migrated.
func (r *recovery) readFile(x *findings) error {
	p := x.source.Fingerprint
	if p == nil && hex64(x.mark.Source.SHA) {
		p = &x.mark.Source
	}
	if p == nil {
		return nil
	}
	x.mark.Source = *p
	begins, _, err := p.matches(r.target)
	if err != nil || !begins {
		return about("reading "+base(r.target), err)
	}
	f, err := disk.OpenRegular(r.target)
	if err != nil {
		return about("opening "+base(r.target), err)
	}
	defer f.Close()
	x.file = totalsOf(r.ctx, io.NewSectionReader(f, 0, p.Bytes), true)
	return x.file.err
}

// newMarker makes a commit marker anew, of the ledger and the JSONL file, or of what
// can still be proven of the old one.
func (r *recovery) newMarker(x *findings) (marker, error) {
	old, m := x.mark, marker{Schema: markerSchema, At: r.o.now(), Chain: genesis}
	cannot := func(why string) error {
		return unrepairable{fmt.Errorf("%w; it cannot be made anew: %s", damaged(x.kerr), why)}
	}
	i := slices.IndexFunc(x.events, func(e event) bool { return e.rank() >= 0 && e.Correlation != "" && cutOver([]event{e}) })
	if i < 0 {
		return m, cannot("the ledger does not tell of the migration")
	}
	m.Migration, m.Correlation, m.SourcePath = x.events[i].Migration, x.events[i].Correlation, x.events[i].Source
	switch {
	case !hex64(old.Source.SHA):
		return m, cannot(sourceFile + " does not say what was migrated")
	case x.file.preface != "":
		m.Preface = x.file.preface
	case old.PrefaceSHA != "" && hexSum(old.Preface) == old.PrefaceSHA:
		m.Preface = old.Preface
	default:
		return m, cannot("the header is nowhere else, since " + base(r.target) + " is not there as it was migrated")
	}
	m.Source = fingerprint{Bytes: old.Source.Bytes, SHA: old.Source.SHA}
	// How much was migrated is known if the chain says so. Nothing was is never wrong.
	for _, n := range []struct {
		entries int64
		chain   string
	}{{x.file.entries, x.file.chain}, {old.Entries, old.Chain}} {
		if n.entries > 0 && n.entries <= x.entries && x.c.marks[n.entries] == n.chain {
			m.Entries, m.Chain = n.entries, n.chain
			break
		}
	}
	return m, nil
}

// damaged is an error about a file of the store, even if that is missing.
func damaged(err error) error {
	if errors.Is(err, ErrCorrupt) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// manifest returns the manifest of the segments that were read, and how many entries are lost. The
// segments have to agree with the old manifest, or, without its help, with marker and checkpoints.
// Anything else was tampered with.
func (r *recovery) manifest(w *writer, x *findings) (m manifest, lost int64, err error) {
	witnesses := true
	switch {
	case x.merr == nil && x.c.marks[x.man.Head.Entry] == x.man.Integrity.Chain:
		m, witnesses = x.c.merged(x.man), false
	case x.merr == nil && x.entries >= x.man.Counters.Entries:
		return m, 0, fmt.Errorf("%w: hash chain mismatch between manifest and segments", ErrCorrupt)
	case x.merr == nil:
		m, lost = x.c.merged(x.man), x.man.Counters.Entries-x.entries
	default:
		id, err := r.newIdentity(x)
		if err != nil {
			return m, 0, err
		}
		m = x.c.merged(id)
		if last, err := w.s.lastRow(); err == nil {
			lost = max(0, last.seq-x.entries)
		}
	}
	if x.kerr == nil && x.entries >= x.mark.Entries && x.c.marks[x.mark.Entries] != x.mark.Chain {
		return m, 0, fmt.Errorf("%w: hash chain mismatch between commit marker and segments", ErrCorrupt)
	}
	if !witnesses {
		return m, lost, nil
	}
	points := slices.DeleteFunc(slices.Clone(x.points), func(p Checkpoint) bool { return p.HeadSeq > x.entries })
	x.c.checkpoints(points)
	return m, lost, x.c.verdict()
}

// newIdentity says whose store it is that has lost its manifest.
func (r *recovery) newIdentity(x *findings) (manifest, error) {
	lines := x.mark.Preface
	if x.kerr != nil {
		lines = x.file.preface
	}
	p, err := readPreface(strings.NewReader(lines))
	if lines == "" && !x.ours {
		p, err = prefaceOf(r.target)
	}
	if err != nil {
		return manifest{}, fmt.Errorf("%w: and nothing tells whose store it is: %w", x.merr, disk.Cause(err))
	}
	return newManifest(p.header.ID, r.o.now(), sessionFits(p.header.ID) != nil), nil
}

// note reports that a file was made anew, or put aside.
func (r *recovery) note(format string, args ...any) {
	r.out.Remade = append(r.out.Remade, fmt.Sprintf(format, args...))
}

// checkpoints puts those aside that cannot be read, or lead nowhere.
func (r *recovery) checkpoints(_ *writer, x *findings) error {
	head := int64(0)
	for i := range x.points {
		if err := x.c.misplaced(&x.points[i], head); err != nil {
			x.bad[base(x.points[i].Snapshot)] = err
		} else {
			head = x.points[i].HeadSeq
		}
	}
	for name := range x.bad {
		if err := r.s.aside(joined(r.dir, "checkpoints", name)); err != nil {
			return about("putting aside "+name, err)
		}
		r.note("checkpoints/%s leads nowhere, and was put aside", name)
	}
	return nil
}

// ledger replaces a ledger that cannot be read, or contradicts the marker.
func (r *recovery) ledger(_ *writer, x *findings) error {
	events := slices.Clone(x.events)
	if x.ours {
		events = x.mark.corrected(events)
	}
	if x.lerr == nil && slices.Equal(events, x.events) {
		return nil
	}
	if err := r.backUp(ledgerFile); err != nil {
		return err
	}
	var b []byte
	for i := range events {
		b = append(append(b, compact(&events[i])...), '\n')
	}
	return replaceLedger(r.d, r.dir, b)
}

// backUp copies a file that is about to be made anew to one ending in ".bak".
func (r *recovery) backUp(name string) error {
	b, err := readFile(r.d, joined(r.dir, name), maxLedger)
	if err == nil {
		err = r.s.keep(joined(r.dir, name), b)
	}
	if err != nil && !missing(err) {
		return about("saving "+base(name), err)
	}
	r.note("%s was made anew", name)
	return nil
}

// corrected returns the events as the marker says they must be: those of its migration
// in order, with its names, and its end.
func (m *marker) corrected(events []event) []event {
	var at []int
	var own []event
	for i, e := range events {
		if e.rank() >= 0 && (e.Migration == m.Migration || e.Phase != "integrity_check") {
			e.Migration, e.Source, e.Target, e.Correlation = m.Migration, m.SourcePath, Dir(m.SourcePath), m.Correlation
			at, own = append(at, i), append(own, e)
		}
	}
	slices.SortStableFunc(own, func(a, b event) int { return a.rank() - b.rank() })
	for k, i := range at {
		events[i] = own[k]
	}
	for phase := m.missingPhase(events); phase != ""; phase = m.missingPhase(events) {
		events = m.withEvent(events, phase)
	}
	return events
}

// withEvent adds an event of the migration.
func (m *marker) withEvent(events []event, phase string) []event {
	e := newEvent(m.Migration, m.Correlation, phase, m.At, m.SourcePath, Dir(m.SourcePath))
	at := 0
	for i := range events {
		if events[i].Migration == m.Migration && events[i].rank() >= 0 && events[i].rank() <= e.rank() {
			at = i + 1
		}
	}
	return slices.Insert(events, at, e)
}

// marker writes the commit marker, if it was made anew.
func (r *recovery) marker(_ *writer, x *findings) error {
	if !x.ours || x.kerr == nil {
		return nil
	}
	if err := r.backUp(markerFile); err != nil {
		return err
	}
	return writeMarker(r.d, r.dir, &x.mark)
}

// source writes what the store was made from, as the marker says it.
func (r *recovery) source(_ *writer, x *findings) error {
	switch st, err := x.source, x.serr; {
	case !x.ours && errors.Is(err, ErrCorrupt): // without it, pi reads store and file
		r.note("%s cannot be read, and was put aside", sourceFile)
		return r.s.aside(joined(r.dir, sourceFile))
	case !x.ours, err == nil && (st.Fingerprint == nil || st.Fingerprint.same(&x.mark.Source)):
		return nil
	}
	r.note("%s was made anew", sourceFile)
	return writeSource(r.d, r.dir, x.mark.Source)
}

// modes takes the store away from everybody but its owner.
func (r *recovery) modes(*writer, *findings) error {
	return r.s.exposed(func(name string, fi fs.FileInfo) error {
		switch {
		case fi.IsDir():
			return r.d.Chmod(joined(r.dir, name), dirMode)
		case fi.Mode().IsRegular():
			return r.d.Chmod(joined(r.dir, name), fileMode)
		}
		return nil
	})
}
