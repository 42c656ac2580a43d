// Package copies merges copies of a session that are files: it reads what
// package merge has to know of their lines, settles where the copies contradict each
// other, and writes the result. Lines stay in the files and are copied from there, so
// memory is taken for each entry and not for each byte.
package copies
