package main

import (
	"fmt"
	"math"
	"slices"
)

// median returns the middle of values, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// A point is what a size took.
type point struct{ size, seconds float64 }

// exponent returns e of seconds ~ size^e that fits the points best: the slope of
// the line through their logarithms.
//
// Starting a process takes its time whatever the size. Points that are not above
// thrice that say little about growth; they are left out while two others
// remain, so that a start does not make what grows too fast look flat.
func exponent(points []point, start float64) float64 {
	telling := make([]point, 0, len(points))
	for _, p := range points {
		if p.seconds > 3*start {
			telling = append(telling, p)
		}
	}
	if len(telling) < 2 {
		telling = points
	}
	var n, sx, sy, sxx, sxy float64
	for _, p := range telling {
		x, y := math.Log(p.size), math.Log(p.seconds)
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// ratio prints a ratio the way the goals are written: 1/30 for what is far below 1.
func ratio(r float64) string {
	switch {
	case math.IsNaN(r):
		return "-"
	case r < 1./3:
		return fmt.Sprintf("1/%.0f", 1/r)
	}
	return fmt.Sprintf("%.2f", r)
}

// size prints bytes in the decimal units the goals are in.
func size(bytes float64) string {
	for _, u := range []struct {
		bytes float64
		name  string
	}{{1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}} {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.3g %s", bytes/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%.3g B", bytes)
}

// duration prints seconds in three digits.
func duration(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g s", seconds)
}
