package drawn_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sess-tools/sess/internal/test/drawn"
)

func TestCases(t *testing.T) {
	first := func(full int) (all []uint64) {
		for n, r := range drawn.Cases(t, full) {
			if n != len(all) {
				t.Fatalf("case %d is number %d", len(all), n)
			}
			all = append(all, r.Uint64())
		}
		return all
	}
	t.Setenv("SESS_DRAW", "full")
	t.Setenv("SESS_SEED", "7")
	a, b := first(100), first(10)
	if len(a) != 100 || len(b) != 10 || a[9] != b[9] || a[0] == a[1] {
		t.Errorf("%d and %d cases, %d and %d", len(a), len(b), a[9], b[9])
	}
	t.Setenv("SESS_SEED", "")
	if c := first(1); c[0] == a[0] {
		t.Error("the same is drawn without a seed")
	}
	t.Setenv("SESS_DRAW", "1ms")
	n := 0
	for range drawn.Cases(t, 1000) {
		n++
		time.Sleep(time.Millisecond)
	}
	if n != 1 {
		t.Errorf("%d cases of a millisecond each in one", n)
	}
}

func TestThird(t *testing.T) {
	all := []int{0, 1, 2, 3, 4, 5, 6}
	for _, tt := range []struct {
		seed, draw string
		want       []int
	}{{"7", "", []int{1, 4}}, {"8", "", []int{2, 5}}, {"9", "1s", []int{0, 3, 6}}, {"9", "full", all}} {
		t.Setenv("SESS_SEED", tt.seed)
		t.Setenv("SESS_DRAW", tt.draw)
		if got := drawn.Third(t, all); !slices.Equal(got, tt.want) {
			t.Errorf("seed %s, %q: %v, want %v", tt.seed, tt.draw, got, tt.want)
		}
	}
}
