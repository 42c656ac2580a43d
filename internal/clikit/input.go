package clikit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/sess-tools/sess/internal/tty"
)

// fifoWait is how long a named pipe may stay without a writer.
const fifoWait = 10 * time.Second

// OpenInput opens a file operand for reading. Both "" and "-" are standard
// input, which is a usage error when it is a terminal: a filter that waits for
// somebody to type a session looks broken. Closing standard input does nothing.
//
// A directory is an error, and a device, which may have no end, except the null
// device. A named pipe is one if nobody opens it for writing within ten seconds.
func (s *Streams) OpenInput(name string) (io.ReadCloser, error) {
	if name != "" && name != "-" {
		return openFile(name, fifoWait)
	}
	in := s.InFile()
	if tty.IsTerminal(in) {
		return nil, UsageError("no session named and standard input is a terminal")
	}
	if in != nil {
		if err := endless(in, "standard input"); err != nil {
			return nil, err
		}
	}
	return io.NopCloser(s.In), nil
}

func openFile(name string, wait time.Duration) (io.ReadCloser, error) {
	f, err := openWaiting(name, wait)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", name, cause(err))
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
