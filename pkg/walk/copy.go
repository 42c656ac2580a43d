package walk

import (
	"io"
	"os"
)

// Copy writes ranges of src to dst, as the system does it best: by reference
// into a pipe, within the file system into a file, else through memory. What
// has been written before an error stays written. The error is dst's own, or
// io.ErrUnexpectedEOF if src ends too early, or an error of src.
func Copy(dst, src *os.File, ranges []Range) error {
	way := wayTo(dst)
	for _, r := range ranges {
		r, err := way.copy(dst, src, r)
		if err != nil {
			return err
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
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF // it was truncated meanwhile
			}
			return err
		}
		if _, err := dst.Write(buf); err != nil {
			return err
		}
		r.Start += int64(n)
	}
	return nil
}
