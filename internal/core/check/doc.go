// Package check finds damage and broken invariants in a session, as fsck does
// in a file system, and writes a repaired copy.
//
// [Check] looks at lines, at the tree and at what the messages say of each
// other. [Repair] keeps every entry that can be read, the halves of fused lines
// included, and sets aside the bytes that cannot. Neither changes the session
// it reads.
//
// The two agree: a session repaired with its orphans linked again has no
// finding that is an [Error].
package check
