package session

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// blobPrefix begins a reference to a blob.
const blobPrefix = "blob:sha256:"

// A Blob is data that a session refers to and does not hold: the bytes of an
// image, or the text of a data URL. It is stored under its SHA-256.
type Blob struct {
	Sum  string // the SHA-256 of Data, 64 lower-case hex digits
	Data []byte
}

// NewBlob makes the blob that holds data.
func NewBlob(data []byte) Blob {
	sum := sha256.Sum256(data)
	return Blob{Sum: hex.EncodeToString(sum[:]), Data: data}
}

// Ref returns what stands in a session in place of the data.
func (b Blob) Ref() string { return blobPrefix + b.Sum }

// IsBlobRef reports whether s has the form of a reference to a blob. Its name
// may still be none; see [BlobSum].
func IsBlobRef(s string) bool { return strings.HasPrefix(s, blobPrefix) }

// BlobSum returns the name of the blob that ref refers to. It is not ok if ref
// is no reference, or if what it names is no SHA-256 in lower-case hex digits
// and so could be a path to anywhere.
func BlobSum(ref string) (sum string, ok bool) {
	sum, ok = strings.CutPrefix(ref, blobPrefix)
	return sum, ok && ValidBlobSum(sum)
}

// ValidBlobSum reports whether s is a name a blob can have: 64 lower-case hex
// digits.
func ValidBlobSum(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// decodeBase64 decodes as Node's Buffer.from does: both alphabets, mixed, white
// space between, padding or not, a last digit that makes no byte dropped. Not
// ok is what Buffer.from would lose more of: it skips any other character, and
// ends at the first "=".
func decodeBase64(s string) (data []byte, ok bool) {
	digits := make([]byte, 0, len(s))
	padded := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case c == '=':
			padded = true
		case padded:
			return nil, false
		case c == '-':
			digits = append(digits, '+')
		case c == '_':
			digits = append(digits, '/')
		case c == '+' || c == '/' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
			digits = append(digits, c)
		default:
			return nil, false
		}
	}
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1]
	}
	n, err := base64.RawStdEncoding.Decode(digits, digits)
	return digits[:n], err == nil
}

// isImageURL reports whether s is a data URL that oh-my-pi takes for an image.
func isImageURL(s string) bool {
	return strings.HasPrefix(s, "data:image/") && strings.Contains(s, ";base64,")
}
