// Package opencode reads and writes the sessions of opencode: what "opencode export"
// prints, and its database (docs/formats/opencode.md).
//
// # In
//
// A session has the id that opencode gave it. In front of the entries that are made of a message
// stands a custom entry "opencode:message" that holds all of the message but the texts, arguments
// and outputs that those entries have: where one of them was, there is null, which opencode has
// there never. The facts about the session itself are the custom entry "opencode:session", the
// first of all.
//
// An export is read in two passes, of which the first notes where its messages are; a
// database is read message by message. So neither has to fit into memory.
//
// # Out
//
// An export that "opencode import" takes; its database is only read. Where a message has
// its custom entry, and the entries behind it are still those that belong to it, the
// message comes out as it came in; everything else is made anew.
package opencode
