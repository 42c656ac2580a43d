package main

import "github.com/sess-tools/sess/internal/core/row"

// A findingRow is a secret.
type findingRow struct {
	row.Kind    `row:"finding"`
	Address     string   `row:"address,null"`     // What every tool takes for the session as an operand: a path, AGENT:ID or remote:ID; null for a session on standard input.
	Path        string   `row:"path,null"`        // The session's file, or the directory of its segmented store; null if the session was not read from a file.
	Entry       string   `row:"entry,null"`       // The entry's id; null if it is in none, or in one without an id.
	Line        int      `row:"line"`             // The line of the session, from 1.
	Field       string   `row:"field,known"`      // The path of the string in the entry, or else the kind of the line.
	Rule        string   `row:"rule,known"`       // The rule that found it.
	Count       int      `row:"count"`            // 1: each secret is a row.
	Start       int      `row:"start"`            // Where it begins in the string, in bytes.
	End         *int     `row:"end"`              // Where it ends; null for a short one, whose length is not told.
	Bytes       *int     `row:"bytes"`            // Its size; null for a short one.
	Decoded     []string `row:"decoded"`          // How it is encoded, the outermost encoding first.
	Structural  bool     `row:"structural"`       // Whether it is in an id or the like, which is not changed.
	Damaged     bool     `row:"damaged"`          // Whether it is in a line that is no JSON.
	Fingerprint string   `row:"fingerprint,null"` // How a baseline knows it again; null without a baseline.
}

// A totalRow is all findings, the last line.
type totalRow struct {
	row.Kind `row:"total"`
	Findings int            `row:"findings"` // The number of findings.
	Entries  int            `row:"entries"`  // The number of entries with one.
	Sessions int            `row:"sessions"` // The number of sessions that were read.
	Rules    map[string]int `row:"rules"`    // The number of findings by rule.
	// The rules.
	Ruleset struct {
		Source  string `row:"source,known"`  // Where most of them are from.
		Version string `row:"version,known"` // The version of that.
		Enabled int    `row:"enabled"`       // How many are in use.
	} `row:"ruleset"`
}
