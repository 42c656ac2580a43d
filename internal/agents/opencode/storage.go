package opencode

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/opencode/parts"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/store"
)

// A storage is the store that opencode had before its database, with a file for each session,
// message and part, in the two layouts it had (docs/formats/opencode.md).
type storage struct {
	src      *formats.Source
	sessions []string        // the files
	unread   []error         // directories that could not be looked at
	taken    formats.Archive // the databases beside it, into which opencode takes sessions over; nil if there is none
}

// isStored reports whether a path is that of the file of a session in a storage.
func isStored(path string) bool {
	dir := filepath.Dir(path)
	return strings.HasSuffix(path, ".json") &&
		(filepath.Base(filepath.Dir(dir)) == "session" && filepath.Base(dir) != "message" && filepath.Base(dir) != "part")
}

// storedIn returns the files of sessions in a directory of opencode's data, or in a storage,
// and what could not be looked at.
func storedIn(ctx context.Context, dir string) (list []string, unread []error) {
	for _, in := range []struct {
		dir   string
		depth int
	}{{"session", 1}, {filepath.Join("storage", "session"), 1}, {"project", 4}} {
		if in.dir = filepath.Join(dir, in.dir); !formats.IsDir(in.dir) {
			continue
		}
		for path, err := range formats.Walk(ctx, in.dir, in.depth, func(string) bool { return true }) {
			switch {
			case err != nil:
				unread = append(unread, err)
			case isStored(path):
				list = append(list, path)
			}
		}
	}
	return list, unread
}

// openData opens the data in a directory of opencode: databases, a storage, or both.
func openData(ctx context.Context, src *formats.Source, dir string, databases ...string) (formats.Archive, error) {
	list, unread := storedIn(ctx, dir)
	s := &storage{src: src, sessions: list, unread: unread}
	some := len(list)+len(unread) > 0
	if _, err := os.Stat(databases[0]); err != nil && some {
		return s, nil
	}
	db, err := openDatabases(ctx, src, databases)
	if err != nil {
		return nil, err
	}
	if s.taken = db; some {
		return s, nil
	}
	return db, nil
}

func (s *storage) Close() error {
	if s.taken == nil {
		return nil
	}
	return s.taken.Close()
}

