package main

import "github.com/sess-tools/sess/internal/core/row"

// A breachRow is where a gate does not hold.
type breachRow struct {
	row.Kind `row:"breach"`
	row.Place
	Agent string `row:"agent,null"`                                                                 // The agent whose session it is; null for one of the store of sess, or in a file.
	Entry string `row:"entry,null"`                                                                 // The id of the entry that breaks the gate; null if something is missing.
	Line  int    `row:"line,null" min:"1"`                                                          // Its line in the session's file, from 1; null if it is not in one.
	Gate  string `row:"gate" enum:"call no-call order fixed answer no-answer wrote-only max-calls"` // The flag of the gate that does not hold.
	Value string `row:"value"`                                                                      // What the flag was given.
	Text  string `row:"text,known"`                                                                 // Why it does not hold: a call, or the missing one.
}

// A totalRow is what came of all gates, the last line.
type totalRow struct {
	row.Kind `row:"total"`
	Sessions int  `row:"sessions" min:"0"` // How many sessions were looked at.
	Gates    int  `row:"gates" min:"1"`    // How many gates there were.
	Breaches int  `row:"breaches" min:"0"` // How many breaches were printed.
	Whole    bool `row:"whole"`            // Whether all sessions were read.
}
