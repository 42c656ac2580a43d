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
	Why   string `row:"why,null"`                                                                   // Why it is not known what a hidden call runs or writes; null for a call that is known.
	Piece string `row:"piece,null"`                                                                 // The piece of its command line that this is about, cut to 60 bytes; null if it is none.
}

// A gateRow is what was looked at for a gate.
type gateRow struct {
	row.Kind `row:"gate"`
	Gate     string `row:"gate" enum:"call no-call order fixed answer no-answer wrote-only max-calls"` // The flag of the gate.
	Value    string `row:"value"`                                                                      // What the flag was given.
	Calls    int    `row:"calls" min:"0"`                                                              // How many calls were looked at.
	Unknown  int    `row:"unknown" min:"0"`                                                            // How many calls that are meant ended with a status that is not known.
	Hidden   int    `row:"hidden" min:"0"`                                                             // How many calls, and sessions of agents, hide commands or writes.
	Scripts  int    `row:"scripts" min:"0"`                                                            // How many scripts, and programs of which nothing is known, the calls ran: what those do was not looked at.
	Breaches int    `row:"breaches" min:"0"`                                                           // How many breaches of the gate were printed.
}

// add adds what became of the gate in a session.
func (r *gateRow) add(of *result) {
	r.Calls, r.Unknown, r.Hidden, r.Breaches = r.Calls+of.Calls, r.Unknown+of.Unknown, r.Hidden+of.Hidden, r.Breaches+len(of.breaches)
	r.Scripts += of.Scripts
}

// A totalRow is what came of all gates, the last line.
type totalRow struct {
	row.Kind `row:"total"`
	Sessions int  `row:"sessions" min:"0"` // How many sessions were looked at.
	Gates    int  `row:"gates" min:"1"`    // How many gates there were.
	Breaches int  `row:"breaches" min:"0"` // How many breaches were printed.
	Whole    bool `row:"whole"`            // Whether all sessions were read.
}
