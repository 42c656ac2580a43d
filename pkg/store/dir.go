package store

import (
	"errors"
	"path/filepath"
)

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
