// Package usage finds the calls of models in sessions, counts each of them once, and
// adds them up.
//
// # Calls
//
// A call is an entry with a usage: a reply, whether it was aborted, failed or was tried
// again; a compaction or the summary of a branch; a call that a program made aside. A reply that
// was aborted or failed and has neither tokens nor a cost is none. See [Read].
//
// # Identity
//
// Forks copy entries with their ids and times, so the same call stands in many files. It
// is the same one if its id, its time and all counters of its usage are the same: see
// [Ledger]. Ids alone are eight hex digits, of which two are equal by chance in a store
// of some 90,000 entries. Paths and the order of lines do not matter, so neither do
// symbolic links, moved directories and stale parents. Some agents give copies other ids
// or times; of those, what was said is a part of the identity.
//
// # Memory
//
// A ledger takes at most 250 bytes for each distinct call, 8 for each copy, and one
// record for each session; for calls of codex 16 more. It takes none for entries without
// a usage.
package usage
