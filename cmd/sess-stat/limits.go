package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/jsonl"
)

// limits are what a row may have at most, -1 for no limit.
type limits struct {
	cost    prices.Money
	context int64
	share   float64 // of the window of the model, in percent
	growth  float64 // in percent
}

// whole reports whether a session has to be read whole: a limit that is held to a part of one is none.
func (c *config) whole() bool { return !c.damagedOK && c.limited() }

// limited reports whether there is a limit.
func (c *config) limited() bool {
	return c.limits.cost >= 0 || c.maxTokens >= 0 || c.limits.hasContext() || c.baseline != ""
}

func (l limits) hasContext() bool { return l.context >= 0 || l.share >= 0 }

// checkLimits reads the limits.
func (c *config) checkLimits() error {
	c.limits = limits{cost: -1, context: -1, share: -1, growth: -1}
	if c.maxCost != "" {
		v, err := strconv.ParseFloat(strings.TrimPrefix(c.maxCost, "$"), 64)
		m, ok := prices.Of(v)
		if err != nil || !ok {
			return cli.UsageError("--max-cost: want an amount in USD such as 2.50")
		}
		c.limits.cost = m
	}
	var err error
	switch n, bad := cli.Number(c.maxContext); {
	case c.maxContext == "":
	case strings.HasSuffix(c.maxContext, "%"):
		if c.limits.share, err = percent("--max-context", c.maxContext); err != nil {
			return err
		}
	case bad != nil || n < 0:
		return cli.UsageError("--max-context: want a number of tokens such as 150k, or a percentage of the window such as 80%%")
	default:
		c.limits.context = n
	}
	if (c.baseline == "") != (c.maxGrowth == "") {
		return cli.UsageError("--baseline and --max-growth want each other")
	}
	if c.maxGrowth != "" {
		c.limits.growth, err = percent("--max-growth", c.maxGrowth)
	}
	return err
}

// checkUsage compares the rows with their limits. Without --by, only the total counts.
func (r *report) checkUsage(u *usageTable) error {
	if r.limits.cost >= 0 || r.maxTokens >= 0 {
		if len(r.by) > 0 {
			for i := range u.Rows {
				r.limit(&u.Rows[i].Sum, where(r.keys, u.Rows[i].Key))
			}
		} else {
			r.limit(&u.Total, "total")
		}
	}
	if r.baseline == "" {
		return nil
	}
	now := map[string]measured{"total": {u.Total.Tokens.Total(), u.Total.Cost}}
	for i := range u.Rows {
		line := &u.Rows[i]
		name := where(u.keys, u.values(line)) // of several sessions, if one is in several stores
		now[name] = now[name].add(measured{line.Tokens.Total(), line.Cost})
	}
	return r.compare(now, "call")
}

// where names a row in a message.
func where(keys, values []string) string {
	var parts []string
	for i, key := range keys {
		parts = append(parts, key+" "+orNone(values[i]))
	}
	return strings.Join(parts, ", ")
}

// orNone is a value for a message.
func orNone(value string) string {
	if value == "" {
		return "(none)"
	}
	return value
}

// limit compares a sum with its limits.
func (r *report) limit(sum *usage.Sum, name string) {
	if r.limits.cost >= 0 && sum.Cost > r.limits.cost {
		r.breach("max-cost", "cost %s%s, limit %s", dollars(sum.Cost), of(name), dollars(r.limits.cost))
	}
	if total := sum.Tokens.Total(); r.maxTokens >= 0 && total > r.maxTokens {
		r.breach("max-tokens", "%d tokens%s, limit %d", total, of(name), r.maxTokens)
	}
}

// dollars is an amount with as few decimals as say it, two at least.
func dollars(m prices.Money) string {
	text := strings.TrimRight(m.Decimal(12), "0")
	point := strings.IndexByte(text, '.')
	return "$" + text + strings.Repeat("0", max(0, point+3-len(text)))
}

