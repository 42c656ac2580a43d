// Package address opens the SESSION operand of a tool: a path, "-" or nothing
// for standard input, the id of a session of the store, or the address FORMAT:ID of
// a session in the store of another agent, which sess-import reads, or remote:ID
// of one in the shared remote, which sess-sync reads. A path may be that of
// a segmented store, NAME.v2, which sess-seg reads and appends to. Problems of a session
// are printed on standard error, with file and line.
//
// [Read] opens a session for reading, [OpenTarget] one that entries are added
// to: a file under its lock, or standard input, whose session goes to standard
// output with the new entries behind it.
//
// A path that does not exist may have a draft, which is opened in its stead and published by the
// commit that gives it an assistant message; see store.Publish. An append in the store leaves a
// breadcrumb.
package address
