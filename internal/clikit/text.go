package clikit

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/disk"
)

// ReadText reads a text from a file, or from standard input if the name is "" or
// "-". Line feeds at its end are left out, as the shell's $(…) does, since commands
// put them there for the terminal; CR LF becomes a line feed. What names the text in
// errors; flags names the flags that give it.
//
// A terminal is read only if "-" asks for it. A text that is not UTF-8 is an error.
func (s *Streams) ReadText(name, what, flags string) (string, error) {
	data, err := s.ReadInput(name, what, flags)
	if err != nil {
		return "", err
	}
	if err := UTF8(inputName(name), string(data)); err != nil {
		return "", err
	}
	return strings.TrimRight(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"), nil
}

// ReadInput is [Streams.ReadText] for bytes, as they are.
func (s *Streams) ReadInput(name, what, flags string) ([]byte, error) {
	in, err := s.openInput(name, func() error {
		if name == "-" {
			return nil
		}
		return WithHint(UsageError("no %s", what), "give it with %s, or pipe it in", flags)
	})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", inputName(name), disk.Cause(err))
	}
	return data, nil
}

func inputName(name string) string {
	if name == "" || name == "-" {
		return "standard input"
	}
	return name
}

// UTF8 refuses a text that is not UTF-8. The name says where it is from: a session
// is UTF-8, and bytes that are not would be stored as something else.
func UTF8(name, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return WithHint(fmt.Errorf("%s: not UTF-8: byte 0x%02x at offset %d", name, text[at], at),
		"iconv -f latin1 -t utf-8 converts a text of that encoding; base64 keeps bytes")
}

// Acknowledge prints what was done and cannot be undone, and makes sure that it is
// printed. The error of one that is not begins with done, such as "appended ab12cd34",
// so that nobody does it again.
func (s *Streams) Acknowledge(done string, tell func() error) error {
	err := tell()
	if err == nil {
		err = s.Flush()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s, but %w", done, err)
}
