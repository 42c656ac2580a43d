package main

import "github.com/sess-tools/sess/internal/core/row"

// An entryRow is an entry that has come.
type entryRow struct {
	row.Kind  `row:"entry"`
	Address   string   `row:"address,known"` // What every tool takes for the session as an operand: a path, AGENT:ID or remote:ID.
	Path      string   `row:"path,null"`     // The session's file, or the directory of its segmented store; null if the session was not read from a file.
	Session   string   `row:"session,known"` // The session's id.
	Agent     string   `row:"agent,null"`    // The agent whose session it is; null for one of the store of sess, or in a file.
	Parent    string   `row:"parent,null"`   // The session that this one comes from; null if there is none.
	Entry     string   `row:"entry,known"`   // The id of the entry.
	Timestamp row.Time `row:"timestamp"`     // When it was written.
	Role      string   `row:"role,known"`    // The role of the message, or else the type of the entry.
	Text      string   `row:"text,null"`     // The first line of its text; null if it has none.
}

// A stateRow is the state of an agent, or a change of it.
type stateRow struct {
	row.Kind `row:"state"`
	row.Place
	Agent  string   `row:"agent,null"`                                                     // The agent whose session it is; null for one of the store of sess, or in a file.
	Parent string   `row:"parent,null"`                                                    // The session that this one comes from; null if there is none.
	Entry  string   `row:"entry,null"`                                                     // The id of the entry that decides the state; null if there is none.
	State  string   `row:"state" enum:"empty working asks answered stopped failed closed"` // The state.
	Since  row.Time `row:"since"`                                                          // When what decides it was written.
	Sure   bool     `row:"sure"`                                                           // It is not taken to be so because of the time that has passed.
	Tool   string   `row:"tool,null"`                                                      // The tool of the call that is open; null if none is.
	What   string   `row:"what,null"`                                                      // What that call is about, or what was said last; null if there is neither.
}
