package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"slices"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
	"github.com/sess-tools/sess/pkg/typed"
)

// nothing reports whether a session file can have no match, by its raw lines alone. It
// is what most sessions of a store are asked, and the answer is yes for most.
func (g *search) nothing(ctx context.Context, src selection.Source, scanner *grep.Scanner) bool {
	if !src.IsFile() {
		return false
	}
	f, err := store.OpenFile(src.Name)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	for _, err := range scanner.Candidates(disk.Reader{Ctx: ctx, R: f}) {
		_ = err // who reads it again says so
		return false
	}
	return true
}

// open opens a session and searches it.
func (g *search) open(ctx context.Context, r *result) error {
	in, err := r.src.Open(ctx, g.streams)
	if err != nil {
		return err
	}
	defer in.Close()
	d := &document{src: r.src, in: in, g: g}
	spool, err := in.Spool(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = spool.Close() }()
	d.file, d.size = spool, spool.Size
	if d.header, err = session.ReadOrigin(d.reader(ctx, 0)); err != nil {
		return address.Locate(in.Name, err)
	}
	if err := r.src.Here(d.header); err != nil {
		return err
	}
	r.sure, r.place, r.cwd, r.harness = true, in.Place(d.header.ID), d.header.CWD, d.header.Origin().Harness
	return g.search(ctx, r, d)
}

// A document is a session that is searched.
type document struct {
	src    selection.Source
	in     *address.Input
	g      *search
	file   io.ReaderAt
	size   int64
	header session.Header

	// Set if a match was found, or if it takes the whole session to know:
	*tree
	problems []session.Problem
	moves    []move          // what was handed over is in front of them
	entries  []session.Entry // of a session of an old version, which are not what the lines say
}

// reader reads the document from an offset on.
func (d *document) reader(ctx context.Context, from int64) io.Reader {
	return disk.Reader{Ctx: ctx, R: io.NewSectionReader(d.file, from, d.size-from)}
}

// search searches a document. It is read once to learn whether there is a match, which
// is all that it takes for most sessions; then for its tree; and then from the first
// match on.
func (g *search) search(ctx context.Context, r *result, d *document) error {
	from, some, err := d.first(ctx)
	if err != nil {
		return err
	}
	if !some {
		return nil
	}
	d.forget()
	if err := d.read(ctx); err != nil {
		return err
	}
	d.forget()
	if g.many && !g.dup {
		if err := d.handedOver(ctx); err != nil {
			return err
		}
	}
	if g.screen != nil {
		if err := d.above(ctx, r); err != nil {
			return err
		}
	}
	err = d.matches(ctx, r, from)
	if errors.Is(err, errEnough) {
		err = nil
	}
	return err
}

// large is the size in bytes from which on memory counts for more than time.
const large = 8 << 20

// forget gives back what was read of a session that may have a huge line: it is read again
// next, and the collector would not be ready in time.
func (d *document) forget() {
	if d.size >= large {
		debug.FreeOSMemory()
	}
}

// first returns the offset of the first line that has a match, or that may have one: the line alone does not tell, see
// [document.maybe]. ok is false if there is no such line.
func (d *document) first(ctx context.Context) (offset int64, ok bool, err error) {
	g := d.g
	if g.headerRows(d.header).some() {
		return 0, true, nil
	}
	for line, err := range g.pattern.Scanner(g.unfiltered).Candidates(d.reader(ctx, 0)) {
		if err != nil {
			return 0, false, address.Locate(d.in.Name, err)
		}
		if found, err := d.maybe(ctx, line.Text); err != nil || found {
			return line.Offset, found, err
		}
	}
	return 0, false, nil
}

// maybe reports whether a line has a match, or may have one: it is damaged, or of an old version, whose entries change when
// they are read.
func (d *document) maybe(ctx context.Context, line string) (bool, error) {
	if d.header.Version < session.Version {
		return true, nil
	}
	e, err := session.ParseEntry(line)
	if err != nil {
		return len(line) > 0, nil
	}
	if e.Type() == session.TypeSession {
		return false, nil // the header, or one that does not count
	}
	_, ok, err := d.g.match(ctx, e)
	return ok, err
}

// read reads the tree of the session into d.tree, down to the leaf that was asked for, and warns of damage.
func (d *document) read(ctx context.Context) error {
	old := d.header.Version < session.Version
	if !old {
		t, ok, err := d.plainTree(ctx)
		if err != nil {
			return address.Locate(d.in.Name, err)
		}
		if ok {
			d.tree = t
			return nil
		}
	}
	read := session.ReadOutline
	if old {
		read = session.Read
	}
	s, err := read(d.reader(ctx, 0))
	if err != nil {
		return address.Locate(d.in.Name, err)
	}
	if old {
		d.entries = s.Entries
	}
	d.in.Warn(s.Problems)
	leaf, err := s.ResolveLeaf("last")
	if err != nil {
		return address.Locate(d.in.Name, err)
	}
	var gaps []session.Problem
	d.tree, gaps = treeOf(s, leaf)
	d.in.Warn(gaps)
	d.problems = slices.Concat(s.Problems, gaps)
	return nil
}

// A move is a place of a session where sess-handoff says that the messages in front of it are of another one.
type move struct {
	offset int64  // of the line, in bytes
	from   string // the origin of the other one
}

// handed finds the lines of moves.
var handed = grep.MustCompile([]string{typed.MovedHere}, grep.Options{Fixed: true})

// handedOver finds the places where the session says that it was handed over.
func (d *document) handedOver(ctx context.Context) error {
	for line, err := range handed.Scanner(false).Candidates(d.reader(ctx, 0)) {
		if err != nil {
			return address.Locate(d.in.Name, err)
		}
		if e, err := session.ParseEntry(line.Text); err == nil {
			if from, ok := typed.Moved(e); ok {
				d.moves = append(d.moves, move{line.Offset, selection.Origin(from)})
			}
		}
	}
	return nil
}

// entry returns the entry at a position.
func (d *document) entry(ctx context.Context, i int) (session.Entry, error) {
	if d.entries != nil {
		return d.entries[i], nil
	}
	for l, err := range jsonl.Lines(d.reader(ctx, d.offsets[i])) {
		if err != nil {
			return session.Entry{}, address.Locate(d.in.Name, err)
		}
		return session.ParseEntry(l.Text())
	}
	return session.Entry{}, address.Locate(d.in.Name, io.ErrUnexpectedEOF)
}

// candidates calls visit for the entries that may have a match, from the line at an
// offset on.
func (d *document) candidates(ctx context.Context, offset int64, visit func(i int, e session.Entry) error) error {
	if d.entries != nil {
		for i, e := range d.entries {
			if err := visit(i, e); err != nil {
				return err
			}
		}
		return nil
	}
	next := 0
	for line, err := range d.g.pattern.Scanner(d.g.unfiltered).Candidates(d.reader(ctx, offset)) {
		if err != nil {
			return address.Locate(d.in.Name, err)
		}
		at := offset + line.Offset
		for next < len(d.offsets) && d.offsets[next] < at {
			next++
		}
		if next == len(d.offsets) || d.offsets[next] != at {
			continue // not an entry
		}
		e, err := session.ParseEntry(line.Text)
		if err != nil {
			continue // it has changed since the tree was read
		}
		if err := visit(next, e); err != nil {
			return err
		}
	}
	return nil
}
