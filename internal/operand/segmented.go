package operand

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/pkg/seg"
	"github.com/sess-tools/sess/pkg/session"
)

// segmented returns the segmented store that a path names, nil if it is none.
func segmented(path string) *seg.Store {
	if fi, err := os.Stat(path); path == "" || err != nil || !fi.IsDir() {
		return nil
	}
	s, err := seg.Open(strings.TrimRight(path, string(os.PathSeparator)), seg.Options{})
	if err != nil {
		return nil // a directory, as the one who opens it will say
	}
	return s
}

// Segmented reports whether a path names a segmented store.
func Segmented(path string) bool { return segmented(path) != nil }

// streamed returns the session that a store holds, while it is read and checked.
// An error of the store is one of reading, so that nobody takes a part for the
// whole.
func streamed(s *seg.Store) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := s.WriteTo(w)
		w.CloseWithError(explained(s.Dir(), err))
	}()
	return r
}

// explained gives an error of a store its status and a hint, and takes away the
// name of the store, which whoever reads it puts in front.
func explained(dir string, err error) error {
	if err == nil {
		return nil
	}
	status := clikit.Status(err)
	hint := ""
	switch {
	case errors.Is(err, seg.ErrNarrow):
		status, hint = clikit.ExitMalformed, "sess-seg append --extended stores such entries, in a store that pi does not read"
	case errors.Is(err, seg.ErrCorrupt):
		status, hint = clikit.ExitMalformed, "sess-seg verify "+dir+" lists what is wrong"
	case errors.Is(err, seg.ErrState):
		status, hint = clikit.ExitMalformed, "sess-seg status "+dir+" says what happened to it"
	case errors.Is(err, seg.ErrContract):
		status = clikit.ExitMalformed
	}
	err = clikit.Exited(&segError{strings.TrimPrefix(err.Error(), dir+": "), err}, status)
	if hint != "" {
		err = clikit.WithHint(err, "%s", hint)
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
	store *seg.Store
	hold  *seg.Hold
	name  string
}

// holdSegmented locks the segmented store that a path names; nil if it is none.
func holdSegmented(ctx context.Context, path string, o TargetOptions) (*segTarget, error) {
	found := segmented(path)
	if found == nil {
		return nil, nil
	}
	st, err := found.Status()
	if err != nil {
		return nil, named(path, explained(found.Dir(), err))
	}
	// What was stored under schema ids of our own once may be so again.
	s, err := seg.Open(found.Dir(), seg.Options{Extended: st.Extended, Wait: o.Wait, NoSync: o.Sync == "never"})
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
	if o.whole() {
		in := streamed(s)
		defer in.Close()
		return t.whole(in)
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
	}
	t.Batch.Known = func(id string) bool {
		_, err := s.Get(id)
		return !errors.Is(err, seg.ErrNotFound) // what cannot be looked up is not given away
	}
	return nil
}

// append appends a batch under the lock.
func (t *segTarget) append(lines [][]byte) error {
	return named(t.name, explained(t.store.Dir(), t.hold.Append(lines...)))
}
