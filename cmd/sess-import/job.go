package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/losses"
	"github.com/sess-tools/sess/internal/agents/pi"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/memo"
	"github.com/sess-tools/sess/internal/core/redact/rules"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/subprocess"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// bufferSize is the size of the buffer of a file in bytes.
const bufferSize = 64 << 10

// A job is one run of importing.
type job struct {
	streams  *cli.Streams
	name     string // of the format
	root     string // the source
	kept     string // what its custom entries begin with
	own      bool   // what the agent keeps in its place is read: addresses name its sessions
	native   bool   // its sessions are files that every tool reads
	dest     address.Destination
	strict   bool
	damaged  string
	many     bool                    // every session, each into another file
	origin   session.Origin          // where sessions are from, for their headers
	session  string                  // the only one of many that is wanted: an id, the beginning of one, or a path
	here     func(formats.Info) bool // whether sessions of a working directory are wanted
	filed    func(formats.Info) bool // the same for the newest one
	from     time.Time               // from when on sessions are wanted
	losses   *losses.Log
	usage    bool           // entries without a usage may be left out
	said     *said          // the details that are known of sessions
	recalls  string         // which answers of an earlier run will do
	words    *formats.Words // a session that has none of them is its header; nil for any
	kinds    bool           // -v says how many of what kind were read
	json     bool           // rows are printed of what became of the sessions
	progress *cli.Progress
	having   map[string]int // how many of the sessions that were listed have an id

	grows      bool          // a copy of a session grows by appending
	beside     bool          // the agent keeps names beside its sessions
	quietAfter time.Duration // from when on a source is taken whole

	redact       bool                         // the copies have no secrets
	rules        func() (*rules.Rules, error) // for that, and for copies that have none already
	left, leftIn int                          // entries that have what other rules now take out, and sessions of them
}

func (c *config) job(ctx context.Context, s *cli.Streams, f formats.Format, src *formats.Source) (*job, error) {
	here, err := c.here(f.About())
	if err != nil {
		return nil, err
	}
	filed, err := c.filed(f.About(), here)
	if err != nil {
		return nil, err
	}
	since, err := listing.When(c.since, time.Now())
	if err != nil {
		return nil, cli.UsageError("--since: %v", err)
	}
	losses, err := losses.Open(c.losses, c.noLosses, s)
	if err != nil {
		return nil, err
	}
	progress := &cli.Progress{}
	if out := s.OutFile(); c.all && (out == nil || !tty.IsTerminal(out)) { // else the paths say it
		progress = s.Progress()
	}
	return &job{
		redact: c.redact, rules: c.rules, origin: c.origin(ctx, f.About()),
		said: newSaid(f.About().Kept(), c.remembering()), recalls: c.remembered, streams: s, name: f.About().Name, root: src.Path, kept: f.About().Kept(), native: f.About().Native, own: c.own, dest: c.dest, strict: c.strict, damaged: c.damaged, many: c.all, session: c.session, json: c.json, here: here, filed: filed, from: since, losses: losses, kinds: !c.noLosses, usage: c.usage, words: formats.OfSources(c.words),
		progress: progress, having: map[string]int{},
		grows: f.About().Grows, beside: !f.About().Native && f.About().Name != "claude", quietAfter: c.quiet,
	}, nil
}

// onceRules returns a function that reads the rules of secrets when they are asked for first.
func onceRules(s *cli.Streams) func() (*rules.Rules, error) {
	return sync.OnceValues(func() (*rules.Rules, error) {
		r, err := rules.Read(s, rules.Added{})
		if err == nil && !r.Stable {
			err = cli.WithHint(cli.UsageError(`%s: with = "hash" wants sess.key here`, r.File), "with another key in each run what was written before would have other bytes")
		}
		return r, err
	})
}

// errDamaged is the error of a session of which parts are damaged, if they may not be: --on-damage says how. A line that is being
// written may be torn, unless that is strict.
func errDamaged(how string, damaged, torn int) error {
	err := fmt.Errorf("not all could be read: %s or without a parent", tty.Count(max(damaged, torn), "part of it is damaged", "parts of it are damaged"))
	switch {
	case how == "strict" && damaged > 0:
		return cli.WithStatus(err, cli.ExitMalformed)
	case how == "fail" && damaged > 0, how == "strict" && torn > 0:
		return cli.WithStatus(err, cli.ExitUsage)
	}
	return nil
}

// choose returns the session that was asked for, or the only one there is.
func (c *config) choose(ctx context.Context, j *job, a formats.Archive) (formats.Info, error) {
	switch {
	case c.session != "":
		info, err := formats.Find(ctx, a, c.session)
		if errors.Is(err, formats.ErrNotFound) {
			err = cli.WithHint(err, "--list lists those that are there")
		}
		if info.Path == c.session { // which may be why it was asked for so
			j.having[info.ID] = 2
		}
		return info, err
	case c.recent:
		return c.newest(ctx, j, a)
	}
	return j.only(ctx, a)
}

