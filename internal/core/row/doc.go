// Package row has the members that rows of JSON have in common in all tools: what a row is
// about, which session and entry it is about, times, tokens and costs. What is not known
// is null.
package row
