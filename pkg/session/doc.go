// Package session gives meaning to the lines of a session file: a header and
// entries that form a tree through their parentId fields.
//
// Begin with [Read], which reads a session, and [Session.Path], which walks it from the leaf
// to the root. To add entries, fill a [Batch], and append its lines with package jsonl.
//
// # Format
//
// The first line is the header, {"type":"session","version":3,"id":…}. Every
// further line is an entry with a type, an id, the id of its parent (null for
// a root) and a timestamp. The last entry is the leaf; the path from the root
// to the leaf is the conversation. sess-format(5) is the normative description.
//
// # Bytes
//
// An [Entry] is the line it was read from. Nothing is decoded and encoded
// again, so key order, number spellings, unknown fields and unknown types
// survive every tool. A field that must change is spliced in place.
//
// # Damage
//
// Reading never repairs. What cannot be used is skipped and reported as a
// [Problem]; a caller that may not go on asks for the problems and stops.
// Versions 1 and 2 are upgraded in memory as pi does on open.
//
// What a model sees of a session is in package convo. This package opens no files.
// Times are parameters; [NewSessionID] and [NewEntryID] read the clock and the
// random numbers of the system.
//
// Stability: v0. Exported names may change until version 1 of the module.
package session
