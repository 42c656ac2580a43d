//go:build !race

package compact_test

const raceDetector = false
