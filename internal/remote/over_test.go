package remote

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
)

// shelf is a bucket in memory, for reading.
type shelf map[string][]byte

func (s shelf) Limits() Limits                               { return Limits{MaxPart: 1 << 30} }
func (s shelf) Name() string                                 { return "shelf" }
func (s shelf) Close() error                                 { return nil }
func (s shelf) Create(context.Context, string, []byte) error { return nil }
func (s shelf) Put(context.Context, string, []byte) error    { return nil }

func (s shelf) Get(_ context.Context, name string, _ int64, room []byte) ([]byte, error) {
	data, ok := s[name]
	if !ok {
		return nil, ErrAbsent
	}
	room = Room(room, int64(len(data)))
	copy(room, data)
	return room, nil
}

func (s shelf) List(_ context.Context, prefix, after string) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		for n := uint64(1); ; n++ {
			name := nameOf("k", n)
			data, ok := s[name]
			if !ok || name > after && strings.HasPrefix(name, prefix) && !yield(Object{Name: name, Size: int64(len(data))}, nil) {
				return
			}
		}
	}
}

// However many parts there are, they are read into a few rooms, each with the bytes of
// its part, whatever the sizes of the others are.
func TestRooms(t *testing.T) {
	t.Parallel()
	s := shelf{marker: []byte("{}\n")}
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
