package tty

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

// Visible returns a writer in front of a terminal that makes visible what could act on it,
// or lie about the order of the text: what [CleanLines] does, in the notation of JSON,
// \u001b and the like, so that JSON stays JSON of the same value. Bytes that are not
// UTF-8 become \xff and the like. Those of a character that is not complete are held back
// until the next Write.
func Visible(w io.Writer) io.Writer { return &visible{w: w} }

type visible struct {
	w    io.Writer
	held []byte // the beginning of a character
	buf  []byte
}

// Write writes p, or says that none of it was written.
func (v *visible) Write(p []byte) (int, error) {
	in := p
	if len(v.held) > 0 {
		in = slices.Concat(v.held, p)
	}
	v.buf = v.buf[:0]
	at := 0
	for at < len(in) && (utf8.FullRune(in[at:]) || len(in)-at >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(in[at:])
		switch {
		case !acts(r, n, true):
			v.buf = append(v.buf, in[at:at+n]...)
		case r == utf8.RuneError:
			v.buf = fmt.Appendf(v.buf, `\x%02x`, in[at])
		default:
			v.buf = fmt.Appendf(v.buf, `\u%04x`, r)
		}
		at += n
	}
	v.held = append([]byte(nil), in[at:]...)
	if _, err := v.w.Write(v.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}
