// Package secret finds credentials in text: by the rules of gitleaks and by some of its
// own, by values that are known, and in what is encoded in the text.
//
// A rule is tried where one of its keywords stands, in the text and in each layer below
// it, in which what was encoded is decoded: base64, also folded into lines or in the middle of a
// run; hexadecimal; percent encoding; entities of HTML; quoted-printable; the escapes of
// JSON, once for each JSON text in a JSON text. What is not seen, as an escape sequence, is
// taken out and taken for a blank. What a
// rule finds below is reported as the whole encoded run above.
//
// The work is linear in the length of the text: expressions are RE2, each layer is not
// longer than the one above, and there are at most as many as Options.Depth.
package secret
