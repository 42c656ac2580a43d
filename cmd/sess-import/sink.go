package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/redact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// errThere says that a session has been imported before.
var errThere = errors.New("it is there already")

// A writeError is an error of the destination.
type writeError struct{ error }

func (e *writeError) Unwrap() error { return e.error }

func isWriteError(err error) bool {
	_, ok := errors.AsType[*writeError](err)
	return ok
}

// A sink takes the lines of one session. A file gets its name when it is complete,
// so that a reader finds all of it or nothing, and a run that was
// killed begins again with the session it was at.
type sink struct {
	*job
	opened bool
	id     string    // of the session
	path   string    // "" for standard output
	twin   string    // where its source is, of a session whose id another one has; else ""
	from   time.Time // when the source was written to
	ctx    context.Context

	builder *formats.Builder // of the lines

	fork string // the id of the session, where the agent's own one has other lines
	what string // what was done, as [listing.New] and others

	redacts bool            // secrets are taken out
	clean   *redact.Growing // takes them out
	digest  string          // of its rules

	alone bool  // only the header is wanted
	noted *note // takes the lines to be remembered, nil for none

	there       *stored // the file that is there, if it is compared
	compared    bool    // the header was
	entries     int     // that were read
	title, last string  // the name that they give, and the last of them
	stamp       from    // the source as it was before it was read
	stamped     bool    // that is known

	temp    *os.File
	held    *os.File      // the lock of temp, which says that this run is alive
	written int64         // bytes of temp
	buffer  *bufio.Writer // of temp
	lines   jsonl.Content // what a strict run holds back from standard output
}

// sink returns a sink that has the buffer until it is sealed.
func (j *job) sink(buffer *bufio.Writer) *sink {
	return &sink{job: j, buffer: buffer, redacts: j.redact}
}

// convert makes the lines of one session. The sink has to be published, whatever the error.
func (k *sink) convert(ctx context.Context, a formats.Archive, info formats.Info, tell func(formats.Loss)) error {
	lost, damaged, torn := 0, 0, 0
	k.from = cmp.Or(info.ModTime, info.Modified)
	growth := formats.Whole
	switch {
	case !k.many || !k.grows:
	case info.Undated:
		return errWaiting
	case k.quiet(k.from):
		growth = formats.Quiet
	default:
		growth = formats.Closed
	}
	if growth != formats.Whole {
		k.stamp, k.stamped = fromOf(info, growth == formats.Quiet)
	}
	b := formats.NewBuilder(k.kept, k.line, func(l formats.Loss) {
		lost++
		switch {
		case l.Torn() && time.Since(k.from) < time.Minute:
			torn++ // it may be one that is being written
		case l.Kind == formats.KindDamage, l.Orphan():
			damaged++
		}
		if k.noted != nil && l.Fault() {
			k.noted.lost = true // it is told each time
		}
		tell(l)
	})
	if k.streams.Verbose && k.kinds {
		b.Kinds = formats.Kinds{}
	}
	b.Growth, b.UsageOnly, b.HeaderOnly, k.ctx, k.builder = growth, k.usage, k.alone, ctx, b
	err := b.Read(ctx, a, info)
	if errors.Is(err, formats.ErrHeaderOnly) {
		err = nil
	}
	if len(b.Kinds) > 0 {
		k.streams.Infof("%s: %s", cmp.Or(info.Path, info.ID), b.Kinds)
	}
	switch {
	case err != nil:
	case !b.Opened():
		err = errors.New("nothing was read")
	case growth == formats.Closed && k.entries == 0 && !k.native:
		err = errWaiting
	case growth != formats.Whole && k.beside:
		err = k.retitled(info)
	}
	if err == nil && k.there != nil {
		err = k.marked()
	}
	if err == nil && k.there != nil {
		if k.what = listing.Grown; len(k.there.missing) == 0 {
			err = errThere
		} else if k.there.merged() {
			k.what = listing.Merged
		}
	}
	if err == nil && k.strict && lost > 0 {
		what := "something"
		if lost > 1 {
			what = fmt.Sprintf("%d things", lost)
		}
		err = formats.Damaged("lost %s, and nothing was made of it", what)
	}
	if err == nil {
		err = errDamaged(k.damaged, damaged, torn)
	}
	return k.seal(err)
}

// line takes a line.
func (k *sink) line(text string) error {
	if !k.opened {
		k.opened = true
		var err error
		if text, err = k.open(text); err != nil {
			return err
		}
	} else if k.entries++; k.clean != nil {
		var err error
		if text, err = k.clean.Line(text); err != nil {
			return err
		}
	}
	if k.entries > 0 && k.many && k.beside {
		e, err := session.ParseEntry(text)
		if err != nil {
			return err
		}
		if k.last = strings.Clone(e.ID()); e.Type() == session.TypeSessionInfo {
			k.title = strings.Clone(e.Str("name"))
		}
	}
	if k.entries > 0 && k.usage && k.recalls != "" {
		if text = used(text); text == "" {
			return nil
		}
	}
	if k.noted.line(text) {
		return nil
	}
	w := k.streams.Out
	switch {
	case k.there != nil:
		return k.compare(text)
	case k.temp != nil:
		w = k.buffer
	case k.path != "":
		return nil // a dry run of many
	case k.strict:
		k.lines = append(k.lines, text)
		return nil
	}
	for _, part := range []string{text, "\n"} {
		if _, err := w.Write([]byte(part)); err != nil {
			return k.failed(err)
		}
	}
	return nil
}

