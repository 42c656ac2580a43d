package address

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/storev2"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// segmented returns the segmented store that a path names, nil if it is none.
func segmented(path string) *storev2.Store {
	if fi, err := os.Stat(path); path == "" || err != nil || !fi.IsDir() {
		return nil
	}
	s, err := storev2.Open(strings.TrimRight(path, string(os.PathSeparator)), storev2.Options{})
	if err != nil {
		return nil // a directory, as the one who opens it will say
	}
	return s
}

// Segmented reports whether a path names a segmented store.
func Segmented(path string) bool { return segmented(path) != nil }

// errMigrated is the answer to one who has just opened the file of a session that
// became a segmented store meanwhile.
var errMigrated = errors.New("the session was migrated to a segmented store")

// sessionAt follows a place to the session there: a committed segmented store beside a
// file is the session, until it is rolled back, even if the file is gone. err is why
// there is no place.
func sessionAt(operand string, p place, err error) (place, error) {
	switch {
	case err == nil && p.path != "" && !p.draft():
	case err != nil && strings.HasSuffix(operand, ".jsonl") && !isAddress(operand):
		p = place{path: operand}
	default:
		return p, err
	}
	s, serr := storev2.Committed(p.path)
	if serr != nil && err == nil {
		return p, serr
	}
	if serr == nil && s != nil {
		return place{path: p.path, file: s.Dir(), stored: true}, nil
	}
	return p, err
}

func isAddress(operand string) bool {
	_, ok := parseAddress(operand)
	return ok
}

// mayMove reports whether a session that was found could not be opened because it
// moved: a draft was published, a file migrated, a store rolled back.
func (p place) mayMove(err error) bool {
	return (p.draft() || p.stored) && errors.Is(err, fs.ErrNotExist) || errors.Is(err, errMigrated)
}

// name is what the session is called in messages.
func (p place) name() string {
	if p.stored {
		return p.file
	}
	return p.path
}

// store opens the segmented store that a place is, nil if it is none.
func (p place) store() (*storev2.Store, error) {
	s := segmented(p.file)
	if s == nil && p.stored { // never the file in its stead
		return storev2.Open(p.file, storev2.Options{})
	}
	return s, nil
}

// WarnForeign warns of entries that another program added to the JSONL file beside a
// segmented store: no tool reads them.
func WarnForeign(ctx context.Context, s *cli.Streams, store *storev2.Store) error {
	f, err := store.Foreign(ctx)
	if err != nil || len(f.IDs) == 0 || !s.Once(store.Dir()) {
		return err
	}
	const most = 5
	names := strings.Join(f.IDs[:min(most, len(f.IDs))], ", ")
	if n := len(f.IDs) - most; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	s.Warnf("%s has entries that %s, which is the session, has not: %s; sess-seg migrate %s takes them in", f.Path, store.Dir(), names, f.Path)
	return nil
}

// Beside returns the path of the file beside a segmented store: it names the session.
func Beside(store string) string { return storev2.Source(store) }

// Stored returns the segmented store that is the session instead of the file at path,
// "" if there is none.
func Stored(path string) (string, error) {
	s, err := storev2.Committed(path)
	if s == nil || err != nil {
		return "", err
	}
	return s.Dir(), nil
}

// Neighbours says of many files whether they are the sessions themselves. It lists each
// directory once, where Stored asks twice for each file. The zero value is ready for use, and
// several goroutines may use it; nil looks at the file. What changes in a directory later is
// not seen.
type Neighbours struct{ dirs sync.Map }

// Stored is [Stored].
func (n *Neighbours) Stored(path string) (string, error) {
	if n == nil {
		return Stored(path)
	}
	dir, base := filepath.Split(path)
	look, ok := n.dirs.Load(dir)
	if !ok {
		look, _ = n.dirs.LoadOrStore(dir, sync.OnceValue(func() map[string]bool { return unplain(dir) }))
	}
	if list, _ := look.(func() map[string]bool); list != nil {
		if names := list(); names != nil && !names[base] && !names[stem(base)] {
			return "", nil
		}
	}
	return Stored(path)
}

// unplain returns the names in a directory that are no files or directories, and those of
// segmented stores without their ending; nil if it cannot be read.
func unplain(dir string) map[string]bool {
	f, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for _, e := range entries {
		switch name := e.Name(); {
		case filepath.Ext(name) == ".v2":
			names[stem(name)] = true
		case !e.Type().IsRegular() && !e.IsDir():
			names[name] = true
		}
	}
	return names
}

// stem returns a name without its ending.
func stem(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }

// streamed returns the session that a store holds, while it is read and checked.
// An error of the store is an error of reading, so a truncated session is never
// mistaken for a complete one.
func streamed(s *storev2.Store) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := s.WriteTo(w)
		w.CloseWithError(explained(s.Dir(), err))
	}()
	return r
}

