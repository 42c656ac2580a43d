package main

import (
	"strconv"

	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
)

// recalled prints the rows of --max-tokens, and says what was left out and how to see it: with --json in an object behind
// them, which does not count for the budget.
func (p *printer) recalled() error {
	if p.recall == nil || p.quiet {
		return nil
	}
	rows, left, unseen := p.recall.Rows()
	for _, row := range rows {
		if _, err := row.WriteTo(p.out); err != nil {
			return err
		}
	}
	more := p.streams.Again("max-tokens", strconv.FormatInt(2*max(p.maxTokens, 1), 10))
	if p.json {
		return p.print(row.JSON(leftOutRow{Rows: left, Sessions: unseen, More: more, Show: showEntry}), p.end0)
	}
	if left > 0 {
		of := ""
		if unseen > 0 {
			of = ", and none of " + tty.Count(unseen, "session", "sessions")
		}
		p.streams.Infof("%s not shown%s; more: %s", tty.Count(left, "row", "rows"), of, more)
	}
	if len(rows) > 0 {
		p.streams.Infof("what stands there: %s", showEntry)
	}
	return nil
}

// showEntry is the command that prints what leads to an entry of a row.
const showEntry = "sess-path --as text --leaf ENTRY SESSION | tail -n 40"
