package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// A Session is what one session file holds, upgraded to version 3.
type Session struct {
	Header   Header
	Name     string    // the session's name, "" if it has none
	Entries  []Entry   // in file order
	Problems []Problem // what was skipped and what contradicts, in file order
	Lines    int       // lines read, the torn tail included
	Torn     bool      // the input ended in a line that is not JSON

	lead    []string // title slot lines in front of the header
	byID    idTable
	parents []int32      // position of each entry's parent, -1 if it has none
	hidden  map[int]bool // entries whose id a later entry has too
}

// Content returns the lines of the header and of the entries, as they are written.
func (s *Session) Content() jsonl.Content {
	lines := append(make(jsonl.Content, 0, len(s.Entries)+1), s.Header.Raw())
	for _, e := range s.Entries {
		lines = append(lines, e.Raw())
	}
	return lines
}

// Read reads a session. Lines it cannot use are skipped and reported in
// Problems, as are entries that cannot be addressed; only an input that is no
// session at all is an error, which is a [Problem] matching ErrNotSession or
// ErrVersion, or the reader's own error.
func Read(r io.Reader) (*Session, error) {
	return new(reader).read(r)
}

// reader is the state of reading one session.
type reader struct {
	s        *Session
	opened   bool  // the header has been read
	elements []int // parsed lines to entry positions, -1 for the rest; v1 compactions point at these

	lines   func(text string) // is shown every line, if it is set
	outline func() parser     // makes the parser of entries that are not kept whole
	visit   func(Entry) bool  // takes entries that are not kept at all
	stopped bool              // by visit, or by a line that is not clean
}

// A parser reads an entry from the data of a line, which may begin behind a byte
// order mark. It reports whether that is valid JSON. If it is no object, the entry
// has no meaning.
type parser func(l jsonl.Line, data []byte) (e Entry, valid bool)

// keepLine is the parser that keeps the line.
func keepLine(l jsonl.Line, data []byte) (Entry, bool) {
	if !js.Valid(data) {
		return Entry{}, false
	}
	text := l.Text()
	return scan(text[len(text)-len(data):]), true
}

