package main

import (
	"strconv"

	"github.com/sess-tools/sess/internal/tool/row"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
)

// figuresJSON is what --check prints.
func figuresJSON(f compact.Figures) string {
	known := func(name string, value js.Field) js.Field {
		if f.Window <= 0 { // all of them are of the window
			return row.Null(name)
		}
		return js.RawField(name, value.Raw)
	}
	number := js.IntField
	return row.Object("size", number("contextTokens", f.Tokens), number("usageTokens", f.UsageTokens), number("trailingTokens", f.TrailingTokens),
		row.Text("lastUsageEntryId", f.LastUsageID), known("window", number("", f.Window)), number("reserve", f.Reserve),
		known("limit", number("", f.Limit)), known("free", number("", f.Free)), known("percent", decimal(f.Percent, 1)),
		js.StringField("estimator", js.ValidText(f.Estimator)), js.RawField("factor", decimal(f.Factor, 3).Raw), number("samples", int64(f.Samples)),
		row.Bool("needed", f.Needed))
}

// decimal is a number with so many decimals.
func decimal(v float64, decimals int) js.Field {
	return js.RawField("", strconv.FormatFloat(v, 'f', decimals, 64))
}

// planJSON is what --plan prints, and what a hook is given.
func planJSON(p *compact.Plan, focus string) string {
	return row.Object("plan", row.Text("leaf", p.Leaf), row.Text("firstKeptEntryId", p.FirstKept), row.Bool("isSplitTurn", p.SplitTurn),
		js.IntField("tokensBefore", p.TokensBefore), row.Text("previousSummary", p.PreviousSummary),
		row.Texts("messagesToSummarize", ids(p.Summarize)), row.Texts("turnPrefixMessages", ids(p.TurnPrefix)),
		js.StringField("strategy", p.Strategy.String()), row.Texts("copies", ids(p.Copies)), row.Text("instructions", focus), filesJSON("fileOps", p.Files))
}

// branchJSON is what --plan prints of a branch that is left.
func branchJSON(b *compact.Branch) string {
	return row.Object("branch", row.Text("fromId", b.From), row.Text("targetId", b.Target), row.Text("commonAncestorId", b.Ancestor),
		js.IntField("estimate", b.Tokens), row.Texts("messagesToSummarize", ids(b.Parts)), js.IntField("dropped", int64(b.Dropped)), filesJSON("fileOps", b.Files))
}

func ids(parts []compact.Part) []string {
	var out []string
	for _, part := range parts {
		out = append(out, part.EntryID)
	}
	return out
}

// filesJSON is a member with the files that calls are about.
func filesJSON(name string, f compact.FileOps) js.Field {
	return js.RawField(name, js.Object(row.Texts("read", f.Read), row.Texts("written", f.Written), row.Texts("edited", f.Edited)))
}

// reportJSON is what --report and --report-of print with --json.
func reportJSON(r *compact.Report) string {
	summary := row.Null("summaryTokens") // is still to be made
	if r.ID != "" {
		summary = js.IntField("summaryTokens", r.SummaryTokens)
	}
	var entries, commands []string
	for _, e := range r.Entries {
		line := row.Null("line")
		if e.Line > 0 {
			line = js.IntField("line", int64(e.Line))
		}
		entries = append(entries, js.Object(row.Entry(e.ID), row.TimeOf(e.Time), row.Text("type", e.Type), row.Text("role", e.Role),
			js.IntField("estimate", e.Tokens), row.Bool("partly", e.Partly), line))
	}
	for _, c := range r.Commands {
		status := row.Null("status")
		if c.Status != nil {
			status = js.IntField("status", int64(*c.Status))
		}
		commands = append(commands, js.Object(row.Entry(c.EntryID), js.StringField("command", js.ValidText(c.Command)), status, row.Bool("failed", c.Failed)))
	}
	return row.Object("report", row.Entry(r.ID), row.Text("type", r.Type), row.Text("from", r.From), row.Text("to", r.To), row.Text("firstKeptEntryId", r.Kept),
		js.IntField("tokensBefore", r.TokensBefore), js.IntField("tokensAfter", r.TokensAfter), js.IntField("tokensOut", r.TokensOut), summary,
		row.List("entries", entries), filesJSON("files", r.Files), row.List("commands", commands))
}
