package address

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/index"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// scanLimit is the size in bytes up to which a session is read whole before an
// append, to give new entries short ids that are not taken. Above it they get
// ids that are unique by themselves, and an append costs the same at any size.
const scanLimit = 8 << 20

// TargetOptions say how to open a session that entries are added to.
type TargetOptions struct {
	Parent     string // reference to the entry to add to; "" is the leaf
	ExpectLeaf string // reference to the entry that has to be the leaf; "" is any
	Tail       jsonl.Tail
	tail       string        // the word of the flag
	Wait       time.Duration // bound on the wait for the lock; 0 is the default, negative none
	Grace      time.Duration // as [jsonl.Options.Grace]
	Sync       string        // "always", "never", or "" for always inside the store
	Whole      bool          // read all of it, because its entries are needed

	// Since is how the last target of the same session left it. If no other process has written to
	// it, it is not read again.
	Since *State
}

// A State is a session as a [Target.Commit] left it.
type State struct {
	file   fs.FileInfo
	header session.Header
	leaf   string
	known  func(string) bool // of the entries that were there before the first commit
	added  map[string]bool   // ids of the entries since then
	newID  func(func(string) bool) (string, error)
	time   int64 // of the leaf
}

func (s *State) has(id string) bool { return s.added[id] || s.known(id) }

// ErrUnsynced is matched by the error of [Target.Commit] if the entries are in the session
// and could not be synced to disk.
var ErrUnsynced = errors.New("but a power failure may take it back")

// A Target is a session that entries are added to, held locked if it is a file.
// Nothing is written before [Target.Commit].
type Target struct {
	Batch   session.Batch
	Session *session.Session // nil if only the tail was read
	Header  session.Header
	Name    string

	streams *cli.Streams
	file    *jsonl.Appender // nil for standard input, and a segmented store
	seg     *heldStore      // nil for anything else
	place   place
	leaf    session.Entry // that the batch goes on from; the zero Entry if since has it
	stdin   []string      // the lines of standard input
	since   *State        // that it was taken for
	sync    bool
}

