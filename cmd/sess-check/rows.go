package main

import "github.com/sess-tools/sess/internal/core/row"

// A findingRow is something that is wrong.
type findingRow struct {
	row.Kind `row:"finding"`
	Address  string `row:"address,null"`                       // What every tool takes for the session as an operand: a path, AGENT:ID or remote:ID; null for a session on standard input.
	Path     string `row:"path,null"`                          // The session's file, or the directory of its segmented store; null if the session was not read from a file.
	Entry    string `row:"entry,null"`                         // The id of the entry that it is about; null if it is about none.
	Line     *int   `row:"line"`                               // The line of the session, from 1; null if it is about the whole.
	Offset   *int64 `row:"offset"`                             // Where the line begins, in bytes; null if it is about the whole.
	Severity string `row:"severity" enum:"error warning note"` // How bad it is.
	Problem  string `row:"problem,known"`                      // The problem, such as not-json or missing-parent.
	Text     string `row:"text"`                               // The same for people.
}
