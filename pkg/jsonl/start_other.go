//go:build !linux && !darwin

package jsonl

import "time"

// startOf cannot tell.
func startOf(int) (time.Time, bool) { return time.Time{}, false }