// named replaces the id of a session that shares it with another one. The new id is made of the old one and of the place
// of the source, so every machine makes the same one. That of a fork says that it is one.
func (k *sink) named(header string) string {
	id := js.Value(header).Get("id").Str()
	switch {
	case k.fork != "":
		parent := js.Value(js.Quote(k.fork[:strings.LastIndexByte(k.fork, '-')])) // see derivedID
		return string(js.Value(header).With("id", js.Value(js.Quote(k.fork))).With("parentSession", parent).With(session.Of, js.Value(js.Quote(id))))
	case k.twin == "" || id == "":
		return header
	}
	return string(js.Value(header).With("id", js.Value(js.Quote(derivedID(id, k.twin)))).With(session.Of, js.Value(js.Quote(id))))
}

// derivedID returns an id made of another one and of what tells the two sessions apart: the same on every machine.
func derivedID(id, apart string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + apart))
	return id + "-" + hex.EncodeToString(sum[:6])
}

// open makes the file for the session with this header, which it returns, or looks at the one that is there.
func (k *sink) open(text string) (header string, err error) {
	defer func() {
		if err == nil && k.redacts {
			header, err = k.begin(header)
		}
	}()
	for {
		header = k.named(text)
		if !k.native {
			header = k.origin.On(header)
		}
		h, err := session.HeaderOf([]byte(header))
		if err != nil {
			return "", err
		}
		k.id = h.ID
		if !k.dest.Store && k.dest.File == "" || k.dest.DryRun && !k.many {
			return header, nil
		}
		if k.path, err = k.place(h); err != nil {
			return "", err
		}
		fi, err := os.Lstat(k.path)
		if err != nil || k.dest.Force {
			break
		}
		was := loadFrom(k.path)
		switch {
		case !k.many:
			return "", errThere
		case strings.HasPrefix(was.Next, h.ID+"-"): // else it is none of this session's
			k.fork, k.redacts = was.Next, k.redacts || was.Rules != ""
			continue
		}
		checked, err := k.rulesAsIn(was)
		switch {
		case err != nil:
			return "", err
		case k.stamped && k.stamp.sameFile(was) && (was.Quiet || !k.stamp.Quiet) && checked:
			return "", errThere
		case !k.stamped && !k.redacts && k.from.Before(fi.ModTime().Add(-2*time.Second)): // it may have taken so long to read the source
			return "", errThere
		}
		if err := k.load(k.ctx, was); err != nil {
			return "", err
		}
		k.there.judged = k.stamped && was.SHA256 != "" && was.Source == k.stamp.Source
		// An import of a version that kept neither the agent nor the source is compared by ids: its reader may have written
		// entries otherwise.
		old := was.Source == "" && k.there.keeps == k.kept && js.Value(k.there.header.Raw()).Get("harness") == ""
		if k.there.only = k.there.judged && sum(was.Source, was.Size) == was.SHA256; k.there.only {
			if k.stamp.Cuts = was.Cuts; was.Quiet {
				k.stamp.Cuts = append(k.stamp.Cuts, was.Size)
			}
			k.builder.Cuts = k.stamp.Cuts
		}
		k.there.only = k.there.only || old
		return header, nil
	}
	if k.what = listing.New; k.dest.DryRun {
		return header, nil
	}
	dir, base := filepath.Dir(k.path), filepath.Base(k.path)
	if k.many || k.dest.Store {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", k.failed(err)
		}
	}
	if err := k.makeTemp(dir, base); err != nil {
		return "", k.failed(err)
	}
	k.buffer.Reset(k.temp)
	return header, nil
}

// makeTemp makes a hidden file beside the one of the session, with mode 0600, and holds its lock. What a run that was killed has left
// under its name is taken away; another run that makes the session just now has the name, and this one takes another.
func (k *sink) makeTemp(dir, base string) (err error) {
	name := filepath.Join(dir, "."+base+".tmp")
	if err := removeLeft(name); err != nil {
		return err
	}
	if k.temp, err = os.OpenFile(name, os.O_RDWR|disk.Exclusive, 0o600); errors.Is(err, fs.ErrExist) {
		k.temp, err = os.CreateTemp(dir, "."+base+".*.tmp")
	}
	if err != nil {
		return err
	}
	k.held, err = os.Open(k.temp.Name())
	switch {
	case err == nil && k.holds():
		return nil
	case err == nil, errors.Is(err, fs.ErrNotExist): // another run took it for one that is left
		_, _ = k.temp.Close(), k.held.Close()
		return k.makeTemp(dir, base)
	}
	err = errors.Join(err, k.temp.Close(), os.Remove(k.temp.Name()))
	k.temp = nil
	return err
}

