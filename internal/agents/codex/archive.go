package codex

import (
	"cmp"
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Open opens a rollout, a directory of them, or a home of codex.
func (format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	a := &archive{src: src}
	if src.Path == "" {
		f, err := open(ctx, src) // standard input may be no rollout, and can be read only once
		if err != nil {
			return nil, err
		}
		f.done()
		return a, nil
	}
	if err := src.Exists(); err != nil {
		return nil, err
	}
	a.home = homeAbove(src.Path)
	if a.home == "" && src.IsDir() {
		a.home = src.Path
	}
	if src.IsDir() {
		var err error
		a.tree, err = scan(ctx, src.Path)
		return a, err
	}
	return a, nil
}

// An archive is a rollout, or a directory of them. It is none of [formats.Files]: a thread may
// be several rollouts, and one may go on from the bytes of another.
type archive struct {
	src  *formats.Source
	home string // of codex, "" if there is none
	tree *tree  // of a directory

	names   sync.Once
	byID    map[string]name
	listing sync.Mutex
	heads   map[string]head // by their paths, of rollouts that were listed just now
	lookup  sync.Mutex
	found   map[string]*tree // by the directory
}

func (a *archive) Close() error { return nil }

// Lasts is true: no file stays open.
func (a *archive) Lasts() bool { return true }

// Others returns the files that are not read where rollouts are, and beside the directories of these.
func (a *archive) Others(ctx context.Context) (list []formats.Other) {
	look := func(path string) (output, known bool) {
		base := filepath.Base(path)
		return false, isRollout(base) || base == "history.jsonl" || base == indexFile
	}
	all := places(a.src.Path)
	for _, place := range all {
		list = append(list, formats.Strangers(ctx, place, look)...)
	}
	if len(all) == 1 && all[0] == a.src.Path {
		return list
	}
	for path, err := range formats.Walk(ctx, a.src.Path, 0, func(base string) bool { return filepath.Ext(base) == ".jsonl" }) {
		if _, known := look(path); err == nil && !known {
			list = append(list, formats.Other{Path: path})
		}
	}
	return list
}

// List lists the sessions by the first lines of their rollouts, and the names that the
// home has for them.
func (a *archive) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		if a.tree == nil {
			yield(a.info(ctx, []*formats.Source{a.src}, "", q))
			return
		}
		threads := a.meant(q.ID)
		if len(threads) == len(a.tree.threads) {
			for _, b := range a.tree.broken {
				if !yield(formats.Info{Row: store.Row{Path: b.path}}, b.err) {
					return
				}
			}
		}
		last := func(th *thread) string { return th.paths[len(th.paths)-1] }
		unopened := formats.Unopened(q, threads, last, nil)
		for _, th := range threads {
			key := cmp.Or(th.id, th.paths[0])
			if info, ok := unopened[last(th)]; ok {
				if info.Key = key; !yield(info, nil) {
					return
				}
				continue
			}
			if !yield(a.info(ctx, a.rollouts(th), key, q)) || ctx.Err() != nil {
				return
			}
		}
	}
}

// meant returns the threads that an id, the beginning of one or a name may mean.
func (a *archive) meant(id string) []*thread {
	if id == "" {
		return a.tree.threads
	}
	lower := strings.ToLower(id)
	if th := a.tree.byID[lower]; th != nil {
		return []*thread{th}
	}
	var out []*thread
	if len(id) >= session.MinPrefix {
		for _, th := range a.tree.threads {
			if strings.HasPrefix(th.id, lower) {
				out = append(out, th)
			}
		}
	}
	if len(out) == 0 {
		for _, named := range a.called(id) {
			if th := a.tree.byID[named]; th != nil {
				out = append(out, th)
			}
		}
	}
	if len(out) == 0 {
		return a.tree.threads // the names of files may be wrong
	}
	return out
}

// maxHeads is how many heads are kept.
const maxHeads = 64

// headOf returns the head of a rollout, and keeps it: who lists rollouts often reads one of them next.
func (a *archive) headOf(ctx context.Context, src *formats.Source) (head, error) {
	if src.Path == "" {
		return headOf(ctx, src)
	}
	if h, ok := a.listed(src.Path); ok {
		return h, nil
	}
	h, err := headOf(ctx, src)
	if err != nil {
		return h, err
	}
	a.listing.Lock()
	defer a.listing.Unlock()
	if a.heads == nil || len(a.heads) == maxHeads {
		a.heads = make(map[string]head, maxHeads)
	}
	a.heads[src.Path] = h
	return h, nil
}

// listed returns the head of a rollout that was listed just now, and forgets it.
func (a *archive) listed(path string) (head, bool) {
	a.listing.Lock()
	defer a.listing.Unlock()
	h, ok := a.heads[path]
	delete(a.heads, path)
	return h, ok
}

