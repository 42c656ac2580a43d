package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/sess-tools/sess/internal/share/remote"
)

// leastVersion is the oldest server that is used: older ones check the condition of a
// message before, and not while, the replicas agree on it.
var leastVersion = [2]int{2, 10}

// Init makes the streams. Nothing else makes or changes one.
func (l *log) Init(ctx context.Context) error {
	if !recent(l.nc.ConnectedServerVersion()) {
		return fmt.Errorf("the server has version %s, and it takes %d.%d: %w", l.nc.ConnectedServerVersion(), leastVersion[0], leastVersion[1], remote.ErrUnsafe)
	}
	want := jetstream.StreamConfig{
		Name: l.Stream, Subjects: []string{l.prefix + ">"}, Storage: jetstream.FileStorage, Discard: jetstream.DiscardNew,
		DenyDelete: true, DenyPurge: true, Duplicates: 2 * time.Minute,
	}
	have, err := l.make(ctx, want)
	if err != nil {
		return err
	}
	// A stream that another program made may forget messages, or answer from a replica that lags
	// behind.
	if have.Discard != want.Discard || !have.DenyDelete || !have.DenyPurge || have.AllowDirect || have.MaxAge != 0 || have.MaxMsgsPerSubject > 0 {
		return fmt.Errorf("the stream %s has other settings: want discard new, deny delete and purge, no direct gets, no age: %w", l.Stream, remote.ErrUnsafe)
	}
	_, err = l.make(ctx, jetstream.StreamConfig{
		Name: l.cardStream(), Subjects: []string{l.cards + ">"}, Storage: jetstream.FileStorage, MaxMsgsPerSubject: 1,
	})
	if err != nil {
		return err
	}
	return l.Probe(ctx)
}

// make makes a stream, of three replicas where there are servers for them, and returns
// its settings.
func (l *log) make(ctx context.Context, c jetstream.StreamConfig) (have jetstream.StreamConfig, err error) {
	c.Replicas = 3
	err = l.again(ctx, func(ctx context.Context) error {
		s, err := l.js.Stream(ctx, c.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			if s, err = l.js.CreateStream(ctx, c); err != nil && c.Replicas > 1 {
				if api, ok := errors.AsType[*jetstream.APIError](err); ok && (api.ErrorCode == codeNoCluster || api.ErrorCode == codeTooFew) {
					c.Replicas = 1
					s, err = l.js.CreateStream(ctx, c)
				}
			}
		}
		if err == nil {
			have = s.CachedInfo().Config
		}
		return err
	})
	return have, err
}

// codeTooFew is the error of a cluster of too few servers.
const codeTooFew = 10005

func recent(version string) bool {
	v := strings.SplitN(version, ".", 3)
	if len(v) < 2 {
		return false
	}
	major, err := strconv.Atoi(v[0])
	minor, merr := strconv.Atoi(v[1])
	return err == nil && merr == nil && (major > leastVersion[0] || major == leastVersion[0] && minor >= leastVersion[1])
}

// Rounds of a probe, and writers in each. Their messages stay in the stream.
const (
	probeRounds  = 4
	probeWriters = 8
	probeShard   = "probe"
)

// Probe has several writers append one part at once. Exactly one may succeed.
func (l *log) Probe(ctx context.Context) error {
	subject, after := l.prefix+probeShard+"."+rand.Text(), remote.Pos(0)
	for n := range uint64(probeRounds) {
		pos, errs := make([]remote.Pos, probeWriters), make([]error, probeWriters)
		var wg sync.WaitGroup
		for w := range errs {
			wg.Go(func() {
				pos[w], errs[w] = l.put(ctx, subject, after, n+1, fmt.Appendf(nil, "probe by writer %d\n", w))
			})
		}
		wg.Wait()
		winners := 0
		for w, err := range errs {
			switch {
			case err == nil:
				winners, after = winners+1, pos[w]
			case !errors.Is(err, remote.ErrMoved):
				return fmt.Errorf("probing: %w", err)
			}
		}
		if winners != 1 {
			return fmt.Errorf("of %d writers of one number %d succeeded: %w", probeWriters, winners, remote.ErrUnsafe)
		}
	}
	return nil
}
