package parallel_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sess-tools/sess/internal/core/parallel"
)

// counted yields the numbers below n and counts those that were taken.
func counted(n int, taken *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			taken.Add(1)
			if !yield(i) {
				return
			}
		}
	}
}

// Results come in the order of the jobs, with their errors, however long each takes.
func TestOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		odd := errors.New("odd")
		var got []int
		for v, err := range parallel.MapErr(t.Context(), 4, slices.Values([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), func(_ context.Context, n int) (int, error) {
			time.Sleep(time.Duration(10-n) * time.Second)
			if n%2 == 1 {
				return n, odd
			}
			return n, nil
		}) {
			if (err != nil) != (v%2 == 1) {
				t.Errorf("%d: %v", v, err)
			}
			got = append(got, v)
		}
		if !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("%v", got)
		}
	})
}

// A slow first job holds the rest back: no more of them begin than there is room for.
func TestBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const width = 3
		var taken, begun, running, most atomic.Int64
		for v := range parallel.Map(t.Context(), width, counted(50, &taken), func(_ context.Context, n int) int {
			begun.Add(1)
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			if n == 0 {
				time.Sleep(time.Hour)
				if got := begun.Load(); got != width+1 {
					t.Errorf("%d had begun behind a slow one", got)
				}
			}
			time.Sleep(time.Second)
			return n
		}) {
			if ahead := begun.Load() - int64(v); ahead > width+2 {
				t.Errorf("at %d %d are ahead", v, ahead)
			}
		}
		if begun.Load() != 50 || most.Load() < 2 || most.Load() > width+2 {
			t.Errorf("%d begun, %d at once", begun.Load(), most.Load())
		}
	})
}

// Who ends early waits for what is under way, whose context is done, and for nothing else.
func TestEarlyEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		var taken, running atomic.Int64
		for v := range parallel.Map(t.Context(), 4, counted(1000, &taken), func(ctx context.Context, n int) int {
			running.Add(1)
			defer running.Add(-1)
			if n < 2 {
				return n
			}
			<-ctx.Done()
			return n
		}) {
			if v == 1 {
				break
			}
		}
		if n := running.Load(); n != 0 {
			t.Errorf("%d still run", n)
		}
		if n := taken.Load(); n > 10 {
			t.Errorf("%d jobs were taken", n)
		}
	})
}

// A context that is done ends it, and no job begins any more.
func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var taken atomic.Int64
		n := 0
		for range parallel.Map(ctx, 2, counted(1000, &taken), func(context.Context, int) int { return 0 }) {
			if n++; n == 5 {
				cancel()
			}
		}
		if n < 5 || taken.Load() > 20 {
			t.Errorf("%d results, %d taken", n, taken.Load())
		}
	})
}

func TestNone(t *testing.T) {
	t.Parallel()
	for range parallel.Map(t.Context(), 1, slices.Values([]int(nil)), func(context.Context, int) int { return 0 }) {
		t.Error("a result of nothing")
	}
}
