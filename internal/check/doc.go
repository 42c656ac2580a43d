// Package check finds damage and broken invariants in a session, as fsck does
// in a file system, and writes a repaired copy.
//
// [Check] looks at lines, at the tree and at what the messages say of each
// other. [Repair] keeps every entry that can be read, the halves of fused lines
// included, and sets aside the bytes that cannot. Neither changes the session
// it reads.
package check
