// Package filter runs jq expressions over the lines of a session, in the
// dialect of gojq: [Filter.Match] chooses lines, [Filter.Project] turns them
// into something to read. A projection sorts object keys and may round numbers
// it computes with, so its output is never written back to a session; a match
// prints the original bytes.
//
// Expressions see one line and nothing else: no environment, no modules, no
// other input.
package filter
