package disk

import (
	"io"
	"syscall"
)

// earlyStep is how much is written before the disk is told, in bytes.
const earlyStep = 1 << 20

// An Early writes to a new file that will be synced. The disk begins with what was
// written while more is on its way, so the sync at the end finds little to wait for. Early
// itself makes nothing durable.
type Early struct {
	W interface {
		io.Writer
		syscall.Conn
	}
	at, told int64
}

func (e *Early) Write(p []byte) (n int, err error) {
	n, err = e.W.Write(p)
	if e.at += int64(n); e.at-e.told >= earlyStep {
		startWriteback(e.W, e.told, e.at-e.told)
		e.told = e.at
	}
	return n, err
}

// WriteAll writes p, in steps.
func (e *Early) WriteAll(p []byte) error {
	for len(p) > 0 {
		step := p[:min(len(p), earlyStep)]
		if err := Write(e, step); err != nil {
			return err
		}
		p = p[len(step):]
	}
	return nil
}
