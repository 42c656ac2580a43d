// Package handoff makes of a portable session one that another agent can go on with at once: it
// fits a number of tokens, begins with a brief if something had to go, and ends with a note that
// says where it comes from.
//
// The brief has a fixed form and needs no model. What it quotes is a record: it is marked as
// that, and cleaned of what acts on a terminal.
package handoff
