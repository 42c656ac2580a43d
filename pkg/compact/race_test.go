//go:build race

package compact_test

// The race detector slows some code down more than other code: times measured
// under it say nothing.
const raceDetector = true
