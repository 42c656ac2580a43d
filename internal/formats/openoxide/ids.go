package openoxide

import (
	"crypto/sha256"
	"strings"

	"github.com/oklog/ulid/v2"
)

// An ids makes ULIDs that sort as they were made. They are made of what they name, so
// that the same session gets the same ones.
type ids struct{ last ulid.ULID }

// next returns the id of what is called by parts and was made at ms, a time in
// milliseconds.
func (g *ids) next(ms int64, parts ...string) string {
	id := made(ms, parts...)
	if id.Time() < g.last.Time() {
		_ = id.SetTime(g.last.Time()) // it is the time of an id
	}
	if id.Compare(g.last) <= 0 {
		id = g.last
		for i := len(id) - 1; i >= 0; i-- {
			if id[i]++; id[i] != 0 {
				break
			}
		}
	}
	g.last = id
	return id.String()
}

// headerKey stands for the header where an entry's id would.
const headerKey = "header"

// made returns an id made of its parts.
func made(ms int64, parts ...string) ulid.ULID {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	var id ulid.ULID
	_ = id.SetTime(uint64(min(max(ms, 0), int64(ulid.MaxTime())))) // in its range
	_ = id.SetEntropy(sum[:10])                                    // as many as it has
	id[6] &= 0x7f                                                  // leaves room for those of the same millisecond
	return id
}

// isULID reports whether an id is a ULID in upper case.
func isULID(id string) bool {
	u, err := ulid.ParseStrict(id)
	return err == nil && u.String() == id
}

// sessionID returns the ULID of the session with that id, begun at ms.
func sessionID(id string, ms int64) string {
	if isULID(id) {
		return id
	}
	return made(ms, "session", id).String()
}
