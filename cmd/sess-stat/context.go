package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/selection"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/internal/readers/prices"
	"github.com/sess-tools/sess/internal/readers/usage"
	"github.com/sess-tools/sess/pkg/convo"
	"github.com/sess-tools/sess/pkg/session"
)

// A weight is the sum of the parts of a context with the same keys.
type weight struct {
	key                     []string
	tokens, estimate, bytes int64
	entries                 int
}

// context shows what fills the context of each session.
func (r *report) context(ctx context.Context, found selection.Found) error {
	if len(r.keys) == 0 {
		r.keys = []string{"role", "tool"}
	}
	costing, err := r.windows()
	if err != nil {
		return err
	}
	shown, now, short := 0, map[string]measured{}, found.Short()
	err = r.each(ctx, found, func(of selection.Source, src *address.Source) error {
		c, path, err := r.contextOf(src)
		if err != nil {
			return err
		}
		if len(c.Parts) == 0 {
			return nil
		}
		if shown++; shown > 1 && !r.json && !r.csv && r.screen == nil {
			if err := r.write("\n"); err != nil {
				return err
			}
		}
		if r.screen != nil && !r.pictureAlone() {
			heading, err := of.HeadingOf(src, short)
			if err != nil {
				return err
			}
			if err := r.screen.Head(heading); err != nil {
				return err
			}
		}
		if err := r.showContext(src, c, len(found.List) > 1); err != nil {
			return err
		}
		if err := r.windowFoot(c, path); err != nil {
			return err
		}
		r.limitContext(src, c, path, costing)
		for name, m := range r.measuredContext(c) {
			now[name] = now[name].add(m)
		}
		return nil
	})
	if err == nil && shown > 0 && r.baseline != "" {
		err = r.compare(now, "context")
	}
	if err == nil && !slices.ContainsFunc(found.List, func(s selection.Source) bool { return s.Name == "-" }) {
		r.unseenAgents(ctx, found)
	}
	if err == nil && shown == 0 && len(r.problems) == 0 {
		return cli.No("nothing is in the context")
	}
	return cmp.Or(err, r.outcome())
}

// windows returns the costing that knows the windows of models, nil if no limit needs them.
func (r *report) windows() (*usage.Costing, error) {
	if r.limits.share < 0 {
		return nil, nil
	}
	return r.costing()
}

// each reads sessions whole, one after the other.
func (r *report) each(ctx context.Context, found selection.Found, visit func(selection.Source, *address.Source) error) error {
	failed, status := 0, cli.ExitDone
	for _, s := range found.List {
		src, err := s.Read(ctx, r.streams)
		if err == nil {
			if s.Here(src.Header) != nil {
				continue
			}
			err = visit(s, src)
		}
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil || len(found.List) == 1:
			return err
		}
		r.streams.Warn(cli.Unseen, "%v", err)
		failed, status = failed+1, max(status, cli.Status(err))
	}
	r.fail(r.streams.Unread(failed, len(found.List), status))
	r.fail(found.Failed)
	return nil
}

// contextOf takes the context of a session apart.
func (r *report) contextOf(src *address.Source) (usage.Context, []session.Entry, error) {
	leaf, err := src.Leaf("last")
	if err != nil {
		return usage.Context{}, nil, err
	}
	path, gaps := src.PathTo(leaf)
	if r.strict || r.strictPrices {
		if err := src.Strict(src.Problems, gaps); err != nil {
			return usage.Context{}, nil, err
		}
	}
	if r.whole() {
		if err := src.Unread(false, src.Problems, gaps); err != nil {
			return usage.Context{}, nil, err
		}
	}
	return usage.ContextOf(path), path, nil
}

// weigh adds up the parts of a context by the keys, the heaviest first.
func (r *report) weigh(c usage.Context) []weight {
	rows := map[string]*weight{}
	entries := map[[2]string]bool{}
	for i := range c.Parts {
		p := &c.Parts[i]
		key := make([]string, len(r.keys))
		for k, name := range r.keys {
			key[k] = p.Key(name)
		}
		joined := strings.Join(key, "\x00")
		w := rows[joined]
		if w == nil {
			w = &weight{key: key}
			rows[joined] = w
		}
		w.tokens, w.estimate, w.bytes = w.tokens+p.Tokens, w.estimate+p.Estimate, w.bytes+p.Bytes
		if at := [2]string{joined, p.Entry}; p.Entry != "" && !entries[at] {
			entries[at] = true
			w.entries++
		}
	}
	var out []weight
	for _, w := range rows {
		out = append(out, *w)
	}
	slices.SortFunc(out, func(a, b weight) int {
		if by := cmp.Compare(b.tokens, a.tokens); by != 0 && r.sort != "key" {
			return by
		}
		return slices.Compare(a.key, b.key)
	})
	return out
}

