// Package secret finds credentials in text: by the rules of gitleaks and by additional ones, by
// values that are known, and in encoded parts of the text.
//
// A rule is tried where one of its keywords stands, in the text and in each layer below it, in
// which encoded parts were decoded: base64, also folded into lines or in the middle of a run;
// hexadecimal; percent encoding; entities of HTML; quoted-printable; the escapes of JSON, once for
// each JSON text in a JSON text. Characters that are not seen, as an escape sequence, are taken out
// and also taken for a blank. A finding of a layer below is reported as the whole encoded run
// above.
//
// The work is linear in the length of the text: expressions are RE2, each layer is not
// longer than the one above, and there are at most as many as Options.Depth.
package secret
