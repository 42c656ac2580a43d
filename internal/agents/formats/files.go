package formats

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/core/parallel"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// Files says how a format keeps its sessions: in files that hold one each. [Files.Open] makes
// an archive of it.
type Files struct {
	// Depth is how many levels of directories below a source are looked at, and Match which
	// files there are sessions. A source that is a file is one in any case.
	Depth int
	Match func(path string) bool

	// Enter says of a directory further down whether it is looked at, too. Nil is a format that has none. A file in
	// one that [Files.Head] says to be no session is left out.
	Enter func(path string) bool

	// Within says of a directory below a source whether it leads to sessions, and whether it is one that holds them, or is below one. Where it is
	// not nil, Depth counts for nothing: no other directory is opened, and a hidden one is if it leads to sessions.
	Within func(dir string) (leads, holds bool)

	// Output says of a file that the agent put an output there, beside a session that refers to it; Known of one that
	// is called as a session is that it is none. Nil is a format that has no such files.
	Output, Known func(path string) bool

	// Head returns the facts about a session that the beginning of its file has, and Read gives the
	// session to a builder. Both get the source of that file alone, and the file open. Facts of the
	// file system, and a directory or a time that the file lacks, are filled in.
	Head func(ctx context.Context, src *Source, f *File) (Info, error)
	Read func(ctx context.Context, src *Source, f *File, info Info, b *Builder) error

	// Details says what reading all of the file tells for a listing, and needs no Head. Nil is
	// [Describe].
	Details func(ctx context.Context, src *Source, f *File) (session.Info, error)

	// Apart says that a session is made of nothing but its file.
	Apart bool

	// MayHave is [Sifter.MayHave] for the session of a file. Nil is a format whose files do not tell it.
	MayHave func(ctx context.Context, f *File, words *Words) bool

	// IDs returns the ids that the name of a file may have, and whether its session can have no other one. Where a
	// session is found by its name, files that are called otherwise are not opened. Nil is a format whose names have none.
	IDs func(path string) (ids []string, sure bool)

	// Project returns the name of the directory that has the sessions of a working directory, and may have those of
	// others, too. Nil is a format whose places do not say that.
	Project func(cwd string) string

	// Rank says which of two files in one directory that are one session is listed: that with the lower
	// rank. Nil is a format that has no such files.
	Rank func(path string) int
}

// Open opens a file, standard input, or a directory of files.
func (f Files) Open(src *Source) (Archive, error) {
	if err := src.Exists(); err != nil {
		return nil, err
	}
	if f.IDs == nil {
		f.IDs = func(string) ([]string, bool) { return nil, false }
	}
	return &files{Files: f, src: src}, nil
}

type files struct {
	Files
	src *Source

	// index has the files that were found when an id was looked for, by their paths and by the ids that their names
	// have: a program may be asked for thousands of sessions, one after the other. A session that it does not have is looked for again.
	index atomic.Pointer[func() map[string][]place]
}

// Close has nothing to close: each file is closed once it was looked at.
func (a *files) Close() error { return nil }

// Lasts is true: no file stays open.
func (a *files) Lasts() bool { return true }

// List lists the files in the order of their paths, several at a time, by their heads; one
// that details are asked of is read whole.
func (a *files) List(ctx context.Context, q Query) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		if !a.src.IsDir() {
			yield(a.info(ctx, a.src, q))
			return
		}
		var found []place
		if index := a.index.Load(); q.ID != "" && index != nil {
			found, _ = a.having(ctx, q.ID, (*index)()[q.ID])
		}
		if len(found) > 0 {
			q.ID = ""
		} else {
			found, q.ID = a.lookedFor(ctx, q.ID, a.found(ctx))
		}
		unopened := Unopened(q, found, func(p place) string { return p.path }, a.Project)
		list := each(ctx, found, func(ctx context.Context, p place) (Info, error) {
			if p.err != nil {
				return Info{Row: store.Row{Path: p.path}}, p.err
			}
			if p.head != nil && !q.Details && q.ID == "" {
				return *p.head, nil
			}
			if info, ok := unopened[p.path]; ok {
				return info, nil
			}
			return a.info(ctx, a.src.Beside(p.path), q)
		})
		for info, err := range list {
			if !a.none(info.Path, err) && !yield(info, err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Info{Row: store.Row{Path: a.src.Path}}, err)
		}
	}
}

// Unopened returns, by their paths, the facts about those files that a query does not ask to open. Project is
// [Files.Project].
func Unopened[T any](q Query, files []T, path func(T) string, project func(cwd string) string) map[string]Info {
	if q.Newest <= 0 || len(files) <= q.Newest {
		return nil
	}
	var here string
	if project != nil {
		here = string(filepath.Separator) + project(q.CWD) + string(filepath.Separator)
	}
	rows := make([]Info, 0, len(files))
	for _, f := range files {
		if fi, err := os.Stat(path(f)); err == nil { // else opening it says why
			row := store.Row{Path: path(f), Size: fi.Size(), ModTime: fi.ModTime(), Info: session.Info{Modified: fi.ModTime()}}
			rows = append(rows, Info{Row: row, Elsewhere: project != nil})
		}
	}
	slices.SortStableFunc(rows, func(a, b Info) int { return b.ModTime.Compare(a.ModTime) })
	out := make(map[string]Info, len(rows))
	for _, r := range rows[min(q.Newest, len(rows)):] {
		if project == nil || !strings.Contains(r.Path, here) {
			out[r.Path] = r
		}
	}
	return out
}

