package operand

import (
	"context"
	"errors"
	"io"

	"github.com/sess-tools/sess/internal/disk"
)

// Spool returns the bytes of an input of which nothing has been read: those of its file
// up to its size now or, of what can be read once, a copy.
func (in *Input) Spool(ctx context.Context) (*disk.Spool, error) {
	if f, size, ok := in.Large(0); ok {
		return &disk.Spool{ReaderAt: f, Size: size}, nil
	}
	return Spooled(ctx, in.Name, in)
}

// Spooled copies what can be read once. Errors of reading are those of a session called
// name; those of the copy are not.
func Spooled(ctx context.Context, name string, r io.Reader) (*disk.Spool, error) {
	return disk.Spooled(ctx, locating{name, r})
}

// locating says of an error of r whose it is.
type locating struct {
	name string
	r    io.Reader
}

func (l locating) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = located(l.name, err)
	}
	return n, err
}
