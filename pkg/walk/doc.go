// Package walk finds the path of a session in its file without reading more of
// a line than its head: type, id and parentId.
//
// It is the fast way for what only copies: a session of any size costs one pass
// over its bytes, and some thirty bytes of memory an entry. What it promises:
//
//   - A path is a list of ranges of the file, whole lines, root first. A
//     session without branches is one range.
//   - The path is the one that package session finds, or [ErrOdd]: on anything
//     that is more than a plain, undamaged session of version 3 (a line that
//     cannot be an entry, an id that occurs twice, a parent that is missing, a
//     cycle, a title slot, another version) the caller has to take the way of
//     session.Read, which explains what it found.
//   - Lines are not validated. A line is taken for an entry if it begins and
//     ends as an object does and has an id in its head. That a member of the
//     head stands twice in one object goes unseen: the first counts here.
//   - The file may grow meanwhile: what counts are its first size bytes.
//
// Ids are compared by a seeded hash of 64 bits, ids of up to seven bytes by
// themselves. Two of a million different ids share a hash with a probability of
// 3 in 10⁸.
package walk
