package main

import "github.com/sess-tools/sess/internal/core/row"

// A sizeRow is how large the context is, with --if-needed -n.
type sizeRow struct {
	row.Kind         `row:"size"`
	ContextTokens    int64      `row:"contextTokens"`         // The tokens of the context: usageTokens and trailingTokens.
	UsageTokens      int64      `row:"usageTokens"`           // The tokens that the last usable answer reports.
	TrailingTokens   int64      `row:"trailingTokens"`        // The tokens of what follows it, as they are estimated.
	LastUsageEntryID string     `row:"lastUsageEntryId,null"` // The id of that answer; null if there is none.
	Window           *int64     `row:"window,known"`          // The size of the window in tokens.
	Reserve          int64      `row:"reserve"`               // The tokens that are to stay free.
	Limit            *int64     `row:"limit,known"`           // The window without the reserve.
	Free             *int64     `row:"free,known"`            // The rest of the window in tokens.
	Percent          row.Number `row:"percent,known"`         // The share of the window in percent.
	Estimator        string     `row:"estimator,known"`       // The estimator.
	Factor           row.Number `row:"factor,known"`          // What the estimates are multiplied by.
	Samples          int        `row:"samples"`               // The number of answers that the factor is from.
	Needed           bool       `row:"needed"`                // Whether a compaction is needed.
}

// A planRow is the compaction that --plan would make.
type planRow struct {
	row.Kind            `row:"plan"`
	Leaf                string   `row:"leaf,known"`            // The id of the leaf.
	FirstKeptEntryID    string   `row:"firstKeptEntryId,null"` // The id of the first entry that stays; null if none does.
	IsSplitTurn         bool     `row:"isSplitTurn"`           // Whether a turn is cut.
	TokensBefore        int64    `row:"tokensBefore"`          // The tokens of the context before.
	PreviousSummary     string   `row:"previousSummary,null"`  // The summary of the compaction before; null if there is none.
	MessagesToSummarize []string `row:"messagesToSummarize"`   // The ids of the entries to summarize.
	TurnPrefixMessages  []string `row:"turnPrefixMessages"`    // The ids of the entries of the turn that is cut.
	Strategy            string   `row:"strategy,known"`        // The strategy.
	Copies              []string `row:"copies"`                // The ids of the entries of which copies stay.
	Instructions        string   `row:"instructions,null"`     // What --instructions says; null if nothing.
	FileOps             filesRow `row:"fileOps"`               // The files that calls are about.
}

// A branchRow is the summary of a branch that --plan --branch would make.
type branchRow struct {
	row.Kind            `row:"branch"`
	FromID              string   `row:"fromId,known"`          // The id of the leaf that is left.
	TargetID            string   `row:"targetId,null"`         // The id of the entry that is gone back to; null for the place before the first.
	CommonAncestorID    string   `row:"commonAncestorId,null"` // The id of the last entry that both paths have; null if there is none.
	Estimate            int64    `row:"estimate"`              // The tokens of the messages, as they are estimated.
	MessagesToSummarize []string `row:"messagesToSummarize"`   // The ids of the entries to summarize.
	Dropped             int      `row:"dropped"`               // The number of entries that have no room.
	FileOps             filesRow `row:"fileOps"`               // The files that calls are about.
}

// A filesRow is the files that calls are about.
type filesRow struct {
	Read    []string `row:"read"`    // Those that were read.
	Written []string `row:"written"` // Those that were written.
	Edited  []string `row:"edited"`  // Those that were edited.
}

// A reportRow is what leaves the context, with --report or --report-of.
type reportRow struct {
	row.Kind         `row:"report"`
	Entry            string       `row:"entry,null"`                          // The id of the compaction or edit; null for one that is still to be made.
	Type             string       `row:"type" enum:"compaction context_edit"` // The type of the entry.
	From             string       `row:"from,null"`                           // The id of the first entry that leaves; null if none does.
	To               string       `row:"to,null"`                             // The id of the last one; null if none leaves.
	FirstKeptEntryID string       `row:"firstKeptEntryId,null"`               // The id of the first entry that a compaction keeps; null if there is none.
	TokensBefore     int64        `row:"tokensBefore"`                        // The tokens of the context before, as they are estimated, as all here are.
	TokensAfter      int64        `row:"tokensAfter"`                         // Those after, without the summary if that is still to be made.
	TokensOut        int64        `row:"tokensOut"`                           // Those that leave.
	SummaryTokens    *int64       `row:"summaryTokens"`                       // Those of the summary; null if it is still to be made.
	Entries          []leftRow    `row:"entries"`                             // What leaves.
	Files            filesRow     `row:"files"`                               // The files that calls are about.
	Commands         []commandRow `row:"commands"`                            // The commands that ran.
}

// A leftRow is an entry.
type leftRow struct {
	Entry     string   `row:"entry,known"` // The entry's id.
	Timestamp row.Time `row:"timestamp"`   // When the entry was written.
	Type      string   `row:"type,known"`  // Its type.
	Role      string   `row:"role,known"`  // The role of its message.
	Estimate  int64    `row:"estimate"`    // The tokens that leave; below 0 if an edit puts more in their place.
	Partly    bool     `row:"partly"`      // Whether something stays in its place.
	Line      int      `row:"line,known"`  // The line of the session, from 1.
}

// A commandRow is a command.
type commandRow struct {
	EntryID string `row:"entry,known"` // The id of the entry that called it.
	Command string `row:"command"`     // The command.
	Status  *int   `row:"status"`      // Its exit status; null if it is not told.
	Failed  bool   `row:"failed"`      // Whether it failed.
}