// List yields the sessions of the database, and those that only the storage has, newest first.
func (s *storage) List(ctx context.Context, q formats.Query) iter.Seq2[formats.Info, error] {
	return func(yield func(formats.Info, error) bool) {
		taken := map[string]bool{}
		if s.taken != nil {
			for info, err := range s.taken.List(ctx, q) {
				taken[info.ID] = true
				if !yield(info, err) {
					return
				}
			}
		}
		for _, err := range s.unread {
			if !yield(formats.Info{Row: store.Row{Path: s.src.Path}}, err) {
				return
			}
		}
		var list []formats.Info
		for _, path := range s.sessions {
			info, err := s.info(ctx, path, q)
			switch {
			case ctx.Err() != nil:
				yield(info, ctx.Err())
				return
			case err != nil:
				if !yield(info, err) {
					return
				}
			case !taken[info.ID]:
				list = append(list, info)
			}
		}
		slices.SortStableFunc(list, func(a, b formats.Info) int { return b.Modified.Compare(a.Modified) })
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// info lists the session of a file.
func (s *storage) info(ctx context.Context, path string, q formats.Query) (formats.Info, error) {
	info := formats.Info{Row: store.Row{Path: path}, Key: path}
	if fi, err := os.Stat(path); err == nil {
		info.Size, info.ModTime = fi.Size(), fi.ModTime()
	}
	about, err := s.read(ctx, path)
	if err != nil {
		return info, fmt.Errorf("%s: %w", path, err)
	}
	describe(&info, header(about), parts.Int(about, "time", "updated"))
	if info.ID != q.ID && about.Get("slug").Str() == q.ID {
		info.Alias = q.ID
	}
	if q.Detailed(info) {
		return formats.Describe(ctx, s, info)
	}
	return info, nil
}

func (s *storage) Read(ctx context.Context, info formats.Info, b *formats.Builder) error {
	if s.taken != nil && !isStored(info.Path) {
		return s.taken.Read(ctx, info, b)
	}
	doc, err := s.open(ctx, info.Path)
	if err == nil {
		err = convert(ctx, doc, header(doc.about), b)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", info.Path, err)
	}
	return nil
}

// read reads the object that a file of a storage holds.
func (s *storage) read(ctx context.Context, path string) (js.Value, error) {
	f, err := s.src.Beside(path).Open(ctx)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if f.Size > maxPiece {
		return "", formats.Damaged("it is larger than %d MiB", maxPiece>>20)
	}
	data, err := io.ReadAll(f.Reader(ctx))
	if err != nil {
		return "", disk.Cause(err)
	}
	data = bytes.TrimPrefix(data, []byte(jsonl.ByteOrderMark))
	if text := string(bytes.TrimSpace(data)); isJSON(text) {
		return js.Value(text), nil
	}
	return "", formats.Damaged("it is not a JSON object")
}

// A filed session is one of a storage. The key of a message is the path of its file.
type filed struct {
	*storage
	damaged
	about    js.Value
	id       string
	messages []ref
	parts    func(message string) string // the directory of the parts of a message
	report   func(where, kind, format string, args ...any)
}

func (f *filed) info() js.Value { return f.about }
func (f *filed) refs() []ref    { return f.messages }

func (f *filed) damage(lose func(where, kind, format string, args ...any)) {
	f.report = lose
	f.damaged.damage(lose)
}

// open notes the messages of a session.
func (s *storage) open(ctx context.Context, path string) (*filed, error) {
	about, err := s.read(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &filed{storage: s, about: compact(string(about)), id: about.Get("id").Str()}
	if !isName(f.id) {
		return nil, formats.Damaged("its id %.40q is no name of a directory, so its messages cannot be found", f.id)
	}
	root := filepath.Dir(filepath.Dir(path))
	f.parts = func(message string) string { return filepath.Join(root, "part", f.id, message) }
	if filepath.Base(filepath.Dir(path)) != "info" {
		root = filepath.Dir(root)
		f.parts = func(message string) string { return filepath.Join(root, "part", message) }
	}
	known := map[string]bool{}
	for path, err := range filesIn(ctx, filepath.Join(root, "message", f.id)) {
		if err == nil {
			err = f.note(ctx, path, known)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			f.lose(path, "%v, skipped", err)
		}
	}
	order(f.messages)
	return f, f.strays(ctx, filepath.Dir(f.parts("x")), known)
}

// isName reports whether an id can be the name of a directory, and of nothing beside it.
func isName(id string) bool { return filepath.IsLocal(id) && filepath.Base(id) == id && id != "." }

// filesIn yields the JSON files of a directory that need not be there, by their names.
func filesIn(ctx context.Context, dir string) iter.Seq2[string, error] {
	if !formats.IsDir(dir) {
		return func(func(string, error) bool) {}
	}
	return formats.Walk(ctx, dir, 0, func(base string) bool { return strings.HasSuffix(base, ".json") })
}

// note notes a message, and whether it is a compaction. The error is the reason why the file is no
// message.
func (f *filed) note(ctx context.Context, path string, known map[string]bool) error {
	info, err := f.read(ctx, path)
	if err != nil {
		return err
	}
	r := ref{key: path, created: parts.Int(info, "time", "created")}
	switch r.note(info); {
	case r.id == "" || info.Get("role").Str() == "":
		return errors.New("a message without role or id")
	case !isName(r.id):
		return fmt.Errorf("the id %.40q is no name of a directory", r.id)
	case known[r.id]:
		return fmt.Errorf("message %s once more", r.id)
	}
	known[r.id] = true
	some := false
	for path, err := range filesIn(ctx, f.parts(r.id)) {
		some = true
		if part, readErr := f.read(ctx, path); err == nil && readErr == nil {
			r.notePart(part)
		}
	}
	if !some {
		f.lose("message "+r.id, "no part of it is there")
	}
	f.messages = append(f.messages, r)
	return nil
}

// strays tells of parts of the session whose message is not there.
func (f *filed) strays(ctx context.Context, dir string, known map[string]bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return disk.Cause(err)
	}
	for _, e := range entries {
		if known[e.Name()] {
			continue
		}
		for path, err := range filesIn(ctx, filepath.Join(dir, e.Name())) {
			part, readErr := f.read(ctx, path)
			if err == nil && readErr == nil && cmp.Or(part.Get("sessionID").Str(), filepath.Base(dir)) == f.id {
				f.lose("message "+e.Name(), "there are parts of it, but not itself; they are left out")
			}
			break // of one message, so of one session
		}
	}
	return ctx.Err()
}

// message reads one message and its parts, as an export has them.
func (f *filed) message(ctx context.Context, r ref) (message, error) {
	info, err := f.read(ctx, r.key)
	if err != nil {
		return message{}, fmt.Errorf("%s has changed while it was read: %w", r.key, err)
	}
	m := message{info: f.identified(r.key, info, js.StringField("sessionID", f.id))}
	for path, err := range filesIn(ctx, f.parts(r.id)) {
		var part js.Value
		if err == nil {
			part, err = f.read(ctx, path)
		}
		if err != nil {
			f.report(path, formats.KindDamage, "%v, skipped", err)
			continue
		}
		m.parts = append(m.parts, f.identified(path, part, js.StringField("id", strings.TrimSuffix(filepath.Base(path), ".json")),
			js.StringField("sessionID", f.id), js.StringField("messageID", r.id)))
	}
	m.parts = sorted(m.parts)
	return m, ctx.Err()
}

// identified returns what a file holds, on one line, with the ids that it does not say.
func (f *filed) identified(path string, v js.Value, ids ...js.Field) js.Value {
	if !utf8.ValidString(string(v)) {
		f.report(path, formats.KindText, "invalid UTF-8, which became U+FFFD")
	}
	return withDefaults(compact(string(v)), object(ids...))
}