// rollouts returns the rollouts of a thread, oldest first: of several with one id the one
// that was written to last. Two of them are two conversations, as when a session was
// exported again after codex went on with it.
func (a *archive) rollouts(th *thread) []*formats.Source {
	var out []*formats.Source
	at := map[string]int{}
	for _, path := range th.paths {
		_, own := idsOf(path)
		n, again := at[own]
		switch {
		case own == "" || !again:
			at[own] = len(out)
			out = append(out, a.src.Beside(path))
		case !writtenAt(path).Before(writtenAt(out[n].Path)):
			out[n] = a.src.Beside(path)
		}
	}
	return out
}

// writtenAt returns when a file was written to last, a zero time if that cannot be known.
func writtenAt(path string) time.Time {
	fi, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// passedOver returns the rollouts of a listed session that are not read.
func (a *archive) passedOver(info formats.Info, read []*formats.Source) (paths []string) {
	if a.tree == nil {
		return nil
	}
	th := a.tree.byID[info.Key]
	if th == nil {
		return nil
	}
	for _, path := range th.paths {
		if !slices.ContainsFunc(read, func(s *formats.Source) bool { return s.Path == path }) {
			paths = append(paths, path)
		}
	}
	return paths
}

// sources returns the rollouts of a listed session, oldest first.
func (a *archive) sources(info formats.Info) []*formats.Source {
	if a.tree == nil {
		return []*formats.Source{a.src}
	}
	if th := a.tree.byID[info.Key]; th != nil {
		return a.rollouts(th)
	}
	return []*formats.Source{a.src.Beside(info.Key)}
}

// info describes a session by its newest rollout.
func (a *archive) info(ctx context.Context, files []*formats.Source, key string, q formats.Query) (formats.Info, error) {
	newest := files[len(files)-1]
	info := formats.Info{Row: store.Row{Path: newest.Path}, Key: key}
	h, err := a.headOf(ctx, newest)
	if info.Size, info.ModTime = h.size, h.modified; err != nil {
		return info, err
	}
	info.ID, info.CWD, info.ParentSession, info.Version = sessionID(h.id), h.cwd, h.parent, session.Version
	info.FirstMessage, info.Prompts = h.firstPrompt, []string{h.firstPrompt}
	info.Modified, info.Alone = h.modified, len(files) == 1
	if h.created != 0 {
		info.Created = time.UnixMilli(h.created).UTC()
	}
	if named, ok := a.nameOf(h.id); ok {
		info.Name = named.name
	}
	if q.Detailed(info) {
		return formats.Describe(ctx, a, info)
	}
	return info, nil
}

// find returns the path of a rollout, beside the file that goes on from it or among the
// sessions of a home.
func (a *archive) find(ctx context.Context, from, rollout string) (string, bool) {
	if a.tree != nil {
		if path, ok := a.tree.rollout[rollout]; ok {
			return path, true
		}
	}
	home := ""
	if a.src.Env.Getenv != nil {
		home, _ = homeOf(a.src.Env)
	}
	for _, dir := range []string{filepath.Dir(from), homeAbove(from), home} {
		if dir == "" || !formats.IsDir(dir) {
			continue
		}
		if t := a.scanned(ctx, dir); t != nil && t.rollout[rollout] != "" {
			return t.rollout[rollout], true
		}
	}
	return "", false
}

// scanned returns what a directory has, which is looked for once.
func (a *archive) scanned(ctx context.Context, dir string) *tree {
	a.lookup.Lock()
	defer a.lookup.Unlock()
	t, ok := a.found[dir]
	if !ok {
		t, _ = scan(ctx, dir) // the error is that of ctx, which is noticed soon
		if a.found == nil {
			a.found = map[string]*tree{}
		}
		a.found[dir] = t
	}
	return t
}

// A name is what a thread is called, and since when.
type name struct {
	name string
	at   int64 // milliseconds since the epoch, 0 if that is not said
}

// nameOf returns the name that the home has for a thread.
func (a *archive) nameOf(thread string) (name, bool) {
	a.names.Do(a.readNames)
	n, ok := a.byID[thread]
	return n, ok && n.name != ""
}

// called returns the threads that have a name.
func (a *archive) called(text string) []string {
	a.names.Do(a.readNames)
	var out []string
	for id, n := range a.byID {
		if n.name == text {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// readNames reads the names from their end on, since the last one for a thread
// counts. Without such a file there are none.
func (a *archive) readNames() {
	a.byID = map[string]name{}
	if a.home == "" {
		return
	}
	f, err := formats.OpenFile(filepath.Join(a.home, indexFile))
	if err != nil {
		return
	}
	defer f.Close()
	for l, err := range jsonl.Backward(f, f.Size) {
		if err != nil {
			return
		}
		if !js.Valid(l.Data) {
			continue
		}
		v := js.Value(l.Data)
		id, n := v.Get("id").Str(), name{name: v.Get("thread_name").Str()}
		n.at, _ = js.ParseTime(v.Get("updated_at").Str())
		if _, ok := a.byID[id]; !ok && id != "" {
			a.byID[id] = n
		}
	}
}
