package main

import "github.com/sess-tools/sess/internal/core/row"

// A promptRow is a prompt as it was asked last.
type promptRow struct {
	row.Kind  `row:"prompt"`
	Address   string   `row:"address,null"` // What every tool takes for the session as an operand; null for a prompt of a database.
	Path      string   `row:"path,null"`    // The session's file, or the directory of its segmented store; null if the session was not read from a file.
	Session   string   `row:"session,null"` // The session's id; null if it is not known.
	Entry     string   `row:"entry,null"`   // The entry's id; null for a prompt of a database.
	Timestamp row.Time `row:"timestamp"`    // When it was asked last.
	Agent     string   `row:"agent,null"`   // The agent whose session it is; null for one of the store of sess, or in a file.
	CWD       string   `row:"cwd,null"`     // The working directory; null if it is not known.
	Text      string   `row:"text"`         // The prompt.
	Count     int      `row:"count"`        // How often it was asked.
}
