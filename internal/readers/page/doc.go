// Package page writes a session as an HTML page that needs nothing but itself.
//
// All of the page is markup: it can be read, searched, printed and folded without script. A
// script adds search in folded parts, keys, and times of the reader's zone.
//
// # Foreign text
//
// Every byte of a session may come from a stranger. Markup is written in one way: [constant]
// is markup of this package's source, and a text that is not constant goes through
// markup.text or markup.attr, which escape it. What a library makes is written by one function
// each, and these do not let through markup of the text: the renderer of Markdown has raw HTML
// off, links are http, https or mailto, and nothing is loaded. The policy of the page
// forbids what would get through nevertheless.
//
// # Size
//
// Pages are written entry by entry. Nothing takes more than linear time in a text: text that a
// parser may be slow on is shown as it is, and so is text that is longer than a limit.
package page
