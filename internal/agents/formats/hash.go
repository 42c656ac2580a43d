package formats

import (
	"crypto/md5" //nolint:gosec // it names a directory
	"crypto/sha256"
	"encoding/hex"
)

// Hash returns the hash of a text as [Info.CWDHash] has it, by the name of the function: md5 or sha256. It is "" for any other.
func Hash(function, text string) string {
	var sum []byte
	switch function {
	case "md5":
		of := md5.Sum([]byte(text)) //nolint:gosec // no secret depends on it
		sum = of[:]
	case "sha256":
		of := sha256.Sum256([]byte(text))
		sum = of[:]
	default:
		return ""
	}
	return function + ":" + hex.EncodeToString(sum)
}

// Hashed returns a function that reports whether a hash is that of a directory, under the name that it was given or that
// without links, by which programs know where they run.
func Hashed(dir string) func(hash string) bool {
	hashes := map[string]bool{}
	for _, name := range []string{dir, target(dir)} {
		hashes[Hash("md5", name)], hashes[Hash("sha256", name)] = true, true
	}
	return func(hash string) bool { return hashes[hash] }
}
