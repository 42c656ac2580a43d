package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/stream"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A writer adds decoded entries to the session. It holds the session only while it writes: others
// may add to it meanwhile.
type writer struct {
	*config
	ctx     context.Context
	streams *cli.Streams
	name    string // the operand
	path    string // of the session's file, "" if it is not known

	id    string // of the session, "" if it is not known yet
	asked bool   // the session ended with words of the user

	printed io.Writer // the text of --print text
	refused error     // of the last try to print it
	leave   func()    // tells the printer of the stream that its reader is gone

	later  []string      // warnings that wait
	saying chan struct{} // closed when those before are said; nil for none

	pending []*stream.Item // that are not written yet
	size    int            // of those, in bytes
	failed  error          // of the last try
	state   *address.State // of the session, as the last commit left it
	own     string         // the id of the entry that was written last, "" for none
	apart   bool           // another conversation goes on from there, or from before it
}

// open returns a writer to the session. The error is one that would keep every entry from being
// written; another program that holds the session now is no error.
func (c *config) open(ctx context.Context, s *cli.Streams, name string) (*writer, error) {
	w := &writer{config: c, ctx: ctx, streams: s, name: name}
	in, err := address.Open(ctx, s, name)
	if err == nil {
		w.path = in.File
		w.asked = endsWithUser(in)
		err = in.Close()
	}
	if err == nil {
		err = w.commit(-1)
	}
	if err == nil || errors.Is(err, jsonl.ErrLocked) {
		return w, nil
	}
	if c.bestEffort {
		s.Warnf("%v; the stream passes anyway", err)
		return w, nil
	}
	return nil, err
}

// take takes entries that are whole.
func (w *writer) take(group []*stream.Item) error {
	w.pending = append(w.pending, group...)
	for _, i := range group {
		w.size += len(i.Message.Raw())
		for _, f := range i.Fields {
			w.size += len(f.Raw)
		}
	}
	return nil
}

// endsWithUser reports whether the last message of a session is the user's, or that cannot
// be told.
func endsWithUser(in *address.Input) bool {
	path, _, err := in.Recent(0)
	if errors.Is(err, session.ErrWhole) {
		var s *session.Session
		if s, err = session.Read(in); err == nil {
			path = s.Entries
		}
	}
	for _, e := range slices.Backward(path) {
		if m, ok := e.Message(); ok {
			return m.Role() != session.RoleAssistant
		}
	}
	return err != nil
}

// warn warns, as soon as those who read warnings take one. A recording goes on meanwhile.
func (w *writer) warn(format string, args ...any) {
	w.later = append(w.later, fmt.Sprintf(format, args...))
}

// tell warns of an error that does not count.
func (w *writer) tell(err error) {
	if err != nil {
		w.warn("%v", err)
	}
}

// speak begins to print the warnings that wait, unless others are being printed.
func (w *writer) speak() {
	if w.saying != nil || len(w.later) == 0 {
		return
	}
	texts, done := w.later, make(chan struct{})
	w.later, w.saying = nil, done
	go func() {
		defer close(done)
		for _, text := range texts {
			w.streams.Warnf("%s", text)
		}
	}()
}

// spoken prints all warnings, and waits for those who read them.
func (w *writer) spoken() {
	for w.speak(); w.saying != nil; w.speak() {
		<-w.saying
		w.saying = nil
	}
}

// maxPending is how many bytes of entries may wait for a session that cannot be written. If
// there are more they are kept in a file of their own.
const maxPending = 32 << 20

// try writes the pending entries, if the session is free. A failure is told once: the entries wait,
// and are tried again.
func (w *writer) try() {
	err := w.commit(-1)
	if err != nil && w.size > maxPending {
		w.tell(w.keep(err))
		return
	}
	if err != nil && !errors.Is(err, jsonl.ErrLocked) && w.failed == nil {
		w.warn("%v; the entries wait, and writing them is retried", err)
		w.failed = err
	}
}

