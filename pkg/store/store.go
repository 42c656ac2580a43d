package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A Store is a directory of sessions, one directory level per working
// directory. It is a name, not a handle: nothing is held open.
type Store struct{ dir string }

// Open returns the store in the directory dir, which need not exist yet. A
// symbolic link to a directory will do.
func Open(dir string) Store { return Store{dir: dir} }

// Dir returns the directory of the store.
func (s Store) Dir() string { return s.dir }

// Project returns the directory that holds the sessions of the working
// directory cwd. It need not exist, and may hold those of others whose names
// are encoded alike.
func (s Store) Project(cwd string) string { return filepath.Join(s.dir, EncodeCWD(cwd)) }

// PathFor returns where the session with this working directory, header
// timestamp and id belongs. The path is two elements below the store's
// directory whatever the arguments are. The error is FileName's, or says that
// cwd cannot be part of a file name.
func (s Store) PathFor(cwd, timestamp, id string) (string, error) {
	if strings.ContainsRune(cwd, 0) {
		return "", fmt.Errorf("naming the session's directory: NUL byte in the working directory %.60q", cwd)
	}
	name, err := FileName(timestamp, id)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.Project(cwd), name), nil
}

// Create makes a new session of content where PathFor puts it, as jsonl.Create
// does: whole or not at all. It returns its path. Missing directories are made with mode 0700, the file with 0600. With
// sync, the file and the directories that lead to it survive a power failure
// once Create has returned.
//
// A file that exists is never touched: the error matches fs.ErrExist.
func (s Store) Create(cwd, timestamp, id string, content io.WriterTo, sync bool) (path string, err error) {
	return s.create(cwd, timestamp, id, content, sync, jsonl.Create)
}

// create makes the file of a session with publish, and its directory.
func (s Store) create(cwd, timestamp, id string, content io.WriterTo, sync bool, publish func(string, io.WriterTo, bool) error) (path string, err error) {
	path, err = s.PathFor(cwd, timestamp, id)
	if err != nil {
		return "", err
	}
	if err := makeDir(filepath.Dir(path), sync); err != nil {
		return "", fmt.Errorf("making the session's directory: %w", err)
	}
	if err := publish(path, content, sync); err != nil {
		return "", err
	}
	return path, nil
}

// makeDir makes the directory dir and those above it that are missing. It does not leave that to
// os.MkdirAll, which does not say which ones it made, because with sync every new name has to be
// made durable in its parent.
func makeDir(dir string, sync bool) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent == dir {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	if err := makeDir(parent, sync); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		if info, statErr := os.Stat(dir); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
			return nil // another process made it meanwhile, and sees to it
		}
		return err
	}
	if !sync {
		return nil
	}
	return disk.SyncDir(parent)
}

// Dir returns the directory of the store: $SESS_DIR, else
// $XDG_DATA_HOME/sess/sessions, else .local/share/sess/sessions below home. It
// need not exist.
//
// An empty variable counts as unset. XDG_DATA_HOME is passed over if it is
// relative, as the XDG Base Directory Specification demands; SESS_DIR may be
// relative. The error says that no home directory is known where one is needed.
func Dir(getenv func(string) string, home string) (string, error) {
	if dir := getenv("SESS_DIR"); dir != "" {
		return filepath.Clean(dir), nil
	}
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		if !filepath.IsAbs(home) {
			return "", errors.New("finding the session store: HOME is not set; set it, or SESS_DIR")
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "sess", "sessions"), nil
}

// ext is what the name of every session file ends in.
const ext = ".jsonl"

// maxTimestamp bounds a timestamp in a file name, in bytes. The longest that
// ECMAScript writes has 27.
const maxTimestamp = 40

var (
	cwdSeparators  = strings.NewReplacer("/", "-", `\`, "-", ":", "-")
	timeSeparators = strings.NewReplacer(":", "-", ".", "-")
)

// EncodeCWD returns the name of the directory that holds the sessions of the
// working directory cwd, as pi does: one leading slash or backslash goes, every
// further one and every colon becomes a hyphen, and two hyphens stand on either
// side. The result is one path element and never "." or "..".
//
// Nothing is resolved or made absolute. The encoding is not reversible: /a/b-c
// and /a-b/c share a name, so the cwd in a session's header decides.
func EncodeCWD(cwd string) string {
	if cwd != "" && (cwd[0] == '/' || cwd[0] == '\\') {
		cwd = cwd[1:]
	}
	return "--" + cwdSeparators.Replace(cwd) + "--"
}

// FileName returns the name of the file for a session whose header has this
// timestamp and id: the timestamp with every colon and dot as a hyphen, an
// underscore, the id, ".jsonl".
//
// Both come from data, so both are checked: a timestamp of anything but the
// characters of ISO 8601 is refused, and so is an id that
// [session.ValidSessionID] does not accept.
func FileName(timestamp, id string) (string, error) {
	if len(timestamp) > maxTimestamp || !isoLike(timestamp) {
		return "", fmt.Errorf("naming the session file: timestamp %.60q is not like 2026-01-02T03:04:05.678Z", timestamp)
	}
	if !session.ValidSessionID(id) {
		return "", fmt.Errorf("naming the session file: id %.60q: use letters, digits, '.', '_' and '-', with a letter or digit at both ends", id)
	}
	return timeSeparators.Replace(timestamp) + "_" + id + ext, nil
}

// isoLike reports whether s begins with a digit and has only characters that
// occur in ISO 8601 dates and times.
func isoLike(s string) bool {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return false
	}
	return strings.Trim(s, "0123456789TZ:.+-") == ""
}

// idOf returns the id that the name of a file gives, which is what FileName put
// there. The timestamp has no underscore, so the id, which may have some, begins
// after the first.
func idOf(path string) (id string, ok bool) {
	name, ok := strings.CutSuffix(filepath.Base(path), ext)
	if !ok {
		return "", false
	}
	timestamp, id, ok := strings.Cut(name, "_")
	return id, ok && id != "" && isoLike(timestamp)
}
