// Package parallel works on many jobs side by side and gives their results in order.
package parallel

import (
	"context"
	"iter"
)

// Map yields the result of do for each job, in the order of the jobs. Jobs are taken from their
// sequence in another goroutine, ahead of the results: at most width of them are worked on or done,
// beside the one whose result is waited for or looked at; so a slow first one holds the others
// back, and memory is bounded.
//
// When the iteration ends early the context of the jobs under way is canceled. Map returns when
// none of them runs any more, so a sequence that waits for something has to end with ctx. No job
// begins when ctx is done, and then there are fewer results than jobs.
func Map[J, R any](ctx context.Context, width int, jobs iter.Seq[J], do func(context.Context, J) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		type work struct {
			job  J
			done chan<- R
		}
		ctx, cancel := context.WithCancel(ctx)
		queue := make(chan chan R, width)
		go func() {
			defer close(queue)
			// Workers go on with their stacks, which a goroutine for each job would grow anew.
			todo := make(chan work)
			defer close(todo)
			workers := 0
			for job := range jobs {
				done := make(chan R, 1)
				select {
				case queue <- done:
				case <-ctx.Done():
					return
				}
				if ctx.Err() != nil {
					close(done)
					return
				}
				if workers++; workers <= width+1 {
					go func() {
						for w := range todo {
							w.done <- do(ctx, w.job)
						}
					}()
				}
				todo <- work{job, done}
			}
		}()
		defer func() {
			cancel()
			for done := range queue {
				<-done
			}
		}()
		for done := range queue {
			if r, ok := <-done; !ok || !yield(r) {
				return
			}
		}
	}
}

// MapErr is Map for what may fail.
func MapErr[J, R any](ctx context.Context, width int, jobs iter.Seq[J], do func(context.Context, J) (R, error)) iter.Seq2[R, error] {
	type result struct {
		value R
		err   error
	}
	return func(yield func(R, error) bool) {
		for r := range Map(ctx, width, jobs, func(ctx context.Context, job J) result {
			value, err := do(ctx, job)
			return result{value, err}
		}) {
			if !yield(r.value, r.err) {
				return
			}
		}
	}
}