// OpenTarget opens the session an operand names, for adding to it.
func OpenTarget(ctx context.Context, s *cli.Streams, operand string, o TargetOptions) (*Target, error) {
	t := &Target{streams: s}
	var err error
	t.place, err = open(ctx, s, operand, func(p place) error {
		if p.path == "" {
			return nil
		}
		if p.isStore() {
			t.seg, err = holdStore(ctx, s, p, o)
			return err
		}
		if err := s.NotOutput(file(p.file), p.path); err != nil {
			return err
		}
		t.file, err = openFile(ctx, p.file, jsonl.Options{Tail: o.Tail, Wait: o.Wait, Grace: o.Grace})
		return err
	})
	if err != nil {
		return nil, unfinished(err)
	}
	switch t.Name = t.place.name(); {
	case t.Name == "":
		t.Name = stdinName
		err = t.readStdin()
	case t.seg != nil:
		err = t.readSegmented(ctx, o)
	default:
		err = t.readLocked(o)
	}
	if err == nil {
		err = t.prepare(o)
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// A file is the name of one that is not open.
type file string

func (f file) Stat() (fs.FileInfo, error) { return os.Stat(string(f)) }

func (t *Target) readStdin() error {
	in, err := t.streams.OpenInput("-")
	if err != nil {
		return err
	}
	s, lines, err := session.ReadWithLines(in)
	if err != nil {
		return located(t.Name, err)
	}
	t.stdin = lines
	t.read(s)
	return nil
}

func (t *Target) readLocked(o TargetOptions) error {
	t.sync = o.Sync == "always" || o.Sync == "" && inStore(t.Name)
	// Of a draft it matters whether it has an answer already.
	if o.needsWhole() || t.place.draft() {
		return t.readWhole(io.NewSectionReader(t.file, 0, t.file.Size()))
	}
	if o.Since != nil && t.resume(o.Since) {
		return nil
	}
	if t.file.Size() <= scanLimit {
		x, err := index.New(t.file, t.file.Size())
		if err == nil && x.Len() > 0 {
			t.leaf, err = x.Entry(x.Len() - 1)
		}
		if err != nil {
			return t.readWhole(io.NewSectionReader(t.file, 0, t.file.Size()))
		}
		t.Header, t.Batch.Leaf = x.Header(), t.leaf.ID()
		t.Batch.Known = func(id string) bool { _, ok := x.Find(id); return ok }
		return nil
	}
	tail, err := session.ReadTail(t.file, t.file.Size())
	if err != nil {
		return located(t.Name, err)
	}
	leaf := tail.Leaf.ID()
	t.Header, t.leaf, t.Batch.Leaf = tail.Header, tail.Leaf, leaf
	t.Batch.Known = func(id string) bool { return id == leaf }
	t.Batch.NewID = func(func(string) bool) (string, error) { return session.UniqueEntryID(), nil }
	return nil
}

// State returns how the session was left by a commit, nil if that is not known.
func (t *Target) State() *State {
	if t.file == nil || t.Session != nil || len(t.Batch.Entries) == 0 {
		return nil
	}
	fi, err := os.Stat(t.place.file)
	if err != nil {
		return nil
	}
	s := t.since
	if s == nil {
		s = &State{header: t.Header, newID: t.Batch.NewID, known: t.Batch.Known, added: map[string]bool{}}
	}
	s.file, s.leaf = fi, strings.Clone(t.Batch.Leaf)
	s.time, _ = t.Batch.Entries[len(t.Batch.Entries)-1].Timestamp()
	for _, e := range t.Batch.Entries {
		s.added[strings.Clone(e.ID())] = true // the entry itself is not kept
	}
	return s
}

// resume takes a session for the one that was left, if it has not changed since.
func (t *Target) resume(s *State) bool {
	fi, err := os.Stat(t.place.file)
	if err != nil || !os.SameFile(fi, s.file) || fi.Size() != s.file.Size() || !fi.ModTime().Equal(s.file.ModTime()) {
		return false
	}
	t.Header, t.Batch.Leaf, t.Batch.Known, t.Batch.NewID = s.header, s.leaf, s.has, s.newID
	t.since = s
	return true
}

// needsWhole reports whether more than the leaf has to be known.
func (o *TargetOptions) needsWhole() bool {
	return o.Whole || o.Parent != "" && o.Parent != "." && o.Parent != "null" || o.ExpectLeaf != ""
}

// readWhole reads all of the session.
func (t *Target) readWhole(r io.Reader) error {
	s, err := session.Read(r)
	if err != nil {
		return located(t.Name, err)
	}
	t.read(s)
	return nil
}

func (t *Target) read(s *session.Session) {
	t.Session, t.Header = s, s.Header
	if i, ok := s.Leaf(); ok {
		t.leaf = s.Entries[i]
		t.Batch.Leaf = t.leaf.ID()
	}
	t.Batch.Known = func(id string) bool { _, ok := s.Index(id); return ok }
}

// Time returns the time of the leaf that the batch goes on from, in milliseconds since the epoch, 0 if it is not known.
func (t *Target) Time() int64 {
	if t.since != nil {
		return t.since.time
	}
	ms, _ := t.leaf.Timestamp()
	return ms
}

// prepare checks what the caller expects and moves to the parent it wants.
func (t *Target) prepare(o TargetOptions) error {
	if err := addable(t.Name, t.Header); err != nil {
		return err
	}
	t.Batch.Now = time.Now().UnixMilli()
	if err := expect(t.Name, t.Session, o.ExpectLeaf); err != nil {
		return err
	}
	switch o.Parent {
	case "", ".":
		return nil
	case "null":
		t.Batch.Leaf = ""
		return nil
	}
	i, err := t.resolve(o.Parent)
	if err != nil {
		return err
	}
	t.Batch.Leaf = ""
	if i >= 0 {
		t.Batch.Leaf = t.Session.Entries[i].ID()
	}
	return nil
}

func addable(name string, h session.Header) error {
	if err := h.CanAppend(); err != nil {
		return cli.WithHint(fmt.Errorf("%s: %w", name, err), "sess-fork --branches makes a version 3 copy")
	}
	return nil
}

// Entry returns the id of the entry that a reference names. The session must have
// been read whole.
func (t *Target) Entry(ref string) (string, error) {
	i, err := t.resolve(ref)
	if err != nil {
		return "", err
	}
	if i < 0 {
		return "", fmt.Errorf("%s: %s is no entry", t.Name, ref)
	}
	return t.Session.Entries[i].ID(), nil
}

func (t *Target) resolve(ref string) (int, error) {
	leaf, _ := t.Session.Leaf()
	i, err := t.Session.Resolve(ref, leaf)
	if err != nil {
		return -1, misnamed(t.place.path, fmt.Errorf("%s: %w", t.Name, err))
	}
	return i, nil
}

// Adopt adds the entries of a draft, see [Source.Draft].
func (t *Target) Adopt(draft *session.Batch) error {
	for _, e := range draft.Entries {
		if _, err := t.Batch.Adopt(e); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

// Commit writes the batch: to the file in one write, or to standard output
// behind the session that was read. A draft that has an assistant message then
// is published.
func (t *Target) Commit() error {
	switch {
	case t.seg != nil:
		return t.seg.append(t.Batch.Lines())
	case t.file == nil:
		// A torn tail stays behind: what follows it would be lost to readers.
		lines := t.stdin
		if n := len(lines) - 1; t.Session.Torn {
			t.streams.Warnf("%s: torn last line of %d bytes left out", t.Name, len(lines[n]))
			lines = lines[:n]
		}
		for _, e := range t.Batch.Entries {
			lines = append(lines, e.Raw())
		}
		_, err := jsonl.Content(lines).WriteTo(t.streams.Out)
		return err
	}
	if t.place.draft() && t.answered() {
		return t.publish()
	}
	return t.append()
}

func (t *Target) append() error {
	if err := t.file.Append(t.Batch.Lines()...); err != nil {
		return unfinished(named(t.Name, err))
	}
	if m := t.file.Mended(); m.Kind != jsonl.MendNone {
		t.streams.Warnf("%s: %s", t.Name, m)
	}
	if !t.sync {
		return nil
	}
	if err := t.file.Sync(); err != nil {
		return fmt.Errorf("%s, %w: %w", Appended(t.Batch.Entries), ErrUnsynced, named(t.Name, err))
	}
	return nil
}

// unfinished says what to do about a last line that may still be written.
func unfinished(err error) error {
	if !errors.Is(err, jsonl.ErrUnfinished) {
		return err
	}
	return cli.WithHint(err, "try again, or if its writer is dead, with SESS_GRACE=0")
}

// Acknowledge prints what was committed: the ids of the entries or, with whole, the
// entries. A filter has printed the session. If they cannot be printed, the error
// says that they were appended.
func (t *Target) Acknowledge(whole bool) error {
	entries := t.Batch.Entries
	if t.Filter() || len(entries) == 0 {
		return nil
	}
	return t.streams.Acknowledge(Appended(entries), func() error { return PrintEntries(t.streams, entries, whole) })
}

// Appended says that entries were added to a session, and names the last of them.
func Appended(entries []session.Entry) string {
	last := entries[len(entries)-1].ID()
	if len(entries) == 1 {
		return "appended " + last
	}
	return fmt.Sprintf("appended %d entries up to %s", len(entries), last)
}

// PrintEntries prints the ids of entries or, with whole, the entries, one a line.
func PrintEntries(s *cli.Streams, entries []session.Entry, whole bool) error {
	for _, e := range entries {
		text := e.ID()
		if whole {
			text = e.Raw()
		}
		if _, err := fmt.Fprintln(s.Out, text); err != nil {
			return err
		}
	}
	return nil
}

// named puts the file in front of an error that does not name it yet.
func named(name string, err error) error {
	if err == nil || strings.Contains(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Source returns the session as a reader sees it. It must have been read whole.
func (t *Target) Source() *Source {
	return &Source{Session: t.Session, Name: t.Name, streams: t.streams}
}

// Filter reports whether the session came from standard input and goes to
// standard output.
func (t *Target) Filter() bool { return t.file == nil && t.seg == nil }

// Close gives up the lock.
func (t *Target) Close() error {
	switch {
	case t.seg != nil:
		return t.seg.Close()
	case t.file == nil:
		return nil
	}
	return t.file.Close()
}

// File returns the file that is held, to be read anywhere, and its size; ok is false if
// the session is none.
func (t *Target) File() (r io.ReaderAt, size int64, ok bool) {
	if t.file == nil {
		return nil, 0, false
	}
	return t.file, t.file.Size(), true
}

// Stream returns the session that is held in a segmented store, from the beginning.
func (t *Target) Stream(ctx context.Context) (io.ReadCloser, error) {
	return t.place.openStore(ctx, t.streams)
}

// Replace gives the session other content, in one step; see [jsonl.Appender.Replace].
// Only a file that is no draft can be replaced.
func (t *Target) Replace(content io.WriterTo) error {
	switch {
	case t.file == nil:
		return cli.WithHint(errors.New(t.Name+": a segmented store only grows at its end, and there are lines that belong before it"),
			"add -o FILE in place of --into")
	case t.place.draft():
		return cli.WithHint(errors.New(t.Name+": a draft only grows at its end"), "add -o FILE in place of --into")
	}
	err := unfinished(named(t.Name, t.file.Replace(content, t.sync)))
	if m := t.file.Mended(); m.Kind != jsonl.MendNone {
		t.streams.Warnf("%s: %s", t.Name, m)
	}
	return err
}

// Expect reports whether the leaf of the session that was read is the entry of a
// reference; "" is any. The error is [session.ErrLeafMoved] if it is not.
func (src *Source) Expect(ref string) error { return expect(src.Name, src.Session, ref) }

// expect is the compare of compare-and-swap: the leaf has to be the entry the
// caller saw.
func expect(name string, s *session.Session, ref string) error {
	if ref == "" {
		return nil
	}
	leaf, ok := s.Leaf()
	want, err := s.Resolve(ref, leaf)
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err == nil && leaf == want {
		return nil
	}
	is := ""
	if ok {
		is = s.Entries[leaf].ID()
	}
	return leafMoved(name, is, ref)
}

// leafMoved is the error for a leaf that is another one than was wanted; "" is that of an
// empty session.
func leafMoved(name, is, want string) error {
	return fmt.Errorf("%s: %w: it is %s, not %s", name, session.ErrLeafMoved, cmp.Or(is, "null"), cmp.Or(want, "null"))
}
