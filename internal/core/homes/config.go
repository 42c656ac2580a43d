package homes

import (
	"os"
	"path/filepath"
)

// Config returns the directory of what the user has set for these tools, "" if there is no home directory. A relative
// XDG_CONFIG_HOME does not count, as its specification says: a directory that one works in sets nothing.
func Config() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "sess")
}
