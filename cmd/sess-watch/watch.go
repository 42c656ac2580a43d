package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/command"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/grep"
	"github.com/sess-tools/sess/internal/readers/status"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// A watcher watches sessions.
type watcher struct {
	*config
	streams *cli.Streams
	single  bool
	quiet   bool
	all     []*watched
	reading *selection.Reading
	named   []string        // the operands
	known   map[string]bool // the names of the sessions that were found; nil if some were named, and no more are meant
	began   time.Time
	sought  time.Time // when it was last looked for sessions
	people  *shown    // nil if programs read the rows
}

// begin reads the sessions that were found.
func (w *watcher) begin(ctx context.Context, found selection.Found) error {
	w.began, w.people = time.Now(), w.onScreen()
	w.sought = w.began
	w.reading = w.add(ctx, found, w.skipped)
	named := slices.ContainsFunc(found.List, func(src selection.Source) bool { return src.Named })
	if !named {
		w.known = map[string]bool{}
		for _, src := range found.List {
			w.known[src.Name] = true
		}
	}
	if err := w.reading.Err(); err != nil && (len(w.all) == 0 || named && !w.once) {
		return err // of the others that were found there was a warning
	}
	if len(w.all) == 0 {
		return cli.No("")
	}
	debug.FreeOSMemory() // what reading took is not needed again
	return nil
}

// seekEvery is how often sessions are looked for that have begun: with all agents that starts two programs for each.
const seekEvery = 15 * time.Second

// seek takes in the sessions that have begun since, if more may. Their entries are new, but those that
// a fork took over from before. One that cannot be read yet is sought again.
func (w *watcher) seek(ctx context.Context) {
	if w.known == nil || time.Since(w.sought) < seekEvery {
		return
	}
	w.streams.Quiet = true // what cannot be read was said at the beginning
	defer func() {
		w.streams.Quiet = w.quiet
		w.streams.Unfold()
		w.sought = time.Now()
	}()
	found, err := w.sessions.Find(ctx, w.streams, w.named)
	if err != nil {
		return
	}
	found.List = slices.DeleteFunc(found.List, func(src selection.Source) bool { return w.known[src.Name] })
	came := len(w.all)
	w.add(ctx, found, func(whole *address.Source) (func(int) bool, error) {
		return func(i int) bool {
			at, known := whole.Entries[i].Timestamp()
			return known && at < w.began.UnixMilli()
		}, nil
	})
	for _, d := range w.all[came:] {
		w.known[d.found] = true
	}
}

// add reads sessions that were found, and watches them. Of each, skipped returns the test for entries that count as seen.
func (w *watcher) add(ctx context.Context, found selection.Found, skipped func(*address.Source) (func(int) bool, error)) *selection.Reading {
	all, reading := selection.Read(ctx, w.streams, found, w.sessions.Subagents, nil, func(ctx context.Context, src selection.Source, whole *address.Source) (*watched, error) {
		skip, err := skipped(whole)
		if err != nil {
			return nil, err
		}
		d := &watched{src: src, found: src.Name}
		return d, w.take(ctx, d, whole, skip)
	})
	for d := range all {
		w.all = append(w.all, d)
	}
	return reading
}

// skipped returns the test for entries of a session that count as seen.
func (w *watcher) skipped(whole *address.Source) (func(int) bool, error) {
	if w.after == afterNow || w.after == afterNone {
		return func(int) bool { return w.after == afterNow }, nil
	}
	at, err := whole.Leaf(w.after)
	return func(i int) bool { return i <= at }, err
}

// take takes in a session that was read first.
func (w *watcher) take(ctx context.Context, d *watched, whole *address.Source, skip func(int) bool) error {
	d.read(whole, w.rows(d, whole), skip)
	if w.once {
		return nil
	}
	if d.src.Name == "-" {
		return cli.UsageError("standard input does not change: name a file to watch, or use --once")
	}
	if err := d.locate(ctx); err != nil {
		return err
	}
	// What changed since the beginning may have changed behind the reading: it is read again. Files are told the
	// time of a clock that may be two seconds behind.
	if stamp, changed := stampOf(d.path); changed < w.began.Add(-2*time.Second).UnixNano() {
		d.stamp = stamp
	}
	return nil
}

