// Package storev2 keeps a session in a segmented store: a directory beside the JSONL
// file, in the wire format of the Rust pi's Session Store V2, for sessions so
// large that a file of lines is read and written too often.
//
// # Layout
//
//	NAME.v2/
//	  manifest.json                head, counters, hash chain, and its own hash
//	  segments/%016d.seg           frames, an entry each, one a line
//	  index/offsets.jsonl          where each frame is
//	  checkpoints/%016d.json       points to roll back to
//	  migrations/ledger.jsonl      what was done to the store as a whole
//	  source-state.json            the JSONL file it was made from, for pi
//	  store.mutation.lock          locked around every change
//	  tmp/                         files on their way, and broken bytes put aside
//	  commit.json                  ours: the commit marker of the migration
//	  state.jsonl                  ours: the last two transitions
//
// Files have the mode 0600 and directories 0700. An entry's line is kept byte for
// byte. Its frame says how many bytes and which SHA-256 the JSON text has, as it
// stands there; its index row has the CRC-32C of the frame with the line feed. The
// hash chain runs over all entries: chain = SHA-256(chain before ++ SHA-256 of the
// payload), both in hex. A segment is written until it is full, then sealed:
// synced, and never written again but by a rollback.
//
// The contract knows eight types of entries, ids of A-Z, a-z, 0-9, _ and - of at
// most 128 bytes, and session ids that are UUIDs. Anything else is refused, or with
// [Options.Extended] stored under schema ids of our own, which begin with "sess."
// and which pi does not take.
//
// # States
//
// Every change goes through this table. A change that is not in it is refused, and so is any change
// of a store that is FAILED or whose state cannot be read.
//
//	from               to
//	CLEAN              DIRTY  MIGRATION_STAGING
//	DIRTY              SEGMENT_SEALED  FAILED
//	SEGMENT_SEALED     INDEXED  FAILED
//	INDEXED            CHECKPOINTED  DIRTY  FAILED
//	CHECKPOINTED       DIRTY  MIGRATION_STAGING  ROLLED_BACK  FAILED
//	MIGRATION_STAGING  MIGRATED  ROLLED_BACK  FAILED
//	MIGRATED           DIRTY  FAILED
//	ROLLED_BACK        DIRTY  FAILED
//	FAILED             DIRTY  ROLLED_BACK
//
// A store of another program has no state.jsonl; its state is CLEAN if it is empty,
// CHECKPOINTED if a checkpoint is at its head, and INDEXED otherwise.
//
// # Writing
//
// A writer takes the lock, mends what a dead one left, and lets go of the lock
// before it returns. Segments are synced before the index, the index before the
// manifest; a batch counts once the manifest does. A process that dies in between
// leaves a store that the next writer mends: frames without rows get them, half a
// frame is moved to tmp, a manifest that is behind catches up. Damage to what was
// acknowledged is never mended over: the store becomes FAILED, and [Recover] says
// what can be done.
//
// # Reading
//
// Readers take no lock and change nothing. They see a prefix of the store, as far as the index goes
// when they begin. [Store.Tail] and [Open] cost the same for any size, [Store.Get] reads the index
// at most.
//
// # Invariants
//
//	INV-001  every parent is in the store, and no entry is its own ancestor
//	INV-002  entries are numbered 1, 2, 3 … over the whole store
//	INV-003  every row leads to its frame, and every byte of a segment has a row
//	INV-004  checkpoints and manifest have the head that is there
//	INV-005  the hash chain is continuous up to the head
//	INV-006  every entry is indexed, under one id
//	INV-007  cutover and rollback are over, and the ledger says so
package storev2

import "errors"

var (
	// ErrNotStore is returned for a directory that is no segmented store: it has
	// neither a manifest nor an index.
	ErrNotStore = errors.New("not a segmented store")

	// ErrContract is returned for an entry or a session that the wire format has
	// no place for: a type outside its eight, an id outside its pattern, a
	// session id that is no UUID, a parent that is not there, an id that is there
	// already. The message says which. Nothing was written. Where it is the
	// format's own narrowness, [Options.Extended] stores it.
	ErrContract = errors.New("does not fit the store contract")

	// ErrNarrow is returned with [ErrContract] where [Options.Extended] would store
	// it, too.
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

	// ErrNoTarget is returned by [Rollback] and [Recover] when the JSONL file that a store was made
	// from is gone or no longer begins with the lines that were migrated. The store is FAILED and
	// stays where it is; its user has to decide.
	ErrNoTarget = errors.New("rollback target is missing")
)

// A narrowError is what only the contract has no place for. It has the text of the
// error within.
type narrowError struct{ error }

func (narrowError) Is(target error) bool { return target == ErrNarrow }
func (e narrowError) Unwrap() error      { return e.error }
