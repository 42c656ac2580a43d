package session

import (
	"errors"
	"fmt"
)

// Sentinel errors. A [Problem] matches one of them with errors.Is.
var (
	// ErrNotSession: the first JSON value of the input is no session header.
	ErrNotSession = errors.New("not a session")

	// ErrVersion: the session is of a version this package cannot read.
	ErrVersion = errors.New("unsupported session version")

	// ErrMalformed: the session holds something its format forbids.
	ErrMalformed = errors.New("malformed session")

	// ErrRefused: an entry is not fit to be added to a session.
	ErrRefused = errors.New("entry refused")

	// ErrNotFound: a reference names no entry.
	ErrNotFound = errors.New("no such entry")

	// ErrAmbiguous: a reference names several entries.
	ErrAmbiguous = errors.New("ambiguous reference")

	// ErrLeafMoved: the leaf is not the entry the caller expected.
	ErrLeafMoved = errors.New("the leaf moved")
)

// A Kind names one form of damage.
type Kind string

// The forms of damage that reading a session meets.
const (
	Empty         Kind = "empty"
	NoHeader      Kind = "no-header"
	BadVersion    Kind = "version"
	BOM           Kind = "bom"
	NotJSON       Kind = "not-json"
	NotObject     Kind = "not-object"
	Fused         Kind = "fused"
	NUL           Kind = "nul"
	TooDeep       Kind = "too-deep"
	Torn          Kind = "torn"
	InvalidUTF8   Kind = "invalid-utf8"
	LaterHeader   Kind = "later-header"
	NoID          Kind = "no-id"
	DuplicateID   Kind = "duplicate-id"
	MissingParent Kind = "missing-parent"
	Cycle         Kind = "cycle"
	NoFirstKept   Kind = "no-first-kept"
)

// A Problem is one finding about a session. It is an error, so that a caller
// that may not go on can return it.
type Problem struct {
	Line   int   // 1-based; 0 if the problem has no line
	Offset int64 // of the line's first byte
	Kind   Kind
	ID     string // of the entry concerned, "" if unknown
	Text   string // what is wrong and what is done about it
}

// Error returns the text without the line, which belongs beside the file name.
func (p Problem) Error() string { return p.Text }

// Is matches the sentinel error of the problem's kind.
func (p Problem) Is(target error) bool {
	switch p.Kind {
	case Empty, NoHeader:
		return target == ErrNotSession
	case BadVersion:
		return target == ErrVersion
	default:
		return target == ErrMalformed
	}
}

func problem(line int, off int64, kind Kind, id, format string, args ...any) Problem {
	return Problem{Line: line, Offset: off, Kind: kind, ID: id, Text: fmt.Sprintf(format, args...)}
}

// Problem returns a problem of the entry. The text is formatted as by
// [fmt.Sprintf].
func (e Entry) Problem(kind Kind, format string, args ...any) Problem {
	return problem(e.line, e.offset, kind, e.id, format, args...)
}
