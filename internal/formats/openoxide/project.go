package openoxide

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// ProjectID returns the id of the project that the directory dir belongs to: the SHA-256 of
// the path of its working tree, or else of dir, without symbolic links if it exists.
func ProjectID(dir string) string {
	if root := gitRoot(dir); root != "" {
		dir = root
	}
	if target, err := filepath.EvalSymlinks(dir); err == nil {
		dir = target
	}
	sum := sha256.Sum256([]byte(filepath.Clean(dir)))
	return hex.EncodeToString(sum[:])
}
