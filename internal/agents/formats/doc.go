// Package formats is the frame of importing and exporting: what a format of
// another agent has to do, and what all of them share. Each format is a package
// below this one; package all lists them.
//
// # In
//
// [Format.Open] makes an [Archive] of a [Source], which lists its sessions and
// reads one of them into a [Builder]. The builder makes lines of version 3 and hands
// them on one by one, so a session need not fit into memory; a format that can reads
// its source in the same way. What the source says is carried over whole:
//
//   - Every branch, and every entry that a compaction, a revert or a rollback took out
//     of sight. Abandoned entries are a branch; those in force lead to the leaf, the entry
//     that was added last.
//   - Ids, where the source has some; else ids made of what the source knows the thing by.
//     Times likewise: nothing asks the clock. Importing twice gives the same bytes.
//   - What version 3 has a field for goes there. The line that an entry was made of is kept
//     with it ([Builder.Keep]), and a line that became none in an entry that says nothing
//     ([Builder.Aside]), so that an export gives the source back ([Target.Keeper]).
//   - What cannot be read, and what a model will see otherwise than before, is a [Loss].
//
// A format whose files hold a session each says which they are with [Files]; another opens
// files with [Source.Open] or [OpenFile], never for writing, and finds them with [Walk]. Lines
// of JSON are taken in by [Builder.Values]. A database is opened read-only, and without making files beside it.
// Nothing of a source is trusted: sizes, depths, names that lead out of a directory,
// lines that are no JSON. One session that cannot be read does not hide another.
//
// # Out
//
// [Format.Export] gets a whole session and a [Target]. It tells all losses first, then
// asks [Target.Ready], then writes: files through [Target.File], which asks by itself and
// never replaces anything. [Target.ActivePath] is for those who hold one branch.
//
// docs/formats/README.md says how to add a format; the example is one.
package formats