// share is a part of all in percent.
func share(part, all int64) string {
	if all == 0 {
		return "0"
	}
	return strconv.FormatFloat(100*float64(part)/float64(all), 'f', 1, 64)
}

// showContext prints the rows of a context, and its total.
func (r *report) showContext(src *address.Source, c usage.Context, named bool) error {
	rows := r.weigh(c)
	if r.top > 0 && len(rows) > r.top {
		rows = rows[:r.top]
	}
	if r.svg != "" {
		if err := r.picture(r.contextChart(rows, c)); err != nil {
			return err
		}
		if r.pictureAlone() {
			return r.drawn()
		}
	}
	total := weight{tokens: c.Tokens, estimate: c.Estimates}
	seen := map[string]bool{}
	for i := range c.Parts {
		total.bytes += c.Parts[i].Bytes
		if id := c.Parts[i].Entry; id != "" {
			seen[id] = true
		}
	}
	total.entries = len(seen)
	switch {
	case r.json:
		return r.contextJSON(src, rows, total, c)
	case r.plot != "":
		return r.draw(r.contextChart(rows, c))
	}
	if r.screen != nil {
		return r.contextScreen(rows, c)
	}
	about := ""
	if !c.Calibrated {
		about = "~"
	}
	t := table{heads: append(append([]string{}, r.keys...), "tokens", "share", "entries", "bytes"), text: len(r.keys)}
	add := func(key []string, w weight) {
		t.rows = append(t.rows, append(slices.Clone(key),
			about+strconv.FormatInt(w.tokens, 10), share(w.tokens, c.Tokens)+"%", strconv.Itoa(w.entries), strconv.FormatInt(w.bytes, 10)))
	}
	total.key = append([]string{"total"}, make([]string, len(r.keys)-1)...)
	for _, w := range append(rows, total) {
		add(w.key, w)
	}
	if named && !r.csv {
		if err := r.write(src.Name + "\n"); err != nil {
			return err
		}
	}
	return r.printTable(t)
}

// contextJSON prints the rows of a context and its total as JSON.
func (r *report) contextJSON(src *address.Source, rows []weight, total weight, c usage.Context) error {
	weighed := func(w weight) weighed {
		return weighed{w.estimate, row.Number(share(w.tokens, c.Tokens)), w.entries, w.bytes}
	}
	for _, w := range rows {
		out := contextRow{Place: src.Place(), Key: keyFields(r.keys, w.key), ContextTokens: w.tokens, weighed: weighed(w)}
		if err := r.print(row.JSON(out)); err != nil {
			return err
		}
	}
	out := contextTotalRow{
		Place: src.Place(), ContextTokens: total.tokens, weighed: weighed(total), Calibrated: c.Calibrated, Reported: max(c.Reported, 0),
	}
	if c.Estimated > 0 {
		out.Factor = row.Number(strconv.FormatFloat(c.Factor, 'f', 4, 64))
	}
	return r.print(row.JSON(out))
}

// measuredContext is a context as a baseline has it.
func (r *report) measuredContext(c usage.Context) map[string]measured {
	now := map[string]measured{"total": {tokens: c.Tokens}}
	for _, w := range r.weigh(c) {
		now[where(r.keys, w.key)] = measured{tokens: w.tokens}
	}
	return now
}

// limitContext compares a context with the limits.
func (r *report) limitContext(src *address.Source, c usage.Context, path []session.Entry, costing *usage.Costing) {
	most, of := r.limits.context, ""
	if r.limits.share >= 0 {
		window, model := windowOf(path, costing)
		if window == 0 {
			r.fail(cli.WithHint(fmt.Errorf("comparing the context of %s: the window of model %q is not known", src.Name, model),
				"give --max-context as a number of tokens"))
			return
		}
		most = int64(float64(window) * r.limits.share / 100)
		of = fmt.Sprintf(", %s of %d", r.maxContext, window)
	}
	if most >= 0 && c.Tokens > most {
		r.breach("max-context", "context of %d tokens of session %s, limit %d%s", c.Tokens, src.Header.ID, most, of)
	}
}

