package main

import (
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 2}, 2},
		{[]float64{9, 1, 2, 4}, 3},
		{[]float64{1, 1, 1000, 1, 1}, 1},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
	if got := median(nil); !math.IsNaN(got) {
		t.Errorf("median of nothing is %v", got)
	}
}

func TestExponent(t *testing.T) {
	t.Parallel()
	curve := func(start, scale, e float64) []point {
		var points []point
		for _, n := range []float64{1e6, 1e7, 1e8, 1e9} {
			points = append(points, point{n, start + scale*math.Pow(n, e)})
		}
		return points
	}
	for _, c := range []struct {
		name   string
		points []point
		start  float64
		want   float64
	}{
		{"linear", curve(0, 1e-9, 1), 0, 1},
		{"square root", curve(0, 1e-5, 0.5), 0, 0.5},
		{"quadratic", curve(0, 1e-16, 2), 0, 2},
		{"flat", curve(0.001, 0, 1), 0.001, 0},
		{"quadratic behind a start that hides it", curve(0.001, 1e-16, 2), 0.001, 1.98},
	} {
		if got := exponent(c.points, c.start); math.Abs(got-c.want) > 0.02 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	for r, want := range map[float64]string{1.25: "1.25", 0.5: "0.50", 1. / 30: "1/30", 1. / 2000: "1/2000", math.NaN(): "-"} {
		if got := ratio(r); got != want {
			t.Errorf("ratio(%v) = %q, want %q", r, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{1e9: "1 GB", 5e7: "50 MB", 1.5e6: "1.5 MB", 1000: "1 KB", 12: "12 B"} {
		if got := size(n); got != want {
			t.Errorf("size(%v) = %q, want %q", n, got, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int64{"1GB": 1e9, "100mb": 1e8, "1500 KB": 1.5e6, "0.5GB": 5e8, "2000000": 2e6} {
		if got, ok := parseSize(s); !ok || got != want {
			t.Errorf("parseSize(%q) = %d, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "GB", "x", "1TB", "10KB", "-1GB", "1GB x", "1e20GB", "NaN"} {
		if got, ok := parseSize(s); ok {
			t.Errorf("parseSize(%q) = %d", s, got)
		}
	}
}

func TestSpeeds(t *testing.T) {
	t.Parallel()
	got := speeds(`goos: linux
BenchmarkLen/ascii         	   81234	     14752 ns/op	4338.12 MB/s
BenchmarkLen/ascii         	   81234	     14752 ns/op	2000 MB/s	       0 B/op
BenchmarkLen/cjk-2         	    1234	     14752 ns/op	 500.00 MB/s
BenchmarkOther/x           	    1234	     14752 ns/op
PASS
`)
	if len(got) != 2 || len(got["ascii"]) != 2 || got["ascii"][1] != 2 || got["cjk"][0] != 0.5 {
		t.Errorf("speeds: %v", got)
	}
}
