// Package aider reads what aider keeps beside a project: the chat history, a Markdown file, and the input history
// (docs/formats/aider.md).
//
// A chat history holds a session behind each line that says when a chat was
// started. Lines are told apart as aider's own reader does it: "#### " is what
// the user typed, "> " what the program said, everything else the model's reply. What the
// program said goes into custom entries "aider:tool". Layout that aider would not
// write again is kept with the entry, or in "aider:text". Only
// one message at a time is in memory.
package aider
