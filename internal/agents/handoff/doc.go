// Package handoff makes of a portable session one that another agent can go on with at once: it
// fits a number of tokens, begins with a brief if something had to go, and ends with a note that
// says where it comes from.
//
// The brief has a fixed form and needs no model. Its quotations are a record: they are marked as
// that, and cleaned of characters that act on a terminal.
package handoff
