package s3

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/share/remote"
	"github.com/sess-tools/sess/internal/test/remotetest"
)

// partName is the name of an object that is a part.
func partName(key string, n uint64) string {
	return fmt.Sprintf("team/a/v1/s/%s/%s/%012d", remote.Shard(key), key, n)
}

// stored has so many sessions of one to three parts, and answers lists as real servers do.
func stored(t *testing.T, sessions int) fake {
	f := newFake(t)
	f.Page = 1000
	f.Objects["team/a/v1/remote.json"] = remotetest.Marked()
	for i := range sessions {
		key := fmt.Sprintf("s%d", i)
		for n := range uint64(i%3) + 1 {
			f.Store(partName(key, n+1), fmt.Sprintf("{\"key\":%q,\"n\":%d}\n", key, n+1))
		}
	}
	return f
}

// All sessions are listed by a request for each thousand of parts, and, where there are many, by one for each shard.
func TestHeads(t *testing.T) {
	t.Parallel()
	for sessions, most := range map[int]int{2500: 5, 11000: 60} {
		t.Run(fmt.Sprint(sessions), func(t *testing.T) {
			t.Parallel()
			f := stored(t, sessions)
			l := f.log(t)
			list := remotetest.Heads(t, l)
			counts := f.Count()
			if len(list) != sessions || counts["LIST"] > most || counts["GET"] != 1 {
				t.Errorf("%d sessions by %v", len(list), counts)
			}
			for i := range sessions {
				if h := list[fmt.Sprintf("s%d", i)]; h.N != uint64(i%3)+1 || !h.Whole || h.Tag == "" {
					t.Fatalf("session %d: %+v", i, h)
				}
			}
		})
	}
}

// A part that comes between two answers of one list, or is hidden by a list that lags behind, is there the next time. A
// part that is only missing in the list makes no gap.
func TestHeadsOfAStaleList(t *testing.T) {
	t.Parallel()
	f := stored(t, 30)
	f.Page = 7
	l := f.log(t)
	came := 0
	f.Listed = func() { // which holds the lock of the fake
		if came++; came == 3 {
			data := []byte("{}\n")
			for i := range 30 { // some of them in front of what was listed, and some behind it
				f.Objects[partName(fmt.Sprintf("s%d", i), uint64(i%3)+2)] = remotetest.Stored{Data: data, Sum: bucket.SumOf(data)}
			}
		}
	}
	old, more := 0, 0
	for key, h := range remotetest.Heads(t, l) {
		var i int
		if _, err := fmt.Sscanf(key, "s%d", &i); err != nil {
			t.Fatal(err)
		}
		switch n := uint64(i%3) + 1; {
		case !h.Whole:
			t.Errorf("%s has a gap: %+v", key, h)
		case h.N == n:
			old++
		case h.N == n+1:
			more++
		}
	}
	if old == 0 || more == 0 || old+more != 30 {
		t.Errorf("%d without the new part and %d with it", old, more)
	}
	f.Listed = nil
	for n := range uint64(3) {
		if _, err := l.Append(t.Context(), "new", remote.Pos(n), n+1, []byte("{}\n")); err != nil {
			t.Fatal(err)
		}
	}
	for hide, want := range []uint64{3, 2, 1, 0} {
		f.Hide = hide
		if h := remotetest.Heads(t, l)["new"]; h.N != want || h.Whole != (want > 0) {
			t.Errorf("%d hidden: %+v", hide, h)
		}
	}
	f.Hide = 0
	f.Change("/new/000000000003", func(o *object) { o.Data = []byte("[]\n") })
	if h := remotetest.Heads(t, l)["new"]; h.Has(3, l.Tag("new", 3)) || !h.Has(2, h.TagOf(2)) || l.Tag("new", 2) != "" {
		t.Errorf("part 3 has other bytes: %+v, %q", h, l.Tag("new", 3))
	}
}

// A listing ends where it would take more requests than asking for each session that is wanted, and says nothing of those
// that it did not come to.
func TestListing(t *testing.T) {
	t.Parallel()
	f := stored(t, 11000)
	l := f.log(t)
	last := ""
	for key := range remotetest.Heads(t, l) {
		if last == "" || partName(key, 1) > partName(last, 1) {
			last = key
		}
	}
	f.Count()
	wanted := []string{"nowhere", last}
	want := func(key string) bool { return slices.Contains(wanted, key) }
	for count, lists := range map[int]int{15: 0, 16: 17, 60: 60} {
		list, err := remote.List(t.Context(), l, count, want)
		if n := f.Count()["LIST"]; err != nil || n > lists {
			t.Errorf("of %d: %d lists, %v", count, n, err)
		}
		if h := list.Head(last); h.Whole != (count == 60) || h.Key != last {
			t.Errorf("of %d: %+v", count, h)
		}
		if h := list.Head("nowhere"); h.Whole != (count == 60) || h.N != 0 {
			t.Errorf("of %d, one that is not there: %+v", count, h)
		}
		if h := list.Head("s1"); h.N != 0 {
			t.Errorf("of %d, one that was not wanted: %+v", count, h)
		}
	}
}
