package compact

import (
	"strconv"

	"github.com/sess-tools/sess/pkg/js"
	"github.com/sess-tools/sess/pkg/session"
)

// noHistory stands for the history where there is none.
const noHistory = "No prior history."

// turnHeading stands between the summary of the history and that of the first
// part of the turn that is split.
const turnHeading = "\n\n" + turnRule + "\n\n" + turnTitle + "\n\n"

const (
	turnRule  = "---"
	turnTitle = "**Turn Context (split turn):**"
)

// Summary is the text a model made: of the history, and of the first part of a
// split turn if there is one.
type Summary struct {
	History    string
	TurnPrefix string
	Whole      bool            // History speaks of the split turn too
	Details    []session.Field // further members of the entry's details, such as the summarizer
}

// Text returns the summary as the entry holds it, the file lists at its end. A
// previous summary that was not brought up to date is kept, not lost.
func (p *Plan) Text(s Summary) string {
	history := s.History
	if p.NeedsPrefix() && !s.Whole {
		if !p.NeedsHistory() {
			history = noHistory
			if p.PreviousSummary != "" && p.rules == Pi15 {
				history = p.PreviousSummary
			}
		}
		history += turnHeading + s.TurnPrefix
	}
	return history + p.Files.Text()
}

// Entry returns the fields of the compaction entry, in pi's order.
func (p *Plan) Entry(s Summary) []session.Field {
	read, modified := p.Files.Lists()
	details := `{"readFiles":` + stringArray(read) + `,"modifiedFiles":` + stringArray(modified)
	for _, f := range s.Details {
		details += "," + js.Quote(f.Name) + ":" + f.Raw
	}
	fields := []session.Field{
		session.StringField("summary", p.Text(s)),
		session.StringField("firstKeptEntryId", p.FirstKept),
		{Name: "tokensBefore", Raw: strconv.FormatInt(p.TokensBefore, 10)},
		{Name: "details", Raw: details + "}"},
		{Name: "fromHook", Raw: "false"},
	}
	if p.System != "" && p.rules == Pi15 {
		fields = append(fields, session.Field{Name: "systemMessage", Raw: p.System})
	}
	return fields
}

func stringArray(list []string) string {
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = js.AppendQuote(out, s)
	}
	return string(append(out, ']'))
}

// Gain returns the estimated size of the context before and after the
// compaction entry, in tokens. Both are estimates, so that they compare.
func (p *Plan) Gain(compaction session.Entry) (before, after int64) {
	return estimate(p.path), estimate(p.After(compaction))
}

func estimate(path []session.Entry) (tokens int64) {
	for _, m := range messages(session.Project(path)) {
		tokens += session.Estimate(m)
	}
	return tokens
}
