package main

import (
	"context"
	"errors"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// archives are those of agents' homes which stay open while one invocation follows the other, if they may. Nil keeps none.
type archives map[archiveKey]formats.Archive

type archiveKey struct {
	format, path, blobs, cwd string
	expansion                int64
}

// with opens the archive of a source for work, or takes the one that is open. In that one a session that came since may
// be missing: it is opened anew, and work done again. What did not go well is closed.
func (a archives) with(ctx context.Context, f formats.Format, src *formats.Source, own bool, work func(formats.Archive) error) error {
	key := archiveKey{f.About().Name, src.Path, src.Blobs, src.CWD, src.Expansion}
	if opened := a[key]; opened != nil {
		err := work(opened)
		if err == nil {
			return nil
		}
		delete(a, key)
		if err = join(err, opened.Close()); !errors.Is(err, formats.ErrNotFound) {
			return err
		}
	}
	opened, err := f.Open(ctx, src)
	if err != nil {
		return err
	}
	if err = work(opened); err == nil && a != nil && own {
		if _, ok := opened.(formats.Lasting); ok {
			a[key] = opened
			return nil
		}
	}
	return join(err, opened.Close())
}

// close closes those that are open.
func (a archives) close() (err error) {
	for _, opened := range a {
		err = errors.Join(err, opened.Close())
	}
	return err
}
