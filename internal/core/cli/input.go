package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/core/tty"
)

// fifoWait is how long a named pipe may stay without a writer.
const fifoWait = 10 * time.Second

// OpenInput opens a file operand for reading. Both "" and "-" are standard input, which is a usage
// error when it is a terminal: a filter that waits for typed lines looks broken. Closing standard
// input does nothing.
//
// A directory is an error, and a device, which may have no end, except the null
// device. A named pipe is one if it is not opened for writing within ten seconds. A
// file that standard output goes to as well is one, too.
func (s *Streams) OpenInput(name string) (io.ReadCloser, error) {
	return s.openInput(name, func() error {
		return UsageError("no session named and standard input is a terminal")
	})
}

// openInput is [Streams.OpenInput], but what terminal returns is the error when the input is a terminal.
func (s *Streams) openInput(name string, terminal func() error) (io.ReadCloser, error) {
	if name != "" && name != "-" {
		opened := s.in.wait()
		f, err := openFile(name, fifoWait)
		opened()
		if err != nil {
			return nil, err
		}
		if err := s.NotOutput(f, name); err != nil {
			f.Close()
			return nil, err
		}
		if fi, err := f.Stat(); err == nil && fi.Mode()&fs.ModeNamedPipe != 0 {
			return namedPipe{f, s.in}, nil
		}
		return f, nil
	}
	in := s.InFile()
	if in == nil {
		return io.NopCloser(s.In), nil
	}
	if tty.IsTerminal(in) {
		if err := terminal(); err != nil {
			return nil, err
		}
		return io.NopCloser(s.In), nil
	}
	if err := errors.Join(endless(in, "standard input"), s.NotOutput(in, "standard input")); err != nil {
		return nil, err
	}
	return io.NopCloser(s.In), nil
}

// NotOutput refuses an input, anything that can tell what file it is, that standard
// output goes to as well: reading would meet what was just written. The name is the
// input's.
func (s *Streams) NotOutput(in interface{ Stat() (fs.FileInfo, error) }, name string) error {
	out := s.OutFile()
	if out == nil {
		return nil
	}
	to, err := out.Stat()
	if err != nil || !to.Mode().IsRegular() {
		return nil
	}
	from, err := in.Stat()
	if err != nil || !os.SameFile(from, to) {
		return nil
	}
	return WithHint(UsageError("%s is the file that standard output goes to", name), "write to another file, and rename it")
}

// A namedPipe is one that is read: a signal ends the program though its writer is silent, as with standard input.
type namedPipe struct {
	*os.File
	in *input
}

func (p namedPipe) Read(b []byte) (int, error) {
	defer p.in.wait()()
	return p.File.Read(b)
}

// WriteTo reads by Read: that of the file would not be seen to wait.
func (p namedPipe) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{p})
}

func openFile(name string, wait time.Duration) (*os.File, error) {
	f, err := openWaiting(name, wait)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", disk.Subject(name), disk.Cause(err))
	}
	if err := endless(f, name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openWaiting opens a file. Opening a named pipe takes until a writer opens it
// too, in a system call that nothing can end: it is left behind if it takes too
// long, and ends with the process.
func openWaiting(name string, wait time.Duration) (*os.File, error) {
	if fi, err := os.Stat(name); err != nil || fi.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name)
	}
	type result struct {
		f   *os.File
		err error
	}
	opened := make(chan result, 1)
	go func() {
		f, err := os.Open(name)
		opened <- result{f, err}
	}()
	select {
	case r := <-opened:
		return r.f, r.err
	case <-time.After(wait):
		return nil, errors.New("a named pipe, and nobody writes to it")
	}
}

// endless refuses what cannot be read, or not to its end.
func endless(f *os.File, name string) error {
	fi, err := f.Stat()
	switch {
	case err != nil:
		return nil // reading will tell
	case fi.IsDir():
		return fmt.Errorf("reading %s: is a directory", name)
	case fi.Mode()&fs.ModeDevice != 0 && !isNull(fi):
		return fmt.Errorf("reading %s: is a device", name)
	}
	return nil
}

func isNull(fi fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, fi)
}

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
// so that it is not done again.
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
