package main

import "github.com/sess-tools/sess/internal/core/row"

// A storeRow is the state of a store, of status.
type storeRow struct {
	row.Kind    `row:"store"`
	Address     string `row:"address,known"`   // What every tool takes for the session as an operand: the directory of the store.
	Path        string `row:"path,known"`      // That directory.
	Session     string `row:"session,known"`   // The session's id.
	State       string `row:"state,known"`     // The state, such as MIGRATED.
	Reason      string `row:"reason,null"`     // Why it is in this state; null if nothing says so.
	Entries     int64  `row:"entries"`         // The number of entries.
	Head        string `row:"head,null"`       // The id of the last entry; null if there is none.
	ChainHash   string `row:"chainHash,known"` // The hash of the chain of entries.
	Bytes       int64  `row:"bytes"`           // The size of the entries in bytes.
	Segments    int64  `row:"segments"`        // The number of segments.
	Checkpoints int    `row:"checkpoints"`     // The number of checkpoints.
	Extended    bool   `row:"extended"`        // Whether entries are stored under schema ids of sess.
	Committed   bool   `row:"committed"`       // Whether the store is the session.
	Stale       *bool  `row:"stale"`           // Whether the JSONL file was changed since; null without --source.
}

// A findingRow is something that is wrong, of verify.
type findingRow struct {
	row.Kind  `row:"finding"`
	Address   string `row:"address,known"`   // The directory of the store.
	Path      string `row:"path,known"`      // The file in it.
	Line      int64  `row:"line,null"`       // The line of the file, from 1; null if it is about the whole.
	Problem   string `row:"problem,known"`   // The problem.
	Invariant string `row:"invariant,known"` // The invariant that does not hold.
	Text      string `row:"text"`            // The same for people.
}

// A migrationRow is what was migrated, of migrate.
type migrationRow struct {
	row.Kind        `row:"migration"`
	Address         string `row:"address,known"`       // What every tool takes for the session as an operand: the directory of the store.
	Path            string `row:"path,known"`          // That directory.
	MigrationID     string `row:"migrationId,known"`   // The id of the migration.
	CorrelationID   string `row:"correlationId,known"` // What ties its records together.
	DryRun          bool   `row:"dryRun"`              // Whether nothing was made.
	Entries         int64  `row:"entries"`             // The number of entries.
	Taken           int64  `row:"taken"`               // The number of entries that the store had not.
	Extended        bool   `row:"extended"`            // Whether entries are stored under schema ids of sess.
	EntryCountMatch bool   `row:"entryCountMatch"`     // Whether the numbers of entries are the same.
	HashChainMatch  bool   `row:"hashChainMatch"`      // Whether the hashes are the same.
	IndexConsistent bool   `row:"indexConsistent"`     // Whether the index fits.
}

// A checkpointRow is a checkpoint, of checkpoint, with the names of its file.
type checkpointRow struct {
	row.Kind      `row:"checkpoint"`
	CheckpointSeq int64    `row:"checkpointSeq"`     // Its number, from 1.
	Timestamp     row.Time `row:"timestamp,known"`   // When it was made.
	HeadEntrySeq  int64    `row:"headEntrySeq"`      // The number of the last entry.
	HeadEntryID   string   `row:"headEntryId,known"` // The id of the last entry.
	SnapshotRef   string   `row:"snapshotRef,known"` // Its own path in the store.
	ChainHash     string   `row:"chainHash,known"`   // The hash of the chain after that entry.
	Reason        string   `row:"reason,known"`      // Why it was made.
}
