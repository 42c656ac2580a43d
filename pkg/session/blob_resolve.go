package session

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/pkg/js"
)

// The forms of damage that resolving references to blobs meets.
const (
	BlobName    Kind = "blob-name"    // the reference names no SHA-256
	BlobMissing Kind = "blob-missing" // the blob cannot be had
	BlobHash    Kind = "blob-hash"    // the blob holds other data than its name says
)

// ResolveBlobs returns the entry with the data of its images in place of the
// references to it: canonical base64, or the text of a data URL. It looks for
// references where oh-my-pi 18 puts them; one that stands elsewhere is text.
//
// The data comes from get, which is only asked for names that [ValidBlobSum]
// accepts; what it returns is checked against the name. An error that matches
// fs.ErrNotExist says there is no such blob. A reference that cannot be resolved
// stays, and is one of the problems.
func ResolveBlobs(e Entry, get func(sum string) ([]byte, error)) (Entry, []Problem) {
	if !strings.Contains(e.raw, blobPrefix) && !strings.Contains(e.raw, `\`) {
		return e, nil // a reference may be written with escapes
	}
	r := resolver{rewrite: rewrite{raw: e.raw}, entry: e, get: get}
	root := parseNode(e.raw, 0)
	r.value(&root, "")
	return r.rewrite.entry(e), r.problems
}

type resolver struct {
	rewrite
	entry    Entry
	get      func(sum string) ([]byte, error)
	problems []Problem
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
			r.image(payload.node)
		}
		for i := range n.kids {
			r.value(&n.kids[i], n.kids[i].key)
		}
	}
}

// image resolves the reference n to base64.
func (r *resolver) image(n *node) {
	if data, ok := r.data(n); ok {
		r.set(n, `"`+base64.StdEncoding.EncodeToString(data)+`"`)
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

func (r *resolver) found(kind Kind, format string, args ...any) {
	r.problems = append(r.problems, problem(r.entry.line, r.entry.offset, kind, r.entry.id, format, args...))
}
