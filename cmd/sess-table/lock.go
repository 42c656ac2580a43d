package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/bucket"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

const (
	// lockName is the object of which there is one while a run writes.
	lockName = "sess-table.lock"
	// lockEnds is the age of the lock of a run that is taken for one that was killed.
	lockEnds = time.Hour
	// lockLooks is how often a run looks whether the lock is still its own, and says that it lives.
	lockLooks = 10 * time.Minute
	// createTries is how often an object is made again of which neither an answer came nor a trace is there.
	createTries = 6
)

// A holder is what the lock says.
type holder struct {
	Format string `json:"format"` // as of the marker
	Host   string `json:"host"`
	Time   string `json:"time"`
	Token  string `json:"token"` // of the run
}

// A lock is that of a bucket, as a run of this machine sees it. The directory of this machine is locked by then.
type lock struct {
	warn    func(string, ...any)
	tokens  *os.File // has the tokens of runs of this machine that did not give the lock back
	held    holder   // without a token if it is not held
	seen    time.Time
	doubted bool // it was taken over, and others may have done the same
}

func (h holder) bytes() []byte {
	b, _ := json.Marshal(h) // which has texts alone
	return append(b, '\n')
}

// holderOf reads the lock.
func holderOf(raw []byte) (h holder, err error) {
	if json.Unmarshal(raw, &h) != nil || h.Format != format || h.Token == "" {
		err = cli.UsageError("%s is not written by sess-table", lockName)
	}
	return h, err
}

// create makes an object, and returns its data, or that of one that has the name.
func (s *store) create(ctx context.Context, name string, data []byte) ([]byte, error) {
	for try := 0; ; try++ {
		_, err := s.Create(ctx, name, data)
		if err == nil {
			return data, nil
		}
		if !errors.Is(err, bucket.ErrExists) && !errors.Is(err, bucket.ErrUnknown) {
			return nil, err
		}
		there, gerr := s.Get(ctx, name, 1<<16, nil) // it may be ours, if the answer was lost
		if !errors.Is(gerr, bucket.ErrAbsent) {
			return there, gerr
		}
		if try == createTries {
			return nil, err
		}
		if err := bucket.Pause(ctx, try); err != nil {
			return nil, err
		}
	}
}

// hold takes the lock. That of a run of this machine was killed, and so was one that said nothing for an hour.
func (s *store) hold(ctx context.Context) error {
	_, err := s.tokens.Seek(0, io.SeekStart)
	earlier, rerr := io.ReadAll(io.LimitReader(s.tokens, 1<<20))
	mine := holder{format, "", js.FormatTime(time.Now().UnixMilli()), rand.Text()}
	mine.Host, _ = os.Hostname()
	_, werr := s.tokens.WriteString(mine.Token + "\n")
	if err := errors.Join(err, rerr, werr); err != nil {
		return err
	}
	raw, err := s.create(ctx, lockName, mine.bytes())
	if err != nil {
		return s.explained(err)
	}
	theirs, err := holderOf(raw)
	if err != nil {
		return s.explained(err)
	}
	if theirs.Token != mine.Token {
		since, ok := js.ParseTime(theirs.Time)
		switch {
		case strings.Contains(string(earlier), theirs.Token+"\n"):
		case ok && time.Since(time.UnixMilli(since)) > lockEnds:
			s.warn("%s: a run on %s since %s has not ended, and is considered dead", s.Name(), theirs.Host, theirs.Time)
		default:
			return fmt.Errorf("%s: %w: another sess-table is writing, on %s since %s", s.Name(), jsonl.ErrLocked, theirs.Host, theirs.Time)
		}
		if err = s.Put(ctx, lockName, mine.bytes()); err != nil {
			return s.explained(err)
		}
		s.doubted = true
	}
	s.held, s.seen = mine, time.Now()
	if s.marker == nil {
		return nil
	}
	raw, err = s.create(ctx, markerName, s.marker)
	if err == nil && string(raw) != string(s.marker) {
		err = fmt.Errorf("%w: it was begun meanwhile: run sess-table again", jsonl.ErrChanged)
	}
	return s.explained(err)
}

// confirm ends a run whose lock another one has taken, which it does after an hour.
func (s *store) confirm(ctx context.Context) error {
	if !s.doubted && time.Since(s.seen) < lockLooks {
		return nil
	}
	raw, err := s.Get(ctx, lockName, 1<<16, nil)
	if now, _ := holderOf(raw); err == nil && now.Token != s.held.Token || errors.Is(err, bucket.ErrAbsent) {
		s.held = holder{}
		err = fmt.Errorf("%w: another sess-table has taken over", jsonl.ErrLocked)
	}
	if err == nil && time.Since(s.seen) >= lockLooks {
		s.held.Time = js.FormatTime(time.Now().UnixMilli())
		err = s.Put(ctx, lockName, s.held.bytes())
	}
	s.seen, s.doubted = time.Now(), false
	return s.explained(err)
}

// release gives the lock back, also when the run was interrupted.
func (s *store) release(ctx context.Context) {
	if s.held.Token == "" {
		return
	}
	err := s.Remove(context.WithoutCancel(ctx), lockName)
	if err == nil {
		err = s.tokens.Truncate(0)
	}
	if err != nil {
		s.warn("%v: other machines can write in an hour", s.explained(fmt.Errorf("removing %s: %w", lockName, err)))
	}
}
