// Package jq runs jq expressions, in the dialect of gojq. A [Filter] sees the lines of a session:
// [Filter.Match] chooses lines, [Filter.Project] turns them into something to read. A projection
// sorts object keys and may round numbers it computes with, so its output is never written back to a
// session; a match prints the original bytes. Expressions see one line and nothing else: no
// environment, no modules, no other input.
//
// Programs that write sessions share the rest: [Decode] reads a JSON value as gojq wants it, and
// [Origins] remembers the text that each object and array came from.
package jq
