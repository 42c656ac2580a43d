package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

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
	mu sync.Mutex
	ok bool
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
	l.known.ok = err == nil
	return err
}

// existing begins to ask whether the remote is one, and returns a function that waits for
// the answer: the first question about a session takes no longer for it.
func (l *log) existing(ctx context.Context) func() error {
	answer := make(chan error, 1)
	go func() { answer <- l.Exists(ctx) }()
	return func() error { return <-answer }
}
