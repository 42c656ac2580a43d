package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sess-tools/sess/internal/core/address"
	"github.com/sess-tools/sess/internal/core/brief"
	"github.com/sess-tools/sess/internal/core/cli"
	"github.com/sess-tools/sess/internal/core/row"
	"github.com/sess-tools/sess/internal/core/tty"
	"github.com/sess-tools/sess/pkg/compact"
	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// printReportOf prints what a compaction has taken out of the context.
func (j *job) printReportOf() error {
	leaf, _ := j.src.Session.Leaf()
	at, err := j.src.Session.Resolve(j.reportOf, leaf)
	if err != nil {
		return fmt.Errorf("%s: %w", j.src.Name, err)
	}
	if at < 0 {
		return cli.UsageError("--report-of wants an entry")
	}
	path, _ := j.src.PathTo(at)
	r, err := brief.ReportOn(path, j.src.Session.Entries[at].ID(), j.src.Header.CWD)
	if errors.Is(err, brief.ErrNoReport) {
		return cli.No("%s: %s is no compaction, nor a context_edit", j.src.Name, j.reportOf)
	}
	if err != nil {
		return err
	}
	return j.printReport(r)
}

func (j *job) printReport(r *brief.Report) error {
	if j.json {
		return j.println(reportJSON(r))
	}
	_, err := io.WriteString(j.streams.Text(), tty.CleanLines(reportText(r)))
	return err
}

// reportText returns a report for people: how much left, by role, and the files and
// commands.
func reportText(r *brief.Report) string {
	var b strings.Builder
	who := "a " + r.Type + " would take"
	if r.ID != "" {
		who = r.Type + " " + r.ID + " took"
	}
	noun := "entries"
	if len(r.Entries) == 1 {
		noun = "entry"
	}
	fmt.Fprintf(&b, "%s %d %s out of the context, about %d tokens\n", who, len(r.Entries), noun, r.TokensOut)
	fmt.Fprintf(&b, "the context: about %d tokens before, %d after", r.TokensBefore, r.TokensAfter)
	switch {
	case r.Type == session.TypeCompaction && r.ID == "":
		b.WriteString(" without the summary")
	case r.Type == session.TypeCompaction:
		fmt.Fprintf(&b, " with a summary of %d", r.SummaryTokens)
	}
	b.WriteByte('\n')
	if len(r.Entries) > 0 {
		fmt.Fprintf(&b, "from %s to %s", r.From, r.To)
		if r.Kept != "" {
			fmt.Fprintf(&b, ", kept from %s", r.Kept)
		}
		b.WriteByte('\n')
	}
	writeTable(&b, byRole(r.Entries))
	read, modified := r.Files.Lists()
	files, commands := [][]string{{"ACCESS", "FILE"}}, [][]string{{"STATUS", "COMMAND"}}
	for _, name := range modified {
		files = append(files, []string{"modified", name})
	}
	for _, name := range read {
		files = append(files, []string{"read", name})
	}
	for _, c := range r.Commands {
		status := "?"
		switch {
		case c.Status != nil:
			status = strconv.Itoa(*c.Status)
		case c.Failed:
			status = "failed"
		}
		commands = append(commands, []string{status, c.Title()})
	}
	writeTable(&b, files)
	writeTable(&b, commands)
	return b.String()
}

