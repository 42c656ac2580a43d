package sqldb

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// ErrLocked is the error of a database that another program kept locked for [Wait].
var ErrLocked = errors.New("it is locked by another program; end that, or try again")

// plain returns an error that says what SQLite's status means for the file.
func plain(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() & 0xff { // without what tells cases of one status apart
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrLocked
	case lib.SQLITE_NOTADB:
		return errors.New("is no SQLite database, or is encrypted")
	case lib.SQLITE_CORRUPT:
		return fmt.Errorf("the database is damaged: %w", err)
	case lib.SQLITE_TOOBIG:
		return fmt.Errorf("a value has more than %d bytes: %w", MaxValue, err)
	}
	return err
}
