package jsonl

import "errors"

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

	// ErrOpen is returned by [Appender.Replace] for a log that another program has open
	// for writing: what it writes later would be lost with the old file. The message names
	// the process.
	ErrOpen = errors.New("another program has it open for writing")
)
