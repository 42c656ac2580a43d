package storev2

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/beside"
	"github.com/sess-tools/sess/internal/core/disk"
	"github.com/sess-tools/sess/pkg/js"
)

const indexFile = beside.IndexFile

// Options says how a store is written. The zero value is ready for use.
type Options struct {
	// MaxSegment is the size in bytes that a segment does not outgrow; 0 is
	// 64 MiB, which is also the most that pi takes.
	MaxSegment int64
	// Extended stores entries and sessions that the contract has no place for
	// under schema ids of our own. pi refuses such a store and reads the JSONL
	// file beside it.
	Extended bool
	// FreshIDs promises that the ids of appended entries were made at random
	// just now ([session.UniqueEntryID]), so that none is looked up in the index.
	FreshIDs bool
	// DryRun makes [Migrate] build and verify a store, and then discard it.
	DryRun bool
	// Force makes [Rollback] leave the entries behind that are in the store alone.
	Force bool
	// Wait bounds the wait for the locks, as [jsonl.Options.Wait].
	Wait time.Duration
	// NoSync leaves appended entries to the operating system, to be made durable
	// when it likes. All other operations sync in any case.
	NoSync bool
	// Now is the clock; nil is [time.Now].
	Now func() time.Time
}

func (o *Options) now() string {
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	return js.FormatTime(now().UnixMilli())
}

func (o *Options) maxSegment() int64 {
	if o.MaxSegment <= 0 {
		return defaultSegment
	}
	return o.MaxSegment
}

// A Store is a segmented store. It holds no file open and no lock between two
// calls, and is safe for concurrent use.
type Store struct {
	d   disk.FS
	dir string
	o   Options

	mu sync.Mutex // of writers in this process
}

// Dir returns the directory of the store that belongs to a JSONL file.
func Dir(path string) string { return beside.Dir(path) }

// Source returns the JSONL file that the store in dir belongs to.
func Source(dir string) string { return beside.Source(dir) }

// Open opens the store in dir. It reads a few hundred bytes, however large the
// store is, takes no lock and changes nothing. A store that is not in order can
// be opened and read as far as its index goes.
//
// Errors: [ErrNotStore]; [io/fs.ErrNotExist]; whatever the file system says.
func Open(dir string, o Options) (*Store, error) { return openStore(disk.OS{}, dir, o) }

func openStore(d disk.FS, dir string, o Options) (*Store, error) {
	fi, err := d.Lstat(dir)
	if err != nil {
		return nil, about("opening "+dir, err)
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("opening %s: %w: not a directory", dir, ErrNotStore)
	}
	for _, name := range []string{manifestFile, indexFile} {
		_, err := d.Lstat(joined(dir, name))
		if err == nil {
			return newStore(d, dir, o), nil
		}
		if !missing(err) {
			return nil, about("opening "+dir, err)
		}
	}
	return nil, fmt.Errorf("opening %s: %w", dir, ErrNotStore)
}

// Dir returns the directory of the store.
func (s *Store) Dir() string { return s.dir }

func newStore(d disk.FS, dir string, o Options) *Store {
	return &Store{d: d, dir: dir, o: o}
}

func (s *Store) segmentPath(n int64) string { return joined(s.dir, segmentName(n)) }

func segmentName(n int64) string { return fmt.Sprintf("segments/%016d.seg", n) }

// openSegment opens segment n, which another program may have named with fewer
// zeros.
func (s *Store) openSegment(n int64, flag int) (disk.File, error) {
	f, err := openFile(s.d, s.segmentPath(n), flag)
	if !missing(err) {
		return f, err
	}
	segs, lerr := s.segments()
	for _, g := range segs {
		if lerr == nil && g.number == n {
			return openFile(s.d, joined(s.dir, "segments", g.name), flag)
		}
	}
	return nil, err
}

// A segment is a file of the segments directory.
type segment struct {
	number int64
	name   string
	size   int64
}

// segments returns the segment files in the order of their numbers.
func (s *Store) segments() ([]segment, error) {
	entries, err := s.d.ReadDir(joined(s.dir, "segments"))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, about("reading segments", err)
	}
	byNumber := map[int64]segment{}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), ".seg")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(stem, 10, 64)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%w: %s is no name of a segment", ErrCorrupt, e.Name())
		}
		fi, err := s.d.Lstat(joined(s.dir, "segments", e.Name()))
		if err == nil && !fi.Mode().IsRegular() {
			err = fmt.Errorf("%w: not a regular file", ErrCorrupt)
		}
		if err != nil {
			return nil, about("segment "+e.Name(), err)
		}
		if _, twice := byNumber[n]; twice {
			return nil, fmt.Errorf("%w: segment %d exists twice", ErrCorrupt, n)
		}
		byNumber[n] = segment{n, e.Name(), fi.Size()}
	}
	var out []segment
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		out = append(out, byNumber[n])
	}
	return out, nil
}

// currentState returns the last transition. For the store of another program it is derived from the
// files.
func (s *Store) currentState() (transition, error) {
	t, ok, err := readState(s.d, s.dir)
	if err != nil || ok {
		return t, err
	}
	t = transition{from: Dirty, to: Clean}
	if ours, err := s.committed(); err != nil {
		return t, err
	} else if ours {
		t.broken = "it is missing or empty"
	}
	last, err := s.lastRow()
	if err != nil || last.seq == 0 {
		return t, nil // damage shows elsewhere
	}
	t.to = Indexed
	points, err := checkpoints(s.d, s.dir)
	if err == nil && len(points) > 0 && points[len(points)-1].HeadSeq == last.seq {
		t.to = Checkpointed
	}
	return t, nil
}

// named adds the directory to an error, once.
func (s *Store) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.dir, disk.Cause(err))
}

// A Status describes a store from its head, without reading the rest.
type Status struct {
	State     State
	Reason    string // of the last transition; empty for a store of another program
	SessionID string
	Entries   int64
	HeadID    string // of the last entry; empty if there is none
	Chain     string // the hash chain after the last entry, as the manifest has it
	Bytes     int64  // of all frames
	Segments  int64
	Extended  bool // holds what the contract has no place for
	Committed bool // was migrated by this package, rather than cached by pi
}

// Status returns what manifest and state say.
func (s *Store) Status() (Status, error) {
	st, err := s.currentState()
	if err != nil {
		return Status{}, s.named(err)
	}
	out := Status{State: st.to, Reason: st.reason}
	m, err := readManifest(s.d, s.dir)
	if err != nil {
		return out, s.named(err)
	}
	out.SessionID, out.Entries, out.HeadID = m.SessionID, m.Counters.Entries, m.Head.ID
	out.Chain, out.Bytes, out.Segments = m.Integrity.Chain, m.Counters.Bytes, m.Files.SegmentCount
	out.Extended = m.Schema == manifestExtended
	out.Committed, err = s.committed()
	return out, s.named(err)
}
