package check

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"regexp"

	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

var blobRef = regexp.MustCompile(`"blob:sha256:([0-9a-f]{64})"`)

// blobs checks the references to blobs that oh-my-pi writes in place of
// images. Each blob is read once.
func blobs(s *session.Session, open func(sum string) (io.ReadCloser, error)) []Finding {
	type verdict struct {
		kind session.Kind
		text string
	}
	known := map[string]verdict{}
	var out []Finding
	for _, e := range s.Entries {
		for _, m := range blobRef.FindAllStringSubmatch(e.Raw(), -1) {
			v, ok := known[m[1]]
			if !ok {
				v.kind, v.text = checkBlob(m[1], open)
				known[m[1]] = v
			}
			if v.kind != "" {
				out = append(out, found(e, v.kind, "blob %s %s", m[1], v.text))
			}
		}
	}
	return out
}

// checkBlob compares a blob with its name; the kind is "" if they agree.
func checkBlob(sum string, open func(sum string) (io.ReadCloser, error)) (session.Kind, string) {
	r, err := open(sum)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return convo.BlobMissing, "is missing"
	case err != nil:
		return convo.BlobMissing, "cannot be read: " + err.Error()
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return convo.BlobMissing, "cannot be read: " + err.Error()
	}
	if hex.EncodeToString(h.Sum(nil)) != sum {
		return convo.BlobHash, "holds other bytes"
	}
	return "", ""
}
