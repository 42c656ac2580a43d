package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/listing"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
)

type config struct {
	by                                []string
	asUsage, asContext, asCompactions bool
	tree                              bool
	sessions                          selection.Selection
	since, until, tz                  string
	cost, pricesFile                  string
	noDedup                           bool
	top                               int
	sort                              string
	maxCost, maxContext               string
	maxTokens                         int64
	baseline, maxGrowth               string
	strict, strictPrices, damagedOK   bool
	allowUnpriced                     bool
	knownUsage                        []string
	json, csv, github                 bool
	plot, svg                         string

	keys     []string
	zone     *time.Location
	from, to time.Time
	limits   limits
}

// The kinds of plots.
const (
	plotBars = "bars"
	plotLine = "line"
)

// The modes of the tool.
const (
	modeUsage       = "--usage"
	modeContext     = "--context"
	modeCompactions = "--compactions"
)

func (c *config) flags() []cli.Flag {
	which := c.sessions.Flags(selection.AllBelow, selection.Agent, selection.CWD, selection.WhichSubagents)
	c.sessions.Subagents = "" // as yes, but that a session which is named stands alone
	return slices.Concat(
		cli.Group("What",
			cli.Bool(&c.asUsage, "usage", "print what calls used and cost (the default for several sessions)"),
			cli.Bool(&c.asContext, "context", "show what fills the context (the default for one session)"),
			cli.Bool(&c.asCompactions, "compactions", "show what each compaction saved and cost"),
			cli.Strings(&c.by, "by", "one row for each `KEY,KEY`: "+strings.Join(usage.Keys(), ", ")+"; with --context "+strings.Join(usage.ContextKeys(), ", ")),
			cli.Bool(&c.tree, "tree", "with --by session, print sub-agents and forks below the session they come from"),
		),
		cli.Group("Sessions", append(which,
			// They are about calls here, which the selection knows nothing of.
			cli.String(&c.since, "since", "", "only calls since `WHEN`: 90m, 12h, 7d, 2w, a date or a time"),
			cli.String(&c.until, "until", "", "only calls before `WHEN`"),
			cli.Private(cli.Env("TZ", cli.String(&c.tz, "tz", "", "days begin at midnight in `ZONE`")))[0],
			cli.Bool(&c.noDedup, "copies", "do not leave out copies of calls, as forks have them"),
			cli.Bool(&c.strict, "strict", "end with status 3 for any damage"))...,
		),
		cli.Group("Costs",
			cli.Choice(&c.cost, "cost", []string{usage.Auto, usage.Stored, usage.Computed}, "take costs from `SOURCE`: stored ones, computed ones, or with auto the stored ones and computed ones for the rest"),
			cli.String(&c.pricesFile, "prices", "", "take prices from `FILE`"),
			cli.Bool(&c.strictPrices, "strict-prices", "fail if a cost is not known"),
			cli.Bool(&c.damagedOK, "damaged-ok", "judge what can be read of a damaged session"),
			cli.Bool(&c.allowUnpriced, "allow-unpriced", "let calls of unknown cost pass --max-cost"),
			cli.Strings(&c.knownUsage, "known-usage", "treat the usage member `NAME` as one that costs nothing"),
		),
		cli.Group("Limits",
			cli.String(&c.maxCost, "max-cost", "", "status 1 if a row cost more than `USD`"),
			cli.Tokens(&c.maxTokens, "max-tokens", -1, "status 1 unless each row has at most `N` tokens"),
			cli.String(&c.maxContext, "max-context", "", "status 1 if a context has more than `N` tokens, or than N% of the model's window"),
			cli.String(&c.baseline, "baseline", "", "compare with `FILE`, the output of an earlier run with --json"),
			cli.String(&c.maxGrowth, "max-growth", "", "status 1 if a row of the baseline has grown by more than `N%`"),
		),
		c.outputFlags(),
	)
}

func (c *config) outputFlags() []cli.Flag {
	return cli.Group("Output",
		cli.Bool(&c.json, "json", "print a JSON object for each row, and a total"),
		cli.Bool(&c.csv, "csv", "print comma-separated values"),
		cli.Bool(&c.github, "github", "after the rows, print annotations of GitHub Actions"),
		cli.Choice(&c.plot, "plot", []string{"", plotBars, plotLine}, "print a plot of `KIND`"),
		cli.String(&c.svg, "svg", "", "write a picture to `FILE`"),
		cli.Choice(&c.sort, "sort", []string{"", "key", "cost", "total"}, "sort by `KEY` (default: key, and with --context total)"),
		cli.Count(&c.top, "limit, n", "print at most `N` rows"),
	)
}

// check refuses flags that contradict each other or themselves, and reads the others.
func (c *config) check() (err error) {
	if err := cli.Exclusive(cli.NameIf(c.asUsage, modeUsage), cli.NameIf(c.asContext, modeContext), cli.NameIf(c.asCompactions, modeCompactions)); err != nil {
		return err
	}
	if err := cli.Exclusive(cli.NameIf(c.json, "--json"), cli.NameIf(c.csv, "--csv"), cli.NameIf(c.plot != "", "--plot"), cli.NameIf(c.github, "--github")); err != nil {
		return err
	}
	for _, v := range c.by {
		c.keys = append(c.keys, strings.Split(v, ",")...)
	}
	if err := c.checkKeys(); err != nil {
		return err
	}
	now := time.Now()
	if c.zone, err = listing.Zone(c.tz); err != nil {
		return cli.UsageError("TZ: %v", err)
	}
	now = now.In(c.zone)
	if c.from, err = listing.When(c.since, now); err != nil {
		return cli.UsageError("--since: %v", err)
	}
	if c.to, err = listing.When(c.until, now); err != nil {
		return cli.UsageError("--until: %v", err)
	}
	if c.plot == plotLine && (len(c.keys) != 1 || !slices.Contains(usage.TimeKeys(), c.keys[0])) {
		return cli.UsageError("--plot line wants --by with one of %s", strings.Join(usage.TimeKeys(), ", "))
	}
	if c.plot == plotLine && c.top > 0 {
		return cli.UsageError("--plot line shows all rows: it has no --limit")
	}
	if c.svg == "-" && (c.json || c.csv || c.github || c.plot != "") {
		return cli.UsageError("--svg - is all that is printed")
	}
	if c.tree && !slices.Equal(c.keys, []string{"session"}) {
		return cli.UsageError("--tree wants --by session")
	}
	if err := c.checkLimits(); err != nil {
		return err
	}
	return c.checkMode()
}

