package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/session"
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
	b.Reset(disk.Reader{Ctx: ctx, R: &rising{R: io.NewSectionReader(f.ReaderAt, 0, min(n, f.Size))}})
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lent = append(f.lent, b)
	return b
}

// A rising reader reads little at first, and more each time: who looks at the first lines of ten thousand files wants no more of them.
type rising struct {
	R    io.Reader
	most int // of the next read, in bytes; 0 for the first
}

func (r *rising) Read(b []byte) (int, error) {
	if r.most = max(2*r.most, leastRead); r.most >= len(b) {
		return r.R.Read(b)
	}
	return r.R.Read(b[:r.most])
}

// leastRead is how much a file is read at first, in bytes.
const leastRead = 4 << 10

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
		return nil, fmt.Errorf("opening %s: %w", disk.Subject(path), disk.Cause(err))
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

// Damaged returns the error of a source that is damaged; it matches session.ErrMalformed. The text
// names the place.
func Damaged(format string, args ...any) error {
	return session.Problem{Kind: KindDamage, Text: fmt.Sprintf(format, args...)}
}

// Describe fills in what reading a session whole tells for a listing. It is for
// formats that have no faster way.
func Describe(ctx context.Context, a Archive, info Info) (Info, error) {
	scanned, rerr, err := session.ScanLines(func(line func(string) error) error {
		b := NewBuilder("sess", line, func(Loss) {}) // entries that are put aside count as none
		b.Unkept = true
		return b.Read(ctx, a, info)
	})
	switch {
	case errors.Is(rerr, ErrUnread):
		info.Unread, info.Exact = true, false
		return info, rerr
	case rerr != nil:
		return info, rerr
	case err != nil:
		return info, fmt.Errorf("%s: %w", info.Path, err)
	}
	info.Info = scanned
	return info, nil
}

// ErrNotFound is the error of a session that is not in the archive.
var ErrNotFound = errors.New("no such session")

// Several is the error of an id that means more than one session.
type Several struct {
	ID       string
	Sessions []Info
}

func (e *Several) Error() string {
	return fmt.Sprintf("%s means %d sessions: %s", e.ID, len(e.Sessions), IDs(e.Sessions))
}

// Find returns the session of the archive that id means: the one with that id or in the file of that
// path, else the only one whose id begins with it, if it has four characters, else the
// only one with that name or alias. Sessions that cannot be listed are passed over; if
// nothing was found the first of their errors is told.
func Find(ctx context.Context, a Archive, id string) (Info, error) {
	var exact, prefixed, named []Info
	var broken error
	for info, err := range a.List(ctx, Query{ID: id}) {
		if cerr := ctx.Err(); cerr != nil {
			return Info{}, cerr
		}
		switch {
		case err != nil && broken == nil:
			broken = err
		case err != nil:
		case info.ID == id, info.Path == id:
			exact = append(exact, info)
		case len(id) >= session.MinPrefix && strings.HasPrefix(info.ID, id):
			prefixed = append(prefixed, info)
		case info.Name == id, info.Alias == id:
			named = append(named, info)
		}
	}
	for _, found := range [][]Info{exact, prefixed, named} {
		switch len(found) {
		case 0:
		case 1:
			return found[0], nil
		default:
			return Info{}, &Several{id, found}
		}
	}
	if broken != nil {
		return Info{}, fmt.Errorf("%w %s; and not all could be read: %s", ErrNotFound, id, broken.Error())
	}
	return Info{}, fmt.Errorf("%w %s", ErrNotFound, id)
}

// maxNamed is how many sessions a message names.
const maxNamed = 5

// IDs returns the ids of sessions for a message, the first of them. Those that share an id are told apart by
// the paths of their files.
func IDs(list []Info) string {
	having := map[string]int{}
	for _, info := range list {
		having[info.ID]++
	}
	var ids []string
	for i, info := range list {
		if i == maxNamed {
			ids = append(ids, "…")
			break
		}
		if having[info.ID] > 1 {
			info.ID = info.Path
		}
		ids = append(ids, info.ID)
	}
	return strings.Join(ids, ", ")
}
