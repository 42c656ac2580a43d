package remote

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
)

// Rounds of a probe, and writers in each.
const (
	probeRounds  = 16
	probeWriters = 8
)

// Probe has several writers create one object at once, again and again. Exactly one of
// them may succeed, the object must be that one's and be listed, and none may
// create it afterwards. The objects stay where deleting is denied; they are not read.
func (l *log) Probe(ctx context.Context) error {
	run := rand.Text()
	for round := range probeRounds {
		name := fmt.Sprintf("%s%s/%02d", probes, run, round)
		if err := l.probeOnce(ctx, name); err != nil {
			return err
		}
	}
	n := 0
	for o, err := range l.b.List(ctx, probes+run+"/", "") {
		if err != nil {
			return err
		}
		if o.Size == int64(len(probeBody(0))) {
			n++
		}
	}
	if n != probeRounds {
		return fmt.Errorf("of %d objects that were written %d are listed: %w", probeRounds, n, ErrUnsafe)
	}
	return nil
}

func probeBody(writer int) string { return fmt.Sprintf("probe by writer %02d\n", writer) }

func (l *log) probeOnce(ctx context.Context, name string) error {
	errs := make([]error, probeWriters)
	var wg sync.WaitGroup
	ready := make(chan struct{})
	for w := range errs {
		wg.Go(func() {
			<-ready
			errs[w] = l.b.Create(ctx, name, []byte(probeBody(w)))
		})
	}
	close(ready)
	wg.Wait()
	winner, doubtful := -1, false
	for w, err := range errs {
		switch {
		case err == nil && winner >= 0:
			return fmt.Errorf("creating one object, writers %d and %d succeeded: %w", winner, w, ErrUnsafe)
		case err == nil:
			winner = w
		case errors.Is(err, ErrUnknown):
			doubtful = true
		case !errors.Is(err, ErrExists):
			return fmt.Errorf("probing: %w", err)
		}
	}
	got, err := l.b.Get(ctx, name, maxCard, nil)
	switch {
	case err != nil:
		return fmt.Errorf("probing: %w", err)
	case winner < 0 && !doubtful:
		return fmt.Errorf("of %d writers none succeeded: %w", probeWriters, ErrUnsafe)
	case winner >= 0 && string(got) != probeBody(winner):
		return fmt.Errorf("an object is not that of the writer that succeeded: %w", ErrUnsafe)
	}
	if err := l.b.Create(ctx, name, []byte(probeBody(probeWriters))); err == nil {
		return fmt.Errorf("an object was replaced: %w", ErrUnsafe)
	} else if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnknown) {
		return fmt.Errorf("probing: %w", err)
	}
	return nil
}
