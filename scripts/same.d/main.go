// Same runs the same command lines with two sets of the tools and says whether
// a user could tell them apart: by standard output, standard error, the exit
// status, or the names, modes and bytes of the files that are left.
//
// Usage:
//
//	same [flags] OLD NEW
//
// It is run by scripts/same, in the root of the checkout.
package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/sess-tools/sess/internal/clikit"
)

// shown is how many differences are printed without -v.
const shown = 20

type config struct {
	only string
	jobs int
	list bool
}

var tool = clikit.Tool{
	Name:    "same",
	Summary: "tell whether two sets of the tools do the same",
	Args:    "OLD NEW",
	Doc: `OLD and NEW are each a directory of built tools, or a revision. The tools of a revision are built in a temporary worktree and kept in ${XDG_CACHE_HOME:-~/.cache}/sess/same/COMMIT.

The command lines are those of cmd/*/testdata/*.txtar, the examples of README.md and of the man pages, and a matrix of samples and flags. Each runs in a directory of its own, with both sets at one path. Where the two differ both run once more, and what differs between two runs of one set counts as an id or a time: times are compared by their shape, ids by their length and by where they come again.

scripts/same.d/differences lists differences that are meant. The status is 0 if everything is the same, and 1 if not.`,
	Examples: `scripts/same HEAD~1 HEAD
scripts/same --only 'sess-path .*--budget' v1.0.0 /tmp/bin
scripts/same -v --only '^cmd/sess-seg' main HEAD`,
	New: func() ([]clikit.Flag, clikit.Action) {
		c := &config{}
		return []clikit.Flag{
			clikit.String(&c.only, "only", "", "only command lines, scripts and examples whose name matches `REGEXP`"),
			clikit.Int(&c.jobs, "j,jobs", 2, "run `N` command lines at a time"),
			clikit.Bool(&c.list, "list", "print the names and run nothing"),
		}, c.run
	},
}

func main() { clikit.Main(tool) }

func (c *config) run(ctx context.Context, s *clikit.Streams, operands []string) error {
	only, err := c.check(operands)
	if err != nil {
		return err
	}
	base, err := os.MkdirTemp("", "sess-same-")
	if err != nil {
		return fmt.Errorf("making a directory to run in: %w", err)
	}
	defer remove(base)
	units, err := allUnits(base)
	if err != nil {
		return err
	}
	units = selected(units, only)
	if c.list {
		for _, u := range units {
			fmt.Fprintln(s.Out, u.name)
		}
		return nil
	}
	if len(units) == 0 {
		return clikit.No("nothing matches %s", c.only)
	}
	exceptions, err := readExceptions("scripts/same.d/differences")
	if err != nil {
		return err
	}
	sets := [2]string{}
	for i, name := range operands {
		if sets[i], err = toolset(ctx, s, name); err != nil {
			return err
		}
	}
	begun := time.Now()
	found, count, err := compareAll(ctx, base, sets, units, c.jobs)
	if err != nil {
		return err
	}
	s.Notef("%d units in %s", len(units), time.Since(begun).Round(time.Second))
	return report(s, exceptions.drop(found), exceptions.unused(c.only == ""), count)
}

func (c *config) check(operands []string) (*regexp.Regexp, error) {
	if want := 2; len(operands) != want && !c.list {
		return nil, clikit.UsageError("want two operands, OLD and NEW")
	}
	if c.jobs < 1 {
		return nil, clikit.UsageError("--jobs wants a number above 0")
	}
	only, err := regexp.Compile(c.only)
	if err != nil {
		return nil, clikit.UsageError("--only: %v", err)
	}
	if _, err := os.Stat("scripts/same.d/main.go"); err != nil {
		return nil, fmt.Errorf("looking for the checkout: %w", err)
	}
	return only, nil
}

// allUnits returns all there is to run. The samples are unpacked below base.
func allUnits(base string) ([]unit, error) {
	samples, err := unpack("testdata", base+"/samples")
	if err != nil {
		return nil, err
	}
	scripts, err := scriptUnits(".")
	if err != nil {
		return nil, err
	}
	examples, err := exampleUnits(".")
	if err != nil {
		return nil, err
	}
	return append(append(scripts, examples...), matrix(samples)...), nil
}

func selected(units []unit, only *regexp.Regexp) []unit {
	var out []unit
	for _, u := range units {
		if only.MatchString(u.name) {
			out = append(out, u)
		}
	}
	return out
}

// report prints what was found. The error is that there is something.
func report(s *clikit.Streams, found []difference, unused []string, count int) error {
	for i, d := range found {
		if i == shown && !s.Verbose {
			fmt.Fprintf(s.Out, "… and %d more; -v prints all\n", len(found)-shown)
			break
		}
		fmt.Fprintf(s.Out, "%s: %s\n%s\n", d.line, d.what, d.text)
	}
	for _, e := range unused {
		fmt.Fprintf(s.Out, "scripts/same.d/differences: nothing matches: %s\n", e)
	}
	if len(found) > 0 {
		return clikit.No("%d differences in %d command lines", len(found), count)
	}
	if len(unused) > 0 {
		return clikit.No("%d listed differences are none", len(unused))
	}
	fmt.Fprintf(s.Out, "same: %d command lines\n", count)
	return nil
}
