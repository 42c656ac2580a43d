package main

import "github.com/sess-tools/sess/internal/core/row"

// A matchRow is a line of text with a match.
type matchRow struct {
	row.Kind `row:"match"`
	row.Place
	Agent string `row:"agent,null"` // The agent whose session it is; for one of the store of sess, in a file or in the remote the one that it was imported from; null if there is none.
	Entry string `row:"entry,null"` // The entry's id; null for the header.
	position
	Block     *int         `row:"block"`                                   // The block of the content, from 0; null if the text is in none.
	Field     string       `row:"field,known"`                             // Which field the text is from.
	Tool      string       `row:"tool,null"`                               // The tool of a call or result; null for other text.
	CallID    string       `row:"callId,null"`                             // The id of a call or result; null for other text.
	Timestamp row.Time     `row:"timestamp"`                               // When the entry was written.
	On        string       `row:"on" enum:"path branch compacted removed"` // Where the entry is: on the path to the leaf and in the context, on another branch, or taken out of the context by a compaction or an edit.
	Depth     int          `row:"depth"`                                   // The number of entries above it.
	Text      string       `row:"text"`                                    // The line of text.
	Match     []spanRow    `row:"match"`                                   // The matches in the text, in bytes of UTF-8.
	Before    []contextRow `row:"before,omit"`                             // With -B or -C, the entries before it, the nearest last.
	After     []contextRow `row:"after,omit"`                              // With -A or -C, the entries after it.
	Also      int          `row:"also,omit"`                               // How many copies of the entry were found elsewhere; absent if there are none.
}

// A spanRow is a match.
type spanRow struct {
	Start int `row:"start"` // Where it begins.
	End   int `row:"end"`   // Where it ends.
}

// A contextRow is an entry beside one with a match.
type contextRow struct {
	row.Kind `row:"context"`
	Entry    string `row:"entry,known"` // The entry's id.
	position
	Field string  `row:"field,null"`                              // Which field the text is from; null if the entry has no text.
	Text  *string `row:"text"`                                    // How the entry begins; null if it has no text.
	On    string  `row:"on" enum:"path branch compacted removed"` // Where the entry is: on the path to the leaf and in the context, on another branch, or taken out of the context by a compaction or an edit.
}

// A position says which line of the session an entry is.
type position struct {
	Line   int    `row:"line"`      // The line of the session, from 1.
	Offset int64  `row:"offset"`    // Where the line begins, in bytes.
	Type   string `row:"type,null"` // The type of the entry, session for the header; null if it has none.
	Role   string `row:"role,null"` // The role of the message, or else the kind of the entry; null if there is none.
}

// A leftOutRow is what --max-tokens left out, the last line.
type leftOutRow struct {
	row.Kind `row:"leftOut"`
	Rows     int64  `row:"rows"`       // How many rows are not shown.
	Sessions int64  `row:"sessions"`   // How many sessions have rows of which none is shown.
	More     string `row:"more,known"` // The command line that prints more: the same with twice as many tokens.
	Show     string `row:"show,known"` // The command line that prints what leads to the entry of a row.
}
