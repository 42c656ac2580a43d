// Package claude reads and writes the sessions of Claude Code: JSON lines that form
// a tree through uuid and parentUuid (docs/formats/claude.md). It is experimental:
// the format has no description, and changes from release to release.
//
// # In
//
// A file is read twice: once for the places of its lines and their links, once for their content.
// Memory is for the lines, not for their bytes. The lines of one reply are one message, whose usage
// counts once; results of calls that ran side by side stand behind one another. A compaction is a
// compaction, sidechains are branches, and lines that are no message are custom entries
// "claude:line" in their places. Behind each message such an entry keeps the other members of its
// lines, so that an export gives the lines back.
//
// # Out
//
// All branches are written. Imported lines come out as they were; new entries get lines in the
// manner of Claude Code.
package claude
