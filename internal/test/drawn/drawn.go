// Package drawn is how tests draw cases by lot: others in each run, as many as a time allows, and each to be drawn again.
package drawn

import (
	"cmp"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// Cases yields the numbers that cases are drawn with, until a second is over or there were full of them. With SESS_DRAW=full,
// as on the first run of a day on CI, there are always full of them; with another duration, such as 10s, that is the time.
// With -short it is a second.
//
// A test that fails says with which SESS_SEED it draws the same cases again. The n-th case of a seed
// does not depend on the others.
func Cases(t testing.TB, full int) iter.Seq2[int, *rand.Rand] {
	t.Helper()
	seed := seedOf(t)
	var err error
	wanted := cmp.Or(os.Getenv("SESS_DRAW"), "1s")
	if testing.Short() {
		wanted = "1s"
	}
	limit := time.Duration(1<<63 - 1)
	if wanted != "full" {
		if limit, err = time.ParseDuration(wanted); err != nil {
			t.Fatalf("SESS_DRAW: %v", err)
		}
	}
	return func(yield func(int, *rand.Rand) bool) {
		start, n := time.Now(), 0
		defer func() {
			if t.Failed() {
				t.Logf("draw the same again with SESS_SEED=%d SESS_DRAW=full", seed)
			}
			t.Logf("%d of %d cases in %v", n, full, time.Since(start).Round(time.Millisecond))
		}()
		for ; n < full && (n == 0 || time.Since(start) < limit); n++ {
			if !yield(n, rand.New(rand.NewPCG(seed, uint64(n)))) {
				return
			}
		}
	}
}

// Third returns every third of what could be asked, from the first, second or third on by the seed: everything in three seeds that
// follow each other. With SESS_DRAW=full it returns everything.
func Third[T any](t testing.TB, all []T) []T {
	t.Helper()
	if os.Getenv("SESS_DRAW") == "full" {
		return all
	}
	seed := seedOf(t)
	var some []T
	for i := seed % 3; i < uint64(len(all)); i += 3 {
		some = append(some, all[i])
	}
	t.Logf("%d of %d: draw the same again with SESS_SEED=%d", len(some), len(all), seed)
	return some
}

// began is what all tests of a process draw with, so that one SESS_SEED draws all of it again.
var began = strconv.FormatInt(time.Now().UnixNano(), 10)

func seedOf(t testing.TB) uint64 {
	t.Helper()
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SESS_SEED"), began), 10, 64)
	if err != nil {
		t.Fatalf("SESS_SEED: %v", err)
	}
	return seed
}