// windowOf returns how many tokens the context of the model in use holds, 0 if that is not known, and the model: the agent's word comes
// before the table of prices.
func windowOf(path []session.Entry, costing *usage.Costing) (tokens int64, model string) {
	m := convo.StateOf(path).Model
	if m == nil {
		m = &convo.Model{}
	}
	if tokens = convo.WindowOf(path, m.ID); tokens == 0 {
		if known := costing.Model(m.Provider, m.ID); known != nil {
			tokens = known.Window
		}
	}
	return tokens, strings.Trim(m.Provider+"/"+m.ID, "/")
}

// checkContexts compares the contexts of sessions with the limits.
func (r *report) checkContexts(ctx context.Context, found selection.Found) error {
	costing, err := r.windows()
	if err != nil {
		return err
	}
	return r.each(ctx, found, func(_ selection.Source, src *address.Source) error {
		c, path, err := r.contextOf(src)
		if err == nil {
			r.limitContext(src, c, path, costing)
		}
		return err
	})
}

// costing finds what calls cost, as the flags want it.
func (r *report) costing() (*usage.Costing, error) {
	prices, err := r.table(r.streams)
	return &usage.Costing{Mode: r.cost, Known: r.knownUsage, Table: prices}, err
}

// compactions shows what each compaction of the sessions did.
func (r *report) compactions(ctx context.Context, found selection.Found) error {
	costing, err := r.costing()
	if err != nil {
		return err
	}
	short := found.Short()
	t := table{heads: []string{"session", "entry", "time", "tokensBefore", "before", "after", "saved", "entries", "files", "cost", "priced-by"}, text: 3, last: true}
	unpriced := 0
	err = r.each(ctx, found, func(of selection.Source, src *address.Source) error {
		if r.strict || r.strictPrices {
			if err := src.Strict(src.Problems); err != nil {
				return err
			}
		}
		for _, c := range usage.Compactions(src.Session) {
			is := costing.Of(&c.Call)
			if is.By == usage.Unpriced {
				unpriced++
			}
			if r.json {
				if err := r.compactedJSON(src, c, is, costing.Table); err != nil {
					return err
				}
			}
			spent := "" // no call is known
			if c.Called {
				spent = is.Cost.Decimal(9)
			}
			if r.screen != nil {
				t.people = append(t.people, r.compactedCells(short(address.Shown(of.Owner(), cmp.Or(src.Place().Address, of.Name), src.Header.ID)), c, is))
			}
			n := func(v int64) string { return strconv.FormatInt(v, 10) }
			t.rows = append(t.rows, []string{
				src.Header.ID, c.Entry, c.Time, n(c.Reported), n(c.Before), n(c.After), n(c.Before - c.After),
				strconv.Itoa(c.Entries), strconv.Itoa(len(c.Files)), spent, pricedBy(is.By, costing.Table),
			})
		}
		return nil
	})
	if err == nil && len(t.rows) == 0 && len(r.problems) == 0 {
		return cli.No("no compactions")
	}
	if err == nil && !r.json && len(t.rows) > 0 {
		err = r.printTable(t)
	}
	if unpriced > 0 && r.strictPrices {
		r.breach("strict-prices", "%s no price", tty.Count(unpriced, "summary has", "summaries have"))
	}
	return cmp.Or(err, r.outcome())
}

// pricedBy says where a cost is from, with the source of prices.
func pricedBy(by usage.By, t *prices.Table) string {
	if by == usage.ByTable {
		return strings.Join([]string{string(by), t.Source, t.Date}, " ")
	}
	return string(by)
}

// compactedJSON prints a compaction as JSON.
func (r *report) compactedJSON(src *address.Source, c usage.Compacted, is usage.Charge, t *prices.Table) error {
	out := compactionRow{
		Place: src.Place(), Entry: c.Entry, Timestamp: row.TimeOf(c.Time), TokensBefore: max(c.Reported, 0), Before: c.Before, After: c.After,
		Saved: c.Before - c.After, Entries: c.Entries, Files: c.Files, Tokens: row.Known(tokens(c.Call.Tokens), c.Called),
		Cost: money(is.Cost, c.Called && (is.By == usage.ByStored || is.By == usage.ByTable)), PricedBy: string(is.By),
	}
	if c.Called && is.By == usage.ByTable {
		out.Prices = &pricesRow{t.Source, t.Date}
	}
	return r.print(row.JSON(out))
}
