package openoxide

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"github.com/sess-tools/sess/internal/formats"
)

// OpenOxide is the format of the OpenOxide blueprint.
var OpenOxide formats.Format = format{}

type format struct{}

func (format) About() formats.About {
	return formats.About{Name: "openoxide", Summary: "databases of the OpenOxide blueprint", Home: home}
}

// Detect takes a database whose first page tells of the blueprint's tables.
func (format) Detect(_ string, head []byte) bool {
	return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) && bytes.Contains(head, []byte("revert_oid")) &&
		bytes.Contains(head, []byte("project_id")) && bytes.Contains(head, []byte("model_id"))
}

// home returns the database in use here: the project's own if it has one, else the
// user's.
func home(env formats.Env) (string, error) {
	if dir, err := os.Getwd(); err == nil {
		if path := projectDatabase(dir); path != "" {
			return path, nil
		}
	}
	return userDatabase(env, runtime.GOOS)
}

// projectDatabase returns the database of the project that dir is in, "" if it has none. It
// is never made unasked.
func projectDatabase(dir string) string {
	root := gitRoot(dir)
	if root == "" {
		return ""
	}
	path := filepath.Join(root, ".openoxide", "sessions.db")
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	return path
}

// gitRoot returns the top of the working tree that dir is in, "" if it is in none.
func gitRoot(dir string) string {
	dir, err := filepath.Abs(dir)
	for err == nil {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return ""
}

// userDatabase returns the path of the user's database on a system. A directory that is not
// absolute does not count, as the XDG specification wants it.
func userDatabase(env formats.Env, system string) (string, error) {
	dir := env.Getenv("XDG_DATA_HOME")
	switch {
	case system == "windows" && env.Getenv("APPDATA") != "":
		return filepath.Join(env.Getenv("APPDATA"), "openoxide", "openoxide", "data", "openoxide.db"), nil
	case system == "darwin" && env.Home != "":
		return filepath.Join(env.Home, "Library", "Application Support", "com.openoxide.openoxide", "openoxide.db"), nil
	case system != "darwin" && system != "windows" && filepath.IsAbs(dir):
		return filepath.Join(dir, "openoxide", "openoxide.db"), nil
	case env.Home == "":
		return "", errors.New("finding the home directory: HOME is not set")
	}
	return filepath.Join(env.Home, ".local", "share", "openoxide", "openoxide.db"), nil
}