// byRole returns a table of the tokens and the number of the entries of each role, most tokens first.
func byRole(entries []brief.Left) [][]string {
	tokens, count := map[string]int64{}, map[string]int{}
	var roles []string
	for _, e := range entries {
		if count[e.Role] == 0 {
			roles = append(roles, e.Role)
		}
		tokens[e.Role] += e.Tokens
		count[e.Role]++
	}
	slices.SortStableFunc(roles, func(a, b string) int { return cmp.Compare(tokens[b], tokens[a]) })
	rows := [][]string{{"TOKENS", "ENTRIES", "ROLE"}}
	for _, role := range roles {
		rows = append(rows, []string{strconv.FormatInt(tokens[role], 10), strconv.Itoa(count[role]), role})
	}
	return rows
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// writeTable writes a heading and rows below it, after an empty line; nothing if there are no rows.
func writeTable(b *strings.Builder, rows [][]string) {
	if len(rows) == 1 {
		return
	}
	for _, row := range rows {
		for i := range row {
			row[i] = oneLine.Replace(row[i])
		}
	}
	b.WriteString("\n" + cli.Table("", rows))
}

// printText prints a prompt as a command would get it.
func (j *job) printText(text string) error {
	text, err := j.clean(text)
	if err != nil {
		return err
	}
	return j.println(js.ValidText(text))
}

// println prints a text, with control characters made visible on a terminal.
func (j *job) println(text string) error {
	_, err := fmt.Fprintln(j.streams.Out, text)
	return err
}

// filter compacts the session on standard input, and prints it. A session with nothing to compact is printed
// as it is.
func (c *config) filter(ctx context.Context, s *cli.Streams) error {
	t, err := address.OpenTarget(ctx, s, "-", address.TargetOptions{})
	if err != nil {
		return err
	}
	j := c.job(ctx, s, t.Source())
	err = j.work()
	switch {
	case c.looks():
		return err
	case cli.Status(err) == cli.ExitNo:
		return errors.Join(t.Commit(), err)
	case err != nil:
		return err
	case c.dryRun:
		return j.printEntries()
	}
	if err = t.Adopt(&j.batch); err == nil {
		err = t.Commit()
	}
	if err == nil {
		err = s.Flush()
	}
	if err != nil {
		return j.rescue("", err)
	}
	return nil
}

// append adds the entries to the session, if its leaf still is the one that they
// were made for, or if they can be made anew for the one it is now.
func (j *job) append(name string) error {
	o, follow := j.target, j.follow
	if o.Whole = true; j.expect != "" || j.done == nil {
		follow = nil
	}
	t, err := address.OpenBehind(j.ctx, j.streams, name, j.leaf, o, follow)
	if err != nil {
		return err
	}
	if err = t.Adopt(&j.batch); err == nil {
		err = t.Commit()
	}
	return errors.Join(err, t.Close())
}

// follow makes the entries anew for the leaf at the end of a path, if the cut still is
// one. What came meanwhile is kept.
func (j *job) follow(src *address.Source, path []session.Entry) (bool, error) {
	j.path, j.batch = path, src.Draft()
	if err := j.edit(j.edits); err != nil {
		return false, err
	}
	plan, err := j.done.plan.Moved(j.current())
	if errors.Is(err, compact.ErrMoved) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if _, err := plan.AddTo(&j.batch, j.done.Summary); err != nil {
		return false, err
	}
	j.streams.Notef("%s: the leaf moved while the summary was made; added after %s", src.Name, path[len(path)-1].ID())
	return true, j.accept(plan, j.done.own)
}

// printEntries prints the ids of the entries, or the entries.
func (j *job) printEntries() error {
	return address.PrintEntries(j.streams, j.batch.Entries, j.json || j.dryRun)
}

// figuresJSON is what --if-needed -n prints.
func figuresJSON(f compact.Figures) string {
	out := sizeRow{
		ContextTokens: f.Tokens, UsageTokens: f.UsageTokens, TrailingTokens: f.TrailingTokens, LastUsageEntryID: f.LastUsageID, Reserve: f.Reserve,
		Estimator: f.Estimator, Factor: decimal(f.Factor, 3), Samples: f.Samples, Needed: f.Needed,
	}
	if f.Window > 0 {
		out.Window, out.Limit, out.Free, out.Percent = &f.Window, &f.Limit, &f.Free, decimal(f.Percent, 1)
	}
	return row.JSON(out)
}

// decimal is a number with so many decimals.
func decimal(v float64, decimals int) row.Number {
	return row.Number(strconv.FormatFloat(v, 'f', decimals, 64))
}

// planJSON is what --plan prints.
func planJSON(p *compact.Plan, focus string) string {
	return row.JSON(planRow{
		Leaf: p.Leaf, FirstKeptEntryID: p.FirstKept, IsSplitTurn: p.SplitTurn, TokensBefore: p.TokensBefore, PreviousSummary: p.PreviousSummary,
		MessagesToSummarize: ids(p.Summarize), TurnPrefixMessages: ids(p.TurnPrefix), Strategy: p.Strategy.String(), Copies: ids(p.Copies),
		Instructions: focus, FileOps: filesRow(p.Files),
	})
}

func ids(parts []compact.Part) []string {
	out := make([]string, len(parts))
	for i, part := range parts {
		out[i] = part.EntryID
	}
	return out
}

// reportJSON is what --report and --report-of print with --json.
func reportJSON(r *brief.Report) string {
	out := reportRow{
		Entry: r.ID, Type: r.Type, From: r.From, To: r.To, FirstKeptEntryID: r.Kept, TokensBefore: r.TokensBefore, TokensAfter: r.TokensAfter,
		TokensOut: r.TokensOut, SummaryTokens: row.Known(r.SummaryTokens, r.ID != ""), Files: filesRow(r.Files),
	}
	for _, e := range r.Entries {
		out.Entries = append(out.Entries, leftRow{e.ID, row.TimeOf(e.Time), e.Type, e.Role, e.Tokens, e.Partly, e.Line})
	}
	for _, c := range r.Commands {
		out.Commands = append(out.Commands, commandRow(c))
	}
	return row.JSON(out)
}
