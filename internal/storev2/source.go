package storev2

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/beside"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Preface returns the lines before the first entry, the header among them, with
// their line feeds; see [Store.WriteTo].
func (s *Store) Preface() (string, error) {
	lines, err := s.preface()
	return lines, s.named(err)
}

// preface takes the lines from the commit marker, or else from the JSONL file. It
// makes no header up, but for the cache of another program, which never held one.
func (s *Store) preface() (string, error) {
	man, err := readManifest(s.d, s.dir)
	if err != nil {
		return "", err
	}
	m, err := readMarker(s.d, s.dir)
	if err == nil || m.PrefaceSHA != "" && m.PrefaceSHA == hexSum(m.Preface) { // whatever else is damaged
		return m.Preface, man.owns(m.Preface)
	}
	if unread(err) {
		return "", err
	}
	ours, cerr := s.committed()
	if cerr != nil {
		return "", cerr
	}
	lines, serr := s.sourcePreface(ours)
	switch {
	case serr == nil && man.owns(lines) == nil:
		return lines, nil
	case serr != nil && !missing(serr) && !noHeader(serr):
		return "", serr
	case ours && missing(err):
		return "", fmt.Errorf("%w: %s, which held the header, is missing, and %s is not there as it was migrated",
			ErrCorrupt, markerFile, base(Source(s.dir)))
	case ours:
		return "", fmt.Errorf("%w, and %s is not there as it was migrated", err, base(Source(s.dir)))
	}
	if err := missingFrom(s.d, s.dir); !errors.Is(err, ErrCorrupt) {
		return "", err
	}
	ms, _ := js.ParseTime(man.CreatedAt)
	return session.NewHeader(session.HeaderFields{ID: man.SessionID, Time: ms}) + "\n", nil
}

// owns says whether the header in lines is that of the store's session.
func (m *manifest) owns(lines string) error {
	h, err := session.ReadHeader(strings.NewReader(lines))
	if err != nil {
		return fmt.Errorf("%w: the header in %s: %w", ErrCorrupt, markerFile, err)
	}
	if h.ID != m.SessionID {
		return fmt.Errorf("%w: %s has the header of the session %q, and the manifest is of %q", ErrCorrupt, markerFile, h.ID, m.SessionID)
	}
	return nil
}

// committed reports whether the store is the work of [Migrate], and not a cache of
// pi's.
func (s *Store) committed() (bool, error) { return beside.Migrated(s.d, s.dir) }

// sourcePreface reads the lines from the JSONL file beside the store. If that has
// to be the one that was migrated, its hash says so.
func (s *Store) sourcePreface(same bool) (string, error) {
	name := Source(s.dir)
	if same {
		st, err := readSource(s.d, s.dir)
		if errors.Is(err, ErrCorrupt) || err == nil && st.Fingerprint == nil {
			return "", errNoHeader
		}
		begins := false
		if err == nil {
			begins, _, err = st.Fingerprint.matches(name)
		}
		if err == nil && !begins {
			err = errNoHeader
		}
		if err != nil {
			return "", err
		}
	}
	p, err := prefaceOf(name)
	return p.lines, err
}

// A preface is the text before the first entry of a session.
type preface struct {
	header session.Header
	lines  string // with their line feeds
	titled bool
	strict bool // take no session id but the contract's
}

var errNoHeader = errors.New("there is no session header")

// read takes one more line, if the preface is not complete.
func (p *preface) read(line string) error {
	if p.header.Raw() != "" {
		return nil
	}
	if !utf8.ValidString(line) {
		return fmt.Errorf("%w: the header is not UTF-8", ErrContract)
	}
	e, err := session.ParseEntry(line)
	if err == nil && !p.titled && e.Type() == session.TypeTitle {
		p.titled = true // oh-my-pi's title slot
		p.lines += line + "\n"
		return nil
	}
	h, err := session.HeaderOf([]byte(line))
	if err != nil {
		return err
	}
	if h.Version < session.Version {
		return fmt.Errorf("%w: a version %d session has to be migrated to version %d first", ErrContract, h.Version, session.Version)
	}
	p.header, p.lines = h, p.lines+line+"\n"
	if p.strict {
		return sessionFits(h.ID)
	}
	return nil
}

