// Package grep finds text in the lines of a session without decoding those that
// cannot have it.
//
// A [Pattern] is a regular expression (RE2 syntax), or several. It is matched against
// the decoded strings of an entry that [Texts] selects, one at a time, and line by line
// unless it names a line feed or sets (?s).
//
// # What may be dropped unread
//
// JSON writes a character of a string in one of three ways: as its own bytes, as
// \uXXXX, or, for the quotation mark, the backslash, the slash and five controls, as a
// backslash and a letter. A needle is a part of a literal that every match contains,
// and holds none of the characters that have a short escape, no control character, and
// no U+FFFD, which is what bytes that are no text decode to. So a string that contains
// a needle has it in the raw line byte for byte, or there is a \uXXXX in the line that
// stands for one of its characters. A [Scanner] drops a line only if it has no needle
// and no such escape. What the line is, JSON or not, does not matter for that.
//
//   - If every needle is ASCII, only \u002X to \u007X can stand for one of its
//     characters; otherwise, every \uXXXX but \u000X and \u001X.
//   - Where case is ignored, needles are cut at each character whose folding is more
//     than the two cases of an ASCII letter: k and s, which the Kelvin sign and the long
//     s fold to, and everything that is not ASCII.
//   - A pattern of which no literal is required has no needles, and no line is dropped.
//
// Nothing is allocated for a line that is dropped.
package grep