// explained gives an error of a store its status and a hint, and removes the
// name of the store, which the reader puts in front.
func explained(dir string, err error) error {
	if err == nil {
		return nil
	}
	status := cli.Status(err)
	hint := ""
	switch {
	case errors.Is(err, storev2.ErrNarrow):
		status, hint = cli.ExitMalformed, "sess-seg append --extended stores such entries, in a store that pi does not read"
	case errors.Is(err, storev2.ErrCorrupt), errors.Is(err, storev2.ErrNotStore):
		status, hint = cli.ExitMalformed, "sess-seg verify "+dir+" lists what is wrong, sess-seg recover "+dir+" mends what can be"
	case errors.Is(err, storev2.ErrState):
		status, hint = cli.ExitMalformed, "sess-seg status "+dir+" says what happened to it"
	case errors.Is(err, storev2.ErrContract):
		status = cli.ExitMalformed
	}
	err = cli.WithStatus(&segError{strings.TrimPrefix(err.Error(), dir+": "), err}, status)
	if hint != "" {
		err = cli.WithHint(err, "%s", hint)
	}
	return err
}

// A segError is an error of a store in fewer words.
type segError struct {
	text string
	err  error
}

func (e *segError) Error() string { return e.text }
func (e *segError) Unwrap() error { return e.err }

// A segTarget is a segmented store that is appended to, under its lock.
type segTarget struct {
	store *storev2.Store
	hold  *storev2.Hold
	name  string
}

// holdSegmented locks the segmented store that a place is; nil if it is none.
func holdSegmented(ctx context.Context, streams *cli.Streams, p place, o TargetOptions) (*segTarget, error) {
	path := p.file
	found, err := p.store()
	if found == nil || err != nil {
		return nil, explained(p.file, err)
	}
	if err := WarnForeign(ctx, streams, found); err != nil {
		return nil, named(path, explained(found.Dir(), err))
	}
	st, err := found.Status()
	if err != nil {
		return nil, named(path, explained(found.Dir(), err))
	}
	// What was stored under schema ids of our own once may be so again.
	s, err := storev2.Open(found.Dir(), storev2.Options{Extended: st.Extended, Wait: o.Wait, NoSync: o.Sync == "never"})
	if err != nil {
		return nil, err
	}
	hold, err := s.Hold(ctx)
	if err != nil {
		return nil, named(path, explained(found.Dir(), err))
	}
	return &segTarget{s, hold, path}, nil
}

// readSegmented reads what has to be known of a store before an append: its header
// and its last entry, and an id when it is asked for.
func (t *Target) readSegmented(o TargetOptions) error {
	s := t.seg.store
	if o.needsWhole() {
		in := streamed(s)
		defer in.Close()
		return t.readWhole(in)
	}
	lines, err := s.Preface()
	if err == nil {
		t.Header, err = session.ReadHeader(strings.NewReader(lines))
	}
	if err != nil {
		return named(t.Name, explained(s.Dir(), err))
	}
	last, err := s.Tail(1)
	if err != nil {
		return named(t.Name, explained(s.Dir(), err))
	}
	for _, e := range last {
		t.Batch.Leaf = e.ID
		t.Time, _ = js.ParseTime(js.Value(e.Line).Get("timestamp").Str())
	}
	t.Batch.Known = func(id string) bool {
		_, err := s.Get(id)
		return !errors.Is(err, storev2.ErrNotFound) // what cannot be looked up is not given away
	}
	return nil
}

// openFile opens the file of a session to append to it. One that was migrated while
// the lock was waited for is not the session any more.
func openFile(ctx context.Context, path string, o jsonl.Options) (*jsonl.Appender, error) {
	a, err := jsonl.OpenAppender(ctx, path, o)
	if err != nil {
		return nil, err
	}
	s, err := storev2.Committed(path)
	if err == nil && s != nil {
		err = errMigrated
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// append appends a batch under the lock.
func (t *segTarget) append(lines [][]byte) error {
	return named(t.name, explained(t.store.Dir(), t.hold.Append(lines...)))
}

// OpenBehind is [OpenTarget] for entries that were made while the session was not held,
// for the leaf with an id; "" is that of an empty session. If another entry is the leaf
// now, and the path to it goes on from that one, follow is called with that path: it
// reports whether the entries may be added behind it, and makes them anew if they have
// to be. Otherwise, and without follow, the error is [session.ErrLeafMoved].
func OpenBehind(ctx context.Context, s *cli.Streams, operand, leaf string, o TargetOptions, follow func(src *Source, path []session.Entry) (bool, error)) (*Target, error) {
	t, err := OpenTarget(ctx, s, operand, o)
	if err != nil || t.Batch.Leaf == leaf {
		return t, err
	}
	if t.Session == nil && follow != nil {
		if err := t.Close(); err != nil {
			return nil, err
		}
		o.Whole = true
		if t, err = OpenTarget(ctx, s, operand, o); err != nil {
			return nil, err
		}
	}
	if err := t.follow(leaf, follow); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Target) follow(leaf string, follow func(*Source, []session.Entry) (bool, error)) error {
	moved := leafMoved(t.Name, t.Batch.Leaf, leaf)
	if follow == nil {
		return moved
	}
	src := t.Source()
	at, _ := src.Session.Leaf()
	path, _ := src.PathTo(at)
	if leaf != "" && !slices.ContainsFunc(path, func(e session.Entry) bool { return e.ID() == leaf }) {
		return moved
	}
	ok, err := follow(src, path)
	if err == nil && !ok {
		err = moved
	}
	return err
}