// session reads a session: the lines up to the header into p, which must be empty, and
// all others but the blank ones, of which it returns the number, by visit. With ended
// every line has to be. Errors name the line.
func (p *preface) session(ctx context.Context, r io.Reader, ended bool, visit func(l jsonl.Line) error) (blank int, err error) {
	for l, err := range jsonl.Lines(r) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return blank, err
		}
		switch {
		case ended && l.Torn:
			err = jsonl.ErrTorn
		case p.header.Raw() == "":
			err = p.read(l.Text())
		case len(bytes.Trim(l.Data, " \t\r")) == 0:
			blank++
		default:
			err = visit(l)
		}
		if err != nil {
			return blank, fmt.Errorf("line %d: %w", l.Number, err)
		}
	}
	if p.header.Raw() == "" {
		err = errNoHeader
	}
	return blank, err
}

// prefaceOf reads the preface of the JSONL file name.
func prefaceOf(name string) (preface, error) {
	f, err := disk.OpenRegular(name)
	if err != nil {
		return preface{}, err
	}
	defer f.Close()
	return readPreface(f)
}

// readPreface reads up to the header.
func readPreface(r io.Reader) (preface, error) {
	p := preface{}
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return p, err
		}
		if l.Torn {
			return p, errNoHeader
		}
		if err := p.read(l.Text()); err != nil {
			return p, fmt.Errorf("line %d: %w", l.Number, err)
		}
		if p.header.Raw() != "" {
			return p, nil
		}
	}
	return p, errNoHeader
}

// noHeader reports whether an error says that a file has no header for a store.
func noHeader(err error) bool {
	for _, e := range []error{errNoHeader, ErrContract, session.ErrNotSession, session.ErrMalformed, session.ErrVersion} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// fileEntries calls visit with the lines of a JSONL file that are entries. Other lines, the header
// and a torn last line among them, are passed over: they have no id.
func fileEntries(ctx context.Context, r io.Reader, visit func(id string, l jsonl.Line)) error {
	for l, err := range jsonl.Lines(r) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if l.Torn || len(bytes.Trim(l.Data, " \t\r")) == 0 {
			continue
		}
		if e, err := session.ParseEntry(l.Text()); err == nil && e.ID() != "" && e.Type() != session.TypeSession {
			visit(e.ID(), l)
		}
	}
	return nil
}

// without returns the ids that are in the file but not in the store, in the order of
// the file. It reads the index.
func (v *snapshot) without(ids []string) (out []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known, err := idsOf(v.consecutive(v.rows(0), 1))
	for _, id := range ids {
		if err == nil && !known[id] {
			out = append(out, id)
			known[id] = true // once
		}
	}
	return out, err
}

// A Foreign tells what another program did to the JSONL file beside a store that is
// the session.
type Foreign struct {
	Path string
	IDs  []string // of entries that the store has not, in the order of the file
}

// Foreign looks for entries that were added to the JSONL file since the store was
// made of it. It costs the reading of the commit marker as long as the file has the
// size it had then; a change that leaves the size alone is not noticed.
func (s *Store) Foreign(ctx context.Context) (Foreign, error) {
	out := Foreign{Path: Source(s.dir)}
	m, err := readMarker(s.d, s.dir)
	if err != nil {
		return out, nil //nolint:nilerr // reading the session reports it, and not every store has one
	}
	fi, err := os.Stat(out.Path)
	if missing(err) || err == nil && fi.Size() == m.Source.Bytes {
		return out, nil
	}
	if err != nil {
		return out, about("looking at "+base(out.Path), err)
	}
	f, err := disk.OpenRegular(out.Path)
	if err != nil {
		return out, about("opening "+base(out.Path), err)
	}
	defer f.Close()
	var ids []string
	// A file that has only grown is read from there on.
	begin, last := m.Source.Bytes, make([]byte, 1)
	if n, err := f.ReadAt(last, begin-1); err != nil && begin > 0 && n == 0 || last[0] != '\n' {
		begin = 0
	}
	err = fileEntries(ctx, io.NewSectionReader(f, begin, fi.Size()-begin), func(id string, _ jsonl.Line) { ids = append(ids, id) })
	if err != nil {
		return out, about("reading "+base(out.Path), err)
	}
	v, err := s.snapshot()
	if err != nil {
		return out, s.named(err)
	}
	defer v.close()
	out.IDs, err = v.without(ids)
	return out, s.named(err)
}

