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
	"cmp"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
)

// shown is how many differences are printed without -v.
const shown = 20

type config struct {
	only string
	jobs int
	list bool
}

var tool = cli.Tool{
	Name:    "same",
	Summary: "tell whether two sets of the tools do the same",
	Args:    "OLD NEW",
	Doc: `OLD and NEW are each a directory of built tools, or a revision. The tools of a revision are kept in ${XDG_CACHE_HOME:-~/.cache}/sess/same/COMMIT.

The command lines are those of cmd/*/testdata/*.txtar, the examples of README.md, of the tour and of the man pages, and a matrix of samples and flags. Each runs in a directory of its own, with both sets at one path. Where the two differ both run once more, and what differs between two runs of one set counts as an id or a time: times are compared by their shape, ids by their length and by where they come again.

scripts/same.d/differences lists differences that are meant. The status is 0 if everything is the same, and 1 if not.`,
	Examples: `scripts/same HEAD~1 HEAD
scripts/same --only 'sess-path .*--budget' v1.0.0 /tmp/bin
scripts/same -v --only '^cmd/sess-seg' main HEAD`,
	New: func() ([]cli.Flag, cli.Action) {
		c := &config{}
		return []cli.Flag{
			cli.String(&c.only, "only", "", "only command lines, scripts and examples whose name matches `REGEXP`"),
			cli.Count(&c.jobs, "jobs, j", "run `N` command lines at a time instead of 2"),
			cli.Bool(&c.list, "list", "print the names and run nothing"),
		}, c.run
	},
}

func main() { cli.Main(tool) }

func (c *config) run(ctx context.Context, s *cli.Streams, operands []string) error {
	if len(operands) != 2 && !c.list {
		return cli.UsageError("want two operands, OLD and NEW")
	}
	only, err := regexp.Compile(c.only)
	if err != nil {
		return cli.UsageError("--only: %v", err)
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
	units = slices.DeleteFunc(units, func(u unit) bool { return !only.MatchString(u.name) })
	if c.list {
		for _, u := range units {
			fmt.Fprintln(s.Out, u.name)
		}
		return nil
	}
	if len(units) == 0 {
		return cli.No("nothing matches %s", c.only)
	}
	exceptions, err := readExceptions("scripts/same.d/differences")
	if err != nil {
		return err
	}
	begun := time.Now()
	found, count, err := compareAll(ctx, base, [2]string(operands), units, cmp.Or(c.jobs, 2))
	if err != nil {
		return err
	}
	s.Notef("%d units in %s", len(units), time.Since(begun).Round(time.Second))
	found = exceptions.drop(found)
	var unused []string
	if c.only == "" {
		unused = exceptions.unused()
	}
	return report(s, found, unused, count)
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

// report prints what was found. The error is that there is something.
func report(s *cli.Streams, found []difference, unused []string, count int) error {
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
		return cli.No("%d differences in %d command lines", len(found), count)
	}
	if len(unused) > 0 {
		return cli.No("%d listed differences are none", len(unused))
	}
	fmt.Fprintf(s.Out, "same: %d command lines\n", count)
	return nil
}

// An exception is a difference that is meant: a line of the three fields that
// differences explains.
type exception struct {
	text  string
	line  *regexp.Regexp
	whats string
	used  bool
}

type exceptions []*exception

var exceptionLine = regexp.MustCompile(`^([^\t]+)\t((?:(?:stdout|stderr|status|files),?\b)+)\t[^\t]+$`)

func readExceptions(name string) (exceptions, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the differences that are meant: %w", err)
	}
	var out exceptions
	for i, text := range strings.Split(string(data), "\n") {
		if text == "" || text[0] == '#' {
			continue
		}
		m := exceptionLine.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("%s:%d: want a pattern, what differs and the reason, with tabs between them", name, i+1)
		}
		line, err := regexp.Compile(m[1])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		out = append(out, &exception{text: text, line: line, whats: m[2]})
	}
	return out, nil
}

// drop returns the differences that are not meant.
func (es exceptions) drop(found []difference) []difference {
	return slices.DeleteFunc(found, func(d difference) bool {
		meant := false
		for _, e := range es {
			if e.line.MatchString(d.line) && strings.Contains(e.whats, d.what) {
				e.used, meant = true, true
			}
		}
		return meant
	})
}

// unused returns the exceptions that dropped nothing.
func (es exceptions) unused() []string {
	var out []string
	for _, e := range es {
		if !e.used {
			out = append(out, e.text)
		}
	}
	return out
}