// holds takes the lock of the file that is made, where there are locks, and reports whether it is still there.
func (k *sink) holds() bool {
	free, err := disk.Flock(k.held)
	return (free || err != nil) && k.isNamed()
}

// isNamed reports whether the file that is made has its hidden name: when it has its own, another run may have taken that.
func (k *sink) isNamed() bool {
	fi, err := k.held.Stat()
	named, lerr := os.Lstat(k.temp.Name())
	return err == nil && lerr == nil && os.SameFile(fi, named)
}

// removeLeft removes a file that a run has left: one of this user's whose lock is free. One whose lock is held stays, and so does a link, a pipe or a directory.
func removeLeft(name string) error {
	f, err := os.OpenFile(name, os.O_RDONLY|disk.NoFollow|disk.Nonblock, 0)
	if err != nil {
		return nil //nolint:nilerr // there is none, or nobody can tell what it is
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || disk.Regular(fi) != nil || !disk.Private(fi) {
		return nil //nolint:nilerr // likewise
	}
	if free, err := disk.Flock(f); !free || err != nil {
		return nil //nolint:nilerr // likewise
	}
	return disk.Discard(disk.OS{}, name)
}

// place returns the path of the session.
func (k *sink) place(h session.Header) (string, error) {
	switch {
	case !k.dest.Store && k.many:
		return filepath.Join(k.dest.File, formats.FileName(h)), nil
	case !k.dest.Store:
		return k.dest.File, nil
	}
	return storedAt(h)
}

// storedAt returns where the session with this header is in the store.
func storedAt(h session.Header) (string, error) {
	if strings.ContainsRune(h.CWD, 0) {
		return "", fmt.Errorf("naming the session's directory: NUL byte in the working directory %.60q", h.CWD)
	}
	dir, err := address.StoreDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(store.Open(dir).Project(h.CWD), formats.FileName(h)), nil
}

// seal ends the lines of the session, of which there are none after an error. It has to
// be published, whatever the error.
func (k *sink) seal(err error) error {
	if k.temp == nil {
		return err
	}
	if err == nil {
		err = k.failed(k.buffer.Flush())
	}
	if err == nil {
		k.written, err = sizeOf(k.temp.Name())
		err = k.failed(err)
	}
	if err == nil && k.dest.Durable() {
		err = k.failed(k.temp.Sync())
	}
	if cerr := disk.Close(k.temp); err == nil {
		err = k.failed(cerr)
	}
	return err
}

// publish ends a session that was sealed with an error or without: it gives the file its
// name, if nothing has that. With an error nothing stays of the session.
func (k *sink) publish(err error) (path string, _ error) {
	if k.there != nil {
		return k.path, k.append(err)
	}
	if k.temp == nil {
		if err == nil && len(k.lines) > 0 {
			_, err = k.lines.WriteTo(k.streams.Out)
		}
		return k.path, err
	}
	if err == nil {
		err = k.link()
	}
	var rerr error
	if k.isNamed() {
		rerr = os.Remove(k.temp.Name())
	}
	k.held.Close()
	switch {
	case rerr == nil, errors.Is(rerr, fs.ErrNotExist):
	case err == nil:
		err = k.afterwards("removing "+k.temp.Name(), rerr)
	default:
		err = errors.Join(err, k.failed(rerr))
	}
	return k.path, err
}

// raced reports whether another run made the file of a session meanwhile.
func (k *sink) raced(err error) bool {
	return k.many && k.temp != nil && errors.Is(err, errThere)
}

// link gives the file its name.
func (k *sink) link() error {
	publish := disk.Publish
	if k.dest.Force {
		publish = os.Rename
	}
	err := publish(k.temp.Name(), k.path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errThere
	case err != nil:
		return k.failed(err)
	case !k.dest.Durable():
		return nil
	}
	dir := filepath.Dir(k.path)
	if err = disk.SyncDir(dir); err == nil {
		err = disk.SyncDir(filepath.Dir(dir)) // it may be new as well
	}
	if err != nil {
		return k.afterwards("syncing its directory", err)
	}
	return nil
}

// afterwards is the error of a step behind the one that gave the file its name: the
// session is there.
func (k *sink) afterwards(step string, err error) error {
	return &writeError{fmt.Errorf("published %s, but %s: %w", k.path, step, disk.Cause(err))}
}

// failed makes an error one of the destination, and has it name the file.
func (k *sink) failed(err error) error {
	if err == nil {
		return nil
	}
	name := k.path
	if name == "" {
		return disk.Cause(err) // cli names standard output
	}
	return &writeError{fmt.Errorf("creating %s: %w", name, disk.Cause(err))}
}
