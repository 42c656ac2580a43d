package formats

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
	"github.com/sess-tools/sess/pkg/store"
)

// SessionID returns the id of a session whose own id is none of ours: a UUID
// made of the parts, the same for the same parts.
func SessionID(parts ...string) string {
	sum := digest(parts...)
	sum[6] = sum[6]&0x0f | 0x80 // version 8: made by a rule of one's own
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
}

// EntryID returns the id of an entry: eight hex digits made of the parts, and of
// a number if that id is known already.
func EntryID(known func(string) bool, parts ...string) string {
	for n := 0; ; n++ {
		try := parts
		if n > 0 {
			try = slices.Concat(parts, []string{strconv.Itoa(n)})
		}
		sum := digest(try...)
		if id := hex.EncodeToString(sum[:4]); !known(id) {
			return id
		}
	}
}

// digest hashes the parts so that none can be taken for another's end.
func digest(parts ...string) [sha256.Size]byte {
	var text []byte
	for _, p := range parts {
		text = append(strconv.AppendInt(text, int64(len(p)), 10), ':')
		text = append(text, p...)
	}
	return sha256.Sum256(text)
}

// FileName returns the name of a file for the session with this header: that of
// [store.FileName], or, if its time or its id cannot be part of one, a name made of
// them.
func FileName(h session.Header) string {
	at, id := h.Timestamp, h.ID
	if !session.ValidSessionID(id) {
		id = SessionID("file", id)
	}
	name, err := store.FileName(at, id)
	if err != nil {
		ms, _ := js.ParseTime(at)
		name, _ = store.FileName(js.FormatTime(ms), id)
	}
	return name
}
