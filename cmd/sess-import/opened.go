package main

import (
	"context"
	"errors"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// archives are those of agents' homes which stay open while one invocation follows the other, if they may. Nil keeps none.
type archives map[archiveKey]openArchive

type openArchive struct {
	formats.Archive
	since time.Time
}

// lasts is how long an archive stays open. The agent may begin another file for a session that was found in it.
const lasts = time.Second

type archiveKey struct {
	format, path, blobs, cwd string
	expansion                int64
}

// with opens the archive of a source for work, or takes the one that is open. In that one a session that came since may
// be missing: it is opened anew, and work done again.
func (a archives) with(ctx context.Context, f formats.Format, src *formats.Source, own bool, work func(formats.Archive) error) error {
	key := archiveKey{f.About().Name, src.Path, src.Blobs, src.CWD, src.Expansion}
	if opened, ok := a[key]; ok && time.Since(opened.since) < lasts {
		err := work(opened.Archive)
		if err == nil || !errors.Is(err, formats.ErrNotFound) {
			return err
		}
	}
	if err := a.drop(key); err != nil {
		return err
	}
	since := time.Now()
	opened, err := f.Open(ctx, src)
	if err != nil {
		return err
	}
	if err = work(opened); err == nil && a != nil && own {
		if _, ok := opened.(formats.Lasting); ok {
			a[key] = openArchive{opened, since}
			return nil
		}
	}
	return join(err, opened.Close())
}

// drop closes an archive if it is open.
func (a archives) drop(key archiveKey) error {
	opened, ok := a[key]
	if !ok {
		return nil
	}
	delete(a, key)
	return opened.Close()
}

// close closes those that are open.
func (a archives) close() (err error) {
	for key := range a {
		err = errors.Join(err, a.drop(key))
	}
	return err
}
