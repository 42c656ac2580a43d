package remote

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/pkg/js"
)

// maxKey is the longest key in bytes. With a number behind it, it fits into a file name.
const maxKey = 200

// hashed begins the key of a session whose id is too long.
const hashed = "h-"

// KeyOf returns the name of a session in the remote, made of its id: bytes other than
// letters, digits, _ and - are %XX. An id that is too long becomes its SHA-256. Two
// ids never have one key, and a key is never empty, "." or "..", nor does it hold a
// slash.
func KeyOf(id string) string {
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if plain(c) && (i > 0 || !strings.HasPrefix(id, hashed)) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 || b.Len() > maxKey {
		sum := sha256.Sum256([]byte(id))
		return hashed + hex.EncodeToString(sum[:])
	}
	return b.String()
}

func plain(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// IDOf returns the id whose key it is. It reports false for a key that holds only
// the SHA-256 of an id, and for a name that KeyOf never returns.
func IDOf(key string) (string, bool) {
	b := make([]byte, 0, len(key))
	for i := 0; i < len(key); i++ {
		if key[i] != '%' {
			b = append(b, key[i])
			continue
		}
		c, err := strconv.ParseUint(key[i+1:min(i+3, len(key))], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(c))
		i += 2
	}
	id := string(b)
	return id, KeyOf(id) == key
}

// ValidKey reports whether KeyOf may have returned a name.
func ValidKey(name string) bool {
	if _, ok := IDOf(name); ok {
		return true
	}
	rest, ok := strings.CutPrefix(name, hashed)
	sum, err := hex.DecodeString(rest)
	return ok && err == nil && len(sum) == sha256.Size && strings.ToLower(rest) == rest
}

// Shard returns the two hex digits that spread keys over directories and prefixes: ids
// that begin with a time would all meet at one place.
func Shard(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:1])
}

// Month returns where the card of a session stands that was made at a time, given as
// the header has it.
func Month(made string) string {
	if ms, ok := js.ParseTime(made); ok {
		if t := js.FormatTime(ms); len(t) > 7 && t[4] == '-' {
			return t[:7]
		}
	}
	return "0000-00"
}