// A place is a file that is a session, or what cannot be looked at, and why.
type place struct {
	path string
	err  error
	head *Info // what its beginning says, if it was just looked at
}

// each yields what do finds out of each place, several at a time.
func each(ctx context.Context, list []place, do func(context.Context, place) (Info, error)) iter.Seq2[Info, error] {
	if len(list) == 1 { // as most often where a session is asked for
		return func(yield func(Info, error) bool) { yield(do(ctx, list[0])) }
	}
	return parallel.MapErr(ctx, runtime.GOMAXPROCS(0), slices.Values(list), do)
}

// found returns the files of a directory.
func (a *files) found(ctx context.Context) (list []place) {
	depth, enter := a.Depth, func(dir string) bool { return isVisible(dir) && a.inside(dir) }
	if a.Within != nil {
		depth, enter = 0, func(dir string) bool {
			leads, _ := a.Within(dir)
			return leads
		}
	}
	walk(ctx, a.src.Path, depth, enter, a.Match, func(path string, err error) bool {
		list = append(list, place{path: path, err: err})
		return true
	})
	return list
}

// inside reports whether a directory is one of [Files.Enter].
func (a *files) inside(dir string) bool { return a.Enter != nil && a.Enter(dir) }

// none reports whether an error says that a file is no session, where others may be.
func (a *files) none(path string, err error) bool {
	return errors.Is(err, session.ErrNotSession) && a.inside(filepath.Dir(path))
}

// An Other is a file below a source that is not read: an output beside a session, or one that may be a session of a
// kind that is not known.
type Other struct {
	Path   string
	Output bool
}

// Others returns the files that are not read. It looks at names, and in the directory of a session at the heads of
// files.
func (a *files) Others(ctx context.Context) (list []Other) {
	sessions := map[string]bool{}
	for _, p := range a.found(ctx) {
		sessions[p.path] = true
		if a.inside(filepath.Dir(p.path)) && a.Known != nil && !a.Known(p.path) {
			_, err := a.info(ctx, a.src.Beside(p.path), Query{})
			sessions[p.path] = !a.none(p.path, err)
		}
	}
	enter := isVisible
	if a.Within != nil {
		enter = func(dir string) bool {
			leads, holds := a.Within(dir)
			return leads || holds
		}
	}
	return strangers(ctx, a.src.Path, enter, func(path string) (output, known bool) {
		return a.Output != nil && a.Output(path), sessions[path] || a.Known != nil && a.Known(path)
	})
}

func isVisible(path string) bool { return filepath.Base(path)[0] != '.' }

// Strangers returns the files in and below a directory that are outputs, and those of JSON Lines that are not known, as look says.
func Strangers(ctx context.Context, dir string, look func(path string) (output, known bool)) []Other {
	return strangers(ctx, dir, isVisible, look)
}

// strangers is Strangers of the directories that enter accepts.
func strangers(ctx context.Context, dir string, enter func(dir string) bool, look func(path string) (output, known bool)) (list []Other) {
	walk(ctx, dir, 0, enter, func(string) bool { return true }, func(path string, err error) bool {
		if output, known := look(path); err == nil && (output || !known && filepath.Ext(path) == ".jsonl") {
			list = append(list, Other{path, output})
		}
		return true
	})
	return list
}

// once leaves files out that are the session of another one in their directory. Only directories with files of
// several ranks are looked into.
func (a *files) once(ctx context.Context, list []place) []place {
	if a.Rank == nil {
		return list
	}
	ranks := map[string]int{} // of each directory, the last one met
	mixed := map[string]bool{}
	for _, p := range list {
		dir, rank := filepath.Dir(p.path), a.Rank(p.path)
		if other, ok := ranks[dir]; ok && other != rank {
			mixed[dir] = true
		}
		ranks[dir] = rank
	}
	best, ids := map[[2]string]int{}, make([]string, len(list)) // by directories and sessions
	for i, p := range list {
		if p.err != nil || !mixed[filepath.Dir(p.path)] {
			continue
		}
		if info, err := a.info(ctx, a.src.Beside(p.path), Query{}); err == nil {
			key := [2]string{filepath.Dir(p.path), info.ID}
			ids[i] = info.ID
			if other, ok := best[key]; !ok || a.Rank(p.path) < other {
				best[key] = a.Rank(p.path)
			}
		}
	}
	var out []place
	for i, p := range list {
		if ids[i] == "" || a.Rank(p.path) == best[[2]string{filepath.Dir(p.path), ids[i]}] {
			out = append(out, p)
		}
	}
	return out
}

