// Generate writes sessions to measure with, the same ones every time.
//
// Usage:
//
//	generate [flags] FILE
//	generate --store N DIR
//	generate --home AGENT --store N DIR
//
// It prints what it wrote as one JSON object: bytes, entries, the id of the leaf
// and of an entry half way.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
)

type config struct {
	size, entries, stored int64
	offPath, median       int64
	compact               bool
	home                  string
}

var tool = cli.Tool{
	Name:     "generate",
	Summary:  "write sessions to measure with",
	Args:     "FILE",
	Examples: "generate --size 100000000 --off-path 5 branched.jsonl\ngenerate --store 10000 sessions",
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return []cli.Flag{
			cli.Int(&c.size, "size", 1_000_000, "write about `BYTES`"),
			cli.Int(&c.entries, "entries", 0, "write `N` entries, whatever the size"),
			cli.Int(&c.offPath, "off-path", 0, "leave `PERCENT` of the bytes in branches"),
			cli.Int(&c.median, "median", 1000, "the median of the lengths of texts is `BYTES`"),
			cli.Bool(&c.compact, "compact", "write a compaction near the end"),
			cli.String(&c.home, "home", "", "with --store, write them as `AGENT` keeps them: claude, codex or opencode"),
			cli.Int(&c.stored, "store", 0, "write `N` small sessions below the directory FILE, 50 to each of its own"),
		}, c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(_ context.Context, s *cli.Streams, operands []string) error {
	if len(operands) != 1 {
		return cli.UsageError("one FILE, please")
	}
	r := rand.New(rand.NewPCG(2026, 11))
	w := writer{
		shape: shape{size: c.size, entries: int(c.entries), offPath: float64(c.offPath) / 100, compact: c.compact, median: float64(c.median)},
		r:     r, pool: newPool(r), now: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
	}
	write := func() (Facts, error) { return w.file(operands[0], "/home/dev/project") }
	if c.stored > 0 && c.home != "" {
		h := &homes{r: r, pool: w.pool, now: w.now}
		write = func() (Facts, error) { return h.write(c.home, operands[0], int(c.stored)) }
	} else if c.stored > 0 {
		write = func() (Facts, error) { return w.store(operands[0], int(c.stored)) }
	}
	facts, err := write()
	if err != nil {
		return err
	}
	return json.NewEncoder(s.Out).Encode(facts)
}

// file writes a session into a file.
func (w *writer) file(name, cwd string) (Facts, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return Facts{}, err
	}
	facts, err := w.write(f, cwd)
	return facts, errors.Join(err, f.Close())
}

// storedMedian is the median of the sizes of a store's sessions before their last
// turn, which makes them 68 KB on average: 10,000 have 680 MB.
const storedMedian = 42_000

// store writes n sessions and returns the sums.
func (w *writer) store(dir string, n int) (Facts, error) {
	var sum Facts
	for i := range n {
		name, cwd, err := place(dir, i)
		if err != nil {
			return sum, err
		}
		w.size = int64(storedMedian * math.Exp(0.6*w.r.NormFloat64()))
		w.Facts, w.turns = Facts{}, w.turns[:0]
		facts, err := w.file(name, cwd)
		if err == nil {
			err = os.Chtimes(name, w.now, w.now) // as a session that is alive was written last
		}
		if err != nil {
			return sum, err
		}
		sum.Bytes += facts.Bytes
		sum.Entries += facts.Entries
	}
	return sum, nil
}