func (rd *reader) read(r io.Reader) (*Session, error) {
	rd.s = &Session{}
	if err := rd.blocks(r); err != nil {
		return nil, err
	}
	s := rd.s
	switch {
	case s.Lines == 0:
		return nil, problem(0, 0, Empty, "", "not a session: empty")
	case !rd.opened:
		return nil, problem(1, 0, NoHeader, "", "not a session: no session header")
	}
	rd.migrate()
	rd.index()
	rd.checkFirstKept()
	slices.SortStableFunc(s.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	// The title slot of oh-my-pi goes before the header.
	h := s.Header
	if len(s.lead) > 0 {
		h.Title = s.Name
	}
	s.Name = NameOf(h, s.Entries)
	return s, nil
}

// A parsedLine is what a line is by itself.
type parsedLine struct {
	line  jsonl.Line
	bad   Kind  // the kind of a line that is not JSON, "" if it is JSON
	entry Entry // of an object
	kind  lineKind
	utf8  bool
}

type lineKind byte

const (
	isBlank lineKind = iota
	isBad
	isOther // JSON, but no object
	isEntry
)

// parseLine parses a line, whose data may begin behind a byte order mark.
func parseLine(l jsonl.Line, data []byte, parse parser) parsedLine {
	k := parsedLine{line: l}
	start := bytes.TrimSpace(data)
	if len(start) == 0 {
		return k
	}
	e, valid := parse(l, data)
	switch {
	case !valid:
		k.kind, k.bad = isBad, badKind(l, data)
	case start[0] != '{':
		k.kind = isOther
	default:
		k.kind, k.entry, k.utf8 = isEntry, e, utf8.Valid(data)
	}
	return k
}

// take adds a line to the session.
func (rd *reader) take(k parsedLine) error {
	rd.s.Lines++
	if rd.lines != nil {
		rd.lines(k.line.Text())
	}
	l := k.line
	if rd.visit != nil && !k.clean() {
		rd.stopped = true
		return nil
	}
	switch k.kind {
	case isBad:
		return rd.bad(k)
	case isOther:
		rd.noteElement(-1)
		if !rd.opened {
			return WithoutHeader(rd.s.Lines, l.Offset)
		}
		rd.found(l, NotObject, "", "not a JSON object, skipped")
	case isEntry:
		k.entry.line, k.entry.offset = uint32(rd.s.Lines), l.Offset
		if !rd.opened {
			return rd.header(k.entry, l)
		}
		rd.entry(k)
	}
	return nil
}

// tornText words the problem of a torn tail, with its length in bytes.
const tornText = "torn last line of %d bytes skipped"

// badKind classifies a line that is not JSON. A fragment at the end is normal: a
// writer died, or is still writing.
func badKind(l jsonl.Line, data []byte) Kind {
	switch {
	case l.Torn:
		return Torn
	case bytes.IndexByte(data, 0) >= 0:
		return NUL
	case js.Depth(data) > js.MaxDepth:
		return TooDeep
	case fused(data):
		return Fused
	}
	return NotJSON
}

func (rd *reader) bad(k parsedLine) error {
	l := k.line
	switch k.bad {
	case Torn:
		rd.s.Torn = true
		n := len(l.Data)
		if rd.s.Lines == 1 {
			n -= len(bom(l.Data))
		}
		rd.found(l, Torn, "", tornText, n)
	case NUL:
		rd.found(l, NUL, "", "NUL bytes, line skipped")
	case TooDeep:
		rd.found(l, TooDeep, "", "nested deeper than %d levels, line skipped", js.MaxDepth)
	case Fused:
		rd.found(l, Fused, "", "several entries fused on one line, skipped")
	default:
		rd.found(l, NotJSON, "", "not JSON, line skipped")
	}
	return nil
}

// bom returns the byte order mark that data begins with, if it does.
func bom(data []byte) []byte {
	if bytes.HasPrefix(data, []byte(jsonl.ByteOrderMark)) {
		return data[:len(jsonl.ByteOrderMark)]
	}
	return nil
}

// fused reports whether a line that is not JSON looks like entries written
// without a line feed between them, or like a torn entry with one behind it:
// whether an entry of a known type begins inside it. Content blocks have types
// too, but others.
func fused(data []byte) bool {
	if !bytes.HasPrefix(data, []byte("{")) {
		return false
	}
	for rest := data[1:]; ; {
		at := EntryStart(rest)
		if at < 0 {
			return false
		}
		_, after, _ := bytes.Cut(rest[at:], []byte(`:`))
		after = bytes.TrimLeft(after, " \t")[1:]
		typ, _, ok := bytes.Cut(after[:min(len(after), 64)], []byte(`"`))
		if ok && (string(typ) == TypeSession || required[string(typ)] != nil) {
			return true
		}
		rest = after
	}
}

// EntryStart returns where in a line the next object begins whose first member is a text called type, as an entry's, -1 if there is
// none. Writers put blanks behind colons, or none.
func EntryStart(line []byte) int {
	for at := 0; ; at++ {
		i := bytes.Index(line[at:], []byte(`"type"`))
		if i < 0 {
			return -1
		}
		at += i
		before := bytes.TrimRight(line[:at], " \t")
		behind, ok := bytes.CutPrefix(bytes.TrimLeft(line[at+len(`"type"`):], " \t"), []byte(":"))
		if ok = ok && bytes.HasSuffix(before, []byte("{")); ok && bytes.HasPrefix(bytes.TrimLeft(behind, " \t"), []byte(`"`)) {
			return len(before) - 1
		}
	}
}

func (rd *reader) header(e Entry, l jsonl.Line) error {
	if title, ok := titleSlot(e); ok {
		rd.s.lead = append(rd.s.lead, e.raw)
		rd.s.Name = title
		return nil
	}
	h, err := headerOf(e)
	if p, ok := errors.AsType[Problem](err); ok {
		p.Offset = l.Offset
		return p
	}
	h.offset = l.Offset
	rd.s.Header, rd.opened = h, true
	rd.noteElement(-1)
	return nil
}

func (rd *reader) entry(k parsedLine) {
	e := k.entry
	if rd.visit != nil {
		rd.stopped = rd.stopped || e.typ == TypeSession || !rd.visit(e)
		return
	}
	if !k.utf8 {
		rd.found(k.line, InvalidUTF8, e.id, "invalid UTF-8, kept as it is")
	}
	if e.typ == TypeSession {
		rd.noteElement(-1)
		rd.found(k.line, LaterHeader, "", "another session header, ignored")
		return
	}
	rd.noteElement(len(rd.s.Entries))
	if n := len(rd.s.Entries); n == cap(rd.s.Entries) {
		rd.s.Entries = slices.Grow(rd.s.Entries, max(n, 64)) // append's way is to copy all of it more often
	}
	if h := &rd.s.Header; len(rd.s.Entries) < originEntries && h.importer == "" {
		h.importer = e.Importer()
	}
	rd.s.Entries = append(rd.s.Entries, e)
}

// noteElement takes note of what a parsed line is, where that matters.
func (rd *reader) noteElement(entry int) {
	if !rd.opened || rd.s.Header.Version < 2 {
		rd.elements = append(rd.elements, entry)
	}
}

func (rd *reader) found(l jsonl.Line, kind Kind, id, format string, args ...any) {
	rd.s.Problems = append(rd.s.Problems, problem(rd.s.Lines, l.Offset, kind, id, format, args...))
}

// index builds the map from ids to entries. The last of several entries with
// one id is the one the id names, as in pi.
func (rd *reader) index() {
	s := rd.s
	s.hidden, s.byID = map[int]bool{}, newIDTable(s.Entries)
	for i, e := range s.Entries {
		if e.id == "" {
			s.Problems = append(s.Problems, problem(e.Line(), e.offset, NoID, "", "entry without id, not part of any path"))
			continue
		}
		if first, dup := s.byID.put(i); dup {
			s.hidden[first] = true
			what := "other bytes"
			if s.Entries[first].SameLine(e) {
				what = "the same bytes"
			}
			s.Problems = append(s.Problems, problem(e.Line(), e.offset, DuplicateID, e.id,
				"id %s stands on line %d too, with %s; the last counts", quoteID(e.id), s.Entries[first].Line(), what))
		}
	}
	s.parents = make([]int32, len(s.Entries))
	for i, e := range s.Entries {
		s.parents[i] = -1
		if p, ok := s.byID.find(e.parent); ok && e.parent != "" {
			s.parents[i] = int32(p)
		}
	}
}

// An idTable finds entries by their ids. A map of strings takes several times its memory.
type idTable struct {
	entries []Entry
	slots   []int32 // places in entries, and 1; 0 for none. At most half of them are taken
	seed    maphash.Seed
}

func newIDTable(entries []Entry) idTable {
	return idTable{entries: entries, slots: make([]int32, 2<<bits.Len(uint(len(entries)))), seed: maphash.MakeSeed()}
}

// slot returns where an id stands, or would.
func (t *idTable) slot(id string) int {
	last := len(t.slots) - 1
	i := int(maphash.String(t.seed, id)) & last
	for t.slots[i] > 0 && t.entries[t.slots[i]-1].id != id {
		i = (i + 1) & last
	}
	return i
}

// put makes the id of an entry name it, and returns the one that it named.
func (t *idTable) put(entry int) (before int, ok bool) {
	i := t.slot(t.entries[entry].id)
	before = int(t.slots[i]) - 1
	t.slots[i] = int32(entry + 1)
	return before, before >= 0
}

func (t *idTable) find(id string) (entry int, ok bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	entry = int(t.slots[t.slot(id)]) - 1
	return max(entry, 0), entry >= 0
}

// checkFirstKept reports compactions that keep nothing because the entry they
// want to keep from is not before them on their path. One whose path ends at a parent that is missing
// is not reported: the entry may be behind that.
func (rd *reader) checkFirstKept() {
	s := rd.s
	var d Descent // made for the first compaction
	for i, e := range s.Entries {
		if e.typ != TypeCompaction {
			continue
		}
		if d.root == nil {
			d = NewDescent(s.parents)
		}
		kept := e.Str("firstKeptEntryId")
		if first, ok := s.byID.find(kept); !ok || !d.Keeps(i, first, func(root int) bool { return s.Entries[root].parent != "" }) {
			s.Problems = append(s.Problems, problem(e.Line(), e.offset, NoFirstKept, e.id,
				"compaction %s keeps entries from %s on, which is not before it: nothing is kept", quoteID(e.id), quoteID(kept)))
		}
	}
}

// quoteID returns an id for a message: bare if it is a plain word.
func quoteID(id string) string {
	plain := func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}
	if id == "" || strings.ContainsFunc(id, plain) {
		return fmt.Sprintf("%q", id)
	}
	return id
}

