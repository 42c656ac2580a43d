package session

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"time"
)

// NewSessionID returns a new session id: a UUID of version 7, in lower case.
func NewSessionID() string { return newUUID(time.Now()) }

// newUUID returns a UUID of version 7 (RFC 9562, sections 5.7 and 6.2, method 3):
// milliseconds since the epoch in 48 bits, what is left of the time in 12, and 62
// bits of chance. It is made here, since a library for it would bring the network and
// databases along, which every start of every tool would pay for (ADR 0019). Nothing has to be
// kept from guessing an id, so the runtime's generator, which the system seeds,
// will do.
func newUUID(now time.Time) string {
	const perMilli = uint64(time.Millisecond)
	ns := uint64(now.UnixNano())
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], ns/perMilli<<16|7<<12|ns%perMilli<<12/perMilli)
	binary.BigEndian.PutUint64(b[8:], rand.Uint64()>>2|1<<63)
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// ValidSessionID reports whether id may name a new session, by the rule of pi 1.5:
// letters, digits, dots, underscores and hyphens, with a letter or digit at both ends.
func ValidSessionID(id string) bool {
	inner := strings.Trim(id, "._-")
	return id != "" && inner == id && strings.Trim(id, idBytes) == ""
}

const idBytes = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

// NewEntryID returns an entry id that known does not know: eight hex digits, as
// pi writes them, or a whole UUID if a hundred of those are taken.
func NewEntryID(known func(id string) bool) string {
	for range 100 {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], rand.Uint32())
		if short := hex.EncodeToString(b[:]); !known(short) {
			return short
		}
	}
	return UniqueEntryID()
}

// UniqueEntryID returns an entry id that is unique without a look at the
// session: a UUID of version 7. It serves files too large to scan for every
// append.
func UniqueEntryID() string { return NewSessionID() }
