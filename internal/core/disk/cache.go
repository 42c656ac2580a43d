package disk

import (
	"os"
	"path/filepath"
)

// CacheDir returns the directory of this user for what may be deleted. It need not be there.
func CacheDir() (dir string, err error) {
	if dir = os.Getenv("XDG_CACHE_HOME"); !filepath.IsAbs(dir) {
		if dir, err = os.UserCacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "sess"), nil
}
