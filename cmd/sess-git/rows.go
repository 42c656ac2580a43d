package main

import "github.com/sess-tools/sess/internal/core/row"

// A commitRow is what a session has to do with a commit, of log and show.
type commitRow struct {
	row.Kind   `row:"commit"`
	Commit     string   `row:"commit,known"`                                    // The id of the commit.
	Subject    string   `row:"subject"`                                         // Its subject.
	AuthorTime row.Time `row:"authorTime,known"`                                // When it was made first.
	Relation   string   `row:"relation" enum:"made wrote rewrote claimed none"` // What the session has to do with it.
	Rule       string   `row:"rule,null"`                                       // The rule that says so: hash, message or lines; the name of the trailer, or notes/REF; null for none.
	Certainty  string   `row:"certainty,null" enum:"sure likely part claimed"`  // How sure that is; null for none.
	origin
	Parent      string `row:"parent,null"` // The session that this one comes from, as its header has it; null for none.
	Entry       string `row:"entry,null"`  // The id of the last entry that says so; null for a claim, and for none.
	CallID      string `row:"callId,null"` // The id of its call; null if there is none.
	Lines       *int   `row:"lines"`       // How many informative lines of the commit the session typed; null but for lines.
	Of          *int   `row:"of"`          // How many informative lines the commit adds; null but for lines.
	Contradicts bool   `row:"contradicts"` // Evidence says otherwise than this claim.
	*asked
}

// A callRow is a call.
type callRow struct {
	Entry   string `row:"entry,known"`                        // The id of the entry with the call.
	Kind    string `row:"kind,known"`                         // Of which kind it is.
	Outcome string `row:"outcome" enum:"ok fail denied open"` // How it ended.
	Target  string `row:"target,null"`                        // Its subject; null if that is not known.
}

// A lineRow is where a line comes from, of blame.
type lineRow struct {
	row.Kind `row:"line"`
	Line     int    `row:"line"`         // The line of the file, from 1.
	Commit   string `row:"commit,known"` // The commit that it comes from.
	File     string `row:"file,known"`   // What the file was called there.
	origin
	Entry     string `row:"entry,null"`                        // The id of the entry that typed it, or that made its commit; null for none.
	Model     string `row:"model,null"`                        // The model that typed it, or that ran the command of its commit, as PROVIDER/MODEL; null if that is not known.
	Rule      string `row:"rule,null" enum:"lines commit"`     // lines if it was typed; commit if it is not informative and its commit is this session's; null for none.
	Certainty string `row:"certainty,null" enum:"sure likely"` // How sure that is; null for none.
	Text      string `row:"text"`                              // The line itself.
}

// An origin says which session it is, and whose.
type origin struct {
	Address string `row:"address,null"` // What every tool takes for the session as an operand: a path or AGENT:ID; null for none, and for one that is only claimed.
	Path    string `row:"path,null"`    // The session's file; null if the session was not read from a file.
	Session string `row:"session,null"` // The session's id, or what a trailer or note says; null for none.
	Agent   string `row:"agent,null"`   // The agent whose session it is; null for one of the store of sess, and for none.
}

// An asked prompt and what came of it are members of the rows of show alone.
type asked struct {
	Prompt string    `row:"prompt,null"` // What the user asked before the entry; null if that is not known. Of show alone.
	Calls  []callRow `row:"calls"`       // The calls from there up to the commit. Of show alone.
}