// lookedFor returns the files to list for an id, the beginning of one, a path or a name, and what of it they have to be
// read whole for.
func (a *files) lookedFor(ctx context.Context, id string, list []place) (found []place, rest string) {
	if id == "" {
		return a.once(ctx, list), ""
	}
	index := sync.OnceValue(func() map[string][]place { return a.byName(list) }) // the first look needs none
	a.index.Store(&index)
	whole, begun := a.named(id, list)
	for i, some := range [][]place{whole, begun, list} {
		exact, prefixed := a.having(ctx, id, some)
		if len(exact) > 0 {
			return exact, "" // it is no name, for which they would be read whole
		}
		if len(prefixed) > 0 && i > 0 {
			return prefixed, ""
		}
	}
	if session.ValidSessionID(id) {
		id = "" // it is the id of no session, and heads have the names that may be one
	}
	return a.once(ctx, list), id
}

// having returns those of some files that an id or a path means by their heads, and those whose ids begin with it.
func (a *files) having(ctx context.Context, id string, some []place) (exact, prefixed []place) {
	for head, err := range each(ctx, a.once(ctx, some), func(ctx context.Context, p place) (Info, error) {
		return a.info(ctx, a.src.Beside(p.path), Query{})
	}) {
		switch {
		case err != nil:
		case head.ID == id, head.Path == id:
			exact = append(exact, place{path: head.Path, head: &head})
		case len(id) >= session.MinPrefix && strings.HasPrefix(head.ID, id):
			prefixed = append(prefixed, place{path: head.Path, head: &head})
		}
	}
	return exact, prefixed
}

// named returns the files whose names have an id, whole, and those that may be a session whose id begins so: if a name
// says it of one, that and each whose name does not say which id it has.
func (a *files) named(id string, list []place) (whole, begun []place) {
	says := false
	for _, p := range list {
		ids, sure := a.IDs(p.path)
		if p.path == id || slices.Contains(ids, id) {
			whole = append(whole, p)
		}
		begins := slices.ContainsFunc(ids, func(name string) bool { return strings.HasPrefix(name, id) })
		if says = says || begins; begins || !sure {
			begun = append(begun, p)
		}
	}
	if !says || len(id) < session.MinPrefix {
		begun = nil
	}
	return whole, begun
}

// byName returns files by their paths and by the ids that their names have.
func (a *files) byName(list []place) map[string][]place {
	index := map[string][]place{}
	for _, p := range list {
		ids, _ := a.IDs(p.path)
		for _, name := range append(ids, p.path) {
			if same := index[name]; len(same) == 0 || same[len(same)-1].path != p.path {
				index[name] = append(same, p)
			}
		}
	}
	return index
}

// info lists the session of a file.
func (a *files) info(ctx context.Context, src *Source, q Query) (Info, error) {
	f, err := src.Open(ctx)
	if err != nil {
		return Info{Row: store.Row{Path: src.Path}}, err
	}
	defer f.Close()
	info := Info{Row: store.Row{Path: src.Path, Size: f.Size, ModTime: f.ModTime}, Alone: true}
	if !q.Details || q.Only != nil || a.Details == nil {
		info, err = a.head(ctx, src, f)
		known := !q.Details && (q.ID == "" || q.ID == info.ID || q.ID == info.Path)
		if err != nil || known || q.Details && !q.Detailed(info) {
			return info, err
		}
	}
	if a.Details == nil {
		described, err := Describe(ctx, a, info)
		info.Info, info.Unread = described.Info, described.Unread
		return info, err
	}
	info.Info, err = a.Details(ctx, src, f)
	info.Modified = cmp.Or(info.Modified, f.ModTime)
	return info, err
}

// head lists the session of a file by its beginning.
func (a *files) head(ctx context.Context, src *Source, f *File) (Info, error) {
	info, err := a.Head(ctx, src, f)
	info.Path, info.Size, info.ModTime, info.Alone = src.Path, f.Size, f.ModTime, true
	if info.Created.IsZero() {
		info.Undated = true
		info.Created = cmp.Or(f.ModTime, time.UnixMilli(0)).UTC().Truncate(time.Millisecond)
	}
	info.Modified = cmp.Or(f.ModTime, info.Created)
	return info, err
}

// of returns the source of the file of a session.
func (a *files) of(info Info) *Source {
	if a.src.IsDir() {
		return a.src.Beside(info.Path)
	}
	return a.src
}

// Sources returns the file of a session.
func (a *files) Sources(_ context.Context, info Info) []string {
	if path := a.of(info).Path; a.Apart && path != "" {
		return []string{path}
	}
	return nil
}

// MayHave is that of the format.
func (a *files) MayHave(ctx context.Context, info Info, words *Words) bool {
	if a.Files.MayHave == nil {
		return true
	}
	f, err := a.of(info).Open(ctx)
	if err != nil {
		return true
	}
	defer f.Close()
	return a.Files.MayHave(ctx, f, words)
}

func (a *files) Read(ctx context.Context, info Info, b *Builder) error {
	src := a.of(info)
	f, err := src.Open(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.Files.Read(ctx, src, f, info, b)
}
