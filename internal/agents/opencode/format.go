package opencode

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/agents/formats"
	"github.com/sess-tools/sess/internal/agents/sqldb"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/store"
)

// Format is the format of opencode.
var Format formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	about := formats.AboutOf(agent)
	about.Home, about.Here = home, here
	return about
}

// Detect takes an export, the list of a shared session, and a database that has
// opencode's tables or its name.
func (format) Detect(name string, head []byte) bool {
	if bytes.HasPrefix(head, []byte(sqldb.Magic)) {
		return isDatabaseName(filepath.Base(name)) || hasTables(head, "session", "part") || hasTables(head, "event_sequence", "data_migration")
	}
	text := js.Value(bytes.TrimLeft(head[statusIn(head):], " \t\r\n"))
	for item := range text.Elements() {
		return item.Get("type").Str() == "session" && isInfo(item.Get("data"))
	}
	if isInfo(text) || isStored(name) && text.Get("id").Str() != "" && text.Get("time", "created") != "" {
		return true // of the storage
	}
	for name, value := range text.Members() {
		return name == "info" && isInfo(value)
	}
	return false
}

// hasTables reports whether the beginning of a database has the making of tables as opencode
// makes them. The schema is spread over it, so not all of them are there.
func hasTables(head []byte, names ...string) bool {
	for _, name := range names {
		if !bytes.Contains(head, []byte("CREATE TABLE `"+name+"`")) {
			return false
		}
	}
	return true
}

// isInfo reports whether an object, which may be cut off, says what opencode says of a
// session. One with a type is a line of another agent's.
func isInfo(v js.Value) bool {
	id := ""
	for name, value := range v.Members() {
		switch name {
		case "type":
			return false
		case "id":
			id = value.Str()
		case "slug", "projectID", "version":
			if id != "" && value.IsString() {
				return true
			}
		}
	}
	return strings.HasPrefix(id, "ses_")
}

// here returns the rule by which opencode goes on with a session: those of one project,
// which is a work tree of git, or else one directory.
func here(dir string) func(cwd string) bool {
	root := dir
	for !isWorkTree(root) {
		up := filepath.Dir(root)
		if up == root {
			return store.SameDir(dir)
		}
		root = up
	}
	same := store.SameDir(dir)
	return func(cwd string) bool {
		if same(cwd) {
			return true
		}
		rel, err := filepath.Rel(root, cwd)
		return err == nil && filepath.IsLocal(rel)
	}
}

// isWorkTree reports whether a directory is the top of a work tree of git.
func isWorkTree(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ".git"))
	return err == nil
}

// isDatabaseName reports whether opencode calls a database so.
func isDatabaseName(base string) bool {
	return base == "opencode.db" || strings.HasPrefix(base, "opencode-") && strings.HasSuffix(base, ".db")
}

// home returns the database that opencode uses on this machine, or the directory of its data
// if there are those of several channels, or only the storage that it had before.
func home(env formats.Env) (string, error) {
	data, err := env.StorePath("XDG_DATA_HOME", []string{".local", "share"}, "opencode")
	switch path := env.Getenv("OPENCODE_DB"); {
	case path == ":memory:":
		return "", errors.New("finding the database of opencode: by OPENCODE_DB it is in memory")
	case filepath.IsAbs(path):
		return path, nil
	case path != "" && err == nil:
		return filepath.Join(data, path), nil
	}
	database := filepath.Join(data, "opencode.db")
	if list := databasesIn(data); err == nil && (len(list) > 1 || len(list) == 1 && list[0] != database) {
		return data, nil
	}
	if _, missing := os.Stat(database); err == nil && missing != nil {
		if list, unread := storedIn(context.Background(), data); len(list)+len(unread) > 0 {
			return data, nil
		}
	}
	return database, err
}

// Open opens an export, the file of a session in a storage, a database, or a directory with a
// database, a storage, or both.
func (f format) Open(ctx context.Context, src *formats.Source) (formats.Archive, error) {
	if src.IsDir() {
		databases := databasesIn(src.Path)
		if len(databases) == 0 {
			databases = []string{filepath.Join(src.Path, "opencode.db")} // which is looked for, and named if there is nothing
		}
		return openData(ctx, src, src.Path, databases...)
	}
	file, err := src.Open(ctx)
	if err != nil {
		return nil, err
	}
	begin := make([]byte, len(sqldb.Magic))
	n, _ := file.ReadAt(begin, 0)
	switch {
	case isStored(src.Path):
		return &storage{src: src, sessions: []string{src.Path}}, file.Close()
	case string(begin[:n]) != sqldb.Magic && (file.Size > 0 || !isDatabaseName(filepath.Base(src.Path))):
		return &exportArchive{src, file}, nil
	case src.Path == "":
		return nil, errors.Join(errors.New("reading standard input: a database has to be a file, for what belongs to it lies beside it"), file.Close())
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return openData(ctx, src, filepath.Dir(src.Path), src.Path)
}