// Index returns the position in Entries of the entry that id names.
func (s *Session) Index(id string) (int, bool) {
	return s.byID.find(id)
}

// Lead returns the lines that stand before the entries: the header, and in
// front of it oh-my-pi's title slot if the file has one. For a session of
// version 1 or 2 the header says version 3.
func (s *Session) Lead() []string {
	raw := s.Header.raw
	if s.Header.Version < Version {
		raw = string(js.Value(raw).With("version", js.Value(fmt.Sprint(Version))))
	}
	return append(append([]string(nil), s.lead...), raw)
}

// ReadWithLines is Read for a caller who wants to write the session again: it
// returns all lines of the input too, those that were skipped included, without
// their line feeds. The session's entries share their memory.
func ReadWithLines(r io.Reader) (s *Session, lines []string, err error) {
	rd := reader{lines: func(text string) { lines = append(lines, text) }}
	s, err = rd.read(r)
	return s, lines, err
}

// blocks reads all lines. Once the header is known, several goroutines parse lines
// block by block; this one takes them in order.
func (rd *reader) blocks(r io.Reader) error {
	blocks := jsonl.Blocks
	if rd.outline == nil {
		blocks = jsonl.BlocksToKeep
	}
	next, stop := iter.Pull2(blocks(r))
	defer stop()
	for !rd.opened {
		b, err, ok := next()
		if err != nil || !ok {
			return err
		}
		parse, header := parser(keepLine), false
		for l := range b.Lines() {
			data := l.Data
			if rd.s.Lines == 0 {
				data = data[len(bom(data)):]
			}
			if err := rd.take(parseLine(l, data, parse)); err != nil || rd.stopped {
				return err
			}
			if rd.opened && !header {
				header, parse = true, rd.parser()
			}
			if rd.s.Lines == 1 && len(data) < len(l.Data) {
				rd.found(l, BOM, "", "byte order mark ignored")
			}
		}
	}
	return rd.inOrder(next)
}

