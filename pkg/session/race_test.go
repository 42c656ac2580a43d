//go:build race

package session_test

// chain is how many entries make a long path: fewer under the race detector,
// which makes everything ten times as slow.
const chain = 100_000
