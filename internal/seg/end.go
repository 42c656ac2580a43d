package seg

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sess-tools/sess/internal/disk"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// An end is what follows the indexed part of a store.
type end struct {
	frames []frame // complete, and next in number
	rows   []row
	heal   string // a segment whose last frame lacks only its line feed
	torn   string // a segment that ends in something else,
	at     int64  // from this byte on
	bytes  []byte // namely this
	empty  []string
}

func (e *end) clean() bool {
	return len(e.rows) == 0 && e.torn == "" && e.heal == "" && len(e.empty) == 0
}

// endAfter reads what stands in the segments behind the entry of last.
func (s *Store) endAfter(last row) (*end, error) {
	e := &end{}
	from := row{segment: max(last.segment, 1), number: last.number, seq: last.seq, offset: last.end()}
	for {
		f, err := s.openSegment(from.segment, os.O_RDONLY)
		if missing(err) {
			return e, nil
		}
		if err != nil {
			return nil, about(fmt.Sprintf("segment %d", from.segment), err)
		}
		if e.torn != "" || e.heal != "" {
			f.Close()
			return nil, fmt.Errorf("%w: segment %d follows a broken one", ErrCorrupt, from.segment)
		}
		err = e.read(f, &from, s.segmentPath(from.segment))
		f.Close()
		if err != nil {
			return nil, about(fmt.Sprintf("segment %d", from.segment), err)
		}
		from = row{segment: from.segment + 1, seq: from.seq}
	}
}

// read takes the frames of one segment from at.offset on.
func (e *end) read(f disk.File, at *row, name string) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Size() == 0 {
		e.empty = append(e.empty, name)
	}
	start := at.offset
	for l, err := range jsonl.Lines(io.NewSectionReader(f, start, fi.Size()-start)) {
		if err != nil {
			return err
		}
		g, gerr := nextFrame(string(l.Data), at)
		if errors.Is(gerr, errOrder) && !l.Torn {
			return gerr // somebody's whole frame: not for us to cut off
		}
		if gerr != nil {
			e.torn, e.at = name, start+l.Offset
			e.bytes = make([]byte, fi.Size()-e.at)
			_, err := f.ReadAt(e.bytes, e.at)
			return err
		}
		if l.Torn {
			e.heal = name
		}
		line := append(append(make([]byte, 0, len(l.Data)+1), l.Data...), '\n')
		r := row{
			seq: g.seq, segment: g.segment, number: g.number, id: g.id, offset: start + l.Offset, length: int64(len(line)),
			crc: checksum(line), extended: !isEntryID(g.id),
		}
		e.frames, e.rows = append(e.frames, g), append(e.rows, r)
		at.number, at.seq = g.number, g.seq
	}
	return nil
}

var errOrder = errors.New("not the next frame")

// nextFrame parses the frame that follows the one of at in the same segment.
func nextFrame(line string, at *row) (frame, error) {
	f, err := parseFrame(line)
	if err == nil && (f.segment != at.segment || f.number != at.number+1 || f.seq != at.seq+1) {
		err = fmt.Errorf("%w: %w: frame %d of segment %d, entry %d, follows frame %d, entry %d",
			ErrCorrupt, errOrder, f.number, f.segment, f.seq, at.number, at.seq)
	}
	if err == nil {
		err = f.checkPayload()
	}
	if err == nil {
		err = f.agrees()
	}
	return f, err
}