// in names the only session in a message.
func in(session string) string {
	if session == "" {
		return ""
	}
	return " in " + session
}

// of names a row in the message about it, but the total.
func of(name string) string {
	if name == "total" {
		return ""
	}
	return " of " + name
}

// measured is what a baseline has of a row.
type measured struct {
	tokens int64
	cost   prices.Money
}

// add returns the sum of rows of one name.
func (m measured) add(n measured) measured {
	return measured{m.tokens + n.tokens, m.cost.Add(n.cost)}
}

// Why a baseline cannot be compared with.
var (
	errBaseline = errors.New("no baseline of --json")
	errOldRow   = fmt.Errorf("%w: a row has no kind, as before rows had one; write the file anew", errBaseline)
)

// compare compares rows of a kind with those of the baseline. One that is not in it is a part
// of the total, and compared with that.
func (r *report) compare(now map[string]measured, kind string) error {
	in, err := r.streams.OpenInput(r.baseline)
	if err != nil {
		return err
	}
	defer in.Close()
	var names []string
	before := map[string]measured{}
	for l, err := range jsonl.Lines(in) {
		if err != nil {
			return fmt.Errorf("reading %s: %w", r.baseline, err)
		}
		v := js.Value(strings.TrimSpace(string(l.Data)))
		if v == "" {
			continue
		}
		name, was, err := baselineRow(v, kind)
		if err != nil {
			return fmt.Errorf("reading %s: line %d: %w", r.baseline, l.Number, err)
		}
		if _, ok := before[name]; !ok {
			names = append(names, name)
		}
		before[name] = before[name].add(was)
	}
	if _, ok := before["total"]; !ok {
		return fmt.Errorf("reading %s: %w: it has no total", r.baseline, errBaseline)
	}
	for _, name := range names {
		if is, ok := now[name]; ok {
			r.checkGrowth(name, before[name], is)
		}
	}
	return nil
}

// baselineRow reads a row of a baseline, which is of a kind or a total of such rows.
func baselineRow(v js.Value, kind string) (name string, was measured, err error) {
	if !js.Valid([]byte(v)) || !v.IsObject() {
		return "", was, errBaseline
	}
	switch is := v.Get("kind").Str(); is {
	case "":
		return "", was, errOldRow
	case "total":
		name = is
	case kind:
		var keys, values []string
		for key, value := range v.Get("key").Members() {
			keys, values = append(keys, key), append(values, value.Str())
		}
		name = where(keys, values)
	default:
		return "", was, fmt.Errorf("%w: a row is of kind %q, and not %q", errBaseline, is, kind)
	}
	tokens, cost := v.Get("tokens", "total"), v.Get("cost")
	if v.Get("tokens") == "null" { // nothing was known of it
		tokens = "0"
	}
	if kind == "context" {
		tokens = v.Get("contextTokens")
	}
	m, ok := prices.Of(cost.Float())
	if name == "" || !tokens.IsNumber() || cost != "" && cost != "null" && !(cost.IsNumber() && ok) {
		return "", was, errBaseline
	}
	return name, measured{tokens.Int(), m}, nil
}

// checkGrowth fails if a row has grown by more than it may.
func (r *report) checkGrowth(name string, was, is measured) {
	most := func(n int64) float64 { return float64(n) * (1 + r.limits.growth/100) }
	if float64(is.tokens) > math.Floor(most(was.tokens)) {
		r.breach("max-growth", "%d tokens%s, limit %d + %s", is.tokens, of(name), was.tokens, r.maxGrowth)
	}
	const rounding = 500 // a number of JSON has some fifteen digits
	if float64(is.cost) > math.Floor(most(int64(was.cost)))+rounding {
		r.breach("max-growth", "cost %s%s, limit %s + %s", dollars(is.cost), of(name), dollars(was.cost), r.maxGrowth)
	}
}
