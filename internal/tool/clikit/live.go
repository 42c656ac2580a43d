package clikit

import (
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Live returns a writer to standard output that holds nothing back: for what is read
// while it is made. On a terminal it makes control characters visible, as Out does. From
// then on a reader that goes away is an error of the write and no longer the end of the
// process: the tool has something to finish.
func (s *Streams) Live() io.Writer {
	// Caught and not ignored: what is ignored stays so in the programs that are started.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return s.onTerminal(live{s})
}

type live struct{ s *Streams }

func (l live) Write(p []byte) (n int, err error) {
	err = l.s.unbuffered(func(w io.Writer) error {
		n, err = w.Write(p)
		return err
	})
	return n, err
}
