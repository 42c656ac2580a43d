package main

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/find/account"
	"github.com/sess-tools/sess/internal/find/prices"
	"github.com/sess-tools/sess/internal/tool/clikit"
	"github.com/sess-tools/sess/internal/tool/operand"
	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/internal/tool/sources"
	"github.com/sess-tools/sess/internal/tool/tty"
	"github.com/sess-tools/sess/pkg/js"
)

// compactions shows what each compaction of the sessions did.
func (r *report) compactions(ctx context.Context, found sources.Found) error {
	prices, err := r.table(r.streams)
	if err != nil {
		return err
	}
	costing := &account.Costing{Mode: r.cost, Table: prices}
	t := table{heads: []string{"session", "entry", "time", "tokensBefore", "before", "after", "saved", "entries", "files", "cost", "priced-by"}, text: 3, last: true}
	unpriced := 0
	err = r.each(ctx, found, func(src *operand.Source) error {
		if r.strict || r.strictPrices {
			if err := src.Strict(src.Problems); err != nil {
				return err
			}
		}
		for _, c := range account.Compactions(src.Session) {
			cost, by := costing.Of(&c.Call)
			if by == account.Unpriced {
				unpriced++
			}
			if r.json {
				if err := r.compactedJSON(src, c, cost, by, prices); err != nil {
					return err
				}
			}
			spent := "" // no call is known
			if c.Called {
				spent = cost.Decimal(9)
			}
			n := func(v int64) string { return strconv.FormatInt(v, 10) }
			t.rows = append(t.rows, []string{
				src.Header.ID, c.Entry, c.Time, n(c.Reported), n(c.Before), n(c.After), n(c.Before - c.After),
				strconv.Itoa(c.Entries), strconv.Itoa(len(c.Files)), spent, pricedBy(by, prices),
			})
		}
		return nil
	})
	if err == nil && len(t.rows) == 0 && len(r.problems) == 0 {
		return clikit.No("no compactions")
	}
	if err == nil && !r.json && len(t.rows) > 0 {
		err = r.printTable(t)
	}
	if unpriced > 0 && r.strictPrices {
		r.fail(clikit.No("budget: %s no price", tty.Count(unpriced, "summary has", "summaries have")))
	}
	return cmp.Or(err, r.outcome())
}

// pricedBy says where a cost is from, with the source of prices.
func pricedBy(by account.By, t *prices.Table) string {
	if by == account.ByTable {
		return strings.Join([]string{string(by), t.Source, t.Date}, " ")
	}
	return string(by)
}

// compactedJSON prints a compaction as JSON.
func (r *report) compactedJSON(src *operand.Source, c account.Compacted, cost prices.Money, by account.By, t *prices.Table) error {
	tokens, source := row.Null("tokens"), row.Null("prices")
	if c.Called {
		tokens = tokensField(c.Call.Tokens)
	}
	if c.Called && by == account.ByTable {
		source = pricesField(t.Source, t.Date)
	}
	reported := row.Null("tokensBefore")
	if c.Reported > 0 {
		reported = js.IntField("tokensBefore", c.Reported)
	}
	known := c.Called && (by == account.ByStored || by == account.ByTable)
	return r.print(row.Object("compaction", append(src.Place().Fields(),
		row.Entry(c.Entry), row.TimeOf(c.Time), reported, js.IntField("before", c.Before), js.IntField("after", c.After),
		js.IntField("saved", c.Before-c.After), js.IntField("entries", int64(c.Entries)), row.Texts("files", c.Files),
		tokens, money("cost", cost, known), row.Text("pricedBy", string(by)), source)...))
}
