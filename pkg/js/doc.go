// Package js reads text, numbers, JSON and dates the way JavaScript does.
//
// Begin with [Valid], which says whether a text is JSON, and [Value], which asks single
// members of an object. [Len] is the length of a string in JavaScript.
//
// Session files are written by JavaScript programs, and the algorithms that
// go with them measure in JavaScript's terms: string lengths are counted in
// UTF-16 code units, the size of a tool call is the length of what
// JSON.stringify makes of its arguments, paths are sorted by code unit. To get the
// same numbers, this package counts the same things, on the raw bytes of a file.
//
// [Value] asks single members of an object. [Members], [WalkObject] and
// [ValidMembers] are for loops over megabytes.
//
// # Text
//
// A JavaScript string is any sequence of UTF-16 code units, lone surrogates
// included. A Go string holds it here as WTF-8: UTF-8, with a lone surrogate in
// its three-byte form (ED A0..BF xx). [Unquote] and [Quote] carry every
// JavaScript string there and back. Two halves of a pair that meet, as they do
// when texts are joined, count and print as the pair they form.
//
// Bytes that are not WTF-8 are read as a decoder reads them: each maximal
// ill-formed subpart is one U+FFFD. Inside a JSON literal, which is still file
// bytes, the three-byte form of a surrogate is ill-formed too.
//
// # JSON
//
// [Valid] is the gate. The functions that take JSON text expect text that has
// passed it; on other text they return something of no meaning, but they do not
// panic, do not hang and do not recurse without bound.
//
// Stability: v0. Exported names may change until version 1 of the module.
package js
