package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// chill takes a file out of the page cache, and says if it is still there. It
// must have been written to the disk before.
func chill(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return err
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return skip("the page cache cannot be emptied here: " + err.Error())
	}
	// A read that may not wait succeeds on what is cached alone.
	_, err = unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 1)}, st.Size()/2, unix.RWF_NOWAIT)
	if !errors.Is(err, unix.EAGAIN) {
		return skip("the page cache of this file system cannot be emptied")
	}
	return nil
}
