// Package tty answers the few questions a filter may ask about a terminal:
// is this one, may colour be used, how wide is it, and how is a foreign string
// shown on it without letting its escape sequences act.
//
// A terminal changes decoration only. What a tool prints as data never depends
// on an answer of this package.
package tty