// checkMode refuses flags that the wanted mode does not look at. A limit among them would seem to be kept, whatever a session
// used.
func (c *config) checkMode() error {
	refused := []string{
		cli.NameIf(c.maxCost != "", "--max-cost"), cli.NameIf(c.maxTokens >= 0, "--max-tokens"), cli.NameIf(c.since != "", "--since"),
		cli.NameIf(c.until != "", "--until"), cli.NameIf(c.noDedup, "--copies"), cli.NameIf(c.plot == plotLine, "--plot line"),
	}
	mode := modeContext
	switch {
	case c.asCompactions:
		mode = modeCompactions
		refused = append(refused, cli.NameIf(c.maxContext != "", "--max-context"), cli.NameIf(c.baseline != "", "--baseline"),
			cli.NameIf(c.plot != "", "--plot"), cli.NameIf(c.svg != "", "--svg"), cli.NameIf(c.top > 0, "--limit"), cli.NameIf(c.sort != "", "--sort"))
	case !c.asContext:
		return nil
	}
	for _, name := range refused {
		if name != "" {
			return cli.UsageError("%s has no %s", mode, name)
		}
	}
	return nil
}

// checkKeys refuses keys that are none, and finds out which mode they are of.
func (c *config) checkKeys() error {
	usage, ledger := usage.Keys(), usage.ContextKeys()
	of := usage
	switch {
	case c.asContext:
		of = ledger
	case c.asCompactions:
		if len(c.keys) > 0 {
			return cli.UsageError("--compactions has no --by")
		}
	case !c.asUsage && len(c.keys) > 0 && slices.Contains(ledger, c.keys[0]):
		of, c.asContext = ledger, true
	case len(c.keys) > 0:
		c.asUsage = true
	}
	for i, key := range c.keys {
		if err := cli.RefuseUnknown("key", key, of); err != nil {
			return err
		}
		if slices.Contains(c.keys[:i], key) {
			return cli.UsageError("--by names %s twice", key)
		}
	}
	if c.asContext && len(c.keys) > 2 {
		return cli.UsageError("--context has at most two keys")
	}
	return nil
}

// find finds the sessions to read. A call that was made since a time is in a session that
// was written since: where a session has to be converted to be read, that saves most.
func (c *config) find(ctx context.Context, s *cli.Streams, operands []string) (selection.Found, error) {
	if !s.Judges() {
		c.sessions.WrittenSince = c.from
	}
	find := c.sessions.Find
	if c.asContext {
		find = c.sessions.FindOrNewest
	}
	found, err := find(ctx, s, operands)
	if err == nil && c.sessions.Subagents == selection.WithSubagents {
		found, err = c.sessions.WithAgents(ctx, s, found)
	}
	return found, err
}

// modeFor says what to show of the sessions that were found.
func (c *config) modeFor(found selection.Found) string {
	switch {
	case c.asCompactions:
		return modeCompactions
	case c.asContext:
		return modeContext
	case c.asUsage || !found.Single || c.limits.cost >= 0 || c.maxTokens >= 0 || c.since != "" || c.until != "" || c.noDedup || c.strictPrices || c.pricesFile != "":
		return modeUsage
	}
	return modeContext
}

// table returns the prices to compute costs with.
func (c *config) table(s *cli.Streams) (*prices.Table, error) {
	if c.pricesFile == "" {
		t, err := prices.Builtin()
		if err == nil {
			if tty.IsTerminal(s.ErrFile()) && c.cost != usage.Stored && isOld(t.Date, time.Now()) {
				s.Infof("the prices are those of %s, which is more than 90 days ago: --prices FILE takes newer ones", t.Date)
			}
		}
		return t, err
	}
	in, err := s.OpenInput(c.pricesFile)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	const most = 64 << 20
	data, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.pricesFile, err)
	}
	t, err := prices.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", c.pricesFile, err)
	}
	return t, nil
}

// isOld reports whether a date is more than 90 days ago.
func isOld(date string, now time.Time) bool {
	made, err := time.Parse(time.DateOnly, date)
	return err == nil && now.Sub(made) > 90*24*time.Hour
}

// percent reads a percentage such as 10%, or 10.
func percent(flag, text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(v >= 0 && v <= 1e6) {
		return 0, cli.UsageError("%s: want a percentage such as 10%%", flag)
	}
	return v, nil
}

// commonFlags are those that -h prints, see [cli.Tool].
const commonFlags = `
usage: print what calls used and cost
context: show what fills the context
by: one row for each day, model, agent, project, tool, …
all: take the sessions of every project
agent: only sessions of the agents NAME,NAME
since: only calls since WHEN: 90m, 12h, 7d, 2w, a date
max-cost
max-tokens
max-context: status 1 if a context has more than N tokens
json
csv
plot: print bars, or a line over time
limit
`
