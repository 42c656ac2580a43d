package address

import (
	"bufio"
	"bytes"
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

	"github.com/sess-tools/sess/internal/core/beside"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/proc"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// Keeper is the program that reads and writes segmented stores. No other one knows their format.
const Keeper = "sess-seg"

// Segmented reports whether a path names a segmented store.
func Segmented(path string) bool { return beside.IsStore(path) }

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
	dir, serr := beside.Committed(p.path)
	if serr != nil && err == nil {
		return p, serr
	}
	if serr == nil && dir != "" {
		return place{path: p.path, file: dir, stored: true}, nil
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

// isStore reports whether a place is a segmented store. One that is the session is never
// left for the file in its stead, whatever is wrong with it.
func (p place) isStore() bool { return p.stored || Segmented(p.file) }

// gone returns an error that matches [fs.ErrNotExist] if the store that a place is has lost
// its name: it was rolled back meanwhile.
func (p place) gone() error {
	if _, err := os.Lstat(p.file); err != nil {
		return fmt.Errorf("opening %s: %w", p.file, disk.Cause(err))
	}
	return nil
}

// Beside returns the path of the file beside a segmented store: it names the session.
func Beside(store string) string { return beside.Source(store) }

// Stored returns the segmented store that is the session instead of the file at path,
// "" if there is none.
func Stored(path string) (string, error) { return beside.Committed(path) }

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

// keeper returns a running sess-seg. Each of its warnings is printed once, however often it is run.
func keeper(ctx context.Context, s *cli.Streams, stdin io.Reader, env []string, args ...string) (*proc.Reader, error) {
	say := Say(s, cli.Damage)
	p, err := subprocess.Program{Name: Keeper, Args: args, Env: env, Stdin: stdin, Say: func(m subprocess.Message) {
		if s.Once(m.Text) {
			say(m)
		}
	}}.Start(ctx)
	if errors.Is(err, subprocess.ErrNotFound) {
		err = cli.WithHint(err, "it reads and writes segmented stores: install it, or make the session a file again, with sess-seg rollback where that is installed")
	}
	return p, err
}

// A storeReader reads the session that a store holds, while sess-seg reads and checks it.
// An error of the store is an error of reading, so a truncated session is never
// mistaken for a complete one.
type storeReader struct {
	r   *bufio.Reader
	p   *proc.Reader
	dir string
}

// openStore has the store read that a place is.
func (p place) openStore(ctx context.Context, s *cli.Streams) (io.ReadCloser, error) {
	run, err := keeper(ctx, s, nil, nil, "cat", "--", p.file)
	if err != nil {
		return nil, err
	}
	r := &storeReader{bufio.NewReaderSize(run, 64<<10), run, p.file}
	if _, err := r.r.Peek(1); err != nil { // it comes again when it is read
		if gone := p.gone(); gone != nil {
			return nil, errors.Join(gone, run.Close())
		}
	}
	return r, nil
}

func (r *storeReader) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) { // the caller puts the name in front
		err = &storeError{strings.TrimPrefix(err.Error(), r.dir+": "), err}
	}
	return n, err
}

func (r *storeReader) Close() error { return r.p.Close() }

// A storeError is an error of a store in fewer words.
type storeError struct {
	text string
	err  error
}

func (e *storeError) Error() string { return e.text }
func (e *storeError) Unwrap() error { return e.err }

// A heldStore is a segmented store that is appended to: a running sess-seg holds its lock,
// until it has been given entries and an empty line, or the end of its input. See the
// flag --hold in sess-seg(1).
type heldStore struct {
	name string
	p    *proc.Reader
	in   *os.File // its standard input
	out  *bufio.Reader
	head string // of the session: header and last entry
}

// holdStore locks the segmented store that a place is.
func holdStore(ctx context.Context, s *cli.Streams, p place, o TargetOptions) (*heldStore, error) {
	env := append(os.Environ(), "SESS_SYNC="+cmp.Or(o.Sync, "always"))
	if o.Wait != 0 {
		env = append(env, "SESS_WAIT="+max(o.Wait, 0).String())
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("running %s: %w", Keeper, disk.Cause(err))
	}
	run, err := keeper(ctx, s, stdin, env, "append", "--hold", "--", p.file)
	stdin.Close()
	if err != nil {
		in.Close()
		return nil, err
	}
	h := &heldStore{name: p.file, p: run, in: in, out: bufio.NewReader(run)}
	for {
		line, err := h.out.ReadString('\n')
		if err == nil && line == "\n" {
			return h, nil
		}
		if err != nil {
			if gone := p.gone(); gone != nil {
				err = gone
			}
			return nil, errors.Join(named(p.file, err), h.Close())
		}
		h.head += line
	}
}

// known reports whether the store has an entry. What cannot be looked up is not given away.
func (h *heldStore) known(id string) bool {
	_, err := fmt.Fprintln(h.in, js.Quote(id))
	if err != nil {
		return true
	}
	answer, err := h.out.ReadString('\n')
	return err != nil || answer != "false\n"
}

// append appends a batch, and lets go of the lock.
func (h *heldStore) append(lines [][]byte) error {
	_, werr := h.in.Write(append(bytes.Join(lines, []byte("\n")), "\n\n"...))
	if err := h.in.Close(); werr == nil {
		werr = err
	}
	// Why it reads no further says more than that it does.
	if _, err := io.Copy(io.Discard, h.out); err != nil {
		return named(h.name, err)
	}
	return named(h.name, werr)
}

// Close lets go of the lock. Nothing is appended that was not before.
func (h *heldStore) Close() error {
	_ = h.in.Close() // it may be closed already
	_, _ = io.Copy(io.Discard, h.out)
	return h.p.Close()
}

// readSegmented reads what has to be known of a store before an append: its header
// and its last entry, and all of it when it is asked for.
func (t *Target) readSegmented(ctx context.Context, o TargetOptions) error {
	t.Batch.NewID = func(func(string) bool) (string, error) { return session.UniqueEntryID(), nil }
	if o.needsWhole() {
		in, err := t.Stream(ctx)
		if err != nil {
			return err
		}
		defer in.Close()
		return t.readWhole(in)
	}
	head := strings.NewReader(t.seg.head)
	tail, err := session.ReadTail(head, head.Size())
	if err != nil {
		return located(t.Name, err)
	}
	t.Header, t.leaf, t.Batch.Known = tail.Header, tail.Leaf, t.seg.known
	t.Batch.Leaf = t.leaf.ID()
	return nil
}

// openFile opens the file of a session to append to it. One that was migrated while
// the lock was waited for is not the session any more.
func openFile(ctx context.Context, path string, o jsonl.Options) (*jsonl.Appender, error) {
	a, err := jsonl.OpenAppender(ctx, path, o)
	if err != nil {
		return nil, err
	}
	dir, err := beside.Committed(path)
	if err == nil && dir != "" {
		err = errMigrated
	}
	if err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
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
