package seg

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Four appenders and four readers, each with a Store of its own: readers see a
// prefix that only grows, and the chain verifies at every moment.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	each := 60 // entries of a writer
	if testing.Short() {
		each = 15
	}
	_, name := newTestStore(t, 3)
	o := Options{MaxSegment: 4000, Wait: time.Minute}
	done := make(chan struct{})
	var writers, readers sync.WaitGroup
	var acked atomic.Int64
	for k := range 4 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			s, err := openStore(fastDisk{}, Dir(name), o)
			for n := 0; n < each && err == nil; n++ {
				line := fmt.Sprintf(`{"type":"message","id":"w%d-%d","parentId":"e0000003"}`, k, n)
				if err = s.Append(t.Context(), []byte(line)); err == nil {
					acked.Add(1)
				}
			}
			if err != nil {
				t.Error(err)
			}
		}()
	}
	for k := range 4 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			s, err := openStore(fastDisk{}, Dir(name), o)
			if err != nil {
				t.Error(err)
				return
			}
			watch(t, s, k, &acked, done)
		}()
	}
	writers.Wait()
	close(done)
	readers.Wait()
	s := mustOpen(t, Dir(name), o)
	rep := wantSound(t, s)
	if want := acked.Load() + 3; rep.Entries != want || want != int64(4*each+3) {
		t.Errorf("%d entries, %d were acknowledged", rep.Entries, want)
	}
}

// watch reads a store that grows, until done, and once more.
func watch(t *testing.T, s *Store, k int, acked *atomic.Int64, done <-chan struct{}) {
	var before []string
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		if k == 0 {
			rep, err := s.Verify(t.Context())
			if err != nil || !rep.OK() {
				t.Errorf("verifying: %v, %+v", err, rep)
				return
			}
			continue
		}
		least := int(acked.Load()) + 3
		var got []string
		for e, err := range s.Entries() {
			if err != nil {
				t.Error(err)
				return
			}
			got = append(got, e.ID)
		}
		if len(got) < least || len(got) < len(before) {
			t.Errorf("%d entries, %d were acknowledged and %d seen before", len(got), least, len(before))
			return
		}
		for i, id := range before {
			if got[i] != id {
				t.Errorf("entry %d was %s and is %s", i+1, id, got[i])
				return
			}
		}
		before = got
		// The store may have grown since.
		if tail, err := s.Tail(5); err != nil || len(tail) < min(5, len(got)) || len(tail) > 5 {
			t.Errorf("tail of %d, %v", len(tail), err)
			return
		}
	}
}