// outlines reports whether only outlines of entries are kept. Entries of old
// versions are kept whole, to be migrated.
func (rd *reader) outlines() bool {
	return rd.outline != nil && rd.opened && rd.s.Header.Version == Version
}

// parser returns what reads entries behind the header, for one goroutine.
func (rd *reader) parser() parser {
	if rd.outlines() {
		return rd.outline()
	}
	return keepLine
}

// A parsedBlock is a block with its lines parsed.
type parsedBlock struct {
	lines *[]parsedLine // of parsedPool
	block jsonl.Block
}

// aheadOf is the number of blocks read ahead for each processor, which keeps the
// workers busy while results are merged in order.
const aheadOf = 2

// inOrder takes the rest of the blocks.
func (rd *reader) inOrder(next func() (jsonl.Block, error, bool)) error {
	var failed error // not a result: returning early would write it while blocks does
	blocks := func(yield func(jsonl.Block) bool) {
		for {
			b, err, ok := next()
			if failed = err; err != nil || !ok || !yield(b) {
				return
			}
		}
	}
	parse := func(_ context.Context, b jsonl.Block) parsedBlock {
		lines, parse := parsedPool.Get().(*[]parsedLine), rd.parser()
		*lines = (*lines)[:0]
		for l := range b.Lines() {
			*lines = append(*lines, parseLine(l, l.Data, parse))
		}
		return parsedBlock{lines: lines, block: b}
	}
	for got := range parallel.Map(context.Background(), aheadOf*runtime.GOMAXPROCS(0), blocks, parse) {
		for _, k := range *got.lines {
			_ = rd.take(k) // an error is one of the header, which is known
		}
		parsedPool.Put(got.lines)
		if rd.stopped {
			return nil
		}
		if rd.outlines() {
			got.block.Free()
		}
	}
	return failed
}

var parsedPool = sync.Pool{New: func() any { return new([]parsedLine) }}
