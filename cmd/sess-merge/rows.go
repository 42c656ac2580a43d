package main

import "github.com/sess-tools/sess/internal/core/row"

// A mergeRow is what a merge does.
type mergeRow struct {
	row.Kind  `row:"merge"`
	Common    int           `row:"common"`    // The lines that the first copy and another have.
	Ours      int           `row:"ours"`      // The lines that only the first copy has.
	Theirs    int           `row:"theirs"`    // The lines that are new to it.
	Heads     int           `row:"heads"`     // The number of heads of the result.
	Leaf      string        `row:"leaf,null"` // The id of its leaf; null if it has none.
	Changed   bool          `row:"changed"`   // Whether the result is not the first copy.
	Rewrite   bool          `row:"rewrite"`   // Whether it is not the first copy with lines behind it, either.
	Conflicts []conflictRow `row:"conflicts"` // The entries that two copies have with other bytes.
}

// A conflictRow is a conflict.
type conflictRow struct {
	Entry  string `row:"entry,known"` // The entry's id.
	Ours   string `row:"ours,null"`   // Its place in ours, FILE:LINE; null if it is missing there.
	Theirs string `row:"theirs,null"` // Its place in theirs; null if it is missing there.
	Base   string `row:"base,null"`   // Its place in the base; null unless one copy has lost it.
}
