package operand

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/disk"
)

// A Spool are the bytes of an input, which can be read anywhere.
type Spool struct {
	io.ReaderAt
	Size int64

	file *os.File // of a copy, nil if it needs none
}

// inMemory is how many bytes of a copy are held in memory. A larger one is in a file.
const inMemory = 8 << 20

// Spool returns the bytes of an input of which nothing has been read: those of its file
// up to its size now or, of what can be read once, a copy.
func (in *Input) Spool(ctx context.Context) (*Spool, error) {
	if f, size, ok := in.Large(0); ok {
		return &Spool{ReaderAt: f, Size: size}, nil
	}
	return Spooled(ctx, in.Name, in)
}

// Spooled copies what can be read once. Errors of reading are those of a session called
// name.
func Spooled(ctx context.Context, name string, r io.Reader) (*Spool, error) {
	source := &failing{r: disk.Reader{Ctx: ctx, R: r}}
	head, err := io.ReadAll(io.LimitReader(source, inMemory))
	if err != nil {
		return nil, located(name, err)
	}
	if len(head) < inMemory {
		return &Spool{ReaderAt: bytes.NewReader(head), Size: int64(len(head))}, nil
	}
	f, err := disk.Unnamed("sess")
	if err != nil {
		return nil, err
	}
	s := &Spool{ReaderAt: f, file: f}
	if s.Size, err = io.Copy(f, io.MultiReader(bytes.NewReader(head), source)); err != nil {
		f.Close()
		if source.err != nil {
			err = located(name, source.err)
		}
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

// failing tells an error of r from one of the file that it is copied to.
type failing struct {
	r   io.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}