// one imports one session.
func (j *job) one(ctx context.Context, a formats.Archive, info formats.Info) error {
	k := j.sink(bufio.NewWriterSize(nil, bufferSize))
	if k.alone = !formats.MayHave(ctx, a, info, j.words); !k.alone && j.remembers() {
		n, done, err := j.recall(ctx, formats.SourcesOf(ctx, a, info))
		if done {
			return err
		}
		k.noted = n
	}
	path, err := k.publish(k.convert(ctx, a, info, func(l formats.Loss) { j.losses.Tell(k.id, j.place(info, l), l) }))
	if errors.Is(err, errThere) {
		return cli.WithHint(fmt.Errorf("creating %s: %w", path, fs.ErrExist), "--force replaces it")
	}
	if err == nil && k.noted != nil {
		err = k.noted.end(j.streams.Out, j.said.memo)
	}
	if err != nil || path == "" {
		return named(info, err)
	}
	_, err = fmt.Fprintln(j.streams.Out, path)
	return err
}

// place returns where a loss is as people read it.
func (j *job) place(info formats.Info, l formats.Loss) string {
	address := ""
	if j.own {
		address = j.address(info)
	}
	return losses.Place(address, info.Path, l.Where)
}

// only returns the session of an archive that has but one that can be read.
func (j *job) only(ctx context.Context, a formats.Archive) (formats.Info, error) {
	var found []formats.Info
	var broken error
	for info, err := range j.listed(ctx, a, formats.Query{}) {
		if err != nil {
			if broken != nil {
				j.streams.Warnf("%v", broken)
			}
			broken = err
			continue
		}
		if found = append(found, info); len(found) > maxCandidates {
			break
		}
	}
	if broken != nil && len(found) == 0 {
		return formats.Info{}, broken
	}
	if broken != nil {
		j.streams.Warnf("%v", broken)
	}
	switch len(found) {
	case 0:
		return formats.Info{}, cli.No("no session")
	case 1:
		return found[0], nil
	}
	return formats.Info{}, cli.WithHint(
		cli.UsageError("several sessions: %s", formats.IDs(found)), "choose with --session ID, or take --all")
}

// maxCandidates is how many sessions only looks at.
const maxCandidates = 8

// named puts the session in front of an error that does not say whose it is.
func named(info formats.Info, err error) error {
	if info.ID == "" || err == nil || info.Path != "" && strings.Contains(err.Error(), info.Path) {
		return err
	}
	return fmt.Errorf("session %s: %w", info.ID, err)
}

// others does what has nothing to do with the sessions of a format, if that was asked for.
func (c *config) others(ctx context.Context, s *cli.Streams, operands []string) (done bool, err error) {
	switch {
	case c.each:
		opened, said := &archives{kept: map[archiveKey]openArchive{}}, memo.Open()
		defer said.Close()
		err := subprocess.AnswerEach(s.In, s.Out, s.Flush, func(out, errs io.Writer, args []string) int {
			return cli.Run(ctx, importer(opened, said), strings.NewReader(""), out, errs, args)
		})
		return true, join(err, opened.close(0))
	case c.maps:
		return true, printMaps(s)
	case c.printed != "":
		return true, printMap(s, c.printed)
	case c.homes:
		return true, c.printHomes(ctx, s)
	case c.unread:
		return true, printUnread(ctx, s, operands)
	case c.prompts:
		return true, printPrompts(ctx, s, operands[0])
	}
	return false, nil
}

// printPrompts prints the prompts of a database of oh-my-pi as JSON objects, the newest
// first. It is how sess-history reads it, which links no database.
func printPrompts(ctx context.Context, s *cli.Streams, path string) error {
	some := false
	for p, err := range pi.Prompts(ctx, path) {
		if err != nil {
			return err
		}
		some = true
		line := promptRow{Session: p.Session, Timestamp: row.At(p.Time*1000, true), CWD: p.CWD, Text: p.Text}
		if _, err := fmt.Fprintln(s.Out, row.JSON(line)); err != nil {
			return err
		}
	}
	if !some {
		return cli.No("")
	}
	return nil
}

// A task is one session of many.
type task struct {
	info   formats.Info
	sink   *sink // nil if the session could not be listed
	losses []formats.Loss
	err    error
	done   chan struct{} // closed when the other fields are set

	archive formats.Archive
}

// A tally says how it went.
type tally struct {
	listing.Fate
	status int // of the failures, the largest
}

