package jsonl

import (
	"errors"
	"fmt"
	"time"
)

// Tail says what to do with a torn last line. A last line that is complete and
// lacks only its line feed is not torn; it gets the line feed in any case.
type Tail int

// What to do with a torn last line.
const (
	// Blank saves the torn bytes beside the log, writes spaces over them and
	// ends the line.
	Blank Tail = iota
	// EndLine ends the line and leaves the torn bytes where they are.
	EndLine
	// Refuse changes nothing and returns [ErrTorn].
	Refuse
)

// Default durations of [Options].
const (
	DefaultWait  = 10 * time.Second
	DefaultGrace = 2 * time.Second
)

// Options says how a log is locked and opened for writing. The zero value is
// ready for use.
type Options struct {
	// Tail says what to do with a torn last line.
	Tail Tail
	// Wait bounds the wait for the lock. 0 is [DefaultWait]; a negative
	// duration means not to wait.
	Wait time.Duration
	// Grace is how old the last write to a log must be before its torn last line
	// is mended: until then the line may belong to a live writer that does not
	// lock. The age is that of the file's modification time. The log is watched
	// until then, for Wait at most, and read twice in any case. 0 is
	// [DefaultGrace]; a negative duration means to read it once. Under [Refuse],
	// which changes nothing, reading it twice is enough.
	Grace time.Duration
}

// MendKind says how the end of a log was mended.
type MendKind int

// Ways in which [Appender.Append] mends the end of a log.
const (
	// MendNone means that the log was not touched.
	MendNone MendKind = iota
	// MendNewline means that the last value was complete and got the line feed
	// it lacked.
	MendNewline
	// MendEndLine means that a torn last line was ended as it was, at the
	// caller's wish or because it was blank already.
	MendEndLine
	// MendBlank means that a torn last line was saved and blanked.
	MendBlank
)

// A Mend tells what was done to the end of a log before an append. If it was
// mended more than once, the gravest counts.
type Mend struct {
	Kind MendKind
	// Offset is the position in bytes of what was mended: of the first torn
	// byte, or of the last value for [MendNewline].
	Offset int64
	// Bytes is the number of bytes from there to the end of the log.
	Bytes int
	// SavedAs is the file to which blanked bytes were added, as one line; empty
	// unless Kind is [MendBlank].
	SavedAs string
}

// String describes m for people, without naming the log; it is empty for
// [MendNone].
func (m Mend) String() string {
	switch m.Kind {
	case MendNewline:
		return fmt.Sprintf("last line at byte %d had no line feed, added it", m.Offset)
	case MendBlank:
		return fmt.Sprintf("last line was torn at byte %d, blanked %d bytes and saved them in %s", m.Offset, m.Bytes, m.SavedAs)
	case MendEndLine:
		return fmt.Sprintf("last line was torn at byte %d, ended it and kept its %d bytes", m.Offset, m.Bytes)
	default:
		return ""
	}
}

var (
	// ErrTorn is returned by [OpenAppender] and [Appender.Append] under
	// [Refuse] for a log whose last line is incomplete: its writer died, or is
	// still writing and does not lock. The message names the byte at which the
	// incomplete line begins. Nothing was changed.
	ErrTorn = errors.New("last line is torn")

	// ErrInvalid is returned by [Appender.Append] for bytes that are not one
	// JSON value on one line: malformed, nested deeper than 10,000, or holding
	// a line feed. Nothing was written.
	ErrInvalid = errors.New("not one JSON value on one line")

	// ErrLocked is returned by [OpenAppender] when another program held the lock
	// for the whole wait. Nothing was changed; trying again later is the remedy.
	ErrLocked = errors.New("locked by another program")

	// ErrUnfinished is returned by [OpenAppender] and [Appender.Append] for a log
	// whose last line is incomplete and was written to within [Options.Grace]
	// when the wait was over: another program may be writing it without the
	// lock. Nothing was changed; trying again later is the remedy.
	ErrUnfinished = errors.New("it is incomplete, and another program may still be writing it")

	// ErrChanged is returned by [Appender.Append] when a program that does not
	// lock kept adding to the log in pieces, or replaced it. Nothing was added to
	// the log; trying again later is the remedy.
	ErrChanged = errors.New("another program is writing without the lock")

	// ErrOpen is returned by [Appender.Replace] for a log that another program has open for
	// writing: later writes of that program would be lost with the old file. The message names the
	// process.
	ErrOpen = errors.New("another program has it open for writing")
)
