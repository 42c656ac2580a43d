//go:build unix && !solaris && !aix

// Package torture kills writers of one session over and over and looks at what
// is left: entries whose id was printed must be there, once, in order, and
// nothing but the last line may ever be torn.
package torture

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/must"
	"github.com/sess-tools/sess/internal/test/scripttest"
)

const (
	writers   = 8
	roundSize = 48 << 20 // bytes after which a round ends
	maxText   = 1 << 20  // bytes of the longest text
	header    = `{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000001","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/p"}` + "\n"
)

// duration is how long to go on: $SESS_TORTURE, a Go duration, else six
// seconds.
func duration(t *testing.T) time.Duration {
	text := os.Getenv("SESS_TORTURE")
	if text == "" {
		return 6 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("SESS_TORTURE=%s: want a duration such as 30s", text)
	}
	return d
}

// Rounds on sessions of their own, two of three with a program beside that does
// not lock, until the time is up.
func TestTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	total := duration(t)
	bin := build(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var sum tally
	end := time.Now().Add(total)
	for n := 0; n < 3 || time.Until(end) > 0; n++ {
		r := &round{
			t: t, bin: bin, path: filepath.Join(t.TempDir(), "s.jsonl"), other: other(n % 3), seed: seed + uint64(n)<<32,
			end: time.Now().Add(min(max(total/3, time.Second), 15*time.Second)),
		}
		if left := time.Until(end); n >= 3 && left < time.Until(r.end) {
			r.end = time.Now().Add(left)
		}
		sum.add(r.run())
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds, %v", sum.rounds, sum)
	if sum.acked == 0 || sum.killed == 0 || sum.torn == 0 || sum.foreign == 0 || sum.pieced == 0 {
		t.Errorf("nothing was tortured: %v", sum)
	}
}

func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, scripttest.Build(dir, "sess-append"))
	return filepath.Join(dir, "sess-append")
}

// A tally counts what happened.
type tally struct{ rounds, acked, killed, torn, foreign, pieced, looks int }

func (s *tally) add(o tally) {
	s.rounds += o.rounds
	s.acked += o.acked
	s.killed += o.killed
	s.torn += o.torn
	s.foreign += o.foreign
	s.pieced += o.pieced
	s.looks += o.looks
}

func (s tally) String() string {
	return fmt.Sprintf("%d entries acknowledged, %d writers killed, %d torn lines saved, %d foreign lines, %d of them in pieces, %d looks at the live file",
		s.acked, s.killed, s.torn, s.foreign, s.pieced, s.looks)
}

// A round is one session and those who write to it.
type round struct {
	t     *testing.T
	bin   string
	path  string
	other other
	seed  uint64
	end   time.Time
}

// An other is a program that writes to the session and takes no lock.
type other int

const (
	none   other = iota // there is no such program
	lines               // it writes each line at once
	pieces              // it writes each line in pieces, with pauses between them
)

func (o other) String() string {
	return [...]string{"no other", "another that writes lines", "another that writes pieces"}[o]
}

func (r *round) over() bool {
	fi, err := os.Stat(r.path)
	return err != nil || fi.Size() > roundSize || time.Now().After(r.end) || r.t.Failed()
}

func (r *round) run() tally {
	must.Do(r.t, os.WriteFile(r.path, []byte(header), 0o600))
	defer os.Remove(r.path)
	sum := tally{rounds: 1}
	seen := make([]written, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { seen[w] = r.write(w) })
	}
	var others []string
	if r.other != none {
		wg.Go(func() { others = r.writeForeign() })
	}
	wg.Go(func() { sum.looks = r.look() })
	if r.other != pieces { // a piece behind a torn line belongs to nothing
		wg.Go(r.tear)
	}
	wg.Wait()
	r.finish(seen)
	data, err := os.ReadFile(r.path)
	must.Do(r.t, err)
	for _, problem := range verify(data, seen, others) {
		r.t.Errorf("seed %d, %v: %s", r.seed, r.other, problem)
	}
	for _, s := range seen {
		sum.acked += len(s.acked)
		sum.killed += s.killed
	}
	sum.foreign = len(others)
	if r.other == pieces {
		sum.pieced = len(others)
	}
	sum.torn = saved(r.path)
	return sum
}

// finish adds one last entry that nobody kills: whatever the dead left behind
// must not be in its way.
func (r *round) finish(seen []written) {
	s := &seen[0]
	last := s.sent
	r.appendOne(0, s, 100, -1, rand.New(rand.NewPCG(r.seed, 99)))
	if s.acked[last] == "" {
		r.t.Errorf("seed %d: nothing can be added any more", r.seed)
	}
}
