package main

import "github.com/sess-tools/sess/internal/core/row"

// A homeRow is what an agent has on this machine.
type homeRow struct {
	row.Kind `row:"home"`
	Agent    string `row:"agent,known"`      // The agent, by the name that addresses begin with.
	Path     string `row:"path,known"`       // Where its sessions are: a directory or a database.
	Sessions int    `row:"sessions" min:"0"` // How many there are.
	Here     int    `row:"here" min:"0"`     // How many of them are of the working directory.
	Exact    bool   `row:"exact"`            // Whether all of them were asked for their directory, and could be read; if not, more may be of this one.
}

// A promptRow is a prompt of oh-my-pi's database.
type promptRow struct {
	row.Kind  `row:"prompt"`
	Session   string   `row:"session,null"`    // The session's id; null if the database has none.
	Timestamp row.Time `row:"timestamp,known"` // When it was asked.
	CWD       string   `row:"cwd,null"`        // The working directory; null if the database has none.
	Text      string   `row:"text"`            // The prompt.
}
