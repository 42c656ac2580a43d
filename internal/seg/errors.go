package seg

import "errors"

var (
	// ErrNotStore is returned for a directory that is no segmented store: it has
	// neither a manifest nor an index.
	ErrNotStore = errors.New("not a segmented store")

	// ErrContract is returned for an entry or a session that the wire format has
	// no place for: a type outside its eight, an id outside its pattern, a
	// session id that is no UUID, a parent that is not there, an id that is there
	// already. The message says which. Nothing was written. Where it is the
	// format's own narrowness, [Options.Extended] stores it all the same.
	ErrContract = errors.New("does not fit the store contract")

	// ErrNarrow is returned with [ErrContract] where [Options.Extended] would store
	// it all the same.
	ErrNarrow = errors.New("needs extended schema ids")

	// ErrDuplicate is returned with [ErrContract] by [Store.Append] for an id that
	// the store has already.
	ErrDuplicate = errors.New("id is taken")

	// ErrCorrupt is returned when bytes of the store are not what its checksums,
	// counters or hash chain say. Nothing was changed, but that the store may now
	// be in the state FAILED; see [Recover].
	ErrCorrupt = errors.New("store is damaged")

	// ErrState is returned for an operation that the state of the store does not
	// allow. Nothing was changed.
	ErrState = errors.New("not in this state")

	// ErrNotFound is returned for an entry or a checkpoint that is not there.
	ErrNotFound = errors.New("not in the store")

	// ErrUnsaved is returned by [Rollback] for entries that are in the store alone and
	// cannot be appended to the JSONL file. [Options.Force] leaves them behind.
	ErrUnsaved = errors.New("entries would be lost")

	// ErrNoTarget is returned by [Rollback] and [Recover] when the JSONL file that
	// a store was made from is gone or no longer begins with what was migrated.
	// The store is FAILED and stays where it is; a person has to decide.
	ErrNoTarget = errors.New("rollback target is missing")
)

// A narrowError is what only the contract has no place for. It has the text of the
// error within.
type narrowError struct{ error }

func (narrowError) Is(target error) bool { return target == ErrNarrow }
func (e narrowError) Unwrap() error      { return e.error }
