package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/sess-tools/sess/internal/ordered"
	"github.com/sess-tools/sess/internal/tool/clikit"
)

// workers is how many sessions are worked on at once.
const workers = 16

// each calls do for each of a list, several at a time, and returns what it returns, in
// order. What has failed does not stop the others. Do calls moved with the number of bytes
// that it has pushed or pulled, as it goes on; tell says what came of one, alone on its
// line.
func each[T, R any](ctx context.Context, s *clikit.Streams, list []T, do func(ctx context.Context, t T, moved func(int)) (R, error), tell func(T, R)) ([]R, error) {
	p := s.Progress(time.Second)
	defer p.Clear()
	var results []R
	var errs []error
	var done, bytes atomic.Int64
	show := func() {
		count := ""
		if len(list) > 1 {
			count = fmt.Sprintf("%d of %d sessions, ", done.Load(), len(list))
		}
		p.Showf("%s%.1f MB", count, float64(bytes.Load())/1e6)
	}
	moved := func(n int) {
		bytes.Add(int64(n))
		show()
	}
	for result, err := range ordered.MapErr(ctx, workers, slices.Values(list), func(ctx context.Context, t T) (R, error) { return do(ctx, t, moved) }) {
		p.Aside(func() { tell(list[len(results)], result) })
		results, errs = append(results, result), append(errs, err)
		done.Add(1)
		show()
	}
	return results, errors.Join(append(errs, ctx.Err())...)
}
