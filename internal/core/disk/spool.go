package disk

import (
	"bytes"
	"context"
	"io"
	"os"
)

// A Spool are bytes that can be read anywhere.
type Spool struct {
	io.ReaderAt
	Size int64

	file *os.File // of a copy, nil if it needs none
}

// inMemory is how many bytes of a copy are held in memory. A larger one is in a file.
const inMemory = 8 << 20

// Spooled copies what can be read once. An error of r is returned as it is.
func Spooled(ctx context.Context, r io.Reader) (*Spool, error) {
	r = Reader{Ctx: ctx, R: r}
	head, err := io.ReadAll(io.LimitReader(r, inMemory))
	if err != nil {
		return nil, err
	}
	if len(head) < inMemory {
		return &Spool{ReaderAt: bytes.NewReader(head), Size: int64(len(head))}, nil
	}
	f, err := Unnamed("sess")
	if err != nil {
		return nil, err
	}
	s := &Spool{ReaderAt: f, file: f}
	if s.Size, err = io.Copy(f, io.MultiReader(bytes.NewReader(head), r)); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

// Close gives back a copy.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}