// every imports all sessions, those that are not there yet and what there is more of the others. They are converted beside each
// other, but get their names, and are told of, in the order of the list, so that of
// two with one name it is always the same that has it.
func (j *job) every(ctx context.Context, a formats.Archive) error {
	// What a session leaves behind is garbage at once, and little of it is alive.
	debug.SetGCPercent(400)
	ctx, stop := context.WithCancel(ctx)
	tasks := j.tasks(ctx, a)
	defer func() {
		stop()
		for t := range tasks { // no longer wanted
			t.abandon()
		}
	}()
	sum := tally{Fate: listing.Fate{}}
	for t := range tasks {
		<-t.done
		if err := j.told(ctx, t, &sum); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	j.progress.Clear()
	// The status of a run that failed in part is the largest of the failures.
	switch {
	case sum.All() == 0:
		return cli.No("no session")
	case !j.json && (sum.Fate[listing.Failed] < sum.All() || sum.All() > 1): // rows say it
		j.streams.Infof("%v", sum.Fate)
	}
	if j.left > 0 {
		j.streams.Warnf("%s of %s have secrets by the current rules, and stay as they are; a remote keeps them, too: delete the parts there, or revoke the secrets; sess-redact --check lists the places",
			tty.Count(j.left, "entry", "entries"), tty.Count(j.leftIn, "session", "sessions"))
	}
	if n := sum.Fate[listing.Rewritten]; n > 0 && sum.Fate[listing.Failed] == 0 {
		return cli.WithStatus(fmt.Errorf("%s", tty.Count(n, "session has other lines than were imported", "sessions have other lines than were imported")), cli.ExitMalformed)
	}
	return j.streams.Unread(sum.Fate[listing.Failed], sum.All(), sum.status)
}

// tasks begins the tasks of an archive, and gives them in the order of its list.
func (j *job) tasks(ctx context.Context, a formats.Archive) <-chan *task {
	// There are more of them than processors, since some wait for the disk.
	n := min(runtime.GOMAXPROCS(0)+1, 8)
	buffers := make(chan *bufio.Writer, n) // who has one may work
	for range n {
		buffers <- bufio.NewWriterSize(nil, bufferSize)
	}
	tasks := make(chan *task, n)
	go func() {
		defer close(tasks)
		seen, list := map[string]bool{}, j.listed
		if j.strict { // a file that is no session is an error
			list = func(ctx context.Context, a formats.Archive, q formats.Query) iter.Seq2[formats.Info, error] {
				return a.List(ctx, q)
			}
		}
		for info, err := range list(ctx, a, j.asked()) {
			if ctx.Err() != nil {
				return
			}
			if err == nil && !j.isAsked(info) {
				continue
			}
			again := seen[info.ID]
			if seen[info.ID] = true; err == nil && !j.here(info) {
				continue
			}
			t := &task{info: info, err: err, done: make(chan struct{}), archive: a}
			if err != nil {
				close(t.done)
			} else {
				buffer := <-buffers
				if t.sink = j.sink(buffer); again {
					t.sink.twin = j.below(info)
				}
				go func() {
					t.err = t.sink.convert(ctx, a, t.info, func(l formats.Loss) { t.losses = append(t.losses, l) })
					buffers <- buffer
					close(t.done)
				}()
			}
			tasks <- t
		}
	}()
	return tasks
}

// asked is the query for the sessions that are wanted. Who names a file gets all: it may share its id with others of the list.
func (j *job) asked() formats.Query {
	if filepath.IsAbs(j.session) {
		return formats.Query{}
	}
	return formats.Query{ID: j.session}
}

func (j *job) isAsked(info formats.Info) bool {
	return j.session == "" || info.ID == j.session || info.Path == j.session || len(j.session) >= session.MinPrefix && strings.HasPrefix(info.ID, j.session)
}

// below returns the path of a session below the source, with slashes: the same on every machine.
func (j *job) below(info formats.Info) string {
	rel, err := filepath.Rel(j.root, info.Path)
	if err != nil {
		rel = info.Path
	}
	return filepath.ToSlash(rel) + info.Key
}

// abandon leaves nothing of a task.
func (t *task) abandon() {
	<-t.done
	if t.sink != nil {
		_, _ = t.sink.publish(errors.New("abandoned"))
	}
}

// told gives the session of a task its name, and says what became of it. The error is
// one that the next session would have as well.
func (j *job) told(ctx context.Context, t *task, sum *tally) error {
	if ctx.Err() != nil {
		t.abandon()
		return ctx.Err()
	}
	j.progress.Showf("%d sessions: %v", sum.All(), sum.Fate)
	k, err := t.sink, t.err
	if k != nil {
		if _, err = k.publish(t.err); k.raced(err) { // what the other one made may have less
			again := j.sink(bufio.NewWriterSize(nil, bufferSize))
			again.twin, k, t.losses = k.twin, again, nil
			_, err = k.publish(k.convert(ctx, t.archive, t.info, func(l formats.Loss) { t.losses = append(t.losses, l) }))
		}
		if err == nil || errors.Is(err, errThere) {
			if err := k.note(t.info); err != nil {
				return err
			}
		}
	} else {
		k = j.sink(nil)
	}
	if k.there != nil && k.there.left > 0 {
		j.left, j.leftIn = j.left+k.there.left, j.leftIn+1
		j.streams.Notef("%s: %s with what the rules now take out", k.path, tty.Count(k.there.left, "entry", "entries"))
	}
	for _, l := range t.losses {
		if err == nil {
			j.progress.Clear()
			j.losses.Tell(k.id, j.place(t.info, l), l)
		}
	}
	fate := k.what
	if errors.Is(err, errRewritten) {
		j.progress.Clear()
		if k, err = j.anew(ctx, t, k); err == nil {
			fate = listing.Rewritten
		}
	}
	switch {
	case errors.Is(err, errThere):
		fate = listing.Same
		j.streams.Notef("%s: is there already", k.path)
	case errors.Is(err, errWaiting), err != nil && j.unbegun(t.info):
		fate, err = listing.Waiting, errWaiting
		j.streams.Notef("%s: %v", t.info.Path, err)
	case isWriteError(err):
		return err
	case err != nil:
		err = named(t.info, err)
		fate, sum.status = listing.Failed, max(sum.status, cli.Status(err))
		j.progress.Clear()
		j.streams.Warnf("%v", err)
	case fate == listing.Merged && k.there.judged && !k.there.only: // who has what the source lacks now is not known
		j.progress.Clear()
		j.streams.Warnf("%s: its source no longer has all lines of this copy; what the source has now is a branch, which ends with entry %s", k.path, k.there.last)
	case fate == listing.Merged:
		j.progress.Clear()
		j.streams.Warnf("%s: what was added to it here is a branch now, which ends with entry %s", k.path, k.there.last)
	}
	sum.Fate[fate]++
	return j.report(k, t.info, fate)
}

// quiet reports whether a source that was last written to at a time is taken whole. A time as far in the future is that of another clock.
func (j *job) quiet(written time.Time) bool { return time.Since(written).Abs() >= j.quietAfter }

// unbegun reports whether a source had no whole line when it was listed, and was written to a short time ago. It may have one by
// now.
func (j *job) unbegun(info formats.Info) bool {
	if !j.grows || info.Path == "" {
		return false
	}
	f, err := formats.OpenFile(info.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	if j.quiet(f.ModTime) {
		return false
	}
	for l, err := range jsonl.Lines(io.NewSectionReader(f, 0, f.Size)) {
		return err == nil && (l.Torn || !info.ModTime.IsZero() && int64(len(l.Data)) >= info.Size)
	}
	return true
}

// report prints what became of a session: the path of a file that was made or appended to, or with --json a row in any case.
func (j *job) report(k *sink, info formats.Info, fate string) error {
	made := fate == listing.New || fate == listing.Grown || fate == listing.Merged || fate == listing.Rewritten && k.fork != ""
	text := k.path
	switch {
	case j.json:
		r := listing.CollectedRow{Agent: j.name, Session: cmp.Or(k.id, info.ID), Source: info.Path, What: fate}
		if made || fate == listing.Same {
			r.Path = k.path
		}
		if made {
			r.Added = k.entries
		}
		if made && k.there != nil {
			r.Added = len(k.there.missing)
		}
		text = row.JSON(r)
	case !made:
		return nil
	}
	if _, err := fmt.Fprintln(j.streams.Out, text); err != nil {
		return &writeError{err}
	}
	return nil
}

// anew makes another session of a source of which lines have changed: a fork of the one that is there, which stays as it is.
// From then on the source grows into that. It returns the one that the source is now.
func (j *job) anew(ctx context.Context, t *task, first *sink) (*sink, error) {
	if !j.grows || j.dest.DryRun {
		j.streams.Warnf("%s: left as it is, but %s has other lines now", first.path, t.info.Path)
		return first, nil
	}
	for of := first; ; { // a fork of which lines have changed since has one, too
		k := j.sink(bufio.NewWriterSize(nil, bufferSize))
		k.fork, k.redacts = derivedID(of.id, of.there.differs), of.redacts
		made, err := k.publish(k.convert(ctx, t.archive, t.info, func(formats.Loss) {}))
		again := errors.Is(err, errRewritten)
		if err != nil && !again && !errors.Is(err, errThere) {
			return k, err
		}
		was := loadFrom(of.path)
		was.Next = k.fork
		if err := k.save(of.path, was); err != nil {
			return k, err
		}
		if of = k; again {
			continue
		}
		if err := k.note(t.info); err != nil {
			return k, err
		}
		j.streams.Warnf("%s: left as it is, but %s has other lines now, which are in %s", first.path, t.info.Path, made)
		return k, nil
	}
}
