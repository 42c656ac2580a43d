package main

import (
	"github.com/sess-tools/sess/internal/core/row"
)

// A callRow is a call of a tool.
type callRow struct {
	Kind string `row:"kind" enum:"run read write search fetch agent ask plan other"` // What the call is: of which kind.
	row.Place
	Agent     string     `row:"agent,null"`                         // The agent whose session it is; for one of the store of sess, in a file or in the remote the one that it was imported from; null if there is none.
	Entry     string     `row:"entry,known"`                        // The id of the entry with the call.
	Result    string     `row:"result,null"`                        // The id of the entry with its result; null if there is none.
	Timestamp row.Time   `row:"timestamp"`                          // When the entry with the call was written.
	Ended     row.Time   `row:"ended"`                              // When the entry with its result was written, if there is one.
	Number    int        `row:"number"`                             // Which call it is of those that were looked at, from 1.
	By        string     `row:"by,null"`                            // Who made it: "provider" for what the provider of the model did by itself; null for the agent.
	Tool      string     `row:"tool,null"`                          // The name of the tool; null if the call has none.
	CallID    string     `row:"callId,null"`                        // The id of the call; null if it has none.
	In        string     `row:"in,null"`                            // The id of the call whose tool made it, as pi's codemode does; null for one that the model made.
	Target    string     `row:"target,null"`                        // Its subject; null if that is not known.
	Paths     []string   `row:"paths"`                              // The files that it names, below the session's working directory relative to it.
	Command   string     `row:"command,null"`                       // The command that it runs; null if it runs none.
	Simple    [][]string `row:"simple"`                             // The simple commands of the command, a list of words each.
	Opaque    bool       `row:"opaque"`                             // More may be run than the simple commands say.
	Unparsed  bool       `row:"unparsed"`                           // The command is no command line of bash.
	Status    *int       `row:"status"`                             // The status of the command; null if it is not known.
	Outcome   string     `row:"outcome" enum:"ok fail denied open"` // How it ended.
	On        string     `row:"on" enum:"path branch"`              // Where the call is: on the path to the leaf, or on another branch.
}
