// Bench measures the tools against the programs they are compared with, and
// prints what came of each goal.
//
// Usage:
//
//	bench [flags]
//
// It is run by scripts/bench, in the root of the checkout.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
)

// config is what the flags say. What is measured stands in goals*.go.
type config struct {
	quick, full, write, fetch, list bool
	only, size                      string
	runs                            int
}

var tool = cli.Tool{
	Name:    "bench",
	Summary: "measure the tools against their peers",
	Doc: `Every goal is measured by running our command and the peer's in turn; the ratio is the median of the ratios of neighbours, so that a machine that gets slower on the way does not matter much. Peers that are not here are skipped by name. The status is 0 whether goals are met or not.

The data takes about 6 bytes for each of --size. It is made in $SESS_BENCH_DIR, and stays there for the next time, or else in a temporary directory. Peers from npm are looked for in ${SESS_PEERS:-~/.cache/sess-peers}.`,
	Examples: `scripts/bench --quick
scripts/bench --only 'sess-path.*pipe' --runs 15
SESS_BENCH_DIR=/var/tmp/bench scripts/bench --full --write`,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return []cli.Flag{
			cli.Bool(&c.quick, "quick", "measure with a twentieth of the size: to try things, not to judge them"),
			cli.String(&c.size, "size", "1GB", "the large sessions have `SIZE`, all others their share of it"),
			cli.String(&c.only, "only", "", "only goals whose name matches `REGEXP`"),
			cli.Int(&c.runs, "runs", 5, "run `N` pairs after the first, 8 N if they take no time; fewer if they take minutes"),
			cli.Bool(&c.full, "full", "also what takes gigabytes of memory: pi opens half of --size"),
			cli.Bool(&c.fetch, "fetch", "install the peers that npm has and that are missing"),
			cli.Bool(&c.write, "write", "write the results to docs/bench.md"),
			cli.Bool(&c.list, "list", "the names of the goals"),
		}, c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) (err error) {
	only, size, err := c.check(operands)
	if err != nil {
		return err
	}
	b := &bench{size: size, runs: c.runs, slow: slowPair, full: c.full, quick: c.quick, core: firstCore(), peers: peersDir(), s: s}
	goals := selected(b.goals(), only)
	if len(goals) == 0 {
		return cli.No("no goal matches %s", c.only)
	}
	if c.list {
		for _, g := range goals {
			fmt.Fprintln(s.Out, g.name)
		}
		return nil
	}
	if err := b.quiet(c.write); err != nil {
		return err
	}
	if ctx.Err() != nil { // from here on a signal has us remove what we made
		return ctx.Err()
	}
	done, err := b.prepare(ctx, c.fetch)
	defer done()
	if err != nil {
		return err
	}
	others := busy()
	rows, err := b.measure(ctx, goals)
	if err != nil || !c.write {
		return err
	}
	if load := others(); load > mostLoad {
		return fmt.Errorf("others took %.1f of each core meanwhile: no page is written, for its figures would be theirs; run it on a quiet machine", load)
	}
	return b.writePage(ctx, "docs/bench.md", rows)
}

// check returns the goals asked for and the size.
func (c *config) check(operands []string) (*regexp.Regexp, int64, error) {
	if len(operands) > 0 {
		return nil, 0, cli.UsageError("unexpected operand %s", operands[0])
	}
	if c.runs < 1 {
		return nil, 0, cli.UsageError("--runs wants a number above 0")
	}
	if c.write && (c.only != "" || c.quick) {
		return nil, 0, cli.UsageError("--write wants all goals and full sizes: neither --only nor --quick")
	}
	only, err := regexp.Compile(c.only)
	if err != nil {
		return nil, 0, cli.UsageError("--only: %v", err)
	}
	size, ok := parseSize(c.size)
	if !ok {
		return nil, 0, cli.UsageError("--size wants a size of at least 1MB, such as 100MB or 1GB")
	}
	if c.quick {
		size /= 20
	}
	if _, err := os.Stat("scripts/bench.d/main.go"); err != nil {
		return nil, 0, fmt.Errorf("looking for the checkout: %w", err)
	}
	return only, size, nil
}

func selected(goals []goal, only *regexp.Regexp) []goal {
	var out []goal
	for _, g := range goals {
		if only.MatchString(g.name) {
			out = append(out, g)
		}
	}
	return out
}

// parseSize reads sizes such as 100MB; a number alone counts bytes.
func parseSize(s string) (int64, bool) {
	number, unit := strings.ToUpper(s), 1.0
	for suffix, u := range map[string]float64{"KB": 1e3, "MB": 1e6, "GB": 1e9} {
		if n, ok := strings.CutSuffix(number, suffix); ok {
			number, unit = n, u
			break
		}
	}
	var n float64
	var rest string
	if k, _ := fmt.Sscanf(strings.TrimSpace(number)+" .", "%g %s", &n, &rest); k != 2 || rest != "." {
		return 0, false
	}
	size := n * unit
	return int64(size), size >= 1e6 && size <= 1e12
}

// absolute is name, absolute.
func absolute(name string) (string, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("finding %s: %w", name, err)
	}
	return abs, nil
}
