package remote

import (
	"context"
	"iter"
)

// ahead yields what get returns for each of a list, in order, and calls it for a number
// of them at a time.
func ahead[T, R any](ctx context.Context, list []T, width int, get func(context.Context, T) (R, error)) iter.Seq2[R, error] {
	type result struct {
		r   R
		err error
	}
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var queue []chan result
		next := 0
		start := func() {
			c := make(chan result, 1)
			queue = append(queue, c)
			go func(t T) {
				r, err := get(ctx, t)
				c <- result{r, err}
			}(list[next])
			next++
		}
		for next < len(list) || len(queue) > 0 {
			for next < len(list) && len(queue) < width {
				start()
			}
			r := <-queue[0]
			queue = queue[1:]
			if !yield(r.r, r.err) {
				return
			}
		}
	}
}