// own returns the rows of the entries that the JSONL file has not.
func (v *snapshot) own(ctx context.Context, file io.Reader) (rows []row, err error) {
	ids := map[string]bool{}
	if err := fileEntries(ctx, file, func(id string, _ jsonl.Line) { ids[id] = true }); err != nil {
		return nil, about("reading "+base(Source(v.s.dir)), err)
	}
	for _, r := range v.consecutive(v.rows(0), 1) {
		if r.err != nil {
			return nil, r.err
		}
		if !ids[r.id] {
			rows = append(rows, r.row)
		}
	}
	return rows, nil
}

// extend appends the entries of the file to the store in place that it has not.
// Then the file counts as migrated as it is.
func (b *build) extend(old *Store) error {
	st, err := old.Status()
	if err != nil {
		return err
	}
	old.o.Extended = b.o.Extended || st.Extended
	h, err := old.Hold(b.ctx)
	if err != nil {
		return err
	}
	err = b.append(h)
	unlockInto(&err, h.Close)
	if err != nil {
		return fmt.Errorf("migrating %s: %w", b.path, disk.Cause(err))
	}
	if b.o.DryRun {
		b.out.EntryCountMatch, b.out.HashChainMatch, b.out.IndexConsistent = true, true, true
		return nil
	}
	rep, err := old.Verify(b.ctx)
	if err != nil {
		return err
	}
	for _, p := range rep.Problems {
		if p.Kind != "state" { // which the next writer mends
			err = old.named(fmt.Errorf("%w: %s", ErrCorrupt, p.Text))
			break
		}
	}
	ok := err == nil
	b.out.EntryCountMatch, b.out.HashChainMatch, b.out.IndexConsistent = ok, ok, ok
	return err
}

func (b *build) append(h *Hold) error {
	lines, err := b.foreign(h.w.s)
	if err != nil {
		return err
	}
	b.out.Taken, b.out.Entries = int64(len(lines)), h.w.m.Counters.Entries+int64(len(lines))
	if b.o.DryRun {
		_, err := h.w.plan(lines)
		return err
	}
	if err := h.Append(lines...); err != nil {
		return err
	}
	m, err := readMarker(b.d, h.w.s.dir)
	if err != nil {
		return err
	}
	// The file is not how the store begins any more.
	m.At, m.Source, m.Entries, m.Chain = b.o.now(), b.print, 0, genesis
	b.out.ID, b.out.Correlation = m.Migration, m.Correlation
	if err := writeMarker(b.d, h.w.s.dir, &m); err != nil {
		return err
	}
	return writeSource(b.d, h.w.s.dir, b.print)
}

// foreign returns the lines of the file that are entries which the store has not.
// Unlike a reader it wants every line to be an entry.
func (b *build) foreign(old *Store) (out [][]byte, err error) {
	v, err := old.reading()
	if err != nil {
		return nil, err
	}
	defer v.close()
	known, err := idsOf(v.consecutive(v.rows(0), 1))
	if err != nil {
		return nil, err
	}
	b.out.Blank, err = b.readSource(false, func(l jsonl.Line) error {
		e, err := session.ParseEntry(l.Text())
		if err == nil && !known[e.ID()] {
			out = append(out, bytes.Clone(l.Data))
		}
		return err
	})
	return out, err
}

// readSource reads the file, and notes its size and hash.
func (b *build) readSource(ended bool, visit func(l jsonl.Line) error) (blank int, err error) {
	whole := sha256.New()
	size := b.a.Size()
	blank, err = b.pre.session(b.ctx, io.TeeReader(io.NewSectionReader(b.a, 0, size), whole), ended, visit)
	b.print = fingerprint{Bytes: size, SHA: hex.EncodeToString(whole.Sum(nil))}
	return blank, err
}
