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
//     of sight. What is abandoned is a branch; what is in force leads to the leaf, which
//     is what was added last.
//   - Ids, where the source has some; else ids made of what the source knows the thing by.
//     Times likewise: nothing asks the clock. Importing twice gives the same bytes.
//   - What version 3 has a field for goes there. What it has none for goes, as the source
//     has it, into a custom entry beside ([Builder.Custom]), so that an export gives it
//     back.
//   - What cannot be read, and what a model will see otherwise than before, is a [Loss].
//
// A format opens files with [Source.Open] or [OpenFile], never for writing, and finds
// them with [Walk]. A database is opened read-only, and without making files beside it.
// Nothing of a source is trusted: sizes, depths, names that lead out of a directory,
// lines that are no JSON. One session that cannot be read does not hide another.
//
// # Out
//
// [Format.Export] gets a whole session and a [Target]. It tells all losses first, then
// asks [Target.Ready], then writes: files through [Target.File], which asks by itself and
// never replaces anything. [Target.ActivePath] is for those who hold one branch.
//
// # Adding a format
//
//  1. A page about it in docs/formats, samples in testdata.
//  2. A package internal/formats/NAME with a value of a type that is a [Format], and a
//     line in package all: before those that would take its files for their own.
//  3. [About] names it; its name is what [Builder.Custom] puts before its types.
//  4. Tests: the samples through package formatstest, which reads each twice, compares
//     listing and session, and checks every line; against what the real program shows of
//     them; and there and back.
//
// The example shows all of it for a format of a few lines.
package formats
