package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
)

// shelf is a bucket in memory, for reading.
type shelf map[string][]byte

func (s shelf) Limits() Limits                                         { return Limits{MaxPart: 1 << 30} }
func (s shelf) Name() string                                           { return "shelf" }
func (s shelf) Close() error                                           { return nil }
func (s shelf) Create(context.Context, string, []byte) (string, error) { return "", nil }
func (s shelf) Put(context.Context, string, []byte) error              { return nil }

func (s shelf) Get(_ context.Context, name string, most int64, room []byte) ([]byte, error) {
	data, ok := s[name]
	switch {
	case !ok:
		return nil, ErrAbsent
	case int64(len(data)) > most:
		return nil, ErrTooLarge
	}
	room = bucket.Room(room, int64(len(data)))
	copy(room, data)
	return room, nil
}

func (s shelf) List(_ context.Context, prefix, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for n := uint64(1); n <= 1000; n++ {
			name := nameOf("k", n)
			data, ok := s[name]
			if ok && name > after && strings.HasPrefix(name, prefix) && !yield(Object{Name: name, Size: int64(len(data))}, nil) {
				return
			}
		}
	}
}

// However many parts there are, they are read into a few rooms, each with the bytes of
// its part, whatever the sizes of the others are.
func TestRooms(t *testing.T) {
	t.Parallel()
	s := shelf{marker: Marker(time.UnixMilli(0))}
	const count = 10 * readers
	for n := uint64(1); n <= count; n++ {
		s[nameOf("k", n)] = fmt.Appendf(nil, "%d %s\n", n, bytes.Repeat([]byte{'x'}, int(n*37%101)))
	}
	rooms, n := map[*byte]bool{}, uint64(0)
	for part, err := range Over(s, nil).Read(t.Context(), "k", 0) {
		if n++; err != nil || part.N != n || !bytes.Equal(part.Data, s[nameOf("k", n)]) {
			t.Fatalf("part %d is %q, number %d, %v", n, part.Data, part.N, err)
		}
		rooms[&part.Data[0]] = true
	}
	if n != count || len(rooms) > readers+1 {
		t.Errorf("%d parts in %d rooms", n, len(rooms))
	}
}

// lagging is a shelf whose list was made while part 4 and part 5 came.
type lagging struct{ shelf }

func (s lagging) List(ctx context.Context, prefix, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for o, err := range s.shelf.List(ctx, prefix, after) {
			if o.Name != nameOf("k", 4) && !yield(o, err) {
				return
			}
		}
	}
}

// A part that is only missing in a list is not damage, and neither is it passed over.
func TestListIsNoSnapshot(t *testing.T) {
	t.Parallel()
	s := shelf{marker: Marker(time.UnixMilli(0))}
	for n := uint64(1); n <= 5; n++ {
		s[nameOf("k", n)] = fmt.Appendf(nil, "%d\n", n)
	}
	for _, after := range []Pos{0, 2, 3} {
		last := after
		for part, err := range Over(lagging{s}, nil).Read(t.Context(), "k", after) {
			if err != nil || part.Pos != last+1 {
				t.Fatalf("behind %d: part %d, %v", after, part.Pos, err)
			}
			last = part.Pos
		}
		if last != 3 {
			t.Errorf("behind %d: up to part %d", after, last)
		}
	}
	gone := shelf{}
	for name, data := range s {
		if name != nameOf("k", 4) {
			gone[name] = data
		}
	}
	var err error
	for _, err = range Over(lagging{gone}, nil).Read(t.Context(), "k", 0) {
		if err != nil {
			break
		}
	}
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("a part that is gone: %v", err)
	}
}

// racing is a shelf whose first list has the sum of a writer who came too late for part 3, and not
// yet that of the one who did not.
type racing struct {
	shelf
	lists *int
	sum   func(n string, data []byte, list int) string
}

func (s racing) List(ctx context.Context, prefix, after string) iter.Seq2[Object, error] {
	*s.lists++
	list := *s.lists
	return func(yield func(Object, error) bool) {
		for o, err := range s.shelf.List(ctx, prefix, after) {
			o.Sums = []string{s.sum(o.Name, s.shelf[o.Name], list)}
			if !yield(o, err) {
				return
			}
		}
	}
}

// A sum that is not in a list yet is no damage; one that is never there is.
func TestSumsAreNoSnapshot(t *testing.T) {
	t.Parallel()
	s := shelf{marker: Marker(time.UnixMilli(0))}
	for n := uint64(1); n <= 3; n++ {
		s[nameOf("k", n)] = fmt.Appendf(nil, "%d\n", n)
	}
	for name, late := range map[string]int{"late": 1, "never": 1000} {
		parts, lists := 0, 0
		sum := func(n string, data []byte, list int) string {
			if n == nameOf("k", 3) && list <= late {
				data = []byte("too late\n")
			}
			return bucket.SumOf(data)
		}
		var err error
		for _, err = range Over(racing{s, &lists, sum}, nil).Read(t.Context(), "k", 0) {
			if err == nil {
				parts++
			}
		}
		if name == "late" && (err != nil || parts != 3) || name == "never" && (!errors.Is(err, ErrDamaged) || parts != 2) {
			t.Errorf("%s: %d parts, %v", name, parts, err)
		}
	}
}

// A part has a tag only if the bucket tells it from others, and in so many bytes as can be kept.
func TestTag(t *testing.T) {
	t.Parallel()
	p := listed{n: 3, size: 12, etag: "e"}
	if p.tag() != "3-12-e" {
		t.Errorf("%q", p.tag())
	}
	for _, etag := range []string{"", strings.Repeat("x", mostETag+1)} {
		p.etag = etag
		if p.tag() != "" || (Head{Key: "k", N: 3, Whole: true, log: &log{}, parts: []listed{{}, {}, p}}).Has(3, p.tag()) {
			t.Errorf("%.20q is one", etag)
		}
	}
}

// A listing without a part that is there has a gap for nobody: the session is asked for, and read as far as it is known to be whole.
func TestCarelessListing(t *testing.T) {
	t.Parallel()
	s := shelf{marker: Marker(time.UnixMilli(0))}
	for n := uint64(1); n <= 5; n++ {
		s[nameOf("k", n)] = fmt.Appendf(nil, "%d\n", n)
	}
	l := Over(lagging{s}, t.Logf)
	for h, err := range l.Heads(t.Context()) {
		if err != nil || h.Key != "k" || h.Whole {
			t.Fatalf("%+v, %v", h, err)
		}
		n := Pos(0)
		for part, err := range h.Read(t.Context(), l, 0) {
			if n++; err != nil || part.Pos != n {
				t.Fatalf("part %d, %v, want part %d", part.Pos, err, n)
			}
		}
		if n != 3 {
			t.Errorf("read up to part %d", n)
		}
	}
}
