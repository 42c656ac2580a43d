package remote

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/pkg/js"
)

// What the marker of a remote says. Another layout gets another version, which keeps out
// programs that do not know it.
const (
	markerFormat  = "sess-remote"
	markerVersion = 1
)

// Marker returns the content of the marker of a remote that was made at a time.
func Marker(made time.Time) []byte {
	return fmt.Appendf(nil, "{\"format\":%q,\"version\":%d,\"made\":%q}\n", markerFormat, markerVersion, js.FormatTime(made.UnixMilli()))
}

// checkMarker returns an error unless a marker is one of ours: what answers to every
// question, as a login page does, is no remote.
func checkMarker(data []byte) error {
	var m struct {
		Format  string
		Version float64
	}
	err := json.Unmarshal(data, &m)
	switch {
	case err != nil || m.Format != markerFormat || m.Version < 1:
		return fmt.Errorf("%w: %s is not what sess-sync init writes", ErrNoRemote, marker)
	case m.Version > markerVersion:
		return fmt.Errorf("%w: version %v, and this program knows %d", ErrVersion, m.Version, markerVersion)
	}
	return nil
}

// A known remembers that a remote is one.
type known struct {
	mu  sync.Mutex
	ok  bool
	sum string // of the marker
}

// Exists reads the marker, once.
func (l *log) Exists(ctx context.Context) error {
	l.known.mu.Lock()
	defer l.known.mu.Unlock()
	if l.known.ok {
		return nil
	}
	data, err := l.b.Get(ctx, marker, maxCard, nil)
	switch {
	case errors.Is(err, ErrAbsent):
		return ErrNoRemote
	case errors.Is(err, ErrTooLarge), errors.Is(err, ErrDamaged):
		return fmt.Errorf("%w: %s is not what sess-sync init writes: %w", ErrNoRemote, marker, err)
	case err != nil:
		return err
	}
	err = checkMarker(data)
	l.known.ok, l.known.sum = err == nil, bucket.SumOf(data)
	return err
}

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
			_, errs[w] = l.b.Create(ctx, name, []byte(probeBody(w)))
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
	if _, err := l.b.Create(ctx, name, []byte(probeBody(probeWriters))); err == nil {
		return fmt.Errorf("an object was replaced: %w", ErrUnsafe)
	} else if !errors.Is(err, ErrExists) && !errors.Is(err, ErrUnknown) {
		return fmt.Errorf("probing: %w", err)
	}
	return nil
}