// commit adds the pending entries to the session, which has to be free within a time; a negative
// one is at once.
func (w *writer) commit(wait time.Duration) (err error) {
	t, err := w.behind(wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if w.id == "" {
		w.id = t.Header.ID
	}
	if w.id != t.Header.ID {
		return &replacedError{fmt.Sprintf("%s: another session is there now: %s, not %s", t.Name, t.Header.ID, w.id)}
	}
	if len(w.pending) == 0 {
		return nil
	}
	t.Batch.Force, t.Batch.Defaults = true, address.Defaults(w.provider, w.model)
	for _, i := range w.pending { // an agent that goes on gives the time at which it once began
		if i.Time > 0 {
			i.Time = max(i.Time, t.Time())
		}
	}
	if err := stream.AddTo(&t.Batch, w.pending); err != nil {
		return err
	}
	err = t.Commit()
	if err == nil || errors.Is(err, address.ErrUnsynced) {
		for _, i := range w.pending {
			i.Forget()
		}
		w.pending, w.size, w.failed, w.state, w.own = nil, 0, nil, t.State(), strings.Clone(t.Batch.Leaf)
		w.streams.Notef("%s", address.Appended(t.Batch.Entries))
		t.LeaveCrumb()
	}
	return err
}

// behind opens the session for adding behind what was written last: another recorder may have added another conversation
// since, and answers stay with their questions. What was added to this one and says nothing, such as a label, or takes its
// place, a compaction, is gone on from.
func (w *writer) behind(wait time.Duration) (*address.Target, error) {
	o := w.target
	o.Wait, o.Since = wait, w.state
	t, err := address.OpenTarget(w.ctx, w.streams, w.name, o)
	switch {
	case err != nil || w.own == "" || t.Batch.Leaf == w.own:
		return t, err
	case w.apart: // the session need not be read to know that
		t.Batch.Leaf = w.own
		return t, nil
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	o.Whole = true
	if t, err = address.OpenTarget(w.ctx, w.streams, w.name, o); err != nil {
		return nil, err
	}
	src := t.Source()
	if _, there := src.Index(w.own); !there {
		return t, nil // the session was made anew
	}
	at, _ := src.Session.Leaf()
	path, _ := src.PathTo(at)
	mine := slices.IndexFunc(path, func(e session.Entry) bool { return e.ID() == w.own })
	if mine < 0 || slices.ContainsFunc(path[mine+1:], func(e session.Entry) bool { return e.Type() == session.TypeMessage }) {
		t.Batch.Leaf, w.apart = w.own, true
	}
	return t, nil
}

// A replacedError says that another session is where the one that is recorded was.
type replacedError struct{ text string }

func (e *replacedError) Error() string { return e.text }

// finish writes the rest. Entries that cannot be written are kept in a file beside the session.
func (w *writer) finish() error {
	if len(w.pending) == 0 {
		return nil
	}
	err := w.commit(w.target.Wait)
	if len(w.pending) == 0 {
		return err
	}
	return w.keep(err)
}

// keep keeps the pending entries in a file beside the session, and says why and where.
func (w *writer) keep(why error) error {
	text, lost := w.lines()
	if lost != nil {
		return errors.Join(why, lost)
	}
	file, kept := address.Keep(w.streams, w.path, "what was recorded", ".jsonl", text)
	if file == "" {
		return errors.Join(why, kept)
	}
	w.pending, w.size = nil, 0
	name := w.name
	if _, ok := errors.AsType[*replacedError](why); ok {
		name = w.id
	}
	apply := cli.ShellWords([]string{"sess-append", "--force-type", "--entries", "--file", file, name})
	return errors.Join(why, fmt.Errorf("%w; to add it: %s", kept, apply))
}

// lines returns the pending entries as entries that can be added anywhere.
func (w *writer) lines() (string, error) {
	known := map[string]bool{}
	b := session.Batch{
		Now: time.Now().UnixMilli(), Force: true, Defaults: address.Defaults(w.provider, w.model),
		Known: func(id string) bool { return known[id] },
		NewID: func(func(string) bool) (string, error) { return session.UniqueEntryID(), nil },
	}
	if err := stream.AddTo(&b, w.pending); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, line := range b.Lines() {
		out.WriteString(string(js.Value(line).Without("parentId")) + "\n")
	}
	return out.String(), nil
}

// totals returns the details of the last entry of the session that counts up the usage
// of an agent's session, "" if there is none.
func (w *writer) totals(sessionID string) js.Value {
	in, err := address.Open(w.ctx, w.streams, w.name)
	if err != nil {
		return ""
	}
	defer in.Close()
	s, err := session.Read(in)
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(s.Entries) {
		details := js.Value(e.Get("details"))
		if m, ok := e.Message(); ok {
			details = js.Value(m.Get("details"))
		}
		if details.Get("sessionId").Str() == sessionID {
			return details
		}
	}
	return ""
}

// maxBacklog is how many bytes may have passed that are not decoded. If the session is so
// slow that there are more, the stream has to wait.
const maxBacklog = 16 << 20

// A backlog is what has passed and is not decoded yet.
type backlog struct {
	mu    sync.Mutex
	data  []byte
	ended bool
	wake  chan struct{} // a token if there is something new, at most one
	room  chan struct{} // a token if there is room again
}

// put adds bytes, and waits if there are too many.
func (b *backlog) put(p []byte) {
	b.mu.Lock()
	if len(b.data)+len(p) > cap(b.data) { // to the double: append gives a large one but a quarter more
		b.data = slices.Grow(b.data, max(len(b.data), len(p)))
	}
	b.data = append(b.data, p...)
	full := len(b.data) > maxBacklog
	b.mu.Unlock()
	token(b.wake)
	if full {
		<-b.room
	}
}

// end says that nothing more comes.
func (b *backlog) end() {
	b.mu.Lock()
	b.ended = true
	b.mu.Unlock()
	token(b.wake)
}

// take returns all data, and into, emptied, becomes the room for the next.
func (b *backlog) take(into []byte) (data []byte, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, b.data = b.data, into[:0]
	token(b.room)
	return data, b.ended
}

func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// chunk is how many bytes are read at once.
const chunk = 256 << 10

// pass copies the stream to the backlog, which takes no time, and to out. An out that fails
// does not end the recording, unless its reader is gone.
func pass(out io.Writer, in io.Reader, to *backlog) (err error) {
	defer to.end()
	buf := make([]byte, chunk)
	for {
		n, rerr := in.Read(buf)
		to.put(buf[:n])
		if n > 0 && err == nil {
			_, err = out.Write(buf[:n])
		}
		switch {
		case cli.Status(err) == cli.ExitPipe:
			if c, ok := in.(io.Closer); ok {
				_ = c.Close() // so that the writer notices
			}
			return err
		case errors.Is(rerr, io.EOF):
			return err
		case rerr != nil:
			return errors.Join(err, rerr)
		}
	}
}
