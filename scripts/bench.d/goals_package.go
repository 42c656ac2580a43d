package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
)

// packageGoals are benchmarks of packages, on one core.
func (b *bench) packageGoals() []goal {
	return []goal{
		b.throughput("estimate of the tokens of a path, convo.Estimate", 1.2, "./pkg/session", "^BenchmarkEstimate$/^chars$"),
		b.throughput("length of JSON strings in UTF-16, js.LenLiteral", 1.2, "./pkg/js", "^BenchmarkLenLiteral$"),
		b.throughput("validation of lines, js.Valid", 1.4, "./pkg/js", "^BenchmarkValid$"),
	}
}

// throughput is the goal that the median of the texts of a benchmark is worked
// through at limit GB/s or more.
func (b *bench) throughput(name string, limit float64, dir, pattern string) goal {
	return goal{name, func(ctx context.Context, name string) ([]row, error) {
		each := "1s"
		if b.quick {
			each = "200ms"
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", pattern, "-skip", "Benchmark.*/.*/^encoding-json$", "-cpu", "1",
			"-benchtime", each, "-count", strconv.Itoa(min(b.runs, 5)), dir)
		cmd.Env = os.Environ()
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, unless(ctx, fmt.Errorf("go test -bench: %w: %s", err, bytes.TrimSpace(out)))
		}
		rates := speeds(string(out))
		if len(rates) == 0 {
			return nil, fmt.Errorf("go test -bench %s: nothing was measured", pattern)
		}
		all, lowest, slowest := make([]float64, 0, len(rates)), math.Inf(1), ""
		for text, r := range rates {
			all = append(all, median(r))
			if m := median(r); m < lowest || m == lowest && text < slowest {
				lowest, slowest = m, text
			}
		}
		got := median(all)
		r := row{goal: name, ours: fmt.Sprintf("%.2f GB/s", got), want: fmt.Sprintf("≥ %.1f GB/s", limit), met: got >= limit}
		if len(all) > 1 {
			r.note = fmt.Sprintf("median of %d texts; lowest %.2f, %s", len(all), lowest, slowest)
		}
		return []row{r}, nil
	}}
}

// result is a line of go test -bench that has a throughput.
var result = regexp.MustCompile(`(?m)^Benchmark[^/\s]+/(\S+?)(?:-\d+)?\s+\d+\s+\S+ ns/op\s+(\S+) MB/s`)

// speeds returns the GB/s of each sub-benchmark.
func speeds(out string) map[string][]float64 {
	rates := make(map[string][]float64)
	for _, m := range result.FindAllStringSubmatch(out, -1) {
		rate, err := strconv.ParseFloat(m[2], 64)
		if err == nil {
			rates[m[1]] = append(rates[m[1]], rate/1000)
		}
	}
	return rates
}
