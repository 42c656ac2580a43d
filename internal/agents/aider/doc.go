// Package aider reads and writes what aider keeps beside a project: the chat
// history, a Markdown file, and the input history (docs/formats/aider.md).
//
// # In
//
// A chat history holds a session behind each line that says when a chat was
// started. Lines are told apart as aider's own reader does it: "#### " is what
// the user typed, "> " what the program said, everything else the model's reply. What the
// program said goes into custom entries "aider:tool". Layout that aider would not
// write again is kept in "aider:text", so that an export gives the bytes back. Only
// one message at a time is in memory.
//
// # Out
//
// A chat history of one session, as aider's writer lays it out, or an input
// history. It has no escapes: text that reads as something else is told.
package aider
