package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/disk"
)

// A File is a file that is read: its bytes as they were when it was opened, as
// far as it only grows.
type File struct {
	io.ReaderAt
	Size    int64     // in bytes
	ModTime time.Time // zero for standard input

	close func() error
	mu    sync.Mutex
	lent  []*bufio.Reader
}

// bufferSize is the size of the buffers of files in bytes: what package jsonl
// wants, which then makes none.
const bufferSize = 64 << 10

// buffers are used again: of ten thousand small files they would be most of the
// garbage.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, bufferSize) }}

// Reader returns a buffered reader of the whole file that ends when ctx does, and
// must not be used after Close.
func (f *File) Reader(ctx context.Context) *bufio.Reader { return f.Begin(ctx, f.Size) }

// Begin is Reader for the first n bytes of the file.
func (f *File) Begin(ctx context.Context, n int64) *bufio.Reader {
	b, _ := buffers.Get().(*bufio.Reader)
	b.Reset(reader{ctx, io.NewSectionReader(f.ReaderAt, 0, min(n, f.Size))})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lent = append(f.lent, b)
	return b
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, b := range f.lent {
		b.Reset(nil)
		buffers.Put(b)
	}
	f.lent = nil
	if f.close == nil {
		return nil
	}
	return f.close()
}

// errIrregular says why a FIFO, a socket or a device is not read.
var errIrregular = errors.New("not a regular file")

// OpenFile opens the regular file at path, or the one a symbolic link there
// leads to, for reading. It never waits for another program, as opening a FIFO
// would.
func OpenFile(path string) (*File, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, disk.Cause(err))
	}
	fi, err := f.Stat()
	switch {
	case err != nil:
	case fi.IsDir():
		err = errors.New("is a directory")
	case !fi.Mode().IsRegular():
		err = errIrregular
	default:
		return &File{ReaderAt: f, Size: fi.Size(), ModTime: fi.ModTime(), close: f.Close}, nil
	}
	f.Close()
	return nil, fmt.Errorf("reading %s: %w", path, disk.Cause(err))
}
