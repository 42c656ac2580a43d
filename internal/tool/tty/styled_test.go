package tty_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sess-tools/sess/internal/tool/tty"
)

// Styles reach a terminal, and what only looks like one does not.
func TestTextOnATerminal(t *testing.T) {
	t.Parallel()
	var text tty.Text
	text.Add(tty.Bold, "bold")
	text.Add(tty.Plain, " \x1b[1mforged\x1b[0m ")
	text.Add(tty.Red, "")
	text.Add(tty.Red, "\u009b5m\xe2\x80")
	text.Add(tty.Plain, "\n")
	var b bytes.Buffer
	w := tty.Visible(&b)
	if _, err := text.WriteTo(w); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	const want = "\x1b[1mbold\x1b[0m \\u001b[1mforged\\u001b[0m \x1b[31m\\u009b5m\\xe2\\x80\x1b[0m\n"
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	b.Reset()
	if n, err := text.WriteTo(&b); err != nil || b.String() != "\x1b[1mbold\x1b[0m \x1b[1mforged\x1b[0m \x1b[31m\u009b5m\xe2\x80\x1b[0m\n" || n != int64(text.Len()) {
		t.Errorf("elsewhere: %d, %v, %q", n, err, b.String())
	}
}

// What is held back for the rest of a character is not lost at the end.
func TestVisibleFlush(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	w := tty.Visible(&b)
	if _, err := w.Write([]byte("caf\xc3")); err != nil || b.String() != "caf" {
		t.Fatalf("%q, %v", b.String(), err)
	}
	for range 2 {
		if err := w.Flush(); err != nil || b.String() != `caf\xc3` {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
}
