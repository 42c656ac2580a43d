package openoxide

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// headerKey stands for the header where an entry's id would.
const headerKey = "header"

// A ulid is the bytes of a ULID: six of milliseconds, and ten that tell those of one millisecond apart.
type ulid [16]byte

// timeBytes is how many bytes of a ULID are its time.
const timeBytes = 6

// made returns the id of an object that parts name and that was made at ms, a time in milliseconds.
func made(ms int64, parts ...string) ulid {
	const maxTime = 1<<(8*timeBytes) - 1
	var id ulid
	binary.BigEndian.PutUint64(id[:], uint64(min(max(ms, 0), maxTime))<<16)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	copy(id[timeBytes:], sum[:])
	id[timeBytes] &= 0x7f // leaves room for those of the same millisecond
	return id
}

// String returns the 26 digits of the id, in base 32 as Crockford has it.
func (id ulid) String() string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	high, low := binary.BigEndian.Uint64(id[:8]), binary.BigEndian.Uint64(id[8:])
	var text [26]byte
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = digits[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(text[:])
}

// An ids computes the ids of messages whose content is an entry: ULIDs that sort in the order of the messages.
type ids struct{ last ulid }

// next returns the id of an object that parts name and that was made at ms, a time in milliseconds.
func (g *ids) next(ms int64, parts ...string) string {
	id := made(ms, parts...)
	if bytes.Compare(id[:timeBytes], g.last[:timeBytes]) < 0 {
		copy(id[:], g.last[:timeBytes])
	}
	if bytes.Compare(id[:], g.last[:]) <= 0 {
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
