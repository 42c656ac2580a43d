package index

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrSource is matched by what Copy returns if it is the source that failed.
var ErrSource = errors.New("reading the source")

// Copy writes ranges of src to dst. If dst is a file it lets the system do it:
// by reference into a pipe, within the file system into a regular file. What has
// been written before an error stays written. The error is dst's own, or one that
// matches ErrSource; that src ends too early is io.ErrUnexpectedEOF.
func Copy(dst io.Writer, src *os.File, ranges []Range) error {
	var way way
	file, ok := dst.(*os.File)
	if ok {
		way = wayTo(file)
	}
	for _, r := range ranges {
		if ok {
			var err error
			if r, err = way.copy(file, src, r); err != nil {
				return err
			}
		}
		if err := through(dst, src, r); err != nil {
			return err
		}
	}
	return nil
}

// through copies a range through memory.
func through(dst io.Writer, src io.ReaderAt, r Range) error {
	buf := make([]byte, min(blockSize, r.End-r.Start))
	for r.Start < r.End {
		buf = buf[:min(int64(len(buf)), r.End-r.Start)]
		n, err := src.ReadAt(buf, r.Start)
		if n < len(buf) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // it was truncated meanwhile
			}
			return fmt.Errorf("%w: %w", ErrSource, err)
		}
		if _, err := dst.Write(buf); err != nil {
			return err
		}
		r.Start += int64(n)
	}
	return nil
}
