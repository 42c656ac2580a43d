// Package screen prints rows for people on a terminal: tables, headings, matches in their text, sums, and numbers and
// times as people read them. No row has more columns than the terminal.
//
// [On] returns nil where standard output is no terminal: a tool then prints its rows for programs, and nothing of this
// package changes them.
package screen
