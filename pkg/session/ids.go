package session

import (
	"regexp"

	"github.com/google/uuid"
)

// NewSessionID returns a new session id: a UUID of version 7, in lower case.
func NewSessionID() (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	return id.String(), nil
}

// sessionID is what pi 1.5 accepts as a session id that a caller chose.
var sessionID = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// ValidSessionID reports whether id may name a new session: letters, digits,
// dots, underscores and hyphens, with a letter or digit at both ends.
func ValidSessionID(id string) bool { return sessionID.MatchString(id) }

// NewEntryID returns an entry id that known does not know: eight hex digits, as
// pi writes them, or a whole UUID if a hundred of those are taken.
func NewEntryID(known func(id string) bool) (string, error) {
	for range 100 {
		id, err := uuid.NewRandom()
		if err != nil {
			return "", err
		}
		if short := id.String()[:8]; !known(short) {
			return short, nil
		}
	}
	return UniqueEntryID()
}

// UniqueEntryID returns an entry id that is unique without a look at the
// session: a UUID of version 7. It serves files too large to scan for every
// append.
func UniqueEntryID() (string, error) { return NewSessionID() }
