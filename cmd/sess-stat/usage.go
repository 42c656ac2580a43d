package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/screen"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/session"
)

// A usageTable is the sums to show, and where their costs are from.
type usageTable struct {
	usage.Table
	keys         []string
	source, date string // of the prices, "" if no cost was computed
	copied       int    // sessions with copies of calls
	depth        map[string]int
}

// usage adds up calls.
func (r *report) usage(ctx context.Context, found selection.Found) error {
	if len(r.keys) == 0 {
		r.keys = []string{"day"}
		if found.Single {
			r.keys = []string{"model"}
		}
	}
	if r.limits.hasContext() && slices.ContainsFunc(found.List, func(s selection.Source) bool { return s.Name == "-" }) {
		return cli.UsageError("--max-context reads a session twice, which standard input does not allow: name a file, or use --context")
	}
	l, err := r.ledger(ctx, found)
	if err != nil {
		return err
	}
	costing, err := r.costing()
	if err != nil {
		return err
	}
	u := &usageTable{keys: r.keys, copied: l.Copied()}
	u.Table = usage.Grouping{By: r.keys, Zone: r.zone, Since: r.from, Until: r.to, Costing: costing}.Group(l)
	r.unseenAgents(ctx, found)
	u.source, u.date = costing.Table.Source, costing.Table.Date
	r.warn(u)
	switch r.sort {
	case "cost":
		slices.SortStableFunc(u.Rows, func(a, b usage.Row) int { return compare(b.Cost, a.Cost) })
	case "total":
		slices.SortStableFunc(u.Rows, func(a, b usage.Row) int { return compare(b.Tokens.Total(), a.Tokens.Total()) })
	}
	if r.tree {
		u.depth = map[string]int{}
		u.Rows = nested(u.Rows, l, u.depth)
	}
	switch {
	case u.Total.Calls == 0 && len(r.problems) > 0:
		return r.outcome() // there may be some
	case u.Total.Calls == 0:
		if r.limited() {
			r.breach(r.limiting(), "no call of a model%s: the limit was not tested", in(r.session))
			return r.outcome()
		}
		return cli.No("no calls")
	}
	if err := r.showUsage(u); err != nil {
		return err
	}
	if err := r.checkUsage(u); err != nil {
		return err
	}
	if r.limits.hasContext() {
		if err := r.checkContexts(ctx, found); err != nil {
			return err
		}
	}
	return r.outcome()
}

// warn says what the sums do not have.
func (r *report) warn(u *usageTable) {
	total := &u.Total
	if total.Bad > 0 {
		text := fmt.Sprintf("calls with counters that are no counts, which were taken for 0: %d", total.Bad)
		r.lack(text)
		switch {
		case r.strict:
			r.fail(fmt.Errorf("%w: %s", session.ErrMalformed, text))
		case r.strictPrices:
			r.breach("strict-prices", "%s", text)
		}
	}
	if u.Untimed > 0 {
		r.lack(fmt.Sprintf("calls left out, because nothing says when they were made: %d", u.Untimed))
		if r.strict || r.strictPrices {
			r.breach(r.strictness(), "calls without a time: %d", u.Untimed)
		}
	}
	r.silent(total)
	if total.Parts > 0 {
		r.unknown(fmt.Sprintf("totals differ: calls have %s, the agent's own total says %s", tty.Count(total.Parts, "token", "tokens"), tty.Count(total.Told, "token", "tokens")))
	}
	if total.UnpricedCalls == 0 {
		return
	}
	text := fmt.Sprintf("no price for %s, %s: %s", tty.Count(total.UnpricedCalls, "call", "calls"), tty.Count(total.UnpricedTokens, "token", "tokens"), models(u.Unpriced))
	if r.screen != nil && !r.strictPrices && (r.limits.cost < 0 || r.allowUnpriced) {
		text = fmt.Sprintf("no price: %s (%s tokens) of %s, which COST leaves out", tty.Count(total.UnpricedCalls, "call", "calls"), screen.Tokens(total.UnpricedTokens), models(u.Unpriced))
	}
	r.unknown(text)
}

// unknown says why a cost is not known, which is a breach of limits.
func (r *report) unknown(text string) {
	switch {
	case r.strictPrices:
		r.breach("strict-prices", "%s", text)
	case r.limits.cost >= 0 && !r.allowUnpriced:
		r.breach("max-cost", "the cost is not known: %s; --allow-unpriced lets it pass", text)
	default:
		r.lack(text)
	}
}

// lack says what sums do not have: on a screen below them, else in a warning.
func (r *report) lack(text string) {
	if r.screen == nil {
		r.streams.Warnf("%s", text)
		return
	}
	r.lacks = append(r.lacks, text)
}

// silent says that calls do not tell their usage. If some do and there is no limit it is a detail: each answer in plain text
// is such a call. A limit that is held to nothing is none.
func (r *report) silent(total *usage.Sum) {
	text := fmt.Sprintf("calls of which neither tokens nor a cost is known: %d", total.SilentCalls)
	limited := r.limits.cost >= 0 || r.maxTokens >= 0
	switch {
	case total.SilentCalls == 0:
	case r.strictPrices:
		r.breach("strict-prices", "%s", text)
	case total.Unknown() && limited && !r.allowUnpriced:
		r.breach(r.limiting(), "the limit cannot be judged: %s; --allow-unpriced lets it pass", text)
	case limited:
		r.streams.Alwaysf("%s", text)
	case total.Unknown():
		r.lack(text)
	default:
		r.streams.Notef("%s", text)
	}
}

// models names models for a message, the first of them.
func models(list []usage.Unknown) string {
	const most = 5
	var names []string
	for i, m := range list {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(list)-most))
			break
		}
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
}

func compare[N ~int64](a, b N) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// nested puts each row below that of the session it descends from, and says how deep.
func nested(rows []usage.Row, l *usage.Ledger, depth map[string]int) []usage.Row {
	parents := l.Parents()
	has := map[string]bool{}
	for _, row := range rows {
		has[row.Key[0]] = true
	}
	below := map[string][]usage.Row{}
	for _, row := range rows {
		parent := parents[row.Key[0]]
		for n := 0; parent != "" && !has[parent] && n < len(parents); n++ {
			parent = parents[parent]
		}
		if !has[parent] {
			parent = ""
		}
		below[parent] = append(below[parent], row)
	}
	var out []usage.Row
	done := map[string]bool{}
	var put func(parent string, level int)
	put = func(parent string, level int) {
		for _, row := range below[parent] {
			if id := row.Key[0]; !done[id] {
				done[id] = true
				depth[id] = level
				out = append(out, row)
				put(id, level+1)
			}
		}
	}
	put("", 0)
	for _, row := range rows { // those that are each other's parents
		if id := row.Key[0]; !done[id] {
			done[id] = true
			out = append(out, row)
			put(id, 1)
		}
	}
	return out
}
