package replica

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
	"github.com/sess-tools/sess/pkg/session"
)

// A file is the file of a session, open and not locked.
type file struct {
	*os.File
	real   string // with symbolic links resolved
	info   fs.FileInfo
	header session.Header
	lead   int64 // bytes in front of the header
	end    int64 // of the last whole line
	torn   bool  // there is something behind it
}

func openFile(path string) (*file, error) {
	name, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, disk.Cause(err))
	}
	h, err := os.OpenFile(name, os.O_RDONLY|disk.Nonblock, 0)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, disk.Cause(err))
	}
	f := &file{File: h, real: name}
	if err := f.look(); err != nil {
		h.Close()
		return nil, fmt.Errorf("%s: %w", path, disk.Cause(err))
	}
	return f, nil
}

// look finds the header and the end.
func (f *file) look() (err error) {
	if f.info, err = f.Stat(); err != nil {
		return err
	}
	if err := disk.Regular(f.info); err != nil {
		return err
	}
	if f.header, f.lead, err = headerIn(io.NewSectionReader(f, 0, f.info.Size())); err != nil {
		return err
	}
	if err := f.header.CanAppend(); err != nil {
		return err
	}
	f.end, err = wholeEnd(f, f.info.Size())
	f.torn = f.end < f.info.Size()
	return err
}

// headerIn returns the header that r has, and where it begins.
func headerIn(r io.Reader) (session.Header, int64, error) {
	for l, err := range jsonl.Lines(r) {
		if err != nil {
			return session.Header{}, 0, err
		}
		if e, perr := session.ParseEntry(string(l.Data)); perr == nil && e.IsTitleSlot() && l.Offset == 0 {
			continue
		}
		h, err := session.HeaderOf(l.Data)
		if err == nil && l.Torn {
			err = fmt.Errorf("%w: the header is not complete", session.ErrNotSession)
		}
		return h, l.Offset, err
	}
	return session.Header{}, 0, session.ErrNotSession
}

// wholeEnd returns where the last whole line of the first size bytes ends.
func wholeEnd(r io.ReaderAt, size int64) (int64, error) {
	for l, err := range jsonl.Backward(r, size) {
		if err != nil {
			return 0, err
		}
		if l.Torn {
			return l.Offset, nil
		}
		break
	}
	return size, nil
}

// size is that of the lines from the header on.
func (f *file) size() int64 { return f.end - f.lead }

// section returns the bytes between two places, counted from the header.
func (f *file) section(from, to int64) *io.SectionReader {
	return io.NewSectionReader(f, f.lead+from, to-from)
}

// key is that of the session.
func (f *file) key() (string, error) {
	if !session.ValidSessionID(f.header.ID) {
		return "", fmt.Errorf("%w: the id %.80q cannot name a file on other machines", session.ErrMalformed, f.header.ID)
	}
	return remote.KeyOf(f.header.ID), nil
}

// Key returns the key of the session in a file.
func Key(path string) (string, error) {
	f, err := openFile(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return f.key()
}

// CheckFirst returns the header of the session that the first part begins with, and an
// error if that is not the session of the key.
func CheckFirst(part []byte, key string) (session.Header, error) {
	h, _, err := headerIn(bytes.NewReader(part))
	switch {
	case err != nil:
		err = fmt.Errorf("part 1: %w", err)
	case remote.KeyOf(h.ID) != key, !session.ValidSessionID(h.ID):
		err = fmt.Errorf("part 1 is of another session, %.80q: %w: %w", h.ID, remote.ErrDamaged, session.ErrMalformed)
	case h.CanAppend() != nil:
		err = h.CanAppend()
	}
	return h, err
}

// suspect warns of lines of the remote that no program would append: an entry that the file
// has with other words, which would take its place, a second header, and bytes of zero. They are
// taken, or the copies would differ for ever.
func (s *transfer) suspect(theirs own, file io.Reader) {
	told := 0
	warn := func(format string, args ...any) {
		if told++; told <= mostSuspects {
			s.Warn("%s: from the remote: %s", s.path, fmt.Sprintf(format, args...))
		}
	}
	ids := map[string][]byte{}
	for _, line := range theirs {
		if why := odd(line); why != "" {
			warn("a line is %s: %.40q", why, line)
		}
		if id := idOf(bytes.TrimSuffix(line, []byte("\n"))); id != "" {
			ids[id] = line
		}
	}
	for l, err := range jsonl.Lines(file) {
		if err != nil {
			return // who reads the file next says so
		}
		id := idIn(l.Data, ids)
		if id != "" && idOf(l.Data) == id && !bytes.Equal(bytes.TrimSuffix(ids[id], []byte("\n")), l.Data) {
			warn("the entry %.80q comes again with other bytes, and the last one counts", id)
			delete(ids, id)
		}
	}
	if told > mostSuspects {
		s.Warn("%s: from the remote: %d more such lines", s.path, told-mostSuspects)
	}
}

// mostSuspects is how many lines of one pull are named.
const mostSuspects = 10

const secondHeader = "a second header"

// odd returns the fault of a line that no program appends, "" for a good line. The header is asked
// for behind the first line alone.
func odd(line []byte) string {
	if bytes.IndexByte(line, 0) >= 0 {
		return "of bytes of zero"
	}
	if !bytes.Contains(line, []byte(`"`+session.TypeSession+`"`)) {
		return ""
	}
	if typ, _ := js.Value(bytes.TrimSpace(line)).Get("type").Text(); typ == session.TypeSession {
		return secondHeader
	}
	return ""
}

// idIn returns the one of some ids that a line may be the entry of, without reading the line
// as JSON: most are none of them.
func idIn(line []byte, ids map[string][]byte) string {
	for rest := line; ; {
		_, behind, ok := bytes.Cut(rest, []byte(`"id"`))
		if !ok {
			return ""
		}
		rest = behind
		value := bytes.TrimLeft(behind, " \t:")
		if len(value) == 0 || value[0] != '"' {
			continue
		}
		if end := bytes.IndexByte(value[1:], '"'); end >= 0 {
			if _, ok := ids[string(value[1:1+end])]; ok {
				return string(value[1 : 1+end])
			}
		}
	}
}
