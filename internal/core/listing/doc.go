// Package listing has the rows of a listing as JSON: how sess-ls --json and
// sess-import --list print them, and how the first reads what the second prints.
package listing
