package convo

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
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

// IsBlobRef reports whether s has the form of a reference to a blob. Its name
// may still be none; see [BlobSum].
func IsBlobRef(s string) bool { return strings.HasPrefix(s, blobPrefix) }

// ImageOutside is why an image is left out whose data is in a blob.
const ImageOutside = "its data is kept outside the session"

// ImageLeftOut returns the text that stands in the place of an image which a model
// cannot be shown, and why.
func ImageLeftOut(why string) string { return "[image left out: " + why + "]" }

// Why an image is left out that no API takes, so that a request with it fails, and every one
// after it.
const (
	ImageDamaged = "damaged"
	ImageLarge   = "larger than 5 MB"
)

// maxImage is how large an image may be for every API, in bytes.
const maxImage = 5 << 20

// Image returns the media type of an image, by its data, or the reason why no model can be shown it: the data
// is no image, of another kind than PNG, JPEG, GIF and WebP, or too large.
func Image(b session.Block) (mediaType, why string) {
	text := b.Str("data")
	if IsBlobRef(text) {
		return "", ImageOutside
	}
	data, ok := decodeBase64(text)
	if !ok {
		return "", ImageDamaged
	}
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		mediaType = "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		mediaType = "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF8")):
		mediaType = "image/gif"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		mediaType = "image/webp"
	default:
		return "", ImageDamaged
	}
	if len(data) > maxImage {
		return "", ImageLarge
	}
	return mediaType, ""
}

// BlobSum returns the name of the blob that ref refers to. ok is false if ref is no
// reference, or if the name is no SHA-256 in lower-case hex digits: such a name could
// be a path to anywhere.
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

// The forms of damage that resolving references to blobs meets.
const (
	BlobName    session.Kind = "blob-name"    // the reference names no SHA-256
	BlobMissing session.Kind = "blob-missing" // the blob cannot be had
	BlobHash    session.Kind = "blob-hash"    // the blob holds other data than its name says
)

// ResolveBlobs returns the entry with the data of its images in place of the
// references to it: canonical base64, or the text of a data URL. It looks for
// references where oh-my-pi 18 puts them; one that stands elsewhere is text.
//
// The data comes from get, which is only asked for names that [ValidBlobSum] accepts; its data is
// checked against the name. An error that matches fs.ErrNotExist says there is no such blob. A
// reference that cannot be resolved stays, and is one of the problems.
func ResolveBlobs(e session.Entry, get func(sum string) ([]byte, error)) (session.Entry, []session.Problem) {
	if !strings.Contains(e.Raw(), blobPrefix) && !strings.Contains(e.Raw(), `\`) {
		return e, nil // a reference may be written with escapes
	}
	r := resolver{rewrite: rewrite{raw: e.Raw()}, entry: e, get: get}
	root := parseEntry(e)
	r.value(&root, "")
	return r.rewrite.entry(e), r.problems
}

type resolver struct {
	rewrite
	entry    session.Entry
	get      func(sum string) ([]byte, error)
	problems []session.Problem
}

func (r *resolver) value(n *node, key string) {
	switch r.kind(n) {
	case '"':
		if key == "image_url" {
			r.url(n)
		}
	case '[':
		for i := range n.kids {
			r.value(&n.kids[i], key)
		}
	case '{':
		payload := imagePayload(&r.rewrite, n, key)
		if payload.placed {
			if data, ok := r.data(payload.node); ok {
				r.set(payload.node, `"`+base64.StdEncoding.EncodeToString(data)+`"`)
			}
		}
		for i := range n.kids {
			r.value(&n.kids[i], n.kids[i].key)
		}
	}
}

// url resolves the reference n to the data URL that is in the blob.
func (r *resolver) url(n *node) {
	data, ok := r.data(n)
	switch {
	case !ok:
	case !utf8.Valid(data) || !isImageURL(string(data)):
		r.found(BlobHash, "blob %s is no data URL of an image, reference left as it is", js.Unquote(r.text(n))[len(blobPrefix):])
	default:
		r.set(n, js.Quote(string(data)))
	}
}

// data returns what the literal n refers to.
func (r *resolver) data(n *node) ([]byte, bool) {
	if n.end-n.start < len(blobPrefix) {
		return nil, false
	}
	ref := js.Unquote(r.text(n))
	if !IsBlobRef(ref) {
		return nil, false
	}
	sum, ok := BlobSum(ref)
	if !ok {
		r.found(BlobName, "blob name %.80q is no SHA-256, reference left as it is", sum)
		return nil, false
	}
	data, err := r.get(sum)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.found(BlobMissing, "blob %s is missing, reference left as it is", sum)
	case err != nil:
		r.found(BlobMissing, "blob %s cannot be read, reference left as it is: %v", sum, err)
	case NewBlob(data).Sum != sum:
		r.found(BlobHash, "blob %s holds other data, reference left as it is", sum)
	default:
		return data, true
	}
	return nil, false
}

func (r *resolver) found(kind session.Kind, format string, args ...any) {
	r.problems = append(r.problems, r.entry.Problem(kind, format, args...))
}

// A payload is the string of an object that holds an image as base64, nil if it
// has none. It is placed if it stands where oh-my-pi 18 looks for references.
type payload struct {
	node   *node
	placed bool
}

// imagePayload finds the image of the object n, which stands under key.
func imagePayload(w *rewrite, n *node, key string) payload {
	if w.is(n, "type", "image_generation_call") {
		if r := n.member("result"); r != nil && w.kind(r) == '"' {
			return payload{r, true}
		}
	}
	data := n.member("data")
	if data == nil || w.kind(data) != '"' {
		return payload{}
	}
	block := w.is(n, "type", "image")
	if !block {
		media := w.str(n, "mimeType")
		if !strings.HasPrefix(strings.ToLower(media), "image/") {
			return payload{}
		}
	}
	return payload{data, key == "images" || key == "frames" || block && key == "content"}
}
