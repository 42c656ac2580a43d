package main

import "github.com/sess-tools/sess/internal/core/row"

// A checkRow is what was found of one thing.
type checkRow struct {
	row.Kind `row:"check"`
	Check    string `row:"check,known"`                // What was looked at.
	Status   string `row:"status" enum:"ok warn fail"` // Whether tools work.
	Text     string `row:"text"`                       // What was found.
	Hint     string `row:"hint,null"`                  // What to do; null if nothing is.
}
