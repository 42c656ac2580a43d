//go:build !race

package session_test

// chain is how many entries make a long path.
const chain = 1_000_000
