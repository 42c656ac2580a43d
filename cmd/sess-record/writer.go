package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
	"github.com/sess-tools/sess/internal/operand"
	"github.com/sess-tools/sess/internal/stream"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A writer adds what is decoded to the session. It holds the session only while it writes:
// others may add to it meanwhile.
type writer struct {
	*config
	ctx     context.Context
	streams *clikit.Streams
	name    string // the operand
	path    string // of the session's file, "" if it is not known

	pending []*stream.Item // that are not written yet
	failed  error          // of the last try
	state   *operand.State // of the session, as the last commit left it
}

// open returns a writer to the session. The error is one that would keep every entry from
// being written; that somebody else holds the session now is none.
func (c *config) open(ctx context.Context, s *clikit.Streams, name string) (*writer, error) {
	w := &writer{config: c, ctx: ctx, streams: s, name: name}
	in, err := operand.Open(ctx, s, name)
	if err == nil {
		w.path = in.File
		err = in.Close()
	}
	if err == nil {
		err = w.commit(-1)
	}
	if err == nil || errors.Is(err, jsonl.ErrLocked) {
		return w, nil
	}
	if c.bestEffort {
		s.Warnf("%v; the stream passes all the same", err)
		return w, nil
	}
	return nil, err
}

// take takes entries that are whole.
func (w *writer) take(group []*stream.Item) error {
	w.pending = append(w.pending, group...)
	return nil
}

// again is after how long entries that could not be written are tried again.
const again = 200 * time.Millisecond

// record passes the stream on, and writes down what is whole.
func (w *writer) record(src *source) error {
	back, passed := newBacklog(), make(chan error, 1)
	go func() { passed <- pass(w.streams, src.out, back) }()
	d := stream.New(w.options(w, src.live))
	interrupted := w.follow(d, back, src)
	var unread error
	if err := d.Close(); err != nil {
		unread = fmt.Errorf("%s: %w", w.name, err)
	}
	kept := w.finish()
	if w.bestEffort {
		w.tell(unread)
		w.tell(kept)
		unread, kept = nil, nil
	}
	if interrupted != nil {
		return errors.Join(interrupted, kept)
	}
	return errors.Join(src.wait(), <-passed, unread, kept)
}

// tell warns of an error that does not count.
func (w *writer) tell(err error) {
	if err != nil {
		w.streams.Warnf("%v", err)
	}
}

// follow decodes what passes until it ends, or until a signal ends it.
func (w *writer) follow(d *stream.Decoder, back *backlog, src *source) error {
	var data []byte
	retry := time.NewTicker(again)
	defer retry.Stop()
	for ended := false; !ended; {
		select {
		case <-back.wake:
			data, ended = back.take(data)
			if _, err := d.Write(data); err != nil {
				return err
			}
		case <-retry.C:
		case <-src.stop:
			data, _ = back.take(data)
			_, err := d.Write(data)
			return errors.Join(err, context.Canceled)
		}
		if len(w.pending) > 0 {
			w.try()
		}
	}
	return nil
}

// try writes what is pending, if the session is free. A failure is told once: the entries
// wait, and are tried again.
func (w *writer) try() {
	err := w.commit(-1)
	if err != nil && !errors.Is(err, jsonl.ErrLocked) && w.failed == nil {
		w.streams.Warnf("%v; the entries wait, and are tried again", err)
		w.failed = err
	}
}

// commit adds what is pending to the session, which has to be free within a time;
// a negative one is at once.
func (w *writer) commit(wait time.Duration) (err error) {
	o := w.target
	o.Wait, o.Since = wait, w.state
	t, err := operand.OpenTarget(w.ctx, w.streams, w.name, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	if len(w.pending) == 0 {
		return nil
	}
	t.Batch.Force, t.Batch.Defaults = true, operand.Defaults(w.provider, w.model)
	if err := stream.AddTo(&t.Batch, w.pending); err != nil {
		return err
	}
	err = t.Commit()
	if err == nil || errors.Is(err, operand.ErrUnsynced) {
		for _, i := range w.pending {
			i.Forget()
		}
		w.pending, w.failed, w.state = nil, nil, t.State()
		w.streams.Notef("%s", operand.Appended(t.Batch.Entries))
		t.LeaveCrumb()
	}
	return err
}

// finish writes what is left. What cannot be written is kept in a file of its own.
func (w *writer) finish() error {
	if len(w.pending) == 0 {
		return nil
	}
	err := w.commit(w.target.Wait)
	if len(w.pending) == 0 {
		return err
	}
	text, lost := w.lines()
	if lost != nil {
		return errors.Join(err, lost)
	}
	file, kept := operand.Keep(w.streams, w.path, "what was recorded", ".jsonl", text)
	if file == "" {
		return errors.Join(err, kept)
	}
	apply := clikit.ShellWords([]string{"sess-append", "--force-type", "--entries", "--file", file, w.name})
	return errors.Join(err, fmt.Errorf("%w; to add it: %s", kept, apply))
}

// lines returns what is pending as entries that can be added anywhere.
func (w *writer) lines() (string, error) {
	known := map[string]bool{}
	b := session.Batch{
		Now: time.Now().UnixMilli(), Force: true, Defaults: operand.Defaults(w.provider, w.model),
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

// totals returns the details of the last message of the session that counts up the usage
// of an agent's session, "" if there is none.
func (w *writer) totals(sessionID string) js.Value {
	in, err := operand.Open(w.ctx, w.streams, w.name)
	if err != nil {
		return ""
	}
	defer in.Close()
	s, err := session.Read(in)
	if err != nil {
		return ""
	}
	for _, e := range slices.Backward(s.Entries) {
		if m, ok := e.Message(); ok {
			if details := js.Value(m.Get("details")); details.Get("sessionId").Str() == sessionID {
				return details
			}
		}
	}
	return ""
}