// list prints a row for each session.
func (w *watcher) list() error {
	if sc := screen.On(w.streams.Out, w.streams.OutFile(), w.streams.Color); sc != nil && !w.json {
		_, err := w.table(sc, func(string, int64) bool { return false })
		return errors.Join(err, w.reading.Err())
	}
	now := time.Now().UnixMilli()
	for _, d := range w.all {
		st := d.state.At(now, w.settle)
		text := w.object(d, st)
		if !w.json {
			text = strings.Join([]string{st.Name, since(st), d.name(), tty.Clean(d.what)}, "\t")
		}
		if _, err := fmt.Fprintln(w.streams.Out, text); err != nil {
			return err
		}
	}
	return w.reading.Err()
}

func since(st status.State) string {
	if st.Since == 0 {
		return "-"
	}
	return js.FormatTime(st.Since)
}

// most is how often sessions are looked at: a file costs next to nothing, many of them together something.
const most = 500 * time.Millisecond

// follow prints changes until the state is the one of --state.
func (w *watcher) follow(ctx context.Context) error {
	began := time.Now()
	pause := max(most, min(time.Duration(len(w.all))*time.Millisecond, 2*most))
	for ; ; w.look(ctx) {
		now := time.Now()
		for _, d := range w.all {
			if err := w.tell(ctx, d, now.UnixMilli()); err != nil {
				return err
			}
		}
		if err := w.draw(); err != nil {
			return err
		}
		if done, err := w.done(now.UnixMilli()); done {
			return errors.Join(err, w.unread(ctx))
		}
		if err := w.streams.Flush(); err != nil {
			return err
		}
		if w.timeout > 0 && time.Since(began) >= w.timeout {
			return cli.No("timed out after %v", w.timeout)
		}
		wait := pause
		if w.timeout > 0 {
			wait = min(wait, w.timeout-time.Since(began))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// look reads the sessions anew that have changed. One that cannot be read now is looked at again, one that is
// gone when it is back.
func (w *watcher) look(ctx context.Context) {
	w.seek(ctx)
	w.streams.Quiet = true // a half written line warns
	defer func() { w.streams.Quiet = w.quiet }()
	for _, d := range w.all {
		stamp, _ := stampOf(d.path)
		if d.path != "" && stamp == d.stamp { // a session that is not there yet is read every time
			continue
		}
		if stamp == gone {
			d.stamp = stamp
		}
		w.missed(d)
		in, err := d.src.Open(ctx, w.streams)
		if err != nil {
			continue
		}
		whole, err := in.Session()
		if in.Close(); err != nil {
			continue
		}
		d.read(whole, w.rows(d, whole), func(int) bool { return false })
		d.stamp = stamp
		if d.path == "" && d.place.Path == "" || d.path != "" && stamp != gone {
			continue
		}
		if d.locate(ctx) == nil && d.path != "" {
			d.stamp = "" // it is elsewhere now, and may have grown since it was read
		}
	}
}

// missed warns, once, that a session has disappeared, or that something else is in its place.
func (w *watcher) missed(d *watched) {
	if d.path == "" || w.quiet {
		return
	}
	fi, err := os.Stat(d.path)
	if err == nil && d.place.Path != "" {
		err = disk.Regular(fi)
	}
	if err == nil || !w.streams.Once("missed "+d.path) {
		return
	}
	if w.isDrawn() {
		_ = errors.Join(w.people.drawing.Erase(w.people.screen().Width), w.streams.Flush())
	}
	w.streams.Alwaysf("%s: %v; it is looked for again", d.name(), disk.Cause(err))
}

// tell prints the entries of a session that have come, and its state if that is another one than was told last.
func (w *watcher) tell(ctx context.Context, d *watched, now int64) error {
	st := d.state.At(now, w.settle)
	for _, p := range d.take(st.Name == status.Working) {
		var err error
		switch {
		case p.row == "":
		case w.people != nil:
			err = w.people.line(p.entry, p.role, p.row)
		default:
			_, err = io.WriteString(w.streams.Out, p.row+"\n")
		}
		if err != nil {
			return err
		}
	}
	key := st.Name + " " + d.entry
	if key == d.shown {
		return nil
	}
	d.shown = key
	if w.people != nil {
		return w.people.state(d, st)
	}
	text := w.stateRow(d, st)
	if !w.quiet && !w.lines {
		if _, err := io.WriteString(w.streams.Out, text+"\n"); err != nil {
			return err
		}
	}
	return w.run(ctx, text)
}

// run runs the command for a change of the state.
func (w *watcher) run(ctx context.Context, text string) error {
	if w.argv == nil {
		return nil
	}
	if err := w.streams.Flush(); err != nil {
		return err
	}
	errs := w.streams.ErrFile()
	c := command.Command{Argv: w.argv, Timeout: 24 * time.Hour}
	if errs != nil {
		c.Stdout, c.Stderr = errs, errs
	}
	_, err := c.Collect(ctx, text+"\n")
	if failed, ok := errors.AsType[*command.Error](err); ok && failed.Reason == command.Empty {
		return nil
	}
	return cli.CommandFailed(err)
}

// done reports whether the state of --state is reached, or cannot be reached any more.
func (w *watcher) done(now int64) (bool, error) {
	if w.wanted == nil {
		return false, nil
	}
	there, elsewhere := 0, ""
	for _, d := range w.all {
		switch st := d.state.At(now, w.settle); {
		case w.wanted[st.Name]:
			there++
		case status.Waits(st.Name) && now-st.Since >= w.settle.Milliseconds():
			elsewhere = st.Name
		}
	}
	switch {
	case there > 0 && !w.every:
		return true, nil
	case there == len(w.all):
		return true, w.reading.Err()
	case elsewhere != "" && (w.every || len(w.all) == 1):
		return true, cli.No("the session is %s, which is no state of --state", elsewhere)
	}
	return false, nil
}

// unread is the error of a session that is in a state of --state and cannot be read whole: the state may be another one.
func (w *watcher) unread(ctx context.Context) error {
	if err := w.reading.Err(); err != nil {
		w.streams.Alwaysf("%v", err)
	}
	w.streams.Gate()       // they are read again
	w.streams.Quiet = true // its warnings were printed
	defer func() { w.streams.Quiet = w.quiet }()
	now := time.Now().UnixMilli()
	for _, d := range w.all {
		if !w.wanted[d.state.At(now, w.settle).Name] {
			continue
		}
		in, err := d.src.Open(address.Whole(ctx, false), w.streams)
		if err != nil {
			return err
		}
		whole, err := in.Session()
		if in.Close(); err != nil {
			return err
		}
		leaf, err := whole.Leaf("last")
		if err != nil {
			return err
		}
		_, gaps := whole.PathTo(leaf)
		if err := whole.Unread(false, whole.Problems, gaps); err != nil {
			return err
		}
	}
	return nil
}

// rows returns what makes the row of an entry, "" for one that says nothing; nil if none is printed.
func (w *watcher) rows(d *watched, whole *address.Source) func(session.Entry) string {
	if w.once || w.quiet || w.isDrawn() {
		return nil
	}
	if w.people != nil {
		ids := make([]string, len(whole.Entries))
		for i, e := range whole.Entries {
			ids[i] = strings.Clone(e.ID())
		}
		w.people.short = screen.Short(ids)
	}
	return func(e session.Entry) string {
		text := said(e)
		switch {
		case w.people != nil:
			return text
		case w.lines:
			return strings.Clone(e.Raw())
		case w.json:
			return row.JSON(entryRow{
				Address: d.place.Address, Path: d.place.Path, Session: d.place.Session, Agent: d.src.Owner(), Parent: d.parent,
				Entry: e.ID(), Timestamp: row.At(e.Timestamp()), Role: grep.Role(e), Text: text,
			})
		case text == "":
			return ""
		}
		return w.prefix(d) + tty.Clean(e.ID()) + ":" + tty.Clean(grep.Role(e)) + ":" + tty.Clean(text)
	}
}

// stateRow is the row of a state.
func (w *watcher) stateRow(d *watched, st status.State) string {
	if w.json {
		return w.object(d, st)
	}
	text := w.prefix(d) + cmp.Or(tty.Clean(d.entry), "null") + ":state:" + st.Name
	if c := st.Call; c.Name != "" {
		text += " " + tty.Clean(d.what)
	}
	return text
}

// object is the row of a state as JSON.
func (w *watcher) object(d *watched, st status.State) string {
	return row.JSON(stateRow{
		Place: d.place, Agent: d.src.Owner(), Parent: d.parent, Entry: d.entry, State: st.Name, Since: row.At(st.Since, st.Since != 0),
		Sure: !st.Guess, Tool: st.Call.Name, What: d.what,
	})
}

func (w *watcher) prefix(d *watched) string {
	if w.single {
		return ""
	}
	return d.name() + ":"
}
