package tty

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/runner"
)

// A Writer stands in front of a terminal and makes visible what could act on it,
// or lie about the order of the text: what [CleanLines] does, in the notation of JSON,
// \u001b and the like, so that JSON stays JSON of the same value. Bytes that are not
// UTF-8 become \xff and the like. Those of a character that is not complete are held back
// until the next Write, or Flush. The styles of a [Text] reach the terminal.
type Writer struct {
	w    io.Writer
	held []byte // the beginning of a character
	buf  []byte
	log  bool // a runner reads it
	at   runner.Commands
}

// Visible returns a Writer in front of w.
func Visible(w io.Writer) *Writer { return &Writer{w: w} }

// Through puts a writer, which gets visible text with styles, between v and the writer behind it. The function that is returned takes
// it out again.
func (v *Writer) Through(between func(io.Writer) io.Writer) (out func()) {
	behind := v.w
	v.w = between(behind)
	return func() { v.w = behind }
}

// Log returns a Writer in front of a log that a runner of CI reads: commands of the runner in the text, such as ::error::, become
// visible text as well.
func Log(w io.Writer) *Writer { return &Writer{w: w, log: true} }

// Write writes p, or says that none of it was written.
func (v *Writer) Write(p []byte) (int, error) {
	in := p
	if len(v.held) > 0 {
		in = slices.Concat(v.held, p)
	}
	v.buf = v.buf[:0]
	at := 0
	for at < len(in) && (utf8.FullRune(in[at:]) || len(in)-at >= utf8.UTFMax) {
		r, n := utf8.DecodeRune(in[at:])
		switch {
		case !acts(r, n, true) && !(v.log && v.at.Ends(r)):
			v.buf = append(v.buf, in[at:at+n]...)
		case r == utf8.RuneError:
			v.buf = fmt.Appendf(v.buf, `\x%02x`, in[at])
			v.at.Break()
		default:
			v.buf = fmt.Appendf(v.buf, `\u%04x`, r)
			v.at.Break()
		}
		at += n
	}
	v.held = append([]byte(nil), in[at:]...)
	if _, err := v.w.Write(v.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the bytes that are held back, and has the writer behind it do the same if that can.
func (v *Writer) Flush() error {
	if err := v.release(); err != nil {
		return err
	}
	if f, ok := v.w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// release writes the bytes of a character that nothing completes.
func (v *Writer) release() error {
	held := v.held
	v.held = nil
	for _, b := range held {
		if _, err := fmt.Fprintf(v.w, `\x%02x`, b); err != nil {
			return err
		}
	}
	return nil
}

// style writes a sequence of ours.
func (v *Writer) style(sequence string) error {
	if err := v.release(); err != nil {
		return err
	}
	_, err := io.WriteString(v.w, sequence)
	return err
}

// Thousands returns a number, as text, with commas between its thousands. Text in front of its
// digits and behind them stays.
func Thousands(number string) string {
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	from := max(strings.IndexFunc(number, isDigit), 0)
	to := len(number)
	if n := strings.IndexFunc(number[from:], func(r rune) bool { return !isDigit(r) }); n >= 0 {
		to = from + n
	}
	for at := to - 3; at > from; at -= 3 {
		number = number[:at] + "," + number[at:]
	}
	return number
}

// Count returns a number with its noun: "1 entry", "3,400 entries".
func Count[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(strconv.FormatInt(int64(n), 10)) + " " + many
}
