package main

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
)

// archives are those of agents' homes that serve one invocation after the other. Nil keeps none.
type archives struct {
	mu   sync.Mutex // held while an archive is read
	kept map[archiveKey]openArchive
}

type openArchive struct {
	formats.Lasting
	since time.Time
}

// lasts is how long an archive is kept. The agent may begin another file for a session that was found in it.
const lasts = time.Second

type archiveKey struct {
	format, path, blobs string
}

// exactly is an archive of which only a whole id and a path are answered: what else an id may mean can have come since.
type exactly struct{ formats.Archive }

func (e exactly) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		for info, err := range e.Archive.List(ctx, q) {
			if err == nil && (info.ID == q.ID || info.Path == q.ID) && !yield(info, nil) {
				return
			}
		}
	}
}

// MayHave is that of the archive.
func (e exactly) MayHave(ctx context.Context, info formats.Info, words *formats.Words) bool {
	return formats.MayHave(ctx, e.Archive, info, words)
}

// Sources is that of the archive.
func (e exactly) Sources(ctx context.Context, info formats.Info) []string {
	return formats.SourcesOf(ctx, e.Archive, info)
}

// with opens the archive of a source for work, or takes the one that is kept. A session that is not found there may have
// come since: the archive is opened anew, and work done again.
func (a *archives) with(ctx context.Context, f formats.Format, src *formats.Source, work func(formats.Archive) error) error {
	key := archiveKey{f.About().Name, src.Path, src.Blobs}
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		if done, err := a.again(key, work); done {
			return err
		}
	}
	since := time.Now()
	opened, err := f.Open(ctx, src)
	if err != nil {
		return err
	}
	err = work(opened)
	if kept, ok := opened.(formats.Lasting); ok && a != nil && kept.Lasts() {
		a.kept[key] = openArchive{kept, since}
		time.AfterFunc(lasts, func() { _ = a.close(lasts) }) // what was read was read whole
		return err
	}
	return join(err, opened.Close())
}

// again does work with the archive that is kept, if there is one that has what work wants, and else closes it.
func (a *archives) again(key archiveKey, work func(formats.Archive) error) (done bool, err error) {
	kept, ok := a.kept[key]
	if !ok {
		return false, nil
	}
	if time.Since(kept.since) < lasts && kept.Lasts() {
		if err := work(exactly{kept.Lasting}); !errors.Is(err, formats.ErrNotFound) {
			return true, err
		}
	}
	delete(a.kept, key)
	err = kept.Close()
	return err != nil, err
}

// close closes those that were opened so long ago.
func (a *archives) close(age time.Duration) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, kept := range a.kept {
		if time.Since(kept.since) >= age {
			delete(a.kept, key)
			err = join(err, kept.Close())
		}
	}
	return err
}
